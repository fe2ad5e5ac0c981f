//! Shares and usage, each with a value for "not given".

use super::Scheduler;

/// Raw shares as the admin gave them: any 32-bit count, and Slurm's `parent`, with which a node takes no part in the
/// split and passes its parent's portion on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shares(i64);

impl Shares {
    /// Slurm's `parent`.
    pub const PARENT: Self = Self(i64::MIN);

    /// The number by which Slurm stores the word `parent`.
    pub const STORED_PARENT: i64 = 2_147_483_647;

    /// Returns the most shares that a scheduler stores.
    pub(crate) const fn most(scheduler: Option<Scheduler>) -> i64 {
        match scheduler {
            Some(Scheduler::Flux) => i64::MAX,
            Some(Scheduler::Slurm) => Self::STORED_PARENT - 1,
            Some(Scheduler::Pbs) | None => 2_147_483_647,
        }
    }

    /// Returns a count of shares.
    pub const fn new(count: i64) -> Self {
        Self(count)
    }

    /// Returns the count, or `None` for `parent`.
    pub const fn count(self) -> Option<i64> {
        if self.is_parent() { None } else { Some(self.0) }
    }

    /// Returns whether these are Slurm's `parent` shares.
    pub const fn is_parent(self) -> bool {
        self.0 == i64::MIN
    }
}

impl std::fmt::Display for Shares {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.count() {
            Some(count) => count.fmt(f),
            None => "parent".fmt(f),
        }
    }
}

/// The usage that a source recorded for a node, in its own unit, or none: a NaN, which no scheduler stores.
#[derive(Clone, Copy, Debug)]
pub struct Usage(f64);

impl Usage {
    /// Nothing was recorded.
    pub const NONE: Self = Self(f64::NAN);

    /// Returns a recorded amount. A NaN is "none".
    pub const fn new(amount: f64) -> Self {
        Self(amount)
    }

    /// Returns whether it is none, or a whole number so small that sums of such numbers are not rounded.
    pub(crate) fn is_whole(self) -> bool {
        const LARGEST: f64 = 1e11;
        match self.amount() {
            Some(amount) => amount.fract() == 0.0 && amount.abs() <= LARGEST,
            None => true,
        }
    }

    /// Returns the amount, or `None` if none was recorded.
    pub const fn amount(self) -> Option<f64> {
        if self.0.is_nan() { None } else { Some(self.0) }
    }
}

impl PartialEq for Usage {
    fn eq(&self, other: &Self) -> bool {
        self.amount().map(f64::to_bits) == other.amount().map(f64::to_bits)
    }
}

impl Eq for Usage {}
