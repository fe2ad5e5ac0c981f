//! Edits that do not fit the tree: they are not applied, and kept.

use super::Scenario;

/// A saved edit that does not fit this snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedEdit {
    /// The edit as it was written, in the edit language.
    pub text: String,
    /// Why it was made, in the user's words; often empty.
    pub reason: String,
    /// Why it does not fit.
    pub why: String,
    /// How many edits were done before it: its place among them.
    pub after: usize,
}

impl Scenario {
    /// Returns the kept edits that do not fit, in their order.
    pub fn rejected(&self) -> &[RejectedEdit] {
        &self.rejected
    }

    /// Keeps an edit that does not fit, after those that are done.
    pub fn keep_rejected(&mut self, text: String, reason: String, why: String) {
        let after = self.history.done().len();
        self.rejected.push(RejectedEdit {
            text,
            reason,
            why,
            after,
        });
    }
}
