//! Demand as people write it.

/// Reads `[PATH=]CORES`: whose demand, if not everybody's, and how many cores at most, if there is a limit; nothing if
/// it is neither a number nor `unlimited`. A path may hold a `=`.
#[must_use]
pub fn demand(text: &[u8]) -> Option<(Option<&[u8]>, Option<u64>)> {
    let equals = text.iter().rposition(|&byte| byte == b'=');
    let (path, cores) = match equals {
        Some(equals) => (Some(&text[..equals]), &text[equals + 1..]),
        None => (None, text),
    };
    let cores = match cores {
        b"unlimited" => None,
        cores => Some(std::str::from_utf8(cores).ok()?.parse().ok()?),
    };
    Some((path, cores))
}
