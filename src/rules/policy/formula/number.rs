//! Numbers as Python computes them: whole numbers and doubles, and the operators on both.
//!
//! Python's whole numbers are unlimited. Here they have 128 bits, and a larger result is refused.

use std::cmp::Ordering;

/// A number of Python's. `True` and `False` are 1 and 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// A whole number.
    Int(i128),
    /// A double.
    Float(f64),
}

/// Why a formula has no value for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// Python's `ZeroDivisionError`.
    #[error("it divides by zero")]
    ZeroDivision,
    /// Python's `OverflowError`.
    #[error("a number in it overflows")]
    Overflow,
    /// Python's `ValueError`, such as for a logarithm of 0.
    #[error("a function in it is undefined for its argument")]
    Domain,
    /// A whole number of more than 128 bits.
    #[error("a whole number in it has more than 128 bits, which fairscope does not compute")]
    TooLarge,
    /// A negative number to a fractional power, where Python continues with complex numbers.
    #[error("a negative number to a fractional power is complex, which fairscope does not compute")]
    Complex,
    /// Rounding to tens, hundreds and so on.
    #[error("a number is rounded to fewer than 0 decimals, which fairscope does not compute")]
    Rounding,
}

impl EvalError {
    /// Returns whether PBS uses 0 as the value. Otherwise fairscope cannot tell what PBS would use.
    pub const fn makes_zero(self) -> bool {
        matches!(self, Self::ZeroDivision | Self::Overflow | Self::Domain)
    }
}

/// A number, or why there is none.
pub(super) type EvalResult = Result<Number, EvalError>;

/// Whole numbers up to here are exact doubles.
const EXACT: u128 = 1 << 53;

/// 2^127: the first double above all whole numbers here.
const LIMIT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

impl Number {
    /// Returns the number of a truth value.
    pub(super) const fn from_truth(truth: bool) -> Self {
        Self::Int(truth as i128)
    }

    /// Returns the nearest double.
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Int(whole) => whole as f64,
            Self::Float(number) => number,
        }
    }

    /// Returns whether Python treats it as true.
    pub(super) fn is_true(self) -> bool {
        match self {
            Self::Int(whole) => whole != 0,
            Self::Float(number) => number != 0.0,
        }
    }

    pub(super) fn negated(self) -> EvalResult {
        match self {
            Self::Int(whole) => checked(whole.checked_neg()),
            Self::Float(number) => Ok(Self::Float(-number)),
        }
    }

    pub(super) fn absolute(self) -> EvalResult {
        match self {
            Self::Int(whole) => checked(whole.checked_abs()),
            Self::Float(number) => Ok(Self::Float(number.abs())),
        }
    }

    pub(super) fn plus(self, other: Self) -> EvalResult {
        self.with(other, i128::checked_add, |a, b| a + b)
    }

    pub(super) fn minus(self, other: Self) -> EvalResult {
        self.with(other, i128::checked_sub, |a, b| a - b)
    }

    pub(super) fn times(self, other: Self) -> EvalResult {
        self.with(other, i128::checked_mul, |a, b| a * b)
    }

    /// Returns the result of an operator that whole numbers and doubles both have.
    fn with(
        self,
        other: Self,
        whole: fn(i128, i128) -> Option<i128>,
        double: fn(f64, f64) -> f64,
    ) -> EvalResult {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => checked(whole(a, b)),
            _ => Ok(Self::Float(double(self.as_f64(), other.as_f64()))),
        }
    }

    /// `/`: always a double; for whole numbers the one nearest to the true quotient.
    pub(super) fn over(self, other: Self) -> EvalResult {
        if !other.is_true() {
            return Err(EvalError::ZeroDivision);
        }
        Ok(Self::Float(match (self, other) {
            (Self::Int(a), Self::Int(b)) => quotient(a, b),
            _ => self.as_f64() / other.as_f64(),
        }))
    }

    /// `//`: the quotient rounded down.
    pub(super) fn floor_over(self, other: Self) -> EvalResult {
        if !other.is_true() {
            return Err(EvalError::ZeroDivision);
        }
        if let (Self::Int(a), Self::Int(b)) = (self, other) {
            let quotient = a.checked_div(b).ok_or(EvalError::TooLarge)?;
            let is_above = a % b != 0 && (a < 0) != (b < 0);
            return Ok(Self::Int(quotient - i128::from(is_above)));
        }
        let division = FloorDivision::new(self.as_f64(), other.as_f64());
        Ok(Self::Float(division.floor))
    }

    /// `%`: the remainder, with the sign of the divisor.
    pub(super) fn rest_over(self, other: Self) -> EvalResult {
        if !other.is_true() {
            return Err(EvalError::ZeroDivision);
        }
        if let (Self::Int(a), Self::Int(b)) = (self, other) {
            let rest = a.checked_rem(b).unwrap_or(0);
            let is_other_side = rest != 0 && (rest < 0) != (b < 0);
            return Ok(Self::Int(if is_other_side { rest + b } else { rest }));
        }
        let division = FloorDivision::new(self.as_f64(), other.as_f64());
        Ok(Self::Float(division.rest))
    }

    /// `**`: a whole number if both are, and the exponent is not negative.
    pub(super) fn power(self, other: Self) -> EvalResult {
        if let (Self::Int(base), Self::Int(exponent @ 0..)) = (self, other) {
            return match (base, u32::try_from(exponent)) {
                (0 | 1, _) if exponent > 0 => Ok(self),
                (-1, _) => Ok(Self::Int(if exponent % 2 == 0 { 1 } else { -1 })),
                (_, Ok(exponent)) => checked(base.checked_pow(exponent)),
                (_, Err(_)) => Err(EvalError::TooLarge),
            };
        }
        let base = self.as_f64();
        let exponent = other.as_f64();
        if base == 0.0 && exponent < 0.0 {
            return Err(EvalError::ZeroDivision);
        }
        let is_fractional = exponent.is_finite() && exponent.fract() != 0.0;
        if base < 0.0 && base.is_finite() && is_fractional {
            return Err(EvalError::Complex);
        }
        let power = base.powf(exponent);
        if power.is_infinite() && base.is_finite() && exponent.is_finite() {
            return Err(EvalError::Overflow);
        }
        Ok(Self::Float(power))
    }

    /// Returns the exact order of two numbers, or `None` if one is NaN.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b),
            (Self::Int(a), Self::Float(b)) => whole_with(a, b),
            (Self::Float(a), Self::Int(b)) => whole_with(b, a).map(Ordering::reverse),
        }
    }

    /// Returns the whole number that a double without a fraction stands for.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is tested, and there is no fraction"
    )]
    pub(super) fn whole(number: f64) -> EvalResult {
        if number.is_nan() {
            Err(EvalError::Domain)
        } else if number.is_infinite() {
            Err(EvalError::Overflow)
        } else if (-LIMIT..LIMIT).contains(&number) {
            Ok(Self::Int(number as i128))
        } else {
            Err(EvalError::TooLarge)
        }
    }
}

