//! Numbers as text, for screens, prose and machines.
//!
//! For people a number is rounded and grouped; for machines it is the shortest text that reads back to the same bits. A
//! NaN is `nan` and an infinity `inf` everywhere, so that no number is invented for them.

mod value;

use crate::base::shown::{Shown, sentence};
use std::fmt::{self, Write as _};
pub use value::{Alignment, Exact, Unit, Value};

/// The seconds of a day.
pub const DAY: u32 = 24 * 60 * 60;

/// Returns bytes as two hexadecimal digits each, in small letters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The sign of a number that the scheduler printed and that no usage reproduces.
pub(crate) const NOT_REPRODUCED: char = '≠';

/// Returns one cell of a table: the number in the form of its unit, empty if there is none.
pub fn cell(value: Value, unit: Unit) -> Shown {
    let mut text = Shown::default();
    put_cell(&mut text, value, unit);
    text
}

/// Writes one cell of a table, as [`cell`] returns it.
pub(crate) fn put_cell(text: &mut Shown, value: Value, unit: Unit) {
    match value {
        Value::Null => {}
        Value::Parent => put(text, "parent"),
        Value::Word(bits) => *text += &word(bits),
        Value::Count(count) => put_count(text, count, unit),
        Value::Double(number) => put_in_unit(text, number, unit),
        Value::Single(number) => put_in_unit(text, f64::from(number), unit),
    }
}

/// Adds a whole number in the form of its unit.
fn put_count(text: &mut Shown, count: i64, unit: Unit) {
    match unit {
        Unit::Change => *text += &change(count),
        Unit::Text | Unit::Count | Unit::Rank | Unit::Word | Unit::Bar => {
            *text += &grouped(count);
        }
        _ => put_in_unit(text, count as f64, unit),
    }
}

/// Adds a number in the form of its unit.
fn put_in_unit(text: &mut Shown, number: f64, unit: Unit) {
    let put_finite: PutFinite = match unit {
        Unit::Portion => put_percent,
        Unit::Fraction => put_fraction,
        Unit::Ratio => put_ratio,
        Unit::Weight => put_weight,
        Unit::Times => put_times,
        _ => put_short,
    };
    put_number(text, number, put_finite);
}

/// Returns the most cells that `put_cell` may write, so that no wide column is measured again. `None` if unknown.
pub fn most_cells(value: Value, unit: Unit) -> Option<usize> {
    let number = match value {
        Value::Null => return Some(0),
        Value::Double(number) => number,
        Value::Single(number) => f64::from(number),
        Value::Parent | Value::Count(_) | Value::Word(_) => return None,
    };
    // NaN is below nothing, and a number below 0 has a sign.
    match unit {
        Unit::Portion => match number {
            0.0..0.999 => Some(5),
            0.0..9.99 => Some(6),
            _ => None,
        },
        Unit::Ratio => match number {
            0.01..9.99 => Some(6),
            0.01..99.9 => Some(7),
            _ => None,
        },
        Unit::Times | Unit::Usage => match number {
            0.0.. => Some(6),
            _ => None,
        },
        Unit::Fraction => match number {
            0.0..9.99 => Some(8),
            _ => None,
        },
        _ => None,
    }
}

/// Adds a finite number in some form.
type PutFinite = fn(&mut Shown, f64);

/// Returns a number in the form of a function, which is given only finite ones.
fn text(number: f64, put_finite: PutFinite) -> Shown {
    let mut text = Shown::default();
    put_number(&mut text, number, put_finite);
    text
}

/// Adds a number in the form of a function, which is given only finite ones.
fn put_number(text: &mut Shown, number: f64, put_finite: PutFinite) {
    match not_finite(number) {
        Some(word) => put(text, word),
        None => put_finite(text, number),
    }
}

/// Adds words of ours.
fn put(text: &mut Shown, words: &str) {
    // Writing to a text cannot fail.
    let _ = text.write_str(words);
}

/// Adds a number that is too large or too small for its digits to be written out.
fn put_scientific(text: &mut Shown, number: f64, decimals: usize) {
    let _ = write!(text, "{number:.decimals$e}");
}

/// Adds a number with so many decimals.
fn put_fixed(text: &mut Shown, number: f64, decimals: usize) {
    let _ = write!(text, "{number:.decimals$}");
}

/// Returns a 64-bit priority as Slurm prints it: 16 hexadecimal digits.
pub fn word(bits: u64) -> Shown {
    sentence!("{bits:016X}")
}

/// The mark of a 64-bit priority whose last unit the controller's processor decides.
pub(crate) const OPEN_WORD: &str = "±1";

/// Returns a ratio in at most nine cells, with four or more significant digits if they fit.
pub fn ratio(number: f64) -> Shown {
    text(number, put_ratio)
}

fn put_ratio(text: &mut Shown, number: f64) {
    let decimals = match number.abs() {
        0.0 => return put(text, "0"),
        0.01..100.0 => 4,
        0.001..0.01 => 6,
        100.0..10_000.0 => 1,
        10_000.0..1e7 => return put_grouped(text, number, 0),
        _ => return put_scientific(text, number, 3),
    };
    put_fixed(text, number, decimals);
}

