//! The history of a scenario: edits and changes of the policy in the order in which they were made, those done and those
//! undone; and the edits that do not fit the tree.

use super::{Edit, EditedState, Scenario};
use crate::rules::policy::Policy;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// Returns after how many single edits the state of a tree of so many nodes is kept, so that undoing one makes no more than
/// these again. A state has every node once, so the states of many edits are no larger than so many edits.
pub(super) fn kept_after(nodes: usize) -> usize {
    const LEAST: usize = 64;
    /// Making so many edits again takes as long as copying so many times as many nodes, or a little longer.
    const NODES_PER_EDIT: usize = 16;
    (nodes / NODES_PER_EDIT).max(LEAST)
}

/// A change that can be undone.
#[derive(Clone, Debug)]
pub enum Entry {
    /// An edit of the tree or of its settings.
    Edit(EditEntry),
    /// Another policy, which leaves the tree as it is.
    Policy(PolicyChange),
}

impl Entry {
    /// Returns the edit, or `None` for a change of the policy.
    pub fn edit(&self) -> Option<&EditEntry> {
        match self {
            Self::Edit(edit) => Some(edit),
            Self::Policy(_) => None,
        }
    }
}

/// An edit that was made.
#[derive(Clone, Debug)]
pub struct EditEntry {
    /// The edit itself.
    pub(crate) edit: Edit,
    /// The edit in the edit language, with the paths of that moment.
    pub text: String,
    /// Why, in the user's words; often empty.
    pub reason: String,
    /// A number for it and all edits before it, once it is done.
    pub(super) mark: u64,
    /// Whether it was made in steps of shares, and the next step for the same nodes joins it.
    pub(super) is_nudge: bool,
    /// The state on its other side, if it was kept: before it while it is done, and after it while it is undone.
    pub(super) other_side: Option<Arc<EditedState>>,
    /// How many single edits were made since a state was kept, with this one, once it is done.
    pub(super) since_kept: usize,
    /// Whether it or an edit before it updates an association, once it is done.
    pub(super) updates_association: bool,
}

impl EditEntry {
    /// Returns whether making the edit again takes as long as `kept_after` edits, as letting time pass does.
    pub(super) fn takes_long(&self, kept_after: usize) -> bool {
        let mut parts = self.edit.parts().into_iter();
        if parts.len() >= kept_after {
            return true;
        }
        parts.any(|part| matches!(part, Edit::Wait { .. }))
    }

    /// Returns the edit as it is done after the one before it, or as the first.
    fn after(self, before: Option<&Self>) -> Self {
        let mut mark_before: u64 = 0;
        let mut since_kept = 0;
        let mut updates_association = self.edit.updates_association();
        if let Some(before) = before {
            mark_before = before.mark;
            since_kept = before.since_kept;
            updates_association |= before.updates_association;
        }
        if self.other_side.is_some() {
            since_kept = 0;
        }
        let mut hasher = DefaultHasher::new();
        (mark_before, &self.text, &self.reason).hash(&mut hasher);
        Self {
            mark: hasher.finish(),
            since_kept: since_kept + self.edit.parts().len(),
            updates_association,
            ..self
        }
    }
}

/// The choice of another policy.
#[derive(Clone, Copy, Debug)]
pub struct PolicyChange {
    /// The policy before.
    pub(crate) from: Policy,
    /// The policy after.
    pub(crate) to: Policy,
}

/// All that was done and undone, without limit.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Oldest first.
    pub(super) done: Vec<Entry>,
    /// The next to redo last.
    pub(super) undone: Vec<Entry>,
}

impl History {
    /// Returns what is done, oldest first.
    pub fn done(&self) -> &[Entry] {
        &self.done
    }

    /// Returns what is undone, the next to redo last.
    pub fn undone(&self) -> &[Entry] {
        &self.undone
    }

    /// Returns the edits that are done, oldest first.
    pub fn edits(&self) -> Vec<&EditEntry> {
        self.done.iter().filter_map(Entry::edit).collect()
    }

    /// Returns the last edit that is done, or `None` without edits.
    pub fn last_edit(&self) -> Option<&EditEntry> {
        self.done.iter().rev().find_map(Entry::edit)
    }

    /// Returns the place of the last edit among what is done.
    pub(super) fn place_of_last_edit(&self) -> Option<usize> {
        self.done.iter().rposition(|entry| entry.edit().is_some())
    }

    /// Adds an edit that was made.
    pub(super) fn push_edit(&mut self, entry: EditEntry) {
        let done = entry.after(self.last_edit());
        self.done.push(Entry::Edit(done));
    }

    /// Puts an edit in the place of the last one. Changes of the policy after it stay.
    pub(super) fn replace_last_edit(&mut self, entry: EditEntry) {
        let Some(place) = self.place_of_last_edit() else {
            return;
        };
        let mut earlier = self.done[..place].iter().rev();
        let before = earlier.find_map(Entry::edit);
        self.done[place] = Entry::Edit(entry.after(before));
    }

    /// Keeps the next step of shares from joining the last edit.
    pub(super) fn end_nudges(&mut self) {
        if let Some(Entry::Edit(last)) = self.done.last_mut() {
            last.is_nudge = false;
        }
    }

    /// Returns whether the state before the next edit is to be kept, because redoing the edits since takes long.
    pub(super) fn keeps_next(&self, kept_after: usize) -> bool {
        match self.last_edit() {
            Some(last) => last.since_kept >= kept_after || last.takes_long(kept_after),
            None => false,
        }
    }

    /// Returns a number for the edits that are done, reasons included. While the program runs, the same edits have the
    /// same number, however they came about. Without edits it is 0.
    pub fn mark(&self) -> u64 {
        self.last_edit().map_or(0, |last| last.mark)
    }

    /// Returns whether no edit is done, so that the tree is the snapshot's.
    pub fn is_untouched(&self) -> bool {
        self.last_edit().is_none()
    }
}

/// A saved edit that does not fit this snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedEdit {
    /// The edit as it was written, in the edit language.
    pub(crate) text: String,
    /// Why it was made, in the user's words; often empty.
    pub(crate) reason: String,
    /// Why it does not fit, for people.
    pub(crate) why: String,
    /// How many edits were done before it: its place among them.
    pub(crate) after: usize,
}

impl Scenario {
    /// Returns the edits that do not fit, in the order in which they were read.
    pub(crate) fn rejected(&self) -> &[RejectedEdit] {
        &self.rejected
    }

    /// Keeps an edit that does not fit, after those that are done.
    pub(crate) fn keep_rejected(&mut self, text: String, reason: String, why: String) {
        let after = self.history.edits().len();
        self.rejected.push(RejectedEdit {
            text,
            reason,
            why,
            after,
        });
    }
}
