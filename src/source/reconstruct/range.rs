//! The possible values of a number: 80-bit numbers from a least to a most one.

use super::agreement::LAST_DIGITS;
use crate::base::extended::Extended;
use crate::model::{EXACT, Figure};

/// With fewer bits of a double than this after the last printed digit only the nearest double is used.
const FEW_BITS: f64 = 8.0;

/// The numbers from `low` to `high`, both included. None is below 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    /// The least number.
    pub(super) low: Extended,
    /// The most; `None` without a limit.
    pub(super) high: Option<Extended>,
}

impl Range {
    /// Any number from 0 up.
    pub(super) const ANY: Self = Self {
        low: Extended::ZERO,
        high: None,
    };

    /// Returns the range of one number.
    pub(super) const fn exactly(number: Extended) -> Self {
        Self {
            low: number,
            high: Some(number),
        }
    }

    /// Returns the numbers that round to a double and are printed as the figure, moved inward by a part of the width on
    /// either side. `None` for infinity.
    ///
    /// The scheduler prints a double, so the figure is at least as far from its number as a double can be.
    pub(super) fn printed(figure: Figure, inward: f64) -> Option<Self> {
        let value = Extended::from_f64(figure.value)?;
        let bit = figure.value.next_up() - figure.value;
        let half = if figure.decimals == EXACT {
            figure.value * LAST_DIGITS
        } else if figure.half_unit() < FEW_BITS * bit {
            // Hardly any other double is printed in the same way.
            0.5 * bit
        } else {
            figure.half_unit()
        };
        let half = half * (1.0 - inward);
        let half = Extended::from_f64(half)?;
        Some(Self {
            low: at_least_zero(value.minus(half)),
            high: Some(value.plus(half)),
        })
    }

    /// Returns the numbers in both ranges, or `None` if there are none.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let low = self.low.max(other.low);
        let high = match (self.high, other.high) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        high.is_none_or(|high| low <= high)
            .then_some(Self { low, high })
    }

    /// Returns the numbers in both ranges, or this range if there are none.
    pub(super) fn narrowed(self, other: Self) -> Self {
        self.and(other).unwrap_or(self)
    }

    /// Returns the range with both ends multiplied.
    pub(super) fn times(self, factor: Extended) -> Self {
        Self {
            low: self.low.times(factor),
            high: self.high.map(|high| high.times(factor)),
        }
    }

    /// Returns the range with both ends divided by a number above 0.
    pub(super) fn over(self, divisor: Extended) -> Self {
        Self {
            low: self.low.over(divisor).unwrap_or(self.low),
            high: self.high.and_then(|high| high.over(divisor)),
        }
    }

    /// Returns the possible quotients of a number by members of the range.
    pub(super) fn divides(self, number: Extended) -> Self {
        Self {
            low: self
                .high
                .and_then(|high| number.over(high))
                .unwrap_or(Extended::ZERO),
            high: number.over(self.low),
        }
    }

    /// Returns the range without 0 and the smallest numbers, if it begins there.
    pub(super) fn above_zero(self) -> Self {
        const FIRST: f64 = 1.0 / 16.0;
        if !self.low.is_zero() {
            return self;
        }
        Self {
            low: self.at(FIRST),
            ..self
        }
    }

    /// Returns whether a number is in the range.
    pub(super) fn contains(self, number: Extended) -> bool {
        self.clamp(number) == number
    }

    /// Returns the member of the range that is nearest to a number.
    pub(super) fn clamp(self, number: Extended) -> Extended {
        let number = number.max(self.low);
        self.high
            .map_or(number, |high| number.min(high).max(self.low))
    }

    /// Returns the number that is a part of the way from the low to the high end. Without a limit the high end is one
    /// unit above the low one.
    pub(super) fn at(self, part: f64) -> Extended {
        let width = match self.high {
            Some(high) => at_least_zero(high.minus(self.low)),
            None => Extended::ONE,
        };
        self.low
            .plus(width.times(Extended::from_f64(part).unwrap_or(Extended::ZERO)))
    }
}

/// Returns the number, or 0 if it is below 0.
pub(super) fn at_least_zero(number: Extended) -> Extended {
    number.max(Extended::ZERO)
}