/// Returns a whole number, or an error if it had more than 128 bits.
fn checked(whole: Option<i128>) -> EvalResult {
    whole.map(Number::Int).ok_or(EvalError::TooLarge)
}

/// Returns the order of a whole number and a double, or `None` for NaN.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is tested, and a rounded number has no fraction"
)]
fn whole_with(whole: i128, number: f64) -> Option<Ordering> {
    if number.is_nan() {
        return None;
    }
    if number >= LIMIT {
        return Some(Ordering::Less);
    }
    if number < -LIMIT {
        return Some(Ordering::Greater);
    }
    let below = number.floor();
    let order = whole.cmp(&(below as i128));
    Some(match order {
        Ordering::Equal if number > below => Ordering::Less,
        order => order,
    })
}

/// Returns the double nearest to the quotient of two whole numbers, ties to even.
fn quotient(a: i128, b: i128) -> f64 {
    let dividend = a.unsigned_abs();
    let divisor = b.unsigned_abs();
    let sign = if (a < 0) == (b < 0) { 1.0 } else { -1.0 };
    if dividend <= EXACT && divisor <= EXACT {
        return sign * (dividend as f64 / divisor as f64);
    }
    // At least 64 bits of the quotient, and one bit that tells whether anything is missing below them.
    let mut bits = dividend / divisor;
    let mut rest = dividend % divisor;
    let mut steps = 0;
    while bits >> 64 == 0 && rest != 0 {
        // Twice the remainder may overflow, so it is compared with what is missing to the divisor.
        let missing = divisor - rest;
        let is_over = rest >= missing;
        bits = bits << 1 | u128::from(is_over);
        rest = if is_over { rest - missing } else { rest << 1 };
        steps += 1;
    }
    bits |= u128::from(rest != 0);
    // The conversion rounds to nearest, ties to even. The power of two is exact, because it is not that small.
    sign * (bits as f64) * 2.0_f64.powi(-steps)
}

/// Python's `//` and `%` of doubles.
struct FloorDivision {
    /// The quotient rounded down.
    floor: f64,
    /// The remainder, with the sign of the divisor.
    rest: f64,
}

impl FloorDivision {
    fn new(dividend: f64, divisor: f64) -> Self {
        let mut rest = dividend % divisor;
        let mut quotient = (dividend - rest) / divisor;
        if rest == 0.0 {
            rest = 0.0_f64.copysign(divisor);
        } else if (divisor < 0.0) != (rest < 0.0) {
            rest += divisor;
            quotient -= 1.0;
        }
        let mut floor = quotient.floor();
        if quotient == 0.0 {
            floor = 0.0_f64.copysign(dividend / divisor);
        } else if quotient - floor > 0.5 {
            // The division may have been rounded down to just below a whole number.
            floor += 1.0;
        }
        Self { floor, rest }
    }
}
