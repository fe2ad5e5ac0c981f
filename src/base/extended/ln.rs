//! Natural logarithms, as glibc's `logl` gives them on x86-64.
//!
//! `sysdeps/x86_64/fpu/e_logl.S` leaves them to the processor's `fyl2x`, which is correct to less than one unit of the
//! last place. Here they are computed with some fifty bits more than a mantissa has and rounded once.

use super::exp2::{LN_2, upper_half};
use super::{Extended, TOP};

/// The fractional bits of a logarithm. It is below 2^14 in size, so it fits 127 bits.
const POINT: i32 = 112;

/// The fractional bits in the series.
const SERIES_POINT: u32 = 126;

/// How many terms of the series are summed.
const TERMS: usize = 25;

/// 1, 1/3, 1/5 and so on, × 2^126: atanh s / s as a series in s².
const SERIES: [u128; TERMS] = {
    let mut series = [1_u128 << SERIES_POINT; TERMS];
    let mut term = 1;
    while term < TERMS {
        series[term] /= 2 * term as u128 + 1;
        term += 1;
    }
    series
};

/// A mantissa from here on, √2 × 2^63, represents a number below 1.
const SQUARE_ROOT_OF_2: u64 = 0xB504_F333_F9DE_6484;

impl Extended {
    /// Returns the natural logarithm of a number above 0, or `None` for others.
    ///
    /// With m between √½ and √2 and s = (m - 1) / (m + 1), which is at most 0.172 in size, it is e ln 2 + 2 (s + s³/3 +
    /// s⁵/5 + …). The terms left out come to less than 2^-128, and every step cuts off less than 2^-123, so the sum is
    /// wrong by less than 2^-110: one of a number near 1 is rounded to fewer bits than a mantissa has.
    pub fn ln(self) -> Option<Self> {
        let (mantissa, exponent) = self.parts()?;
        let is_below_one = mantissa >= SQUARE_ROOT_OF_2;
        let mut steps = i128::from(exponent) + 63;
        // m is the mantissa divided by one of these.
        let mut one = u128::from(TOP);
        if is_below_one {
            steps += 1;
            one <<= 1;
        }
        let wide = u128::from(mantissa);
        let series = atanh(wide.abs_diff(one), wide + one);
        // Twice the series, cut to the fractional bits of the logarithm.
        let surplus = SERIES_POINT - POINT.unsigned_abs();
        let twice = (series >> (surplus - 1)).cast_signed();
        let ln_2 = LN_2 >> (128 - POINT);
        let whole = steps * ln_2.cast_signed();
        let sum = if wide < one {
            whole - twice
        } else {
            whole + twice
        };
        Some(Self::nearest(sum.unsigned_abs(), -POINT, false, sum < 0))
    }
}

/// Returns atanh of a fraction of numbers below 2^66, × 2^126.
fn atanh(dividend: u128, divisor: u128) -> u128 {
    const HALF: u32 = SERIES_POINT / 2;
    let shifted = dividend << HALF;
    let high = shifted / divisor;
    let rest = shifted % divisor;
    let low = (rest << HALF) / divisor;
    let fraction = (high << HALF) | low;
    let square = times(fraction, fraction);
    let mut sum = SERIES[TERMS - 1];
    for &term in SERIES[..TERMS - 1].iter().rev() {
        sum = term + times(square, sum);
    }
    times(fraction, sum)
}

/// Returns a product of two numbers with 126 fractional bits, of which 128 of its 252 are lost.
fn times(a: u128, b: u128) -> u128 {
    upper_half(a, b) << (128 - SERIES_POINT)
}
