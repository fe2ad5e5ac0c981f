//! Numbers as C's `strtol` reads them, and the rest of the text.

/// Returns whether C's `isspace` holds in the C locale.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads a decimal number at the start of a text, after blanks and with an optional sign.
///
/// Returns the number, limited to a 64-bit `long`, and how many bytes it took; 0 and 0 if the text begins with no
/// number.
pub(super) fn strtol(text: &[u8]) -> (i64, usize) {
    let blanks = text.iter().take_while(|&&byte| is_space(byte)).count();
    let is_negative = text.get(blanks) == Some(&b'-');
    let has_sign = is_negative || text.get(blanks) == Some(&b'+');
    let start = blanks + usize::from(has_sign);
    let mut number: i64 = 0;
    let mut end = start;
    while let Some(digit) = text.get(end).filter(|byte| byte.is_ascii_digit()) {
        let digit = i64::from(digit - b'0');
        // Counting down reaches one number more than counting up.
        number = number.saturating_mul(10).saturating_sub(digit);
        end += 1;
    }
    if end == start {
        return (0, 0);
    }
    let number = if is_negative {
        number
    } else {
        number.checked_neg().unwrap_or(i64::MAX)
    };
    (number, end)
}

/// Returns a field that is a number from its first byte to its last, or `None` for other fields.
pub(super) fn whole(field: &[u8]) -> Option<i64> {
    let (number, length) = strtol(field);
    (length > 0 && length == field.len()).then_some(number)
}
