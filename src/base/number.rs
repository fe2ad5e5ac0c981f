//! Numbers as text, for screens, prose and machines.
//!
//! For people a number is rounded and grouped; for machines it is the shortest text that reads back to the same bits. A
//! NaN is `nan` and an infinity `inf` everywhere, so that no number is invented for them.

mod exact;
mod value;

use crate::base::shown::{Shown, sentence};
pub use exact::Exact;
use std::fmt::{self, Write as _};
pub use value::{Alignment, Unit, Value};

/// The seconds of a day.
pub const DAY: u32 = 24 * 60 * 60;

/// The sign of a number that the scheduler printed and that no usage reproduces.
pub const NOT_REPRODUCED: char = '≠';

/// Returns one cell of a table: the number in the form of its unit, empty if there is none.
pub fn cell(value: Value, unit: Unit) -> Shown {
    text(|text| put_cell(text, value, unit))
}

/// Writes one cell of a table, as [`cell`] returns it.
pub fn put_cell(text: &mut Shown, value: Value, unit: Unit) {
    let number = match value {
        Value::Null => return,
        Value::Parent => return put(text, "parent"),
        Value::Count(count) => match unit {
            Unit::Usage | Unit::Portion | Unit::Fraction | Unit::Ratio | Unit::Times => {
                count as f64
            }
            Unit::Change => return *text += &change(count, false),
            Unit::Text | Unit::Count | Unit::Rank | Unit::Word | Unit::Bar => {
                return *text += &grouped(count);
            }
        },
        Value::Double(number) => number,
        Value::Single(number) => f64::from(number),
        Value::Word(bits) => return *text += &word(bits),
    };
    match unit {
        Unit::Portion => put_percent(text, number),
        Unit::Fraction => put_fraction(text, number),
        Unit::Ratio => put_ratio(text, number),
        Unit::Times => put_times(text, number),
        Unit::Text
        | Unit::Count
        | Unit::Usage
        | Unit::Rank
        | Unit::Change
        | Unit::Word
        | Unit::Bar => put_short(text, number),
    }
}

/// Returns the most cells that [`put_cell`] may write, or `None` if only the text tells: a column that is as wide
/// already need not be measured again.
pub fn most_cells(value: Value, unit: Unit) -> Option<usize> {
    let number = match value {
        Value::Null => return Some(0),
        Value::Double(number) => number,
        Value::Single(number) => f64::from(number),
        Value::Parent | Value::Count(_) | Value::Word(_) => return None,
    };
    // NaN is below nothing, and a number below 0 has a sign.
    let most = match (unit, number) {
        (Unit::Portion, 0.0..0.999) => 5,
        (Unit::Portion, 0.0..9.99)
        | (Unit::Ratio, 0.01..9.99)
        | (Unit::Times | Unit::Usage, 0.0..) => 6,
        (Unit::Ratio, 0.01..99.9) => 7,
        (Unit::Fraction, 0.0..9.99) => 8,
        _ => return None,
    };
    Some(most)
}

/// Returns a text of what a function writes.
fn text(write: impl FnOnce(&mut Shown)) -> Shown {
    let mut text = Shown::default();
    write(&mut text);
    text
}

/// Adds words of ours or digits to a text.
fn put(text: &mut Shown, words: &str) {
    // Writing to a text cannot fail.
    let _ = text.write_str(words);
}

/// Adds a number that is too large or too small for its digits to be written out.
fn put_scientific(text: &mut Shown, number: f64, decimals: usize) {
    let _ = write!(text, "{number:.decimals$e}");
}

/// Adds a number with a fixed count of decimals.
fn put_fixed(text: &mut Shown, number: f64, decimals: usize) {
    let _ = write!(text, "{number:.decimals$}");
}

/// Returns a 64-bit priority as Slurm prints it: 16 hexadecimal digits.
///
/// ```
/// use fairscope::base::number::word;
/// assert_eq!(word(0xAAAA_1234_7777_CCCC), "AAAA12347777CCCC");
/// ```
pub fn word(bits: u64) -> Shown {
    sentence!("{bits:016X}")
}

