//! Numbers of which only bounds are known, and Slurm's formulas with them.

use crate::model::Figure;

/// How far bounds are moved outward. A computed number differs from the scheduler's by a few roundings, which happen
/// elsewhere, from 80 bits to 64 and for some columns to 53.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// A number from `low` to `high`, both included and perhaps infinite; none is below 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ZERO: Self = Self::exactly(0.0);
    pub(super) const ONE: Self = Self::exactly(1.0);

    /// Returns a number all of whose digits are known.
    pub(super) const fn exactly(number: f64) -> Self {
        Self {
            low: number,
            high: number,
        }
    }

    /// Returns the numbers that can be printed as this.
    pub(super) fn of(figure: Figure) -> Self {
        let (low, high) = figure.bounds();
        Self { low, high }.outward()
    }

    /// Returns the interval of two numbers in any order, extended by a few roundings.
    pub(super) fn between(a: f64, b: f64) -> Self {
        let low = a.min(b);
        let high = a.max(b);
        Self { low, high }.outward()
    }

    /// Moves the bounds outward by a few roundings.
    fn outward(self) -> Self {
        Self {
            low: self.low * (1.0 - ROUNDINGS),
            high: self.high * (1.0 + ROUNDINGS),
        }
    }

    /// Returns whether the intervals have a number in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Returns whether a number is in the interval.
    pub(super) fn contains(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    /// Returns the least interval that contains both.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Returns the common interval, or this one if there is none.
    pub(super) fn narrowed(self, other: impl Into<Option<Self>>) -> Self {
        match other.into() {
            Some(other) if self.meets(other) => Self {
                low: self.low.max(other.low),
                high: self.high.min(other.high),
            },
            _ => self,
        }
    }

    /// Returns the number of the interval that is nearest to this one. So two that were printed alike, as 0.000000, need
    /// not tie.
    pub(super) fn nearest(self, number: f64) -> f64 {
        number.max(self.low).min(self.high)
    }

    /// Returns the sum.
    pub(super) fn plus(self, other: Self) -> Self {
        Self::between(self.low + other.low, self.high + other.high)
    }

    /// Returns the product; 0 times infinity is 0.
    pub(super) fn times(self, other: Self) -> Self {
        let low = product(self.low, other.low);
        Self::between(low, product(self.high, other.high))
    }

    /// Returns the quotient. Division by 0 gives infinity; 0 by 0 can be anything.
    pub(super) fn over(self, divisor: Self) -> Self {
        let low = if self.low == 0.0 || divisor.high == f64::INFINITY {
            0.0
        } else if divisor.high == 0.0 {
            f64::INFINITY
        } else {
            self.low / divisor.high
        };
        let high = if self.high == 0.0 && divisor.low > 0.0 {
            0.0
        } else if divisor.low == 0.0 {
            f64::INFINITY
        } else {
            self.high / divisor.low
        };
        Self::between(low, high)
    }
}

/// Returns the product; 0 times infinity is 0.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Returns the part of a whole; 0 if the whole is 0.
pub(super) fn part(own: Interval, whole: Interval) -> Interval {
    if own.high == 0.0 || whole.high == 0.0 {
        Interval::ZERO
    } else if whole.low == 0.0 {
        own.over(whole).or(Interval::ZERO)
    } else {
        own.over(whole)
    }
}

/// Returns 2^-(effective usage / shares / dampening); 0 without shares.
pub(super) fn factor(effective: Interval, share: Interval, dampening: f64) -> Interval {
    if share.high == 0.0 {
        return Interval::ZERO;
    }
    let exponent = effective.over(share).over(Interval::exactly(dampening));
    // The power magnifies the error of the exponent by the exponent.
    let low = (-exponent.high * (1.0 + 1e-13)).exp2();
    let high = (-exponent.low * (1.0 - 1e-13)).exp2();
    Interval::between(low, high)
}

/// How strongly an account that is far from its target dampens a child that would bring it nearer.
const HOLD: f64 = 5.0;

/// Returns the power of the ratio of a child whose account has this ratio to its target.
fn held(account: f64) -> f64 {
    1.0 / (1.0 + (HOLD * account.ln()).powi(2))
}

/// Returns a node's ratio to the power that leads it back to its account's target.
pub(super) fn powers(ratio: Interval, account: Interval) -> Interval {
    // With the account furthest from its target, and nearest to it.
    let furthest = held(account.low).min(held(account.high));
    let nearest = if account.low <= 1.0 && account.high >= 1.0 {
        1.0
    } else {
        held(account.low).max(held(account.high))
    };
    let both_below = ratio.low <= 1.0 && account.low <= 1.0;
    let both_above = ratio.high >= 1.0 && account.high >= 1.0;
    let leads_up = ratio.low < 1.0 && account.high > 1.0;
    let leads_down = ratio.high > 1.0 && account.low < 1.0;
    let leads_away = both_below || both_above;
    let leads_back = leads_up || leads_down;
    let (least_power, most_power) = match (leads_away, leads_back) {
        (true, true) => (furthest, 1.0),
        (true, false) => (1.0, 1.0),
        _ => (furthest, nearest),
    };
    let mut least = f64::INFINITY;
    let mut most = 0.0_f64;
    for ratio in [ratio.low, ratio.high] {
        for power in [least_power, most_power] {
            let corner = ratio.powf(power);
            least = least.min(corner);
            most = most.max(corner);
        }
    }
    // The C library's powers are not the nearest numbers.
    Interval::between(least * (1.0 - 1e-12), most * (1.0 + 1e-12))
}
