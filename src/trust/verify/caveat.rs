//! Caveats for computed ranks.

use super::{Fact, Verification};
use crate::model::{Incomplete, Snapshot, UsagePrecision};
use crate::trust::printed::{Contradiction, has_printed_numbers};

/// Why computed ranks may differ from the scheduler's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Numbers are shown as printed, because only some associations are listed, for this reason.
    AsPrinted(Incomplete),
    /// Numbers are computed among the listed associations, which are not all, for this reason.
    AmongListed(Incomplete),
    /// `DEPTH_OBLIVIOUS` is not settled yet.
    Unsettled,
    /// Flux's stored numbers are older than the shares and usage beside them.
    StoredOlder,
    /// Recorded columns are of several moments.
    SeveralMoments,
    /// Ranks depend on digits of usage that the source does not show.
    HiddenDigits {
        /// How many ranks.
        ranks: usize,
        /// Whether usage is shown in whole numbers.
        is_whole: bool,
    },
    /// Printed numbers that the policy does not reproduce, which are shown as printed.
    NotReproduced {
        /// Their column; `None` if they are of several.
        column: Option<Fact>,
        /// How many numbers.
        count: usize,
    },
}

/// Why computed ranks may differ from the scheduler's, and which recorded column shows more.
#[derive(Clone, Debug, PartialEq)]
pub struct Caveat {
    /// The reason.
    pub reason: Doubt,
    /// The recorded factor, if there is one: the scheduler's own order.
    pub recorded: Option<Fact>,
}

impl Caveat {
    /// Returns the caveat for the ranks of this snapshot, or `None` if there is none.
    pub(super) fn of(snapshot: &Snapshot, verification: &Verification) -> Option<Self> {
        let recorded = &snapshot.recorded;
        let factors = [Fact::FairShare, Fact::Fairshare];
        let factor = factors
            .into_iter()
            .find(|&fact| recorded.figures(fact).is_some());
        let mut columns = verification.columns.iter();
        let undecided = columns
            .find(|column| Some(column.fact) == factor)
            .map_or(0, |column| column.undecided);
        let reason = if let Some(reason) = verification.unverified {
            if verification.policy.is_some_and(has_printed_numbers) {
                // The columns themselves are as printed.
                return Some(Self {
                    reason: Doubt::AsPrinted(reason),
                    recorded: None,
                });
            }
            Doubt::AmongListed(reason)
        } else if verification.is_unsettled() {
            Doubt::Unsettled
        } else if verification.stale.is_some() && factor == Some(Fact::Fairshare) {
            Doubt::StoredOlder
        } else if verification.stale.is_some() {
            Doubt::SeveralMoments
        } else if undecided > 0 {
            Doubt::HiddenDigits {
                ranks: undecided,
                is_whole: recorded.usage_precision == UsagePrecision::Whole,
            }
        } else {
            return None;
        };
        Some(Self {
            reason,
            recorded: factor,
        })
    }

    /// Returns the caveat for printed numbers that the policy does not reproduce, or `None` if there are none. They are
    /// shown as printed.
    pub(super) fn of_contradictions(left: &[Contradiction]) -> Option<Self> {
        let first = left.first()?;
        let is_one = left.iter().all(|left| left.fact == first.fact);
        Some(Self {
            reason: Doubt::NotReproduced {
                column: is_one.then_some(first.fact),
                count: left.len(),
            },
            recorded: None,
        })
    }

    /// Returns the scheduler of a recorded factor.
    pub const fn recorder(fact: Fact) -> &'static str {
        match fact {
            Fact::Fairshare => "Flux",
            _ => "Slurm",
        }
    }
}
