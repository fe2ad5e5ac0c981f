//! The history of edits: two stacks, done and undone, and those that do not fit the tree.

use super::{Edit, EditedState, Scenario};
use crate::rules::policy::Policy;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// The number of single edits after which the state is kept, so that undoing one makes no more than these again.
const KEPT_AFTER: usize = 64;

/// An edit that was made.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(crate) edit: Edit,
    /// The edit in the edit language, with the paths of that moment.
    pub text: String,
    /// Why, in the user's words; often empty.
    pub reason: String,
    /// A number for it and all before it, once it is done.
    pub(super) mark: u64,
    /// The state on its other side, if it was kept: before it while it is done, and after it while it is undone.
    pub(super) other_side: Option<Arc<EditedState>>,
}

impl Entry {
    /// Returns whether making the edit again takes long, as letting time pass does.
    pub(super) fn takes_long(&self) -> bool {
        let parts = self.edit.parts();
        parts.len() >= KEPT_AFTER || parts.iter().any(|part| matches!(part, Edit::Wait { .. }))
    }
}

/// A change of the policy, which is no edit.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolicyChange {
    /// How many edits were done then.
    pub(super) edits: usize,
    pub(super) from: Policy,
    pub(super) to: Policy,
}

/// All edits made and undone, without limit, and the changes of the policy between them.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub(super) done: Vec<Entry>,
    pub(super) undone: Vec<Entry>,
    pub(super) policies_done: Vec<PolicyChange>,
    pub(super) policies_undone: Vec<PolicyChange>,
}

impl History {
    /// Returns whether the policy was changed after the last edit that is done.
    pub(crate) fn undoes_policy(&self) -> bool {
        let last = self.policies_done.last();
        last.is_some_and(|last| last.edits >= self.done.len())
    }

    /// Returns whether a change of the policy is to be made again before the next edit.
    pub(crate) fn redoes_policy(&self) -> bool {
        let next = self.policies_undone.last();
        next.is_some_and(|next| next.edits <= self.done.len())
    }

    pub(super) fn push_done(&mut self, entry: Entry) {
        let mut hasher = DefaultHasher::new();
        (self.mark(), &entry.text, &entry.reason).hash(&mut hasher);
        let mark = hasher.finish();
        self.done.push(Entry { mark, ..entry });
    }

    /// Returns whether the state before the next edit is to be kept, because redoing the edits since takes long.
    pub(super) fn keeps_next(&self) -> bool {
        let mut count = 0;
        for entry in self.done.iter().rev() {
            count += entry.edit.parts().len();
            if entry.takes_long() || count >= KEPT_AFTER {
                return true;
            }
            if entry.other_side.is_some() {
                return false;
            }
        }
        false
    }

    /// Returns a number for the edits that are done, reasons included. While the program runs, the same edits have the
    /// same number, however they came about. Without edits it is 0.
    pub fn mark(&self) -> u64 {
        self.done.last().map_or(0, |last| last.mark)
    }

    /// Returns whether no edit is done, so that the tree is the snapshot's.
    pub fn is_untouched(&self) -> bool {
        self.done.is_empty()
    }

    /// Returns the edits that are done, oldest first.
    pub fn done(&self) -> &[Entry] {
        &self.done
    }

    /// Returns the edits that are undone, the next to redo last.
    pub fn undone(&self) -> &[Entry] {
        &self.undone
    }
}

/// A saved edit that does not fit this snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedEdit {
    /// The edit as it was written, in the edit language.
    pub(crate) text: String,
    /// Why it was made, in the user's words; often empty.
    pub(crate) reason: String,
    pub(crate) why: String,
    /// How many edits were done before it: its place among them.
    pub(crate) after: usize,
}

impl Scenario {
    pub(crate) fn rejected(&self) -> &[RejectedEdit] {
        &self.rejected
    }

    /// Keeps an edit that does not fit, after those that are done.
    pub(crate) fn keep_rejected(&mut self, text: String, reason: String, why: String) {
        let after = self.history.done().len();
        self.rejected.push(RejectedEdit {
            text,
            reason,
            why,
            after,
        });
    }
}
