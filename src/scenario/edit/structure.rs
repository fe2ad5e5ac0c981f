//! Edits that add, remove and move nodes, and the usage that follows or stays.

use super::usage::{ReplacedUsage, is_known, raise_line, state, stays_in_accounts, transfer};
use super::{Edit, Place};
use crate::model::{Kind, NodeId, Settings, Shares, Tree, Usage};

/// A node to be added.
pub(super) struct NewNode<'a> {
    pub(super) parent: NodeId,
    pub(super) name: &'a [u8],
    pub(super) partition: Option<&'a [u8]>,
    pub(super) kind: Kind,
    pub(super) shares: Shares,
    pub(super) usage: Usage,
}

/// Adds a node and returns the inverse. Its usage is also charged to the accounts above it; in Slurm, a
/// new association has none.
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
    // No user shows the usage of former associations.
    let is_former = kind == Kind::Account && amount > 0.0;
    if is_former || counts_alone(tree, parent) {
        state(tree, Some(parent), &mut replaced);
    }
    let node = tree.add_in_partition(parent, name, partition, kind, shares, usage);
    transfer(tree, None, Some(parent), amount, &mut replaced);
    with_usage(Edit::TakeOut { node }, replaced)
}

/// Removes a node and returns the inverse. In Slurm the accounts above keep its usage.
pub(super) fn remove(tree: &mut Tree, settings: &Settings, node: NodeId) -> Edit {
    let mut replaced = ReplacedUsage::default();
    if stays_in_accounts(settings) && is_known(tree) {
        state(tree, tree.parent(node), &mut replaced);
    }
    tree.remove(node);
    with_usage(Edit::Restore { node }, replaced)
}

/// Moves a subtree and returns the inverse.
///
/// The usage of an account moves with it. The usage of a user of Slurm stays: the user gets a new association, and the
/// account keeps the usage of the old one.
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
    if counts_alone(tree, to) {
        state(tree, Some(to), &mut replaced);
    }
    if home == to {
        tree.move_under(node, to);
        // Summed in another order, the children may be rounded to more than the account has.
        raise_line(tree, Some(to), &mut replaced);
    } else if tree.kind(node) == Kind::User && stays_in_accounts(settings) {
        if tree.usage(node).amount().is_some() {
            state(tree, Some(home), &mut replaced);
            replaced.set(tree, node, Usage::new(0.0));
        }
        tree.move_under(node, to);
    } else {
        if tree.kind(node) == Kind::Account && tree.usage(node).amount().is_some() {
            // The account may have used more than its users show.
            state(tree, Some(to), &mut replaced);
        }
        let used = tree.used_below(node);
        tree.move_under(node, to);
        transfer(tree, Some(home), Some(to), used, &mut replaced);
    }
    with_usage(back, replaced)
}

/// Returns whether an account's stated usage counts in the accounts above for want of members, as it will not with one.
fn counts_alone(tree: &Tree, account: NodeId) -> bool {
    let is_stated = tree.usage(account).amount().is_some();
    is_stated && !tree.kinds_follow_shape() && tree.counts_above(account)
}

/// Returns the inverse of a change of the shape and of the usage that followed it.
fn with_usage(back: Edit, replaced: ReplacedUsage) -> Edit {
    match replaced.into_inverse() {
        None => back,
        Some(usage) => Edit::Batch(vec![back, usage]),
    }
}
