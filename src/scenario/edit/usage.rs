//! The usage of accounts when their members change.
//!
//! An account of Slurm has usage that none of its associations shows: that of its former associations. Slurm keeps it
//! in the account and moves it with the account (`leaf_usage` in `src/common/assoc_mgr.c`, `assoc_mgr_update_assocs`).

use super::Edit;
use crate::model::{Kind, NodeId, Scheduler, Settings, Tree, Usage};
use std::collections::HashSet;

/// Returns whether usage of former associations stays in the accounts, as in Slurm.
pub(super) fn stays_in_accounts(settings: &Settings) -> bool {
    settings.scheduler == Some(Scheduler::Slurm)
}

/// The usage of nodes before a change.
#[derive(Debug, Default)]
pub(in crate::scenario) struct ReplacedUsage(Vec<(NodeId, Usage)>);

impl ReplacedUsage {
    /// Sets the usage of a node and records its former usage.
    pub(in crate::scenario) fn set(&mut self, tree: &mut Tree, node: NodeId, usage: Usage) {
        let before = tree.usage(node);
        if before != usage {
            self.0.push((node, before));
            tree.set_usage(node, usage);
        }
    }

    /// Returns the edit that restores the usage, or `None` if nothing changed. A node that changed twice gets its first
    /// usage back last.
    pub(in crate::scenario) fn into_inverse(mut self) -> Option<Edit> {
        self.0.reverse();
        (!self.0.is_empty()).then_some(Edit::FollowUsage(self.0))
    }
}

/// Returns whether the tree has any usage.
pub(super) fn is_known(tree: &Tree) -> bool {
    let is_stated = |node| tree.usage(node).amount().is_some() && tree.contains(node);
    // By ids, because the order is outdated after every edit of the shape.
    let mut nodes = (0..tree.id_count()).map(NodeId::from_index);
    nodes.any(is_stated)
}

/// States the usage of an account and of all above it, if the source left it to be summed. So it stays when a member is
/// removed, and counts a member that has used more than its users show. An account that is summed counts users alone.
pub(in crate::scenario) fn state(
    tree: &mut Tree,
    account: Option<NodeId>,
    replaced: &mut ReplacedUsage,
) {
    let mut above = account;
    while let Some(account) = above {
        if tree.usage(account).amount().is_none() {
            let used = Usage::new(tree.used_below(account));
            replaced.set(tree, account, used);
        }
        raise_to_children(tree, account, replaced);
        above = tree.parent(account);
    }
}

/// The relative amount by which the sum of an account's children may exceed it through rounding alone, compared with
/// the amounts that were added and removed.
const ROUNDING: f64 = 1e-12;

/// Raises the usage of an account to the sum of its children, if rounding alone made it less.
fn raise_to_children(tree: &mut Tree, account: NodeId, replaced: &mut ReplacedUsage) {
    raise_after(tree, account, 0.0, replaced);
}

/// Raises the usage as [`raise_to_children`] does, after an amount was added or removed that may be far larger than the
/// rest.
fn raise_after(tree: &mut Tree, account: NodeId, amount: f64, replaced: &mut ReplacedUsage) {
    // PBS's accounts are sums, whatever their records say. Whole numbers are not rounded.
    let stated = tree
        .usage(account)
        .amount()
        .filter(|_| !tree.kinds_follow_shape() && !tree.has_whole_usage());
    let Some(stated) = stated else {
        return;
    };
    let used = tree.used_by_children(account);
    if used > stated && used - stated <= used.max(amount.abs()) * ROUNDING {
        replaced.set(tree, account, Usage::new(used));
    }
}

/// Raises the usage of an account and all above it as [`raise_to_children`] does.
pub(in crate::scenario) fn raise_line(
    tree: &mut Tree,
    account: Option<NodeId>,
    replaced: &mut ReplacedUsage,
) {
    for account in accounts_above(tree, account) {
        raise_to_children(tree, account, replaced);
    }
}

/// Moves an amount of usage from one account to another. Accounts above both keep their usage. Accounts whose usage is
/// not stated are left, because their sums follow.
pub(in crate::scenario) fn transfer(
    tree: &mut Tree,
    from: Option<NodeId>,
    to: Option<NodeId>,
    amount: f64,
    replaced: &mut ReplacedUsage,
) {
    // PBS's accounts are sums, whatever their records say.
    if tree.kinds_follow_shape() || amount == 0.0 {
        return;
    }
    let [mut losing, mut winning] = [from, to].map(|account| accounts_above(tree, account));
    let both = losing.iter().rev().zip(winning.iter().rev());
    let both = both.take_while(|(loser, winner)| loser == winner).count();
    winning.truncate(winning.len() - both);
    let common = losing.split_off(losing.len() - both);
    for account in losing {
        add(tree, account, -amount, replaced);
    }
    for account in winning {
        add(tree, account, amount, replaced);
    }
    for account in common {
        raise_to_children(tree, account, replaced);
    }
}

/// Returns an account and all above it.
fn accounts_above(tree: &Tree, account: Option<NodeId>) -> Vec<NodeId> {
    std::iter::successors(account, |&account| tree.parent(account)).collect()
}

/// Adds to the stated usage of an account. Rounding never leaves it with less than the sum of its children.
fn add(tree: &mut Tree, account: NodeId, amount: f64, replaced: &mut ReplacedUsage) {
    if let Some(stated) = tree.usage(account).amount() {
        replaced.set(tree, account, Usage::new((stated + amount).max(0.0)));
        raise_after(tree, account, amount, replaced);
    }
}

/// Sets the usage of a node, changes the accounts above by the same amount, and returns the inverse. An account of
/// Slurm loses its usage together with its whole subtree, as with `rawusage=0`.
pub(super) fn set_usage_of(
    tree: &mut Tree,
    settings: &Settings,
    node: NodeId,
    usage: Usage,
) -> Edit {
    let used = match tree.kind(node) {
        Kind::Account if stays_in_accounts(settings) => tree.used_below(node),
        _ => tree.usage(node).amount().unwrap_or(0.0),
    };
    let mut replaced = ReplacedUsage(vec![(node, tree.usage(node))]);
    if tree.kind(node) == Kind::Account && stays_in_accounts(settings) {
        // Accounts that are summed count users alone.
        state(tree, tree.parent(node), &mut replaced);
    }
    tree.set_usage(node, usage);
    let is_forgotten = usage.amount() == Some(0.0)
        && tree.kind(node) == Kind::Account
        && stays_in_accounts(settings);
    if is_forgotten {
        let mut waiting: Vec<NodeId> = tree.children(node).collect();
        while let Some(below) = waiting.pop() {
            if tree.usage(below).amount().is_some() {
                replaced.set(tree, below, usage);
            }
            waiting.extend(tree.children(below));
        }
    }
    let more = usage.amount().unwrap_or(0.0) - used;
    transfer(tree, None, tree.parent(node), more, &mut replaced);
    // The first usage of a node is the one to restore.
    let mut seen = HashSet::new();
    replaced.0.retain(|&(node, _)| seen.insert(node));
    Edit::RestoreUsage(replaced.0)
}

/// Sets usage node by node, and returns what it replaces, in the same order.
pub(super) fn put_back(tree: &mut Tree, usages: Vec<(NodeId, Usage)>) -> Vec<(NodeId, Usage)> {
    let replaced = usages.into_iter().map(|(node, usage)| {
        let before = tree.usage(node);
        tree.set_usage(node, usage);
        (node, before)
    });
    replaced.collect()
}
