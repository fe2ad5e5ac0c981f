//! Quotients as Slurm rounds them, without dividing 128-bit numbers: two doubles represent one number.
//!
//! The results are doubles: the effective usage u/p and Level FS S/(u/p). Slurm rounds each of them to 64 bits when it
//! computes it and to 53 when it stores or shows it. Here a quotient is a double and its remaining error. That sum is
//! within 2^-98 of the true quotient (see [`Pair::over`]), and Slurm's number is within 2^-63 of it, after two
//! roundings to 64 bits. Both round to the same double unless the midpoint of two doubles is that near. Then nothing is
//! returned, and the caller takes the exact way, for about one number in a hundred.

use crate::base::extended::Extended;

/// A number as the sum of two doubles, the second smaller than the last bit of the first.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules::policy) struct Pair {
    high: f64,
    low: f64,
}

/// A positive 80-bit number: a pair from 2^52 up to 2^53, times a power of two.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules::policy) struct Wide {
    mantissa: Pair,
    exponent: i32,
}

/// The largest exponent in either direction. Beyond it, doubles lose bits or overflow.
const FARTHEST: u32 = 900;

impl Wide {
    /// Returns the number, or `None` for 0 and below.
    pub(in crate::rules::policy) fn of(number: Extended) -> Option<Self> {
        /// The bits of the mantissa that do not fit a double.
        const CUT: u32 = 11;
        let (mantissa, exponent) = number.parts()?;
        // Both parts have 53 bits at most: the conversions are exact.
        let high = (mantissa >> CUT).cast_signed() as f64;
        let low = (mantissa & ((1 << CUT) - 1)).cast_signed() as f64 / f64::from(1_u32 << CUT);
        Some(Self {
            mantissa: Pair { high, low },
            exponent: exponent + CUT.cast_signed(),
        })
    }

    /// Returns the quotient of two numbers, unless it is too large or too small for this.
    pub(in crate::rules::policy) fn over(self, divisor: Self) -> Option<Pair> {
        let exponent = self.exponent - divisor.exponent;
        if exponent.unsigned_abs() > FARTHEST {
            return None;
        }
        Some(self.mantissa.over(divisor.mantissa).scaled(exponent))
    }
}

impl Pair {
    /// Returns a double as a pair.
    pub(in crate::rules::policy) const fn of(number: f64) -> Self {
        Self {
            high: number,
            low: 0.0,
        }
    }

    /// Returns the quotient of two positive numbers whose exponents, and whose quotient's exponent, are far from the
    /// limits.
    ///
    /// With q the rounded quotient of the high parts h/k, the error is (h + l - q(k + m)) / (k + m). The product qk is
    /// computed exactly, h - qk is a double, and |h - qk| < 2^-52 h. The rest, l - qm, is below 2^-51 h, and its
    /// roundings below 2^-102 h. Dividing by k instead of k + m is wrong by 2^-52 of the error, which is below 2^-50 q.
    /// So all errors together stay below 2^-100 of the quotient, and below 2^-98 if the divisor is itself such a
    /// quotient.
    pub(in crate::rules::policy) fn over(self, divisor: Self) -> Self {
        let quotient = self.high / divisor.high;
        let (product, error) = exact_product(quotient, divisor.high);
        let rest = ((self.high - product) - error) + (self.low - quotient * divisor.low);
        let missing = rest / divisor.high;
        let high = quotient + missing;
        Self {
            high,
            low: missing - (high - quotient),
        }
    }

    fn scaled(self, steps: i32) -> Self {
        let scale = power_of_two(steps);
        Self {
            high: self.high * scale,
            low: self.low * scale,
        }
    }

    /// Returns the double to which this and every number within 2^-62 of it rounds, or `None` if they round
    /// differently.
    pub(in crate::rules::policy) fn settled(self) -> Option<f64> {
        const DOUBT: f64 = 1.0 / 128.0;
        (self.low.abs() < margin(self.high, DOUBT)).then_some(self.high)
    }
}

/// Returns how far from a double a number may be so that all numbers within `doubt` of it round to that double. The
/// doubt is a part of half the distance between two doubles, which is at least 2^-54 of them.
fn margin(number: f64, doubt: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = number.to_bits();
    // Half the distance between the double and the next.
    let half = f64::from_bits(bits & !FRACTION) * power_of_two(-53);
    if bits & FRACTION == 0 {
        // Below a power of two the doubles are twice as close.
        half / 4.0
    } else {
        half * (1.0 - doubt)
    }
}

/// Returns 2^`exponent`, for exponents of doubles.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((1023 + exponent).unsigned_abs()) << 52)
}

/// A double and its two halves of 26 bits (Veltkamp), whose products are doubles.
///
/// This holds far from the limits of doubles. All numbers here are usage that doubles hold exactly, from 2^-2 up to
/// 2^51, parts of shares, from 2^-32 up to 2^32, and quotients and products of these.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules::policy) struct Halved {
    number: f64,
    high: f64,
    low: f64,
}

impl Halved {
    /// Splits a double in two.
    pub(in crate::rules::policy) fn of(number: f64) -> Self {
        const HALF: f64 = 134_217_729.0;
        let raised = HALF * number;
        let high = raised - (raised - number);
        Self {
            number,
            high,
            low: number - high,
        }
    }

    /// Returns whether it is 0.
    pub(in crate::rules::policy) fn is_zero(self) -> bool {
        self.number == 0.0
    }

    /// Returns the rounded product and its error, which is a double too (Dekker).
    fn times(self, other: Self) -> (f64, f64) {
        let product = self.number * other.number;
        let error =
            ((self.high * other.high - product) + self.high * other.low + self.low * other.high)
                + self.low * other.low;
        (product, error)
    }

    /// Returns the quotient of two positive doubles as Slurm rounds it, to 64 bits and then to 53, or `None` if it is
    /// too close to the midpoint of two doubles.
    ///
    /// The remainder of the dividend is a double, so the error of the quotient is known precisely.
    #[inline]
    pub(in crate::rules::policy) fn over(self, divisor: Self) -> Option<f64> {
        self.quotient(0.0, divisor)
    }

    /// Returns a / (c / b) as Slurm rounds it, for a product of two numbers divided by a third, or `None` if it is too
    /// close to the midpoint of two doubles.
    ///
    /// Slurm rounds twice to 64 bits, so its number is within 2^-63 of the true one.
    pub(in crate::rules::policy) fn times_over(self, factor: Self, divisor: Self) -> Option<f64> {
        let (product, error) = self.times(factor);
        Self::of(product).quotient(error, divisor)
    }

    fn quotient(self, more: f64, divisor: Self) -> Option<f64> {
        /// 2^-8: more than 2^-62 of a double.
        const DOUBT: f64 = 1.0 / 256.0;
        let quotient = self.number / divisor.number;
        let (product, error) = Self::of(quotient).times(divisor);
        let rest = ((self.number - product) - error) + more;
        (rest.abs() < margin(quotient, DOUBT) * divisor.number).then_some(quotient)
    }
}

/// Returns the rounded product and its error.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    Halved::of(a).times(Halved::of(b))
}
