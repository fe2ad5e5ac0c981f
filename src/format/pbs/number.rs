//! Numbers as C's `strtol` and PBS's scheduler read them.
//!
//! The scheduler's are those of `res_to_num` and `is_num` of OpenPBS 23.06 (`src/scheduler/misc.cpp`).

use crate::format::text::parsed;

/// Returns whether C's `isspace` holds in the C locale.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads a decimal number at the start of a text, after blanks and with an optional sign.
///
/// Returns the number, limited to a 64-bit `long`, and how many bytes it took; both are 0 without a number.
pub(super) fn strtol(text: &[u8]) -> (i64, usize) {
    let mut start = 0;
    while start < text.len() && is_space(text[start]) {
        start += 1;
    }
    let is_negative = text.get(start) == Some(&b'-');
    start += sign_length(&text[start..]);
    let mut number: i64 = 0;
    let mut end = start;
    while let Some(digit @ b'0'..=b'9') = text.get(end) {
        // Counting down reaches one number more than counting up.
        let digit = i64::from(digit - b'0');
        number = number.saturating_mul(10).saturating_sub(digit);
        end += 1;
    }
    if end == start {
        return (0, 0);
    }
    if !is_negative {
        number = number.checked_neg().unwrap_or(i64::MAX);
    }
    (number, end)
}

/// Returns a field that is a number from its first byte to its last, or `None` for other fields.
pub(super) fn whole(field: &[u8]) -> Option<i64> {
    let (number, length) = strtol(field);
    if length == 0 || length < field.len() {
        return None;
    }
    Some(number)
}

/// Returns a long as PBS stores it in an int: without a look.
#[expect(clippy::cast_possible_truncation, reason = "as PBS does")]
pub(super) fn int(long: i64) -> i32 {
    long as i32
}

/// Reads an amount of a resource: a number, 1 or 0 for a truth value, a size in kilobytes or a time in seconds. Returns
/// minus infinity for a text that is none of them.
pub(super) fn resource(value: &[u8]) -> f64 {
    const UNLIMITED: f64 = f64::NEG_INFINITY;
    if value.eq_ignore_ascii_case(b"true") {
        return 1.0;
    }
    if value.eq_ignore_ascii_case(b"false") {
        return 0.0;
    }
    if !is_amount(value) {
        return UNLIMITED;
    }
    let (first, rest) = leading_number(value);
    let rest = match rest.split_first() {
        None => return first,
        Some((b':', rest)) => rest,
        Some((unit, rest)) => return kilobytes(first, *unit, rest),
    };
    let (second, rest) = leading_number(rest);
    let Some(third) = rest.strip_prefix(b":") else {
        return first * 60.0 + second;
    };
    let seconds = if third.is_empty() {
        Some(0)
    } else {
        whole(third)
    };
    let before = first * 3600.0 + second * 60.0;
    match seconds {
        Some(seconds) => before + seconds as f64,
        None => UNLIMITED,
    }
}

/// Returns whether an amount of a resource is written as a time.
pub(super) fn is_time(value: &[u8]) -> bool {
    let (_, rest) = leading_number(value);
    rest.starts_with(b":") && is_amount(value)
}

/// Returns an amount with a unit, such as `gb` or `kw`, in kilobytes.
fn kilobytes(amount: f64, unit: u8, rest: &[u8]) -> f64 {
    const KILO: f64 = 1024.0;
    /// The bytes of a word.
    const WORD: f64 = 8.0;
    let kilobytes = match unit.to_ascii_lowercase() {
        b'm' => amount * KILO,
        b'g' => amount * KILO * KILO,
        b't' => amount * KILO * KILO * KILO,
        b'b' => (amount / KILO).ceil(),
        b'w' => (amount / KILO).ceil() * WORD,
        _ => amount,
    };
    if rest.starts_with(b"w") {
        return kilobytes * WORD;
    }
    kilobytes
}

/// Returns whether a word looks like a number, a size or a time: at most two colons, then a unit or a fraction.
fn is_amount(value: &[u8]) -> bool {
    let mut end = sign_length(value);
    let mut colons = 0;
    while let Some(byte @ (b'0'..=b'9' | b':')) = value.get(end) {
        colons += u32::from(*byte == b':');
        end += 1;
    }
    let Some((first, behind)) = value[end..].split_first() else {
        return colons <= 2;
    };
    match first.to_ascii_lowercase() {
        b'k' | b'm' | b'g' | b't' => match behind {
            [] => true,
            [unit] => matches!(unit, b'b' | b'B' | b'w' | b'W'),
            _ => false,
        },
        b'b' | b'w' => behind.is_empty(),
        b'.' => behind.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns the number at the beginning of a word, 0 if there is none, and the rest.
fn leading_number(word: &[u8]) -> (f64, &[u8]) {
    let mut length = sign_length(word);
    while let Some(b'0'..=b'9' | b'.') = word.get(length) {
        length += 1;
    }
    match parsed(&word[..length]) {
        Some(number) => (number, &word[length..]),
        None => (0.0, word),
    }
}

/// Returns 1 if a word begins with a sign, or else 0.
fn sign_length(word: &[u8]) -> usize {
    match word.first() {
        Some(b'-' | b'+') => 1,
        _ => 0,
    }
}
