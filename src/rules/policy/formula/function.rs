//! The functions that a formula can call: those of Python's `math`, which PBS imports by name, and some of Python's
//! built-ins. `pow` is the one of `math`.

use super::number::{EvalError, EvalResult, Number};

/// A function: its name, how many arguments it takes, and its computation.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) call: Call,
}

/// The computation of a function.
#[derive(Clone, Copy)]
pub(super) enum Call {
    /// Of one double. Neither a NaN nor an infinite result of a finite number is a value.
    Plain(fn(f64) -> f64),
    /// Of one double, with a result that can overflow.
    Growing(fn(f64) -> f64),
    /// A test.
    Test(fn(f64) -> bool),
    /// Of one double, to a whole number.
    Rounding(fn(f64) -> f64),
    /// Of two doubles.
    Pair(fn(f64, f64) -> f64),
    /// Anything else.
    Of(fn(&[Number]) -> EvalResult),
}

const fn of(name: &'static str, least: usize, most: usize, call: Call) -> Function {
    Function {
        name,
        least,
        most,
        call,
    }
}

/// All functions.
pub(super) const FUNCTIONS: &[Function] = &[
    of("abs", 1, 1, Call::Of(|arguments| arguments[0].absolute())),
    of("acos", 1, 1, Call::Plain(f64::acos)),
    of("asin", 1, 1, Call::Plain(f64::asin)),
    of("atan", 1, 1, Call::Plain(f64::atan)),
    of("atan2", 2, 2, Call::Pair(f64::atan2)),
    of(
        "bool",
        1,
        1,
        Call::Of(|arguments| Ok(Number::of(arguments[0].is_true()))),
    ),
    of("ceil", 1, 1, Call::Rounding(f64::ceil)),
    of("copysign", 2, 2, Call::Pair(f64::copysign)),
    of("cos", 1, 1, Call::Plain(f64::cos)),
    of("cosh", 1, 1, Call::Growing(f64::cosh)),
    of(
        "degrees",
        1,
        1,
        Call::Of(|arguments| {
            Ok(Number::Float(
                arguments[0].as_f64() * (180.0 / std::f64::consts::PI),
            ))
        }),
    ),
    of("exp", 1, 1, Call::Growing(f64::exp)),
    of("expm1", 1, 1, Call::Growing(f64::exp_m1)),
    of("fabs", 1, 1, Call::Plain(f64::abs)),
    of(
        "float",
        1,
        1,
        Call::Of(|arguments| Ok(Number::Float(arguments[0].as_f64()))),
    ),
    of("floor", 1, 1, Call::Rounding(f64::floor)),
    of("fmod", 2, 2, Call::Of(fmod)),
    of("hypot", 2, 2, Call::Of(hypot)),
    of("int", 1, 1, Call::Rounding(f64::trunc)),
    of("isfinite", 1, 1, Call::Test(f64::is_finite)),
    of("isinf", 1, 1, Call::Test(f64::is_infinite)),
    of("isnan", 1, 1, Call::Test(f64::is_nan)),
    of("log", 1, 2, Call::Of(log)),
    of(
        "log10",
        1,
        1,
        Call::Of(|arguments| logarithm(arguments[0], f64::log10)),
    ),
    of("log1p", 1, 1, Call::Plain(f64::ln_1p)),
    of(
        "log2",
        1,
        1,
        Call::Of(|arguments| logarithm(arguments[0], f64::log2)),
    ),
    of(
        "max",
        2,
        usize::MAX,
        Call::Of(|arguments| Ok(extreme(arguments, std::cmp::Ordering::Greater))),
    ),
    of(
        "min",
        2,
        usize::MAX,
        Call::Of(|arguments| Ok(extreme(arguments, std::cmp::Ordering::Less))),
    ),
    of("pow", 2, 2, Call::Of(pow)),
    of(
        "radians",
        1,
        1,
        Call::Of(|arguments| {
            Ok(Number::Float(
                arguments[0].as_f64() * (std::f64::consts::PI / 180.0),
            ))
        }),
    ),
    of("round", 1, 2, Call::Of(round)),
    of("sin", 1, 1, Call::Plain(f64::sin)),
    of("sinh", 1, 1, Call::Growing(f64::sinh)),
    of("sqrt", 1, 1, Call::Plain(f64::sqrt)),
    of("tan", 1, 1, Call::Plain(f64::tan)),
    of("tanh", 1, 1, Call::Plain(f64::tanh)),
    of("trunc", 1, 1, Call::Rounding(f64::trunc)),
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
    /// Returns the value of the function. There are as many arguments as it takes.
    pub(super) fn value(self, arguments: &[Number]) -> EvalResult {
        let first = arguments[0].as_f64();
        match self {
            Self::Plain(function) => number(function(first), first, EvalError::Domain),
            Self::Growing(function) => number(function(first), first, EvalError::Overflow),
            Self::Test(test) => Ok(Number::of(test(first))),
            Self::Rounding(rounded) => match arguments[0] {
                whole @ Number::Int(_) => Ok(whole),
                Number::Float(number) => Number::whole(rounded(number)),
            },
            Self::Pair(function) => Ok(Number::Float(function(first, arguments[1].as_f64()))),
            Self::Of(function) => function(arguments),
        }
    }
}

