//! Numbers as flux-accounting's own reader parses them: from text that may continue after the number.

/// Why a text is no number of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CountError {
    /// It does not begin with a number.
    Text,
    /// The number does not fit 64 bits.
    Range,
}

/// Returns the whole number at the beginning of a text, and whether nothing follows it: `2.9` is 2, and `abc` is no
/// number.
pub(super) fn leading_count(text: &[u8]) -> Result<(i64, bool), CountError> {
    let (negative, digits) = signed(text);
    let end = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if end == 0 {
        return Err(CountError::Text);
    }
    let mut count: i64 = 0;
    for digit in &digits[..end] {
        let digit = i64::from(digit - b'0');
        // Counts down from 0, because there is one more negative number than positive ones.
        count = count
            .checked_mul(10)
            .and_then(|count| count.checked_sub(digit))
            .ok_or(CountError::Range)?;
    }
    if !negative {
        count = count.checked_neg().ok_or(CountError::Range)?;
    }
    Ok((count, end == digits.len()))
}

/// Returns the number at the beginning of a text as SQLite parses it, and whether nothing follows it; 0 if there is
/// none.
pub(super) fn leading_number(text: &[u8]) -> (f64, bool) {
    let (_, digits) = signed(text);
    let count = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = count(digits);
    let mut has_digits = end > 0;
    if digits.get(end) == Some(&b'.') {
        let fraction = count(&digits[end + 1..]);
        has_digits |= fraction > 0;
        end += 1 + fraction;
    }
    if !has_digits {
        return (0.0, false);
    }
    if matches!(digits.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(digits.get(end + 1), Some(b'+' | b'-')));
        let exponent = count(&digits[end + 1 + sign..]);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let start = text.trim_ascii_start();
    let number = &start[..start.len() - (digits.len() - end)];
    let number = std::str::from_utf8(number)
        .ok()
        .and_then(|text| text.parse().ok());
    (number.unwrap_or(0.0), end == digits.len())
}

/// Returns whether there is a minus before the digits, and the text after the sign.
fn signed(text: &[u8]) -> (bool, &[u8]) {
    let text = text.trim_ascii_start();
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    }
}
