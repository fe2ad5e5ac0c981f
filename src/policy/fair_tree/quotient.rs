//! Quotients as Slurm rounds them, without dividing 128-bit numbers: two doubles for one number.
//!
//! Wanted are doubles: the effective usage u/p and Level FS S/(u/p), each of which Slurm rounds to 64 bits where
//! it is computed and to 53 where it is stored or shown. Here a quotient is a double and what is missing to it.
//! That sum is within 2^-98 of the true quotient (see [`Pair::over`]), and Slurm's number within 2^-63 of it, after
//! two roundings to 64 bits. Both round to the same double unless a middle between two doubles is as near as that,
//! and then nothing is returned: one number in a hundred or so takes the exact way.

use super::super::extended::Extended;

/// A number as the sum of two doubles, the second smaller than the last bit of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    high: f64,
    low: f64,
}

/// A positive 80-bit number: a pair from 2^52 up to 2^53, times a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide {
    mantissa: Pair,
    exponent: i32,
}

/// How far exponents may be from 0: beyond, doubles get shorter or end.
const FARTHEST: u32 = 900;

impl Wide {
    /// The number; nothing for 0 and below.
    pub(super) fn of(number: Extended) -> Option<Self> {
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

    /// The quotient of two numbers, unless it is too large or too small for this.
    pub(super) fn over(self, divisor: Self) -> Option<Pair> {
        let exponent = self.exponent - divisor.exponent;
        if exponent.unsigned_abs() > FARTHEST {
            return None;
        }
        Some(self.mantissa.over(divisor.mantissa).scaled(exponent))
    }
}

impl Pair {
    /// A double.
    pub(super) const fn of(number: f64) -> Self {
        Self {
            high: number,
            low: 0.0,
        }
    }

    /// The quotient of two positive numbers whose own and whose quotient's exponents are far from the ends.
    ///
    /// With q the rounded quotient of the high parts h/k, what is missing is (h + l - q(k + m)) / (k + m). The
    /// product qk is taken exactly, h - qk is a double, and |h - qk| < 2^-52 h. The rest, l - qm, is below
    /// 2^-51 h, and its roundings below 2^-102 h. Dividing by k in place of k + m is wrong by 2^-52 of the missing
    /// part, which is below 2^-50 q. So all errors together stay below 2^-100 of the quotient, and below 2^-98
    /// where the divisor is itself such a quotient.
    pub(super) fn over(self, divisor: Self) -> Self {
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

    /// The double to which this and every number within 2^-62 of it rounds, where it is the same for all.
    pub(super) fn settled(self) -> Option<f64> {
        const FRACTION: u64 = (1 << 52) - 1;
        let bits = self.high.to_bits();
        // Half of what lies between the double and the next.
        let half = f64::from_bits(bits & !FRACTION) * power_of_two(-53);
        let limit = if bits & FRACTION == 0 {
            // Below a power of two the doubles are twice as close.
            half / 4.0
        } else {
            half * (1.0 - 1.0 / 128.0)
        };
        (self.low.abs() < limit).then_some(self.high)
    }
}

/// 2^`exponent`, for exponents of doubles.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((1023 + exponent).unsigned_abs()) << 52)
}

/// The rounded product and what is missing to the true one, which is a double too (Dekker, with Veltkamp's halves).
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    fn halves(number: f64) -> (f64, f64) {
        const HALF: f64 = 134_217_729.0;
        let raised = HALF * number;
        let high = raised - (raised - number);
        (high, number - high)
    }
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}
