//! What portions and shares may be: from the least to the most.

/// What a portion may be. A bound of infinity is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Bounds {
    /// Every portion.
    pub(super) const ALL: Self = Self::at_least(0.0);

    /// Returns the bounds of portions from one up.
    pub(super) const fn at_least(least: f64) -> Self {
        Self {
            least,
            most: f64::INFINITY,
        }
    }

    /// Leaves only what is within other bounds too.
    pub(super) fn narrow(&mut self, other: Self) {
        self.least = self.least.max(other.least);
        self.most = self.most.min(other.most);
    }

    /// Returns the bounds with both ends multiplied.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            least: self.least * factor,
            most: self.most * factor,
        }
    }
}

/// How many shares a node may have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ShareRange {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl ShareRange {
    /// Returns whether a node may have so many shares.
    pub(super) fn contains(self, shares: i64) -> bool {
        self.least <= shares && shares <= self.most
    }

    /// Returns the number of shares that is nearest to another and in the range.
    pub(super) fn nearest(self, shares: i64) -> i64 {
        shares.clamp(self.least, self.most)
    }
}
