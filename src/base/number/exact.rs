//! Numbers for machines, in full.

use super::{Value, not_finite, word};
use std::fmt;

/// A number for machines: the shortest text that reads back to the same bits in the number's own type.
///
/// `inf`, `-inf` and `nan` are written as these words, `parent` shares as `parent`, `Null` as an empty text, and 64-bit
/// priorities in hexadecimal.
#[derive(Clone, Copy, Debug)]
pub struct Exact(pub Value);

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => Ok(()),
            Value::Parent => f.write_str("parent"),
            Value::Count(count) => count.fmt(f),
            Value::Word(bits) => f.write_str(&word(bits)),
            Value::Double(number) => match not_finite(number) {
                Some(word) => f.write_str(word),
                None if is_usual(number) => f.write_str(zmij::Buffer::new().format_finite(number)),
                None => fmt::Debug::fmt(&number, f),
            },
            Value::Single(number) => match not_finite(f64::from(number)) {
                Some(word) => f.write_str(word),
                None if is_usual_single(number) => {
                    f.write_str(zmij::Buffer::new().format_finite(number))
                }
                None => fmt::Debug::fmt(&number, f),
            },
        }
    }
}

/// Returns whether a number is written without an exponent, and surely with the same digits by the standard library and
/// by the faster writer. They differ where two shortest texts are equally near. That needs a number whose digits end
/// soon after the shortest text does, and so a multiple of a power of two that is not small; but one of 15 digits at
/// most is its own shortest text.
fn is_usual(number: f64) -> bool {
    let size = number.abs();
    let is_multiple_of = |parts: f64| (size * parts).fract() == 0.0;
    number == 0.0
        || ((1e-4..1e7).contains(&size) && (is_multiple_of(256.0) || !is_multiple_of(33_554_432.0)))
}

/// Does the same as [`is_usual`] for a 32-bit float, whose texts have up to 9 digits.
fn is_usual_single(number: f32) -> bool {
    let size = number.abs();
    let is_multiple_of = |parts: f32| (size * parts).fract() == 0.0;
    number == 0.0
        || ((1e-4..1e6).contains(&size) && (is_multiple_of(1.0) || !is_multiple_of(65_536.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exact_numbers_read_back_to_the_same_bits() {
        for number in [0.1, 1e300, 5e-324, -0.0, 1201.0, 1.0 / 3.0] {
            let text = Exact(Value::Double(number)).to_string();
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(number.to_bits()));
        }
        assert_eq!(Exact(Value::Single(0.6)).to_string(), "0.6");
        assert_eq!(Exact(Value::Double(1000.0)).to_string(), "1000.0");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn exact_numbers_are_written_as_by_the_standard_library(
            double in any::<f64>(),
            single in any::<f32>(),
            usage in -1e8..1e8,
            portion in -1.0_f32..=1.0,
            whole in -100_000_000_i32..100_000_000,
            halvings in 0_i32..30,
        ) {
            let halved = f64::from(whole) / 2_f64.powi(halvings);
            let doubles = [double, usage, f64::from(portion), f64::from(whole) / 1000.0, halved];
            for double in doubles.into_iter().filter(|double| double.is_finite()) {
                prop_assert_eq!(Exact(Value::Double(double)).to_string(), format!("{double:?}"));
            }
            let small = f32::from(u16::try_from(whole.unsigned_abs() % 65_536).unwrap_or(0));
            let halved = small / 2_f32.powi(halvings);
            let singles = [single, portion, portion / 1000.0, portion * 1e6, small, halved];
            for single in singles.into_iter().filter(|single| single.is_finite()) {
                prop_assert_eq!(Exact(Value::Single(single)).to_string(), format!("{single:?}"));
            }
        }
    }
}