/// The mark of a 64-bit priority whose last unit the controller's processor decides.
pub const OPEN_WORD: &str = "±1";

/// Returns a ratio in at most nine cells, with four or more significant digits if they fit.
///
/// ```
/// use fairscope::base::number::ratio;
/// assert_eq!(ratio(2.0404), "2.0404");
/// assert_eq!(ratio(f64::INFINITY), "inf");
/// assert_eq!(ratio(123_456.7), "123,457");
/// assert_eq!(ratio(18_446_744_073_709_551_616.0), "1.845e19");
/// ```
pub fn ratio(number: f64) -> Shown {
    text(|text| put_ratio(text, number))
}

fn put_ratio(text: &mut Shown, number: f64) {
    if let Some(word) = not_finite(number) {
        return put(text, word);
    }
    match number.abs() {
        0.0 => put(text, "0"),
        0.01..100.0 => put_fixed(text, number, 4),
        0.001..0.01 => put_fixed(text, number, 6),
        100.0..10_000.0 => put_fixed(text, number, 1),
        10_000.0..1e7 => put_grouped(text, number, 0),
        _ => put_scientific(text, number, 3),
    }
}

/// The largest multiple that [`times`] writes out.
const LARGEST_MULTIPLE: f64 = 999.5;

/// Returns a multiple in at most five cells, with up to three significant digits: `0.06x`, `1.39x`, `13.9x`, `139x`.
/// A multiple beyond that is `>999x`, in six cells.
///
/// ```
/// use fairscope::base::number::times;
/// assert_eq!(times(1.39), "1.39x");
/// assert_eq!(times(0.0), "0x");
/// assert_eq!(times(0.004), "<.01x");
/// assert_eq!(times(15.0), "15.0x");
/// assert_eq!(times(2_000.0), ">999x");
/// assert_eq!(times(f64::INFINITY), "inf");
/// ```
pub fn times(number: f64) -> Shown {
    text(|text| put_times(text, number))
}

fn put_times(text: &mut Shown, number: f64) {
    if let Some(word) = not_finite(number) {
        return put(text, word);
    }
    let decimals = match number {
        0.0 => return put(text, "0x"),
        LARGEST_MULTIPLE.. => return put(text, ">999x"),
        99.95.. => 0,
        9.995.. => 1,
        0.005.. => 2,
        _ => return put(text, "<.01x"),
    };
    put_fixed(text, number, decimals);
    put(text, "x");
}

/// Returns a whole number with commas between thousands: `1,234,567`.
///
/// ```
/// use fairscope::base::number::grouped;
/// assert_eq!(grouped(1_234_567), "1,234,567");
/// assert_eq!(grouped(-1), "-1");
/// ```
pub fn grouped(count: impl fmt::Display) -> Shown {
    group(&count.to_string())
}

/// Puts commas into the whole part of a decimal text.
fn group(digits: &str) -> Shown {
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |digits| ("-", digits));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = String::with_capacity(digits.len() + whole.len() / 3 + 1);
    text.push_str(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(rest);
    Shown::again(text)
}

/// Adds a number with commas between thousands, without zeros at the end of its decimals.
fn put_grouped(text: &mut Shown, number: f64, decimals: usize) {
    *text += &group(trim_zeros(&format!("{number:.decimals$}")));
}

/// Returns the text of a number that is not finite, or `None` for others.
fn not_finite(number: f64) -> Option<&'static str> {
    if number.is_nan() {
        Some("nan")
    } else if number == f64::INFINITY {
        Some("inf")
    } else if number == f64::NEG_INFINITY {
        Some("-inf")
    } else {
        None
    }
}

/// The largest number written out in [`short`]: six cells with its comma.
const LARGEST_WRITTEN_OUT: f64 = 99_999.5;

