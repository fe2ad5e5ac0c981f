//! Quotients that are wanted as doubles.
//!
//! Slurm divides to 64 bits and rounds the quotient to the 53 bits of a double. The sum of two doubles holds over a
//! hundred bits of a quotient, and needs no wide division, which is slow where a processor has none. Only if the quotient
//! is so near to the middle between two doubles that its own rounding may decide the next one, it is divided as Slurm
//! does.

use super::{Division, Extended};

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

/// A part of a whole, from which doubles follow as if all numbers were divided to 64 bits and then rounded.
#[derive(Clone, Copy)]
pub struct Ratio {
    part: Extended,
    whole: Extended,
    /// The ratio without a wide division; `None` if a number is 0 or below it, or if wide divisions are quick.
    quick: Option<QuickRatio>,
}

/// A ratio as a sum of doubles × 2^`exponent`.
#[derive(Clone, Copy)]
struct QuickRatio {
    sum: Sum,
    exponent: i32,
}

impl Extended {
    /// Returns the number as a part of a whole.
    pub fn ratio(self, whole: Self) -> Ratio {
        // The instruction is as fast as the sums.
        if Division::IS_INSTRUCTION {
            return Ratio {
                part: self,
                whole,
                quick: None,
            };
        }
        self.quick_ratio(whole)
    }

    /// Returns the number as a part of a whole, and divides by sums of doubles where they tell enough.
    pub fn quick_ratio(self, whole: Self) -> Ratio {
        Ratio {
            part: self,
            whole,
            quick: QuickRatio::of(self, whole),
        }
    }
}

impl QuickRatio {
    fn of(part: Extended, whole: Extended) -> Option<Self> {
        let (part, exponent) = part.parts()?;
        let (whole, whole_exponent) = whole.parts()?;
        Some(Self {
            sum: Sum::of_mantissa(part).over(Sum::of_mantissa(whole)),
            exponent: exponent - whole_exponent,
        })
    }

    /// Returns the nearest double to a number that is divided by the ratio, if it is sure.
    fn divide(self, number: Extended) -> Option<f64> {
        let (mantissa, exponent) = number.parts()?;
        let quotient = Sum::of_mantissa(mantissa).over(self.sum);
        quotient.rounded(exponent - self.exponent + CUT.cast_signed())
    }
}

impl Ratio {
    /// Returns the ratio, or 0 if the whole is 0.
    pub fn to_f64(self) -> f64 {
        if let Some(quick) = self.quick
            && let Some(sure) = quick.sum.rounded(quick.exponent)
        {
            return sure;
        }
        match self.part.over(self.whole) {
            Some(ratio) => ratio.to_f64(),
            None => 0.0,
        }
    }

    /// Returns a number divided by the ratio, or `None` if the whole or the ratio is 0.
    pub fn divide(self, number: Extended) -> Option<f64> {
        if let Some(quick) = self.quick
            && let Some(sure) = quick.divide(number)
        {
            return Some(sure);
        }
        let ratio = self.part.over(self.whole)?;
        number.over(ratio).map(Extended::to_f64)
    }
}
