//! The functions that a formula can call: those of Python's `math`, which PBS imports by name, and some of Python's
//! built-ins. `pow` is the one of `math`.

use super::number::{EvalError, EvalResult, Number};
use Call::{Any, Extreme, One, OneOrTwo, Pair, Plain, Rounding, Test, Truth, Two};
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// The computation of a function.
#[derive(Clone, Copy)]
pub(super) enum Call {
    /// Of one double. A NaN is no value, and an infinite result of a finite number overflows.
    Plain(fn(f64) -> f64),
    /// Of one double, with any result.
    Any(fn(f64) -> f64),
    /// Of one double, to a truth value.
    Test(fn(f64) -> bool),
    /// Of one double, to a whole number.
    Rounding(fn(f64) -> f64),
    /// Of two doubles, with any result.
    Pair(fn(f64, f64) -> f64),
    /// Of one number, to whether Python treats it as true.
    Truth,
    /// Of one number.
    One(fn(Number) -> EvalResult),
    /// Of two numbers or more: the first that no other exceeds in this direction, as Python compares them.
    Extreme(Ordering),
    /// Of two doubles, with a result that may be no value.
    Two(fn(f64, f64) -> EvalResult),
    /// Of one or two numbers.
    OneOrTwo(fn(Number, Option<Number>) -> EvalResult),
}

/// The functions by name.
pub(super) const FUNCTIONS: &[(&str, Call)] = &[
    ("abs", One(Number::absolute)),
    ("acos", Plain(f64::acos)),
    ("asin", Plain(f64::asin)),
    ("atan", Plain(f64::atan)),
    ("atan2", Pair(f64::atan2)),
    ("bool", Truth),
    ("ceil", Rounding(f64::ceil)),
    ("copysign", Pair(f64::copysign)),
    ("cos", Plain(f64::cos)),
    ("cosh", Plain(f64::cosh)),
    ("degrees", Any(f64::to_degrees)),
    ("exp", Plain(f64::exp)),
    ("expm1", Plain(f64::exp_m1)),
    ("fabs", Plain(f64::abs)),
    ("float", Any(f64::from)),
    ("floor", Rounding(f64::floor)),
    ("fmod", Two(fmod)),
    ("hypot", Two(hypot)),
    ("int", Rounding(f64::trunc)),
    ("isfinite", Test(f64::is_finite)),
    ("isinf", Test(f64::is_infinite)),
    ("isnan", Test(f64::is_nan)),
    ("log", OneOrTwo(log)),
    ("log10", One(log10)),
    ("log1p", One(log1p)),
    ("log2", One(log2)),
    ("max", Extreme(Ordering::Greater)),
    ("min", Extreme(Ordering::Less)),
    ("pow", Two(pow)),
    ("radians", Any(f64::to_radians)),
    ("round", OneOrTwo(round)),
    ("sin", Plain(f64::sin)),
    ("sinh", Plain(f64::sinh)),
    ("sqrt", Plain(f64::sqrt)),
    ("tan", Plain(f64::tan)),
    ("tanh", Plain(f64::tanh)),
    ("trunc", Rounding(f64::trunc)),
];

/// Constants of `math`, and Python's truth values.
pub(super) const CONSTANTS: &[(&str, Number)] = &[
    ("False", Number::Int(0)),
    ("True", Number::Int(1)),
    ("e", Number::Float(std::f64::consts::E)),
    ("inf", Number::Float(f64::INFINITY)),
    ("nan", Number::Float(f64::NAN)),
    ("pi", Number::Float(std::f64::consts::PI)),
    ("tau", Number::Float(std::f64::consts::TAU)),
];

impl Call {
    /// Returns how many arguments it takes.
    pub(super) const fn possible_counts(self) -> RangeInclusive<usize> {
        match self {
            Self::Pair(_) | Self::Two(_) => 2..=2,
            Self::OneOrTwo(_) => 1..=2,
            Self::Extreme(_) => 2..=usize::MAX,
            _ => 1..=1,
        }
    }

