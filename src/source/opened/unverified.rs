//! A source before its recorded numbers are verified: for a large tree a screen can show them as they were printed,
//! while their verification and the reconstruction of usage take seconds.

use super::{Choice, Opened};
use crate::model::{Fact, Scheduler, Snapshot};
use crate::rules::policy::Policy;
use crate::source::format::Loaded;
use crate::source::reconstruct::{can_reconstruct, show_printed_only};
use crate::source::verify::Verification;

/// A source that was read, and whose recorded numbers are not verified yet. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Unverified {
    loaded: Loaded,
    policy: Option<Policy>,
}

impl Unverified {
    /// Returns what was loaded, to be opened under the requested policy, if there is one.
    #[must_use]
    pub const fn new(loaded: Loaded, policy: Option<Policy>) -> Self {
        Self { loaded, policy }
    }

    /// Returns the source with its recorded numbers as they were printed, and blank where none was printed. Nothing is
    /// computed, so nothing contradicts the scheduler, whatever [`Self::verified`] finds.
    ///
    /// `None` if that would not do: if no factors of Slurm's were printed for all associations, if a policy is
    /// requested under which the source would not be shown by itself, or if there are edits.
    #[must_use]
    pub fn as_printed(&self) -> Option<Opened> {
        let (choice, usual) = Choice::of(&self.loaded, self.policy);
        let policy = choice.policy(&self.loaded.snapshot.settings);
        let is_as_printed = policy == usual
            && can_reconstruct(policy)
            && self.loaded.scenarios.is_empty()
            && has_all_factors(&self.loaded.snapshot);
        is_as_printed.then(|| {
            let mut loaded = self.loaded.clone();
            show_printed_only(&mut loaded.snapshot, policy);
            Opened::assemble(loaded, choice, policy, Verification::default())
        })
    }

    /// Verifies the recorded numbers and opens the source, as [`Opened::new`] does.
    #[must_use]
    pub fn verified(self) -> Opened {
        Opened::new(self.loaded, self.policy)
    }
}

/// Returns whether Slurm printed factors, and the source lists all of its associations.
fn has_all_factors(snapshot: &Snapshot) -> bool {
    let recorded = &snapshot.recorded;
    snapshot.settings.scheduler == Some(Scheduler::Slurm)
        && recorded.incomplete.is_none()
        && recorded.figures(Fact::FairShare).is_some()
}
