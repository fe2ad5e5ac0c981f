//! The order of Slurm's list of associations, for accounts that tie and are not children of one account.

use super::super::slurm::listed_before;
use crate::model::{Kind, NodeId, TieOrder, Tree};

/// Returns the place of every account in Slurm's list, by position in the tree's order.
///
/// Members of one list may be at very different depths below `parent` accounts. Comparing paths from the root would
/// take time in proportion to the depth for every comparison, so the whole list is made once, when needed.
pub(super) fn places(tree: &Tree, order: TieOrder) -> Vec<u32> {
    let mut places = vec![0_u32; tree.node_count()];
    let mut pending = vec![NodeId::ROOT];
    let mut next = 0;
    while let Some(account) = pending.pop() {
        if let Some(position) = tree.order().position(account) {
            places[position] = next;
        }
        next += 1;
        let first = pending.len();
        let accounts = tree
            .children(account)
            .filter(|&child| tree.kind(child) == Kind::Account);
        pending.extend(accounts);
        pending[first..].sort_by(|&a, &b| listed_before(tree, order, b, a));
    }
    places
}
