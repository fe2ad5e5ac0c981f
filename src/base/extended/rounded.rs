//! Quotients that are wanted as doubles.
//!
//! Slurm divides to 64 bits and rounds the quotient to the 53 bits of a double. The sum of two doubles holds over a
//! hundred bits of a quotient, and needs no wide division, which is slow where a processor has none. Only if the quotient
//! is so near to the middle between two doubles that its own rounding may decide the next one, it is divided as Slurm
//! does.

use super::Extended;

/// How much the second double of a [`Sum`] is stretched to see whether it reaches the middle between the first and its
/// neighbour. If it does not, the number is at least 2^-9 units of the double's last place away from the middle, and two
/// roundings to 64 bits move it by less than 2^-10.
const STRETCH: f64 = 1.0 + 1.0 / 64.0;

/// How many bits a mantissa has more than a double.
const CUT: u32 = 11;

/// A number as the sum of two doubles: the nearest one, and the rest.
#[derive(Clone, Copy)]
struct Sum {
    nearest: f64,
    rest: f64,
}

impl Sum {
    /// Returns a mantissa × 2^-[`CUT`], cut off instead of rounded to the first double.
    fn of_mantissa(mantissa: u64) -> Self {
        const UNIT: f64 = 1.0 / (1 << CUT) as f64;
        let below = mantissa & ((1 << CUT) - 1);
        Self {
            nearest: (mantissa >> CUT) as f64,
            rest: below as f64 * UNIT,
        }
    }

    /// Returns the quotient of two numbers far from the limits of doubles. It is wrong by less than 2^-100 of itself.
    fn over(self, divisor: Self) -> Self {
        let quotient = self.nearest / divisor.nearest;
        let product = product(quotient, divisor.nearest);
        let missing = (self.nearest - product.nearest) - product.rest;
        let missing = missing + (self.rest - quotient * divisor.rest);
        let rest = missing / divisor.nearest;
        let nearest = quotient + rest;
        Self {
            nearest,
            rest: rest - (nearest - quotient),
        }
    }

    /// Returns the nearest double × 2^`exponent` where two roundings to 64 bits surely lead to it, and that is surely a
    /// double.
    fn rounded(self, exponent: i32) -> Option<f64> {
        /// The largest exponent in either direction.
        const MOST: u32 = 900;
        let stretched = self.nearest + self.rest * STRETCH;
        let is_sure = stretched.to_bits() == self.nearest.to_bits();
        if !is_sure || exponent.unsigned_abs() > MOST {
            return None;
        }
        let biased = (1023 + exponent).unsigned_abs();
        Some(self.nearest * f64::from_bits(u64::from(biased) << 52))
    }
}

/// Returns the product of two doubles with all its bits.
fn product(one: f64, other: f64) -> Sum {
    let nearest = one * other;
    let (a, b) = halves(one);
    let (c, d) = halves(other);
    Sum {
        nearest,
        rest: ((a * c - nearest) + a * d + b * c) + b * d,
    }
}

/// Returns a double as the sum of two whose products have no more bits than a double.
fn halves(number: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0;
    let stretched = number * SPLITTER;
    let upper = stretched - (stretched - number);
    (upper, number - upper)
}

impl Extended {
    /// Returns the quotient rounded to a double, as [`Self::over`] and [`Self::to_f64`] give it.
    pub fn over_as_double(self, divisor: Self) -> Option<f64> {
        let sure = self.sure_quotient(divisor);
        sure.or_else(|| self.over(divisor).map(Self::to_f64))
    }

    /// Returns the quotient if it is surely known without a wide division.
    fn sure_quotient(self, divisor: Self) -> Option<f64> {
        let (own, exponent) = self.parts()?;
        let (other, divisor_exponent) = divisor.parts()?;
        let quotient = Sum::of_mantissa(own).over(Sum::of_mantissa(other));
        quotient.rounded(exponent - divisor_exponent)
    }

    /// Returns the quotient of the number and part / whole, rounded to a double. `None` if a divisor is 0.
    pub fn over_part_as_double(self, part: Self, whole: Self) -> Option<f64> {
        let sure = self.sure_quotient_of_part(part, whole);
        sure.or_else(|| self.over(part.over(whole)?).map(Self::to_f64))
    }

    /// Returns the quotient of the number and part / whole if it is surely known without a wide division.
    fn sure_quotient_of_part(self, part: Self, whole: Self) -> Option<f64> {
        let (own, exponent) = self.parts()?;
        let (part, part_exponent) = part.parts()?;
        let (whole, whole_exponent) = whole.parts()?;
        let divisor = Sum::of_mantissa(part).over(Sum::of_mantissa(whole));
        let quotient = Sum::of_mantissa(own).over(divisor);
        quotient.rounded(exponent - part_exponent + whole_exponent + CUT.cast_signed())
    }
}
