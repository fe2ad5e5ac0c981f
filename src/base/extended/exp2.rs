//! Powers of two, as glibc's `powl` gives them on x86-64.
//!
//! Follows `sysdeps/x86_64/fpu/e_powl.S` for the base 2, whose logarithm is exactly 1: the exponent is rounded to the
//! nearest integer, `f2xm1` takes the rest, 1 is added, and `fscale` shifts. So the power is rounded twice, as 2^f - 1
//! and as the sum, and may differ from the nearest number in its last bit.
//!
//! According to the makers of the processors `f2xm1` is correct to less than one unit of its last place, but it does
//! not always give the nearest number. Which numbers it misses depends on the processor. So beside the nearest number
//! [`Extended::halved_within`] gives the two between which any processor's result lies.

use super::{Extended, rounds_up};

/// ln 2 × 2^128, cut off. The next binary digits are 0100, so it is too small by less than 2^-129 of a number near 1.
pub(super) const LN_2: u128 = 0xB172_17F7_D1CF_79AB_C9E3_B398_03F2_F6AF;

/// 1 in the fixed point of [`SERIES`].
const UNIT: u128 = 1 << 126;

/// How many terms of the series are summed.
const TERMS: usize = 26;

/// 1/1!, 1/2!, 1/3! and so on, × 2^126: (e^x - 1) / x as a series in x.
const SERIES: [u128; TERMS] = {
    let mut series = [UNIT; TERMS];
    let mut factorial: u128 = 1;
    let mut term = 1;
    while term < TERMS {
        // 26! is below 2^89.
        factorial *= term as u128 + 1;
        series[term] = UNIT / factorial;
        term += 1;
    }
    series
};

/// Returns the upper half of a product of 256 bits.
pub(super) const fn upper_half(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let a_high = a >> 64;
    let a_low = a & LOW;
    let b_high = b >> 64;
    let b_low = b & LOW;
    let middle = a_high * b_low + ((a_low * b_low) >> 64);
    let other = a_low * b_high + (middle & LOW);
    a_high * b_high + (middle >> 64) + (other >> 64)
}

impl Extended {
    /// Returns 2^-|`self`|, rounded as `powl` rounds it; 0 from 2^15 on.
    ///
    /// `powl` gives 0 a little earlier, and fewer bits before that, because its exponents end at -16382.
    pub fn halved_so_often(self) -> Self {
        /// 2^15 has this exponent.
        const VANISHING: i32 = 15 - 63;
        if self.is_zero() {
            return Self::ONE;
        }
        if self.exponent >= VANISHING {
            return Self::ZERO;
        }
        let (steps, rest) = self.nearest_integer();
        let power = Self::ONE.plus(rest.power_less_one());
        power.scaled(-steps)
    }

    /// Returns the least and the most that `powl` can give instead of [`Extended::halved_so_often`] on any processor:
    /// its `f2xm1` gives one of the two numbers on either side of 2^f - 1.
    pub(crate) fn halved_within(self) -> (Self, Self) {
        let nearest = self.halved_so_often();
        if self.is_zero() || nearest.is_zero() {
            return (nearest, nearest);
        }
        let (steps, rest) = self.nearest_integer();
        if rest.is_zero() {
            return (nearest, nearest);
        }
        let (near, far) = rest.power_less_one_within();
        let one = Self::ONE.plus(near).scaled(-steps);
        let other = Self::ONE.plus(far).scaled(-steps);
        (one.min(other), one.max(other))
    }

    /// Returns the nearest integer, ties to even, and the integer less the number, which is exact, from -1/2 to 1/2.
    /// The sign is ignored. For numbers below 2^15.
    fn nearest_integer(self) -> (i32, Self) {
        let wide = u128::from(self.mantissa);
        let point = self.exponent.unsigned_abs();
        if point > 64 {
            return (0, Self::nearest(wide, self.exponent, false, true));
        }
        let whole = wide >> point;
        let rest = wide - (whole << point);
        let half = 1_u128 << (point - 1);
        let steps = i32::try_from(whole).expect("the number is below 2^15");
        if rounds_up(rest, half, steps & 1 == 1) {
            let missing = (1 << point) - rest;
            let more = Self::nearest(missing, self.exponent, false, false);
            (steps + 1, more)
        } else {
            let less = Self::nearest(rest, self.exponent, false, true);
            (steps, less)
        }
    }

    /// 2^`self` - 1 for a number from -1/2 to 1/2, the nearest there is.
    ///
    /// With t = |self| ln 2 and ± the sign of self it is ± t (1 ± t/2! + t²/3! ± …). The mantissa of t is wrong by
    /// less than 2^-125 of itself: `LN_2` by 2^-128, the product and its cut by 2^-126. In the sum, as t ≤ 0.347,
    /// the terms left out come to less than 2^-130; each step cuts off a product and takes a cut coefficient, which
    /// is wrong by less than 3 × 2^-126 with the cut of t, and passes on less than 0.35 of the error before: together
    /// less than 5 × 2^-126, of a sum of at least 0.84. The last product cuts off less than 2^-124 of itself. All
    /// of this is below 2^-122 of the result: only a power within 2^-58 units of the last place of the middle
    /// between two numbers could be rounded wrongly, and none is in the middle, because 2 to a fraction that is
    /// not whole is no fraction.
    fn power_less_one(self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        let (product, exponent) = self.power_less_one_in_full();
        Self::nearest(product, exponent, true, self.is_negative)
    }

    /// Returns the two numbers on either side of 2^`self` - 1, the one nearer to 0 first, for a number from -1/2 to 1/2
    /// that is not 0. The power itself is never a number of 64 bits. It is nearer to one than the error of
    /// [`Self::power_less_one`] about once in 2^58.
    fn power_less_one_within(self) -> (Self, Self) {
        let (product, exponent) = self.power_less_one_in_full();
        let shift = product.leading_zeros();
        let shifted = product << shift;
        let high = (shifted >> 64) as u64;
        let exponent = exponent - shift.cast_signed() + 64;
        let near = Self::rounded(high, exponent, false, self.is_negative);
        let far = Self::rounded(high, exponent, true, self.is_negative);
        (near, far)
    }

    /// Returns the size of 2^`self` - 1 with a mantissa of 128 bits, cut off, and its exponent; see
    /// [`Self::power_less_one`].
    fn power_less_one_in_full(self) -> (u128, i32) {
        let mantissa = upper_half(u128::from(self.mantissa) << 64, LN_2);
        // The number is at most 1/2, so its exponent at most -64.
        let steps = (self.exponent + 64).unsigned_abs();
        let fraction = mantissa.checked_shr(steps).unwrap_or(0);
        let mut sum = SERIES[TERMS - 1];
        for &term in SERIES[..TERMS - 1].iter().rev() {
            let product = upper_half(fraction, sum);
            sum = if self.is_negative {
                term - product
            } else {
                term + product
            };
        }
        (upper_half(mantissa, sum), self.exponent - 62)
    }
}
