//! The results of comparing a recorded number with ours.

use super::interval::Interval;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It equals our number, within the printed precision.
    Equal,
    /// The missing digits decide.
    Undecided,
    /// It cannot have been computed from this.
    Differs,
}

impl Judgement {
    /// Returns equal if both intervals have a common number.
    pub(super) fn of(recorded: Interval, computed: Interval) -> Self {
        if recorded.meets(computed) {
            Self::Equal
        } else {
            Self::Differs
        }
    }
}
