//! Numbers with a 64-bit mantissa, as the x87 unit holds C's `long double` on x86-64.
//!
//! Slurm keeps usage and most of what follows from it in such numbers, and a rank can depend on their last bit. Every
//! operation rounds to nearest, ties to even. The exponent is wider than any quotient or product of doubles needs, so
//! nothing here overflows. There are no infinities and no NaN.

#![expect(clippy::cast_possible_truncation, reason = "wide numbers are split")]

mod cycles;
mod division;
mod exp2;
mod ln;
mod rounded;

pub(crate) use cycles::pass;
pub use division::Division;
pub use rounded::Ratio;

use std::cmp::Ordering;
use std::ops::AddAssign;

/// The top bit of a mantissa: set in every number but zero.
const TOP: u64 = 1 << 63;

/// A number with a 64-bit mantissa: `mantissa` × 2^`exponent`, negated or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extended {
    /// Its top bit is set, unless the number is 0.
    mantissa: u64,
    /// Of the mantissa's last bit; 0 of the number 0.
    exponent: i32,
    /// Never of the number 0.
    is_negative: bool,
}

impl Extended {
    /// 0.
    pub const ZERO: Self = Self::new(0, 0, false);

    /// 1.
    pub const ONE: Self = Self::new(TOP, -63, false);

    const fn new(mantissa: u64, exponent: i32, is_negative: bool) -> Self {
        Self {
            mantissa,
            exponent,
            is_negative,
        }
    }

    /// Returns the number with a sign, which 0 does not have.
    const fn signed(self, is_negative: bool) -> Self {
        let is_negative = is_negative && !self.is_zero();
        Self::new(self.mantissa, self.exponent, is_negative)
    }

    /// Returns whether it is 0.
    pub const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Returns the mantissa, whose top bit is set, and the exponent, or `None` for 0 and for numbers below it.
    pub(crate) const fn parts(self) -> Option<(u64, i32)> {
        if self.mantissa == 0 || self.is_negative {
            return None;
        }
        Some((self.mantissa, self.exponent))
    }

    /// Returns the exact number of a double, or 0 if that is not finite.
    pub fn finite_or_zero(number: f64) -> Self {
        match Self::from_f64(number) {
            Some(exact) => exact,
            None => Self::ZERO,
        }
    }

    /// Returns the exact number of a double, or `None` if that is not finite.
    pub fn from_f64(number: f64) -> Option<Self> {
        const FRACTION: u64 = (1 << 52) - 1;
        if !number.is_finite() {
            return None;
        }
        let bits = number.to_bits();
        let fraction = bits & FRACTION;
        let size = match i32::try_from(bits >> 52 & 0x7FF).ok()? {
            0 => Self::from_u64(fraction).scaled(-1074),
            biased => Self::from_u64(fraction | 1 << 52).scaled(biased - 1075),
        };
        Some(size.signed(bits >> 63 == 1))
    }

    /// Returns the nearest number to a decimal in scientific notation such as `8.25e-3`, or `None` if one division
    /// cannot round it correctly: it has more than 19 digits, or more than 27 decimals.
    pub fn from_decimal(text: &str) -> Option<Self> {
        match text.strip_prefix('-') {
            Some(size) => {
                let number = Self::from_decimal_size(size)?;
                Some(number.signed(true))
            }
            None => Self::from_decimal_size(text),
        }
    }

    /// Returns the nearest number to a decimal without a sign, as [`Self::from_decimal`] does.
    fn from_decimal_size(text: &str) -> Option<Self> {
        /// 5^27 is the last power of five that fits a mantissa, so 10^27 is exact too.
        const MOST_DECIMALS: i32 = 27;
        let (written, power) = text.split_once('e')?;
        let mut digits = written.to_owned();
        let mut length = 0;
        if let Some(point) = written.find('.') {
            digits.remove(point);
            length = i32::try_from(digits.len() - point).ok()?;
        }
        let number = digits.parse().ok()?;
        let exponent = power.parse().ok()?;
        let decimals = length.checked_sub(exponent)?;
        if !(0..=MOST_DECIMALS).contains(&decimals) {
            return None;
        }
        let fives = 5_u64.pow(decimals.unsigned_abs());
        let divisor = Self::from_u64(fives).scaled(decimals);
        Self::from_u64(number).over(divisor)
    }

