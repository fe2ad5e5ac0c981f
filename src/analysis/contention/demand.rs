//! Demand for cores as users of fairscope write it.

/// Parses `[PATH=]CORES` into a path and the most cores wanted.
///
/// The path is `None` for the demand of all users, and the number is `None` for `unlimited`. A path may contain `=`.
/// Returns `None` if the cores are neither a number nor `unlimited`.
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
