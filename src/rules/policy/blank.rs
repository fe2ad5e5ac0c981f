//! Nodes for which a policy has no numbers.

use crate::model::{NodeId, Tree};

/// Returns the positions without numbers: the nodes below the root that are left out, and everything below them. `None`
/// if every node has numbers, as almost always.
pub(super) fn blank(tree: &Tree, is_left_out: impl Fn(NodeId) -> bool) -> Option<Vec<bool>> {
    let above = tree.order().above();
    let mut blank: Option<Vec<bool>> = None;
    for (position, &node) in tree.nodes().iter().enumerate().skip(1) {
        let is_below = blank
            .as_ref()
            .is_some_and(|blank| blank[above[position] as usize]);
        if is_below || is_left_out(node) {
            blank.get_or_insert_with(|| vec![false; tree.node_count()])[position] = true;
        }
    }
    blank
}
