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
    if !is_negative {
        number = number.checked_neg().unwrap_or(i64::MAX);
    }
    (number, end)
}

/// Returns a field that is a number from its first byte to its last, or `None` for other fields.
pub(super) fn whole(field: &[u8]) -> Option<i64> {
    let (number, length) = strtol(field);
    (length > 0 && length == field.len()).then_some(number)
}

/// Returns a long as PBS stores it in an int: without a look.
#[expect(clippy::cast_possible_truncation, reason = "as PBS does")]
pub(super) fn int(long: i64) -> i32 {
    long as i32
}

/// Reads an amount of a resource: a number, a truth value, a size or a time. Also returns whether it was a time.
pub(super) fn resource(value: &[u8]) -> (f64, bool) {
    const UNLIMITED: f64 = f64::NEG_INFINITY;
    if value.eq_ignore_ascii_case(b"true") {
        return (1.0, false);
    }
    if value.eq_ignore_ascii_case(b"false") {
        return (0.0, false);
    }
    if !is_amount(value) {
        return (UNLIMITED, false);
    }
    let (first, rest) = leading_number(value);
    match rest.split_first() {
        Some((b':', rest)) => {
            let (second, rest) = leading_number(rest);
            let third = rest.strip_prefix(b":");
            let amount = match third.map(|third| (strtol(third), third.len())) {
                None => first * 60.0 + second,
                Some(((seconds, length), whole)) if length == whole => {
                    first * 3600.0 + second * 60.0 + seconds as f64
                }
                Some(_) => UNLIMITED,
            };
            (amount, true)
        }
        Some((unit, rest)) => (size(first, *unit, rest), false),
        None => (first, false),
    }
}

/// Returns a size in kilobytes, as which a time with a unit is read.
fn size(amount: f64, unit: u8, rest: &[u8]) -> f64 {
    const KILO: f64 = 1024.0;
    const WORD: f64 = 8.0;
    let amount = match unit.to_ascii_lowercase() {
        b'm' => amount * KILO,
        b'g' => amount * KILO * KILO,
        b't' => amount * KILO * KILO * KILO,
        b'b' => (amount / KILO).ceil(),
        b'w' => (amount / KILO).ceil() * WORD,
        _ => amount,
    };
    let is_in_words = rest.first() == Some(&b'w');
    amount * if is_in_words { WORD } else { 1.0 }
}

/// Returns whether a word looks like a number, a size or a time: at most two colons, then a unit or a fraction.
fn is_amount(value: &[u8]) -> bool {
    let value = match value {
        [b'-' | b'+', value @ ..] => value,
        _ => value,
    };
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b':';
    let Some(end) = value.iter().position(|byte| !is_part(byte)) else {
        return value.split(|&byte| byte == b':').count() <= 3;
    };
    match value[end..].to_ascii_lowercase().as_slice() {
        [b'k' | b'm' | b'g' | b't', unit @ ..] => matches!(unit, [] | [b'b' | b'w']),
        [b'b' | b'w'] => true,
        [b'.', fraction @ ..] => fraction.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns the number at the beginning of a word, 0 if there is none, and the rest.
fn leading_number(word: &[u8]) -> (f64, &[u8]) {
    let sign = usize::from(matches!(word.first(), Some(b'-' | b'+')));
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let length = sign + word[sign..].iter().take_while(|byte| is_part(byte)).count();
    let number = parsed(&word[..length]).map(|number| (number, &word[length..]));
    number.unwrap_or((0.0, word))
}