    /// Returns a whole number, exactly.
    pub const fn from_u64(number: u64) -> Self {
        if number == 0 {
            return Self::ZERO;
        }
        let shift = number.leading_zeros();
        Self::new(number << shift, -shift.cast_signed(), false)
    }

    /// Returns the nearest number to `mantissa` × 2^`exponent`. `has_more` says that a little was cut off below.
    fn nearest(mantissa: u128, exponent: i32, has_more: bool, is_negative: bool) -> Self {
        if mantissa == 0 {
            return Self::ZERO;
        }
        let shift = mantissa.leading_zeros();
        let shifted = mantissa << shift;
        let high = (shifted >> 64) as u64;
        let low = shifted as u64;
        let exponent = exponent - shift.cast_signed() + 64;
        let goes_up_from_half = has_more || is_odd(high);
        let rounds_up = rounds_up(low, TOP, goes_up_from_half);
        Self::rounded(high, exponent, rounds_up, is_negative)
    }

    /// Returns a number with a mantissa that is rounded up or not.
    fn rounded(mantissa: u64, exponent: i32, rounds_up: bool, is_negative: bool) -> Self {
        match mantissa.checked_add(u64::from(rounds_up)) {
            Some(mantissa) => Self::new(mantissa, exponent, is_negative),
            None => Self::new(TOP, exponent + 1, is_negative),
        }
    }

    /// Returns the sum.
    pub fn plus(self, other: Self) -> Self {
        /// Space for a carry above, and for the lower bits of the smaller number.
        const HEADROOM: u32 = 62;
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let mut large = self;
        let mut small = other;
        if self.exponent < other.exponent {
            std::mem::swap(&mut large, &mut small);
        }
        let distance = large.exponent.abs_diff(small.exponent);
        let high = u128::from(large.mantissa) << HEADROOM;
        let uncut = u128::from(small.mantissa) << HEADROOM;
        let low = uncut.checked_shr(distance).unwrap_or(0);
        let has_more = low.checked_shl(distance).unwrap_or(0) != uncut;
        let exponent = large.exponent - HEADROOM.cast_signed();
        if large.is_negative == small.is_negative {
            return Self::nearest(high + low, exponent, has_more, large.is_negative);
        }
        // The bits cut off the smaller number make the difference a little smaller than computed.
        match high.cmp(&low) {
            Ordering::Greater => {
                let difference = high - low - u128::from(has_more);
                Self::nearest(difference, exponent, has_more, large.is_negative)
            }
            Ordering::Less => Self::nearest(low - high, exponent, has_more, small.is_negative),
            Ordering::Equal => Self::ZERO,
        }
    }

