//! The order in which Slurm sums a level: that of its list of associations.

use super::listed_before;
use crate::model::{NodeId, TieOrder, Tree};
use std::cmp::Ordering;

/// Returns the positions of all nodes but the root as Slurm 14.11 lists them: depth first, users before accounts, by
/// name.
///
/// The last bit of a sum of doubles depends on the order of its terms, and a ticket can depend on that bit.
pub(in crate::rules::policy) fn list_order(tree: &Tree) -> Vec<u32> {
    let order = tree.order();
    let count = u32::try_from(order.nodes().len()).expect("positions are 32 bits wide");
    if is_listed(tree) {
        return (1..count).collect();
    }
    let mut list_order = Vec::with_capacity(order.nodes().len());
    let mut pending: Vec<NodeId> = Vec::new();
    let push = |pending: &mut Vec<NodeId>, account: NodeId| {
        let first = pending.len();
        pending.extend(tree.children(account));
        // The first of them is pushed last, so that it is popped first.
        pending[first..].sort_by(|&a, &b| listed_before(tree, TieOrder::Name, b, a));
    };
    push(&mut pending, NodeId::ROOT);
    while let Some(node) = pending.pop() {
        let position = order.position(node).and_then(|at| u32::try_from(at).ok());
        list_order.extend(position);
        push(&mut pending, node);
    }
    list_order
}

/// Returns whether the tree's own order is Slurm's.
fn is_listed(tree: &Tree) -> bool {
    let order = tree.order();
    // By position: the last child that was met.
    let mut last: Vec<Option<NodeId>> = vec![None; order.nodes().len()];
    let mut nodes = order.nodes().iter().zip(order.above()).skip(1);
    nodes.all(|(&node, &above)| {
        let before = last[above as usize].replace(node);
        before.is_none_or(|before| {
            listed_before(tree, TieOrder::Name, before, node) != Ordering::Greater
        })
    })
}
