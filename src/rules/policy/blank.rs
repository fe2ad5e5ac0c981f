//! Which nodes a policy has no numbers for.

use crate::model::{NodeId, Tree};

/// The nodes without numbers under a policy, by position in the tree's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BlankNodes {
    /// `None` if every node has numbers, as almost always.
    marks: Option<Vec<bool>>,
}

impl BlankNodes {
    /// Marks the nodes below the root that are left out, and everything below them.
    pub(super) fn below(tree: &Tree, is_left_out: impl Fn(NodeId) -> bool) -> Self {
        let above = tree.above();
        let mut blank = Self::default();
        for (position, node) in tree.positions().skip(1) {
            if blank.contains(above[position] as usize) || is_left_out(node) {
                let marks = blank.marks.get_or_insert_with(|| vec![false; above.len()]);
                marks[position] = true;
            }
        }
        blank
    }

    /// Returns whether the node at a position has no numbers.
    pub(super) fn contains(&self, position: usize) -> bool {
        match &self.marks {
            Some(marks) => marks[position],
            None => false,
        }
    }
}