    /// Returns the difference.
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.signed(!other.is_negative))
    }

    /// Returns the product.
    pub fn times(self, other: Self) -> Self {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        let exponent = self.exponent + other.exponent;
        let is_negative = self.is_negative != other.is_negative;
        Self::nearest(product, exponent, false, is_negative)
    }

    /// Returns the quotient, or `None` if the divisor is 0.
    pub fn over(self, divisor: Self) -> Option<Self> {
        if divisor.is_zero() {
            return None;
        }
        if self.is_zero() {
            return Some(Self::ZERO);
        }
        let mut shift = 64;
        let mut high = self.mantissa;
        let mut low = 0;
        if high >= divisor.mantissa {
            shift = 63;
            low = high << 63;
            high >>= 1;
        }
        let Division { quotient, rest } = Division::of(high, low, divisor.mantissa);
        // Twice the remainder may overflow, so it is compared with what is missing to the divisor.
        let missing = divisor.mantissa - rest;
        let rounds_up = rounds_up(rest, missing, is_odd(quotient));
        let exponent = self.exponent - divisor.exponent - shift;
        let is_negative = self.is_negative != divisor.is_negative;
        Some(Self::rounded(quotient, exponent, rounds_up, is_negative))
    }

    /// Returns the nearest double.
    pub fn to_f64(self) -> f64 {
        /// The largest exponent in either direction for the fast path.
        const USUAL: u32 = 900;
        if self.is_zero() {
            return 0.0;
        }
        let size = if self.exponent.unsigned_abs() < USUAL {
            // The conversion rounds, and the product is exact.
            let biased = (1023 + self.exponent).unsigned_abs();
            let power = f64::from_bits(u64::from(biased) << 52);
            self.mantissa as f64 * power
        } else {
            f64::from_bits(self.size_as_double())
        };
        if self.is_negative {
            return -size;
        }
        size
    }

    /// Returns the bits of the double that is nearest to a number without its sign.
    fn size_as_double(self) -> u64 {
        /// The bits of the mantissa that a double does not have.
        const CUT: u32 = 11;
        const LARGEST: i32 = 1023;
        const SMALLEST: i32 = -1022;
        const INFINITY: u64 = 0x7FF << 52;
        let scale = self.exponent + 63;
        if scale > LARGEST {
            return INFINITY;
        }
        let above_smallest = scale.abs_diff(SMALLEST);
        let mut biased = 0;
        let mut cut = CUT;
        if scale < SMALLEST {
            // Here a double has fewer bits.
            cut += above_smallest;
        } else {
            biased = u64::from(above_smallest);
        }
        if cut > 64 {
            return 0;
        }
        let wide = u128::from(self.mantissa);
        let kept = (wide >> cut) as u64;
        let rest = wide - (u128::from(kept) << cut);
        let half = 1_u128 << (cut - 1);
        let mut bits = kept + (biased << 52);
        if rounds_up(rest, half, is_odd(kept)) {
            // A carry overflows into the exponent, as it should.
            bits += 1;
        }
        bits
    }

    /// Returns the whole part of a number from 0 up, or the largest 64-bit number if it does not fit.
    pub fn whole(self) -> u64 {
        match self.exponent {
            _ if self.is_negative => 0,
            ..=-64 => 0,
            -63..=0 => self.mantissa >> self.exponent.unsigned_abs(),
            _ => u64::MAX,
        }
    }

    /// Returns an integer that orders numbers by their size.
    #[inline]
    fn size(self) -> u128 {
        // 0 is below the size of every other number, whatever its exponent.
        if self.is_zero() {
            return 0;
        }
        let exponent = self.exponent.wrapping_sub(i32::MIN).cast_unsigned();
        u128::from(exponent) << 64 | u128::from(self.mantissa)
    }

    /// Returns the number × 2^`steps`.
    pub const fn scaled(self, steps: i32) -> Self {
        if self.is_zero() {
            return self;
        }
        Self::new(self.mantissa, self.exponent + steps, self.is_negative)
    }
}

/// Returns whether a number is odd.
const fn is_odd(number: u64) -> bool {
    number & 1 == 1
}

/// Returns whether what is cut off a number rounds it up: more than a half, or a half that goes up.
#[inline]
fn rounds_up<N: Copy + Ord>(rest: N, half: N, goes_up_from_half: bool) -> bool {
    rest > half || (rest == half && goes_up_from_half)
}

impl AddAssign for Extended {
    fn add_assign(&mut self, other: Self) {
        *self = self.plus(other);
    }
}

impl PartialOrd for Extended {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Extended {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.size().cmp(&other.size()),
            (true, true) => other.size().cmp(&self.size()),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}