    /// Returns the value of the function. There are as many arguments as it takes.
    pub(super) fn value(self, arguments: &[Number]) -> EvalResult {
        let first = arguments[0];
        let number = first.as_f64();
        match self {
            Self::Plain(function) => checked(function(number), number),
            Self::Any(function) => Ok(Number::Float(function(number))),
            Self::Test(test) => Ok(Number::from_truth(test(number))),
            Self::Rounding(rounded) => match first {
                Number::Int(_) => Ok(first),
                Number::Float(number) => Number::whole(rounded(number)),
            },
            Self::Pair(function) => Ok(Number::Float(function(number, arguments[1].as_f64()))),
            Self::Extreme(beyond) => {
                let mut best = first;
                for &next in &arguments[1..] {
                    if next.compare(best) == Some(beyond) {
                        best = next;
                    }
                }
                Ok(best)
            }
            Self::Truth => Ok(Number::from_truth(first.is_true())),
            Self::One(function) => function(first),
            Self::Two(function) => function(number, arguments[1].as_f64()),
            Self::OneOrTwo(function) => function(first, arguments.get(1).copied()),
        }
    }
}

/// Returns a result if it is valid: Python's `math` refuses a NaN or infinity unless an argument was one.
fn checked(result: f64, argument: f64) -> EvalResult {
    if result.is_nan() && !argument.is_nan() {
        Err(EvalError::Domain)
    } else if result.is_infinite() && argument.is_finite() {
        Err(EvalError::Overflow)
    } else {
        Ok(Number::Float(result))
    }
}

/// The remainder of a division, with the sign of the dividend.
fn fmod(dividend: f64, divisor: f64) -> EvalResult {
    let rest = dividend % divisor;
    if rest.is_nan() && !dividend.is_nan() && !divisor.is_nan() {
        return Err(EvalError::Domain);
    }
    Ok(Number::Float(rest))
}

/// The hypotenuse of a right triangle with these legs.
fn hypot(a: f64, b: f64) -> EvalResult {
    let length = a.hypot(b);
    if length.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(EvalError::Overflow);
    }
    Ok(Number::Float(length))
}

/// `math.pow`: unlike `**` it has no complex numbers, and 0 to a negative power is a domain error.
fn pow(base: f64, exponent: f64) -> EvalResult {
    let power = base.powf(exponent);
    let are_finite = base.is_finite() && exponent.is_finite();
    if are_finite && (power.is_nan() || power.is_infinite() && base == 0.0) {
        Err(EvalError::Domain)
    } else if are_finite && power.is_infinite() {
        Err(EvalError::Overflow)
    } else {
        Ok(Number::Float(power))
    }
}

/// A logarithm, which only numbers above 0 have.
fn logarithm(number: Number, function: fn(f64) -> f64) -> EvalResult {
    let double = number.as_f64();
    if double <= 0.0 {
        return Err(EvalError::Domain);
    }
    Ok(Number::Float(function(double)))
}

/// The binary logarithm.
fn log2(number: Number) -> EvalResult {
    logarithm(number, f64::log2)
}

/// The decimal logarithm.
fn log10(number: Number) -> EvalResult {
    logarithm(number, f64::log10)
}

/// The natural logarithm of 1 more than a number.
fn log1p(number: Number) -> EvalResult {
    let double = number.as_f64();
    if double <= -1.0 {
        return Err(EvalError::Domain);
    }
    Ok(Number::Float(double.ln_1p()))
}

/// The logarithm to a base, or the natural one.
fn log(number: Number, base: Option<Number>) -> EvalResult {
    let natural = logarithm(number, f64::ln)?;
    match base {
        None => Ok(natural),
        Some(base) => natural.over(logarithm(base, f64::ln)?),
    }
}

/// `round`: halves to even; with decimals, the nearest number of so many decimals.
fn round(number: Number, decimals: Option<Number>) -> EvalResult {
    /// Beyond this many decimals no double changes.
    const MOST: i128 = 400;
    let decimals = match decimals {
        None => {
            return match number {
                Number::Int(_) => Ok(number),
                Number::Float(number) => Number::whole(number.round_ties_even()),
            };
        }
        // Python refuses decimals that are no whole number.
        Some(Number::Float(_)) => return Err(EvalError::Domain),
        Some(Number::Int(..0)) => return Err(EvalError::Rounding),
        Some(Number::Int(decimals)) => usize::try_from(decimals.min(MOST)).unwrap_or(0),
    };
    match number {
        Number::Float(number) if number.is_finite() => {
            let printed = format!("{number:.decimals$}");
            Ok(Number::Float(printed.parse().unwrap_or(number)))
        }
        other => Ok(other),
    }
}