/// Returns a result if it is valid: Python's `math` refuses a NaN or infinity unless an argument was one.
fn number(result: f64, argument: f64, if_infinite: EvalError) -> EvalResult {
    if result.is_nan() && !argument.is_nan() {
        Err(EvalError::Domain)
    } else if result.is_infinite() && argument.is_finite() {
        Err(if_infinite)
    } else {
        Ok(Number::Float(result))
    }
}

fn fmod(arguments: &[Number]) -> EvalResult {
    let (dividend, divisor) = (arguments[0].as_f64(), arguments[1].as_f64());
    let rest = dividend % divisor;
    if rest.is_nan() && !dividend.is_nan() && !divisor.is_nan() {
        return Err(EvalError::Domain);
    }
    Ok(Number::Float(rest))
}

fn hypot(arguments: &[Number]) -> EvalResult {
    let (a, b) = (arguments[0].as_f64(), arguments[1].as_f64());
    let length = a.hypot(b);
    if length.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(EvalError::Overflow);
    }
    Ok(Number::Float(length))
}

/// `math.pow`: unlike `**` it has no complex numbers, and 0 to a negative power is a domain error.
fn pow(arguments: &[Number]) -> EvalResult {
    let (base, exponent) = (arguments[0].as_f64(), arguments[1].as_f64());
    let power = base.powf(exponent);
    let is_given_finite = base.is_finite() && exponent.is_finite();
    if is_given_finite && (power.is_nan() || power.is_infinite() && base == 0.0) {
        Err(EvalError::Domain)
    } else if is_given_finite && power.is_infinite() {
        Err(EvalError::Overflow)
    } else {
        Ok(Number::Float(power))
    }
}

fn logarithm(number: Number, function: fn(f64) -> f64) -> EvalResult {
    let number = number.as_f64();
    if number <= 0.0 {
        return Err(EvalError::Domain);
    }
    Ok(Number::Float(function(number)))
}

fn log(arguments: &[Number]) -> EvalResult {
    let natural = logarithm(arguments[0], f64::ln)?;
    match arguments.get(1) {
        None => Ok(natural),
        Some(&base) => natural.over(logarithm(base, f64::ln)?),
    }
}

/// Returns the first argument that no other exceeds in the direction `beyond`, as Python compares them.
fn extreme(arguments: &[Number], beyond: std::cmp::Ordering) -> Number {
    let better = |best: Number, next: Number| {
        if next.compare(best) == Some(beyond) {
            next
        } else {
            best
        }
    };
    arguments[1..].iter().copied().fold(arguments[0], better)
}

/// `round`: halves to even; with decimals, the nearest number of so many decimals.
fn round(arguments: &[Number]) -> EvalResult {
    /// Beyond this many decimals no double changes.
    const MOST: i128 = 400;
    let Some(&decimals) = arguments.get(1) else {
        return match arguments[0] {
            whole @ Number::Int(_) => Ok(whole),
            Number::Float(number) => Number::whole(number.round_ties_even()),
        };
    };
    let decimals = match decimals {
        // Python refuses decimals that are no whole number.
        Number::Float(_) => return Err(EvalError::Domain),
        Number::Int(..0) => return Err(EvalError::Rounding),
        Number::Int(decimals) => usize::try_from(decimals.min(MOST)).unwrap_or(0),
    };
    match arguments[0] {
        Number::Float(number) if number.is_finite() => {
            let printed = format!("{number:.decimals$}");
            Ok(Number::Float(printed.parse().unwrap_or(number)))
        }
        other => Ok(other),
    }
}
