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
struct PolicyChange {
    /// How many edits were done then.
    edits: usize,
    from: Policy,
    to: Policy,
}

/// All edits made and undone, without limit, and the changes of the policy between them.
#[derive(Clone, Debug, Default)]
pub struct History {
    done: Vec<Entry>,
    pub(super) undone: Vec<Entry>,
    policies_done: Vec<PolicyChange>,
    policies_undone: Vec<PolicyChange>,
    /// For each edit that is done: a number for it and all before it.
    marks: Vec<u64>,
}

impl History {
    pub(super) fn push(&mut self, entry: Entry) {
        self.undone.clear();
        self.policies_undone.clear();
        self.push_done(entry);
    }

    /// Adds a change of the policy. Undone edits stay, for they are the same under every policy.
    pub(super) fn push_policy(&mut self, from: Policy, to: Policy) {
        let edits = self.done.len();
        self.policies_undone.clear();
        self.policies_done.push(PolicyChange { edits, from, to });
    }

    pub(crate) fn undoes_policy(&self) -> bool {
        let last = self.policies_done.last();
        last.is_some_and(|last| last.edits >= self.done.len())
    }

    pub(crate) fn redoes_policy(&self) -> bool {
        let next = self.policies_undone.last();
        next.is_some_and(|next| next.edits <= self.done.len())
    }

    /// Takes back the last change of the policy and returns the policy before it. `None` if an edit came after it.
    pub(super) fn undo_policy(&mut self) -> Option<Policy> {
        let last = self.undoes_policy().then(|| self.policies_done.pop())??;
        self.policies_undone.push(last);
        Some(last.from)
    }

    /// Makes the change of the policy that was last undone and returns the policy after it. `None` if an edit comes first.
    pub(super) fn redo_policy(&mut self) -> Option<Policy> {
        let next = self.redoes_policy().then(|| self.policies_undone.pop())??;
        self.policies_done.push(next);
        Some(next.to)
    }

    pub(super) fn push_done(&mut self, entry: Entry) {
        self.marks.push(after(self.mark(), &entry));
        self.done.push(entry);
    }

    pub(super) fn take_done(&mut self) -> Option<Entry> {
        self.marks.pop();
        self.done.pop()
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

    /// Sets the reason of the last edit, if there is one.
    pub(super) fn give_reason(&mut self, reason: String) {
        if let Some(last) = self.take_done() {
            self.push_done(Entry { reason, ..last });
        }
    }

    /// Returns a number for the edits that are done, reasons included. While the program runs, the same edits have the
    /// same number, however they came about. Without edits it is 0.
    pub fn mark(&self) -> u64 {
        self.marks.last().copied().unwrap_or(0)
    }

    pub(super) fn mark_before_last(&self) -> u64 {
        let place = self.marks.len().checked_sub(2);
        place.map_or(0, |place| self.marks[place])
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

/// Returns the number for an edit and all before it.
fn after(mark: u64, entry: &Entry) -> u64 {
    let mut hasher = DefaultHasher::new();
    (mark, &entry.text, &entry.reason).hash(&mut hasher);
    hasher.finish()
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
