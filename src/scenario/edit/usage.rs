//! Usage that accounts were stated to have, when what lies below them changes.

use super::{Edit, Place};
use crate::model::{Kind, NodeId, Tree, Usage};

/// Moves a subtree and gives back the way home.
pub(super) fn relocate(tree: &mut Tree, node: NodeId, to: NodeId, place: Place) -> Edit {
    let home = tree.parent(node).expect("only the root has no parent");
    let back = Edit::Move {
        node,
        to: home,
        place: Place::Behind(tree.previous_sibling(node)),
    };
    match place {
        Place::Scheduler => {
            // What was used goes along; the way home puts back what was stated.
            let used = used_below(tree, node);
            let mut replaced = Vec::new();
            charge(tree, Some(home), -used, &mut replaced);
            tree.move_under(node, to);
            charge(tree, Some(to), used, &mut replaced);
            replaced.reverse();
            Edit::Batch(vec![back, Edit::RestoreUsage(replaced)])
        }
        Place::Behind(sibling) => {
            tree.move_after(node, to, sibling);
            back
        }
    }
}

/// Adds usage to an account and all above it, as far as the source stated theirs; sums follow by themselves.
pub(super) fn charge(
    tree: &mut Tree,
    account: Option<NodeId>,
    amount: f64,
    replaced: &mut Vec<(NodeId, Usage)>,
) {
    // PBS's accounts are sums, whatever their records say.
    if tree.kinds_follow_shape() || amount == 0.0 {
        return;
    }
    let mut above = account;
    while let Some(account) = above {
        let before = tree.usage(account);
        if let Some(stated) = before.amount() {
            replaced.push((account, before));
            tree.set_usage(account, Usage::new((stated + amount).max(0.0)));
        }
        above = tree.parent(account);
    }
}

/// The usage of a subtree: what was stated for its top, else the sum of what lies below.
fn used_below(tree: &Tree, node: NodeId) -> f64 {
    if let Some(stated) = tree.usage(node).amount() {
        return stated;
    }
    // The order may not be up to date: several edits can be one.
    let mut used = 0.0;
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if tree.kind(node) == Kind::User {
            used += tree.usage(node).amount().unwrap_or(0.0);
        }
        let first = waiting.len();
        waiting.extend(tree.children(node));
        waiting[first..].reverse();
    }
    used
}