/// Returns a ratio whose six decimals matter, as they do in Flux, in at most nine cells: a number from 99 on has as many of
/// them as fit.
pub fn flux_weight(number: f64) -> Shown {
    text(number, put_weight)
}

fn put_weight(text: &mut Shown, number: f64) {
    let decimals = match number.abs() {
        0.0001..99.0 => 6,
        99.0..999.0 => 5,
        999.0..9_999.0 => 4,
        _ => return put_ratio(text, number),
    };
    put_fixed(text, number, decimals);
}

/// Returns a multiple in at most five cells, with up to three significant digits: `0.06x`, `1.39x`, `13.9x`, `139x`.
/// A multiple beyond that is `>999x`, in six cells.
pub fn times(number: f64) -> Shown {
    text(number, put_times)
}

fn put_times(text: &mut Shown, number: f64) {
    let decimals = match number {
        0.0 => return put(text, "0x"),
        999.5.. => return put(text, ">999x"),
        99.95.. => 0,
        9.995.. => 1,
        0.005.. => 2,
        _ => return put(text, "<.01x"),
    };
    put_fixed(text, number, decimals);
    put(text, "x");
}

/// Returns a whole number with commas between thousands: `1,234,567`.
pub fn grouped(count: impl fmt::Display) -> Shown {
    group(&count.to_string())
}

/// Returns the best rank that a user of a part of a tree can have: `≥3`. Empty for 1, which tells nothing.
pub(crate) fn at_best(least: u32) -> Shown {
    if least > 1 {
        sentence!("≥{}", grouped(least))
    } else {
        Shown::default()
    }
}

