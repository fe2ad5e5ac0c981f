//! Numbers with a fixed count of decimals: the digits that the standard library writes, by integers alone.
//!
//! A float is a whole number times a power of two. Times a power of ten it still fits 128 bits, so one shift gives all
//! digits, and the bits behind them say how to round.

use crate::base::shown::Shown;
use std::fmt::Write as _;

/// The digits of the longest number, with its sign, its point and its commas.
const LONGEST: usize = 32;

/// A rounded number: whole units of its last decimal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    is_negative: bool,
    units: u64,
    decimals: u32,
}

impl Fixed {
    /// The most decimals.
    const MOST: u32 = 6;

    /// Rounds a number to so many decimals, at most [`Self::MOST`]; halves to the even digit. `None` if it is not finite
    /// or its digits exceed 64 bits.
    pub(super) fn of(number: f64, decimals: u32) -> Option<Self> {
        const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
        const BIAS: i32 = 1075;
        debug_assert!(decimals <= Self::MOST);
        if !number.is_finite() {
            return None;
        }
        let bits = number.abs().to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let exponent = i32::try_from(bits >> FRACTION_BITS).ok()?;
        let (whole, exponent) = match exponent {
            0 => (fraction, 1 - BIAS),
            _ => (fraction | 1 << FRACTION_BITS, exponent - BIAS),
        };
        // Of 73 bits at most.
        let product = u128::from(whole) * u128::from(10_u64.pow(decimals));
        let shift = exponent.unsigned_abs();
        let units = if exponent >= 0 {
            if shift > 64 {
                return None;
            }
            let shifted = product.checked_mul(1 << shift)?;
            u64::try_from(shifted).ok()?
        } else if shift >= u128::BITS {
            // Less than half of a unit by far.
            0
        } else {
            let units = u64::try_from(product >> shift).ok()?;
            let rest = product & ((1 << shift) - 1);
            let half = 1 << (shift - 1);
            let is_up = rest > half || (rest == half && units % 2 == 1);
            units.checked_add(u64::from(is_up))?
        };
        Some(Self {
            is_negative: number.is_sign_negative(),
            units,
            decimals,
        })
    }

    /// Returns a whole number.
    pub(super) const fn whole(count: i64) -> Self {
        Self {
            is_negative: count < 0,
            units: count.unsigned_abs(),
            decimals: 0,
        }
    }

    /// Whether all digits are 0.
    pub(super) const fn is_zero(self) -> bool {
        self.units == 0
    }

    /// Returns the number without zeros at the end of its decimals.
    pub(super) const fn trimmed(mut self) -> Self {
        while self.decimals > 0 && self.units.is_multiple_of(10) {
            self.units /= 10;
            self.decimals -= 1;
        }
        self
    }

    /// Writes the number.
    pub(super) fn put(self, text: &mut Shown) {
        self.put_digits(text, false);
    }

    /// Writes the number with commas between thousands.
    pub(super) fn put_grouped(self, text: &mut Shown) {
        self.put_digits(text, true);
    }

    fn put_digits(self, text: &mut Shown, is_grouped: bool) {
        let mut digits = [0; LONGEST];
        let mut start = LONGEST;
        let mut push = |byte| {
            start -= 1;
            digits[start] = byte;
        };
        let mut rest = self.units;
        for _ in 0..self.decimals {
            push(digit(rest));
            rest /= 10;
        }
        if self.decimals > 0 {
            push(b'.');
        }
        for place in 0.. {
            if is_grouped && place > 0 && place % 3 == 0 {
                push(b',');
            }
            push(digit(rest));
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if self.is_negative {
            push(b'-');
        }
        let digits = std::str::from_utf8(&digits[start..]).expect("digits are ASCII");
        // Writing to a text cannot fail.
        let _ = text.write_str(digits);
    }
}

/// Returns the last digit of a number.
const fn digit(number: u64) -> u8 {
    b'0' + (number % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::Fixed;
    use crate::base::shown::Shown;
    use proptest::prelude::*;

    /// The digits as the standard library writes them, where they are known to fit.
    fn is_written_as_by_std(number: f64, decimals: u32) {
        let plain = format!("{number:.*}", decimals as usize);
        let Some(fixed) = Fixed::of(number, decimals) else {
            assert!(!number.is_finite() || number.abs() >= 1e12, "{plain}");
            return;
        };
        let mut text = Shown::default();
        fixed.put(&mut text);
        assert_eq!(text, *plain, "{number:?} with {decimals} decimals");
    }

    #[test]
    fn halves_go_to_the_even_digit() {
        for number in [
            0.5,
            1.5,
            2.5,
            0.125,
            0.375,
            1e-7,
            0.000_000_5,
            5e-324,
            -0.5,
            -0.0,
            1e15,
        ] {
            for decimals in 0..=Fixed::MOST {
                is_written_as_by_std(number, decimals);
                is_written_as_by_std(-number, decimals);
            }
        }
    }

    proptest! {
        #[test]
        fn any_number_is_written_as_by_the_standard_library(
            number in any::<f64>(),
            portion in 0.0..=1.0,
            usage in 0.0..1e13,
            eighths in -8_000_i32..8_000,
            decimals in 0..=Fixed::MOST,
        ) {
            for number in [number, portion, usage, f64::from(eighths) / 8.0] {
                is_written_as_by_std(number, decimals);
            }
        }
    }
}
