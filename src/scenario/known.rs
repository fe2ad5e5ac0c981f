//! The numbers of states near the present one. A tried edit becomes an edit, and the last edits are undone and redone:
//! none of that need compute again what was already on the screen.

use super::Edit;
use crate::model::Tree;
use crate::rules::policy::{Evaluation, Policy};
use std::sync::Arc;

/// Identifies a state of a scenario's tree and settings. While a scenario lives, equal ids mean equal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct StateId(u64);

impl StateId {
    /// Returns the id of the next new state.
    pub(super) const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// How many states' numbers are kept beside those of the present one and of the snapshot: one step back, and one
/// forward. For a million nodes each takes some 40 MB.
const KEPT: usize = 2;

/// The numbers of other states, the latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownNumbers(Vec<(StateId, Policy, Arc<Evaluation>)>);

impl KnownNumbers {
    /// Keeps the numbers of a state, and drops the oldest.
    pub(super) fn keep(&mut self, state: StateId, policy: Policy, numbers: Arc<Evaluation>) {
        self.0
            .retain(|&(other, under, _)| (other, under) != (state, policy));
        self.0.insert(0, (state, policy, numbers));
        self.0.truncate(KEPT);
    }

    /// Takes out the numbers of a state, if they are known.
    ///
    /// A node that was added again has another id, so numbers of another tree are not taken.
    pub(super) fn take(
        &mut self,
        state: StateId,
        policy: Policy,
        tree: &Tree,
    ) -> Option<Arc<Evaluation>> {
        let is_wanted = |(other, under, numbers): &(StateId, Policy, Arc<Evaluation>)| {
            (*other, *under) == (state, policy) && numbers.is_of(tree)
        };
        let place = self.0.iter().position(is_wanted)?;
        Some(self.0.remove(place).2)
    }

    /// Forgets all numbers.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// An edit that is tried, or was tried last.
#[derive(Clone, Debug)]
pub(super) struct TriedEdit {
    /// The edit.
    pub(super) edit: Edit,
    /// The state in which it was tried.
    pub(super) from: StateId,
    /// The state to which it leads.
    pub(super) to: StateId,
}
