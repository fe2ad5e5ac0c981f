//! Numbers as flux-accounting's own reader parses them: from text that may continue after the number.

use crate::format::text::parsed;

/// Why a text is no number of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CountError {
    /// It does not begin with a number.
    Text,
    /// The number does not fit 64 bits.
    Range,
}

/// Returns the whole number at the beginning of a text, and whether nothing follows it: `2.9` is 2, `abc` is none.
pub(super) fn leading_count(text: &[u8]) -> Result<(i64, bool), CountError> {
    let text = text.trim_ascii_start();
    let sign = sign(text);
    let end = sign + digits(&text[sign..]);
    if end == sign {
        return Err(CountError::Text);
    }
    let count = parsed(&text[..end]).ok_or(CountError::Range)?;
    Ok((count, end == text.len()))
}

/// Returns the number at the beginning of a text as SQLite reads it, else 0, and whether nothing follows it.
pub(super) fn leading_number(text: &[u8]) -> (f64, bool) {
    let text = text.trim_ascii_start();
    let start = sign(text);
    let mut end = start + digits(&text[start..]);
    let mut has_digits = end > start;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(&text[end + 1..]);
        has_digits |= fraction > 0;
        end += 1 + fraction;
    }
    if !has_digits {
        return (0.0, false);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let start = end + 1 + sign(&text[end + 1..]);
        let exponent = digits(&text[start..]);
        if exponent > 0 {
            end = start + exponent;
        }
    }
    (parsed(&text[..end]).unwrap_or(0.0), end == text.len())
}

/// Returns the length of the sign before a number.
fn sign(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'-' | b'+')))
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
