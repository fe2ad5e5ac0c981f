//! Done and undone: two stacks.

use super::Edit;

/// An edit that was made, as the way back.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What was done, in the edit language, with the paths of that moment.
    pub text: String,
    /// Why, in the user's words; often empty.
    pub reason: String,
    /// What takes it back.
    pub inverse: Edit,
}

/// Everything done and everything undone, without limit.
#[derive(Clone, Debug, Default)]
pub struct History {
    done: Vec<Entry>,
    undone: Vec<Entry>,
}

impl History {
    /// Remembers a new edit; what was undone before it is forgotten.
    pub(super) fn push(&mut self, entry: Entry) {
        self.undone.clear();
        self.done.push(entry);
    }

    pub(super) fn push_done(&mut self, entry: Entry) {
        self.done.push(entry);
    }

    pub(super) fn push_undone(&mut self, entry: Entry) {
        self.undone.push(entry);
    }

    pub(super) fn take_done(&mut self) -> Option<Entry> {
        self.done.pop()
    }

    pub(super) fn take_undone(&mut self) -> Option<Entry> {
        self.undone.pop()
    }

    pub(super) fn last_done(&self) -> Option<&Entry> {
        self.done.last()
    }

    pub(super) fn last_done_mut(&mut self) -> Option<&mut Entry> {
        self.done.last_mut()
    }

    /// Whether nothing is done at the moment: the tree is the snapshot's.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.done.is_empty()
    }

    /// What has been done, oldest first.
    #[must_use]
    pub fn done(&self) -> &[Entry] {
        &self.done
    }

    /// What was taken back, the next to be done again last.
    #[must_use]
    pub fn undone(&self) -> &[Entry] {
        &self.undone
    }
}
