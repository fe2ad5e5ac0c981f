//! What to know before computed ranks are believed.

use super::{Fact, Verification};
use crate::base::number::counted;
use crate::model::{Snapshot, UsagePrecision};
use crate::source::reconstruct::{Contradiction, can_reconstruct};

/// Why computed ranks need not be the scheduler's, and which recorded column says more.
#[derive(Clone, Debug, PartialEq)]
pub struct Caveat {
    /// Why: a sentence without its full stop. It may quote the source and is not made fit to be shown.
    pub reason: String,
    /// The factor as it was recorded, where it was: the scheduler's own word on who runs first.
    pub recorded: Option<Fact>,
}

impl Caveat {
    /// What holds for the ranks of this snapshot, if anything does.
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
        let reason = if let Some(reason) = &verification.unverified {
            let reason = reason.trim_end_matches('.');
            if verification.policy.is_some_and(can_reconstruct) {
                // The columns themselves are as printed.
                return Some(Self {
                    reason: format!(
                        "numbers are shown as printed, and blank where none was printed; after an edit they are computed \
                         among what is listed: {reason}"
                    ),
                    recorded: None,
                });
            }
            format!("computed numbers are among what is listed: {reason}")
        } else if verification.is_unsettled() {
            "DEPTH_OBLIVIOUS is not settled yet; computed numbers are the settled ones".to_owned()
        } else if verification.stale.is_some() && factor == Some(Fact::Fairshare) {
            "the stored fairshare is older than the shares and usage beside it".to_owned()
        } else if verification.stale.is_some() {
            "the recorded columns are of several moments, computed ones of the shares and usage listed"
                .to_owned()
        } else if undecided > 0 {
            let ranks = counted(undecided, "rank hangs", "ranks hang");
            let usage = match recorded.usage_precision {
                UsagePrecision::Whole => "RawUsage",
                UsagePrecision::Exact
                | UsagePrecision::Decimals(_)
                | UsagePrecision::Rounded(_) => "the source",
            };
            format!("{ranks} on digits that {usage} does not show")
        } else {
            return None;
        };
        Some(Self {
            reason,
            recorded: factor,
        })
    }

    /// What holds where some printed numbers are not what the policy gives: they are shown as they were printed.
    pub(super) fn of_contradictions(left: &[Contradiction]) -> Option<Self> {
        let first = left.first()?;
        let of = if left.iter().all(|left| left.fact == first.fact) {
            format!("{} ", first.fact.name())
        } else {
            String::new()
        };
        let numbers = counted(left.len(), "number", "numbers");
        let (verb, shown) = match left.len() {
            1 => ("cannot", "it is"),
            _ => ("cannot", "they are"),
        };
        Some(Self {
            reason: format!(
                "{of}{numbers} marked ≠ {verb} be reproduced from shares and usage; {shown} shown as printed"
            ),
            recorded: None,
        })
    }

    /// Whose numbers the recorded factor is.
    #[must_use]
    pub const fn recorder(fact: Fact) -> &'static str {
        match fact {
            Fact::Fairshare => "Flux",
            _ => "Slurm",
        }
    }
}