/// Puts commas into the whole part of a decimal text.
fn group(digits: &str) -> Shown {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    let mut size = digits;
    if let Some(rest) = digits.strip_prefix('-') {
        text.push('-');
        size = rest;
    }
    let point = size.find('.').unwrap_or(size.len());
    for (place, digit) in size.char_indices() {
        let is_inside = 0 < place && place < point;
        if is_inside && (point - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    Shown::again(text)
}

/// Adds a number with commas between thousands, without zeros at the end of its decimals.
fn put_grouped(text: &mut Shown, number: f64, decimals: usize) {
    let digits = format!("{number:.decimals$}");
    *text += &group(trim_zeros(&digits));
}

/// Returns the text of a number that is not finite, or `None` for others.
fn not_finite(number: f64) -> Option<&'static str> {
    match number {
        f64::INFINITY => Some("inf"),
        f64::NEG_INFINITY => Some("-inf"),
        _ if number.is_nan() => Some("nan"),
        _ => None,
    }
}

/// The largest number written out in [`short`]: six cells with its comma.
const LARGEST_WRITTEN_OUT: f64 = 99_999.5;

/// Returns a size in at most six cells (seven with a minus): `1,201`, `88.1 G`, `6.18 T`, `1.5e33`, `0.5`.
pub fn short(number: f64) -> Shown {
    text(number, put_short)
}

fn put_short(text: &mut Shown, number: f64) {
    // -0 is 0 to people.
    let number = number + 0.0;
    let size = number.abs();
    let is_whole = size.fract() == 0.0;
    if size < LARGEST_WRITTEN_OUT && (is_whole || size >= 1000.0) {
        put_grouped(text, number, 0);
    } else if size < 1000.0 {
        put_small(text, number);
    } else {
        put_large(text, number);
    }
}

/// Adds a number below 1,000 that is not whole, in three significant digits.
fn put_small(text: &mut Shown, number: f64) {
    let size = number.abs();
    if size < 0.001 {
        // An exponent of two digits leaves space for only one digit.
        let decimals = usize::from(size >= 9.5e-10);
        return put_scientific(text, number, decimals);
    }
    let decimals = match size {
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    put_grouped(text, number, decimals);
}

/// Adds a number with an SI prefix, or with an exponent beyond the common prefixes.
fn put_large(text: &mut Shown, number: f64) {
    /// Rounded up, numbers from here on would be beyond every number.
    const BEYOND: f64 = 1.5e308;
    const PREFIXES: [(f64, &str); 6] = [
        (1e3, " k"),
        (1e6, " M"),
        (1e9, " G"),
        (1e12, " T"),
        (1e15, " P"),
        (1e18, " E"),
    ];
    let size = number.abs();
    // 999.95 with one prefix would be written as 1000, so it is 1.00 with the next.
    let mut fitting = None;
    for (unit, prefix) in PREFIXES {
        if size / unit < 999.5 {
            fitting = Some((unit, prefix));
            break;
        }
    }
    let Some((unit, prefix)) = fitting else {
        if number >= BEYOND {
            return put(text, ">1e308");
        }
        if number <= -BEYOND {
            return put(text, "<-1e308");
        }
        let decimals = usize::from(size < 9.95e99);
        return put_scientific(text, number, decimals);
    };
    let mantissa = number / unit;
    let decimals = match mantissa.abs() {
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    put_fixed(text, mantissa, decimals);
    put(text, prefix);
}

/// Removes trailing zeros after the decimal point, and the point if nothing is left after it.
fn trim_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Returns an amount in full for prose: grouped, at most six decimals; shortened from 10^15 on.
pub fn amount(number: f64) -> Shown {
    let size = number.abs();
    let is_small = number != 0.0 && size < 1e-6;
    if !number.is_finite() || size >= 1e15 || is_small {
        return short(number);
    }
    let mut text = Shown::default();
    put_grouped(&mut text, number + 0.0, 6);
    text
}

/// Returns a number with so many decimals at most, grouped.
pub(crate) fn decimal(number: f64, decimals: usize) -> Shown {
    let mut text = Shown::default();
    put_grouped(&mut text, number + 0.0, decimals);
    text
}

/// Returns a portion as a percentage with one decimal. A number above zero never looks like zero.
pub fn percent(portion: f64) -> Shown {
    text(portion, put_percent)
}

/// Returns a number as it can be read: rounded to so many significant digits, nine unless it was computed with fewer. What
/// is compared with a bound that people typed is compared so, because 0.35 computed by a division may be 0.35 less 2^-55.
pub fn readable(number: f64, digits: usize) -> f64 {
    let text = format!("{number:.decimals$e}", decimals = digits.saturating_sub(1));
    // What Rust writes as a number reads back as one.
    text.parse().unwrap_or(number)
}

fn put_percent(text: &mut Shown, portion: f64) {
    /// Beyond this a sum has overflowed, and digits are meaningless.
    const LARGEST: f64 = 1e4;
    /// What is rounded to 0.0.
    const LEAST: f64 = 0.05;
    if portion.abs() >= LARGEST {
        put_number(text, portion * 100.0, put_short);
        return put(text, "%");
    }
    let percent = portion * 100.0;
    if percent.abs() >= LEAST {
        put_fixed(text, percent, 1);
        put(text, "%");
    } else if portion > 0.0 {
        put(text, "<0.1%");
    } else if portion < 0.0 {
        put(text, ">-0.1%");
    } else {
        put(text, "0.0%");
    }
}

/// Returns a number with the six decimals that PBS prints.
pub fn fraction(number: f64) -> Shown {
    text(number, put_fraction)
}

fn put_fraction(text: &mut Shown, number: f64) {
    /// Beyond this the decimals are meaningless and the digits would not end.
    const LARGEST: f64 = 1e6;
    if number.abs() >= LARGEST {
        put_short(text, number);
    } else {
        let digits = format!("{number:.6}");
        match digits.as_str() {
            "-0.000000" => put(text, "0.000000"),
            digits => put(text, digits),
        }
    }
}

/// Returns places gained or lost: `▲ 7`, `▼ 2`, nothing for none.
pub fn change(places: i64) -> Shown {
    match places {
        0 => Shown::default(),
        1.. => sentence!("▲ {}", grouped(places)),
        _ => sentence!("▼ {}", grouped(places.unsigned_abs())),
    }
}

/// Returns a place in an order, in words: `1st`, `2nd`, `13th`.
pub fn ordinal(place: usize) -> Shown {
    let suffix = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    sentence!("{}{suffix}", grouped(place))
}

/// What a count can be: a whole number of any width.
pub trait Count: Copy + PartialEq + From<u8> + fmt::Display {}
impl<N: Copy + PartialEq + From<u8> + fmt::Display> Count for N {}

/// Returns a count with its word: `1 user`, `1,000 users`.
pub fn counted(count: impl Count, one: &str, many: &str) -> Shown {
    let word = word_for(count, one, many);
    sentence!("{} {word}", grouped(count))
}

/// Returns the word that goes with a count: `one` with 1, `many` with every other.
pub(crate) fn word_for<'a, N: Count>(count: N, one: &'a str, many: &'a str) -> &'a str {
    if count == N::from(1) {
        return one;
    }
    many
}

/// Returns seconds as a duration: `01:30:00`, `14-00:00:00` with days in front.
pub fn duration(seconds: i64) -> Shown {
    let size = seconds.unsigned_abs();
    let text = if size < u64::from(DAY) {
        clock(size)
    } else {
        days_and_clock(size)
    };
    if seconds < 0 {
        return sentence!("-{text}");
    }
    text
}

/// Returns seconds as a duration with its days in front, even if there are none: `0-01:30:00`.
pub(crate) fn days_and_clock(seconds: u64) -> Shown {
    let day = u64::from(DAY);
    sentence!("{}-{}", seconds / day, clock(seconds % day))
}

/// Returns the seconds of less than a day as hours, minutes and seconds.
fn clock(seconds: u64) -> Shown {
    let hours = seconds / 3600;
    let minutes = seconds / 60 % 60;
    sentence!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}