/// Returns a size in at most six cells (seven with a minus): `1,201`, `88.1 G`, `6.18 T`, `1.5e33`, `0.5`.
///
/// ```
/// use fairscope::base::number::short;
/// assert_eq!(short(1201.0), "1,201");
/// assert_eq!(short(6.18e12), "6.18 T");
/// assert_eq!(short(999_999.0), "1.00 M");
/// ```
pub fn short(number: f64) -> Shown {
    text(|text| put_short(text, number))
}

fn put_short(text: &mut Shown, number: f64) {
    if let Some(word) = not_finite(number) {
        return put(text, word);
    }
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
    let prefix = PREFIXES.iter().find(|(unit, _)| size / unit < 999.5);
    let Some((unit, prefix)) = prefix else {
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
///
/// ```
/// use fairscope::base::number::amount;
/// assert_eq!(amount(1000.0), "1,000");
/// assert_eq!(amount(899.999_976_158), "899.999976");
/// ```
pub fn amount(number: f64) -> Shown {
    if !number.is_finite() || number.abs() >= 1e15 || (number != 0.0 && number.abs() < 1e-6) {
        return short(number);
    }
    text(|text| put_grouped(text, number + 0.0, 6))
}

/// Returns a portion as a percentage with one decimal. A number above zero never looks like zero.
///
/// ```
/// use fairscope::base::number::percent;
/// assert_eq!(percent(0.4), "40.0%");
/// assert_eq!(percent(0.000_01), "<0.1%");
/// assert_eq!(percent(2_147_483_647.5), "215 G%");
/// ```
pub fn percent(portion: f64) -> Shown {
    text(|text| put_percent(text, portion))
}

fn put_percent(text: &mut Shown, portion: f64) {
    /// Beyond this a sum has overflowed, and digits are meaningless.
    const LARGEST: f64 = 1e4;
    /// What is rounded to 0.0.
    const LEAST: f64 = 0.05;
    if let Some(word) = not_finite(portion) {
        return put(text, word);
    }
    if portion.abs() >= LARGEST {
        put_short(text, portion * 100.0);
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
///
/// ```
/// use fairscope::base::number::fraction;
/// assert_eq!(fraction(0.090_200_633), "0.090201");
/// assert_eq!(fraction(-0.0), "0.000000");
/// ```
pub fn fraction(number: f64) -> Shown {
    text(|text| put_fraction(text, number))
}

fn put_fraction(text: &mut Shown, number: f64) {
    /// Beyond this the decimals are meaningless and the digits would not end.
    const LARGEST: f64 = 1e6;
    if let Some(word) = not_finite(number) {
        put(text, word);
    } else if number.abs() >= LARGEST {
        put_short(text, number);
    } else {
        let digits = format!("{number:.6}");
        put(
            text,
            digits
                .strip_prefix('-')
                .filter(|_| digits == "-0.000000")
                .unwrap_or(&digits),
        );
    }
}

/// Returns places gained or lost: `▲ 7`, `▼ 2`, nothing for none; `+7`, `-2` in ASCII.
///
/// ```
/// use fairscope::base::number::change;
/// assert_eq!(change(7, false), "▲ 7");
/// assert_eq!(change(-2, true), "-2");
/// assert_eq!(change(0, false), "");
/// ```
pub fn change(places: i64, is_ascii: bool) -> Shown {
    match places {
        0 => Shown::default(),
        places if is_ascii => sentence!("{places:+}"),
        1.. => sentence!("▲ {}", grouped(places)),
        _ => sentence!("▼ {}", group(&places.unsigned_abs().to_string())),
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
    sentence!("{}{suffix}", group(&place.to_string()))
}

/// Returns a count with its word: `1 user`, `1,000 users`.
pub fn counted(count: usize, one: &str, many: &str) -> Shown {
    sentence!(
        "{} {}",
        group(&count.to_string()),
        word_for(count, one, many)
    )
}

/// Returns the word that goes with a count: `one` with 1, `many` with every other.
pub fn word_for<'a, N: Copy + PartialEq + From<u8>>(
    count: N,
    one: &'a str,
    many: &'a str,
) -> &'a str {
    if count == N::from(1) { one } else { many }
}

/// Returns seconds as a duration: `01:30:00`, `14-00:00:00` with days in front.
///
/// ```
/// use fairscope::base::number::duration;
/// assert_eq!(duration(5400), "01:30:00");
/// assert_eq!(duration(14 * 86_400), "14-00:00:00");
/// ```
pub fn duration(seconds: i64) -> Shown {
    let sign = if seconds < 0 { "-" } else { "" };
    let seconds = seconds.unsigned_abs();
    if seconds < u64::from(DAY) {
        sentence!("{sign}{}", clock(seconds))
    } else {
        sentence!("{sign}{}", days_and_clock(seconds))
    }
}

/// Returns seconds as a duration with its days in front, even if there are none: `0-01:30:00`.
pub fn days_and_clock(seconds: u64) -> Shown {
    let day = u64::from(DAY);
    sentence!("{}-{}", seconds / day, clock(seconds % day))
}

/// Returns the seconds of less than a day as hours, minutes and seconds.
fn clock(seconds: u64) -> Shown {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    sentence!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::shown::cells;
    use proptest::prelude::*;

    #[test]
    fn a_size_takes_six_cells_at_most() {
        let mut number = 1e-12;
        while number < 1e300 {
            for factor in [1.0, 1.234, 9.994, 9.996, 9.999_9] {
                let text = short(number * factor);
                assert!(text.chars().count() <= 6, "{text} for {}", number * factor);
                assert!(short(-number * factor).chars().count() <= 7);
            }
            number *= 10.0;
        }
    }

    #[test]
    fn sizes_read_well() {
        let texts = [
            0.0, -0.0, 0.5, 12.345, 999.96, 1234.56, 99_999.4, 1e5, 88.14e9, 1e15, 1.5e33,
        ]
        .map(short);
        assert_eq!(
            texts,
            [
                "0", "0", "0.5", "12.35", "1,000", "1,235", "99,999", "100 k", "88.1 G", "1.00 P",
                "1.5e33"
            ]
        );
    }

    #[test]
    fn text_that_is_not_a_number_gives_none() {
        for unit in [Unit::Usage, Unit::Portion, Unit::Fraction, Unit::Count] {
            assert_eq!(cell(Value::Double(f64::NAN), unit), "nan");
            assert_eq!(cell(Value::Single(f32::INFINITY), unit), "inf");
            assert_eq!(cell(Value::Double(f64::NEG_INFINITY), unit), "-inf");
            assert_eq!(cell(Value::Null, unit), "");
        }
        assert_eq!(Exact(Value::Single(f32::NAN)).to_string(), "nan");
    }

    proptest! {
        #[test]
        fn no_cell_is_wider_than_is_said_without_its_text(
            number in any::<f64>(),
            single in 0.0_f32..=1.0,
            portion in 0.0..=1.0,
            usage in 0.0..1e13,
            count in 0_u32..2_000,
        ) {
            let count = f64::from(count);
            let numbers = [number, portion, portion * 100.0, usage, count, count / 8.0, 9.989_999];
            let doubles = numbers.map(Value::Double).into_iter();
            for value in doubles.chain([Value::Single(single), Value::Single(0.999), Value::Null]) {
                for unit in [Unit::Usage, Unit::Portion, Unit::Fraction, Unit::Ratio, Unit::Times] {
                    let Some(most) = most_cells(value, unit) else { continue };
                    let text = cell(value, unit);
                    prop_assert!(cells(&text) <= most, "{text} {most}");
                }
            }
        }
    }

    #[test]
    fn places_have_their_endings() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 112, 1003].map(ordinal),
            [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "1,003rd"
            ]
        );
    }
}
