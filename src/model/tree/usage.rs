//! What a subtree has used.

use super::{NodeId, Tree};

impl Tree {
    /// Returns the usage of a subtree: what is recorded for its top, else the sum of what is recorded nearest below; 0
    /// where nothing is.
    #[must_use]
    pub fn used_below(&self, node: NodeId) -> f64 {
        // The order may not be up to date: several edits can be one.
        let mut used = 0.0;
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if let Some(recorded) = self.usage(node).amount() {
                used += recorded;
                continue;
            }
            let first = waiting.len();
            waiting.extend(self.children(node));
            waiting[first..].reverse();
        }
        used
    }

    /// Returns what the children of an account have used together.
    #[must_use]
    pub fn used_by_children(&self, account: NodeId) -> f64 {
        self.children(account)
            .map(|child| self.used_below(child))
            .sum()
    }
}
