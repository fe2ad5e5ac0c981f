//! Nodes that come, go and move, with the usage that goes along or stays.

use super::usage::{ReplacedUsage, is_known, raise_line, state, stays_in_accounts, transfer};
use super::{Edit, Place};
use crate::model::{Kind, NodeId, Settings, Shares, Tree, Usage};

/// A node to come.
pub(super) struct NewNode<'a> {
    pub(super) parent: NodeId,
    pub(super) name: &'a [u8],
    pub(super) partition: Option<&'a [u8]>,
    pub(super) kind: Kind,
    pub(super) shares: Shares,
    pub(super) usage: Usage,
}

/// Adds a node and gives back the way home. Usage it was to come with is charged to the accounts above; in Slurm a new
/// association has used nothing.
pub(super) fn add(tree: &mut Tree, settings: &Settings, newcomer: &NewNode<'_>) -> Edit {
    let &NewNode {
        parent,
        name,
        partition,
        kind,
        shares,
        usage,
    } = newcomer;
    let starts_at_0 = usage.amount().is_none() && stays_in_accounts(settings) && is_known(tree);
    let usage = if starts_at_0 { Usage::new(0.0) } else { usage };
    let mut replaced = ReplacedUsage::default();
    let amount = usage.amount().unwrap_or(0.0);
    if kind == Kind::Account && amount > 0.0 {
        // No user shows what it used.
        state(tree, Some(parent), &mut replaced);
    }
    let node = tree.add_in_partition(parent, name, partition, kind, shares, usage);
    transfer(tree, None, Some(parent), amount, &mut replaced);
    with_usage(Edit::TakeOut { node }, replaced)
}

/// Takes a node out and gives back the way home. In Slurm the accounts above keep what it used.
pub(super) fn remove(tree: &mut Tree, settings: &Settings, node: NodeId) -> Edit {
    let mut replaced = ReplacedUsage::default();
    if stays_in_accounts(settings) && is_known(tree) {
        state(tree, tree.parent(node), &mut replaced);
    }
    tree.remove(node);
    with_usage(Edit::Restore { node }, replaced)
}

/// Moves a subtree and gives back the way home.
///
/// What an account used goes along. What a user of Slurm used stays: the user gets a new association, and the account
/// keeps what the old one used.
pub(super) fn relocate(
    tree: &mut Tree,
    settings: &Settings,
    node: NodeId,
    to: NodeId,
    place: Place,
) -> Edit {
    let home = tree.parent(node).expect("only the root has no parent");
    let back = Edit::Move {
        node,
        to: home,
        place: Place::Behind(tree.previous_sibling(node)),
    };
    if let Place::Behind(sibling) = place {
        tree.move_after(node, to, sibling);
        return back;
    }
    let mut replaced = ReplacedUsage::default();
    if home == to {
        tree.move_under(node, to);
        // In another order the sum may be rounded otherwise.
        raise_line(tree, Some(to), &mut replaced);
    } else if tree.kind(node) == Kind::User && stays_in_accounts(settings) {
        if tree.usage(node).amount().is_some() {
            state(tree, Some(home), &mut replaced);
            replaced.set(tree, node, Usage::new(0.0));
        }
        tree.move_under(node, to);
    } else {
        if tree.kind(node) == Kind::Account && tree.usage(node).amount().is_some() {
            // It may have used more than its users show.
            state(tree, Some(to), &mut replaced);
        }
        let used = tree.used_below(node);
        tree.move_under(node, to);
        transfer(tree, Some(home), Some(to), used, &mut replaced);
    }
    with_usage(back, replaced)
}

/// Returns the way home of a change of the shape, and of the usage that followed.
fn with_usage(back: Edit, replaced: ReplacedUsage) -> Edit {
    match replaced.into_inverse() {
        None => back,
        Some(usage) => Edit::Batch(vec![back, usage]),
    }
}
