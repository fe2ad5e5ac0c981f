//! Numbers of which only bounds are known.

use crate::model::Figure;

/// How far bounds are moved outward. A computed number differs from the scheduler's by a few roundings, which happen
/// elsewhere, from 80 bits to 64 and for some columns to 53.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// A number from `low` to `high`, both included; none is below 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// The least it can be.
    pub(super) low: f64,
    /// The most it can be; infinity included.
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ZERO: Self = Self::exactly(0.0);
    pub(super) const ONE: Self = Self::exactly(1.0);

    /// Returns the interval of a known number.
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
        Self {
            low: a.min(b),
            high: a.max(b),
        }
        .outward()
    }

    fn outward(self) -> Self {
        Self {
            low: self.low * (1.0 - ROUNDINGS),
            high: self.high * (1.0 + ROUNDINGS),
        }
    }

    /// Returns whether only one number is possible.
    pub(super) fn is_point(self) -> bool {
        self.low.to_bits() == self.high.to_bits()
    }

    /// Returns whether the intervals have a common number.
    pub(super) fn meets(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Returns the common interval, or `None` if there is none.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        self.meets(other).then(|| Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        })
    }

    /// Returns the interval that contains both.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Returns the common interval, or this one if there is none.
    pub(super) fn narrowed(self, other: Option<Self>) -> Self {
        other.and_then(|other| self.and(other)).unwrap_or(self)
    }

    /// Returns the sum.
    pub(super) fn plus(self, other: Self) -> Self {
        Self::between(self.low + other.low, self.high + other.high)
    }

    /// Returns the product; 0 times infinity is 0.
    pub(super) fn times(self, other: Self) -> Self {
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Self::between(product(self.low, other.low), product(self.high, other.high))
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

    /// Returns the interval limited to at most 1.
    pub(super) fn at_most_one(self) -> Self {
        Self {
            low: self.low.min(1.0),
            high: self.high.min(1.0),
        }
    }
}
