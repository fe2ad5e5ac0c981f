//! Edits that do not fit the tree: not applied, but not lost either.

use super::Scenario;

/// An edit that was saved once and does not fit this snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedEdit {
    /// The edit as it was written, in the edit language.
    pub text: String,
    /// Why it was made, in the user's words; often empty.
    pub reason: String,
    /// Why it does not fit.
    pub why: String,
    /// How many edits were done when its turn came: its place among them.
    pub after: usize,
}

impl Scenario {
    /// Returns the edits that are kept though they do not fit, in their order.
    #[must_use]
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
