//! The usage of subtrees.

use super::{Kind, NodeId, Tree};

impl Tree {
    /// Returns whether the usage of a node counts in that of the accounts above it: whether it is a user, or an account
    /// without children.
    pub fn counts_above(&self, node: NodeId) -> bool {
        self.kind(node) == Kind::User || !self.has_children(node)
    }

    /// Returns whether every usage is a [whole number](super::Usage::is_whole), whose sums are not rounded. `false` if
    /// that is unknown.
    pub fn has_whole_usage(&self) -> bool {
        self.usage_is_whole
    }

    /// Returns the usage of a subtree: its top's recorded usage, or the sum of the nearest recorded usage below it; 0
    /// if there is none.
    pub fn used_below(&self, node: NodeId) -> f64 {
        if let Some(recorded) = self.usage(node).amount() {
            return recorded;
        }
        // The order may be outdated while several edits are made as one.
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

    /// Returns the usage of all children of an account together.
    pub fn used_by_children(&self, account: NodeId) -> f64 {
        self.children(account)
            .map(|child| self.used_below(child))
            .sum()
    }
}
