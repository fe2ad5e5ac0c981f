//! Usage of accounts when what lies below them changes.
//!
//! An account of Slurm has usage that none of its associations shows: what its former ones used. Slurm keeps it in the
//! account and moves it with the account (`leaf_usage` in `src/common/assoc_mgr.c`, `assoc_mgr_update_assocs`).

use super::Edit;
use crate::model::{Kind, NodeId, Scheduler, Settings, Tree, Usage};
use std::collections::HashSet;

/// Returns whether usage of former associations stays in the accounts, as Slurm has it.
pub(super) fn stays_in_accounts(settings: &Settings) -> bool {
    settings.scheduler == Some(Scheduler::Slurm)
}

/// What usage nodes had before a change.
#[derive(Debug, Default)]
pub(in crate::scenario) struct ReplacedUsage(Vec<(NodeId, Usage)>);

impl ReplacedUsage {
    /// Gives a node other usage and remembers what it had.
    pub(in crate::scenario) fn set(&mut self, tree: &mut Tree, node: NodeId, usage: Usage) {
        let before = tree.usage(node);
        if before != usage {
            self.0.push((node, before));
            tree.set_usage(node, usage);
        }
    }

    /// Returns the edit that puts the usage back; a node that changed twice gets its first usage back last. `None` if
    /// nothing changed.
    pub(in crate::scenario) fn into_inverse(mut self) -> Option<Edit> {
        self.0.reverse();
        (!self.0.is_empty()).then_some(Edit::FollowUsage(self.0))
    }
}

/// Returns whether the tree says anything about usage.
pub(super) fn is_known(tree: &Tree) -> bool {
    let is_stated = |&node: &NodeId| tree.usage(node).amount().is_some();
    is_stated(&NodeId::ROOT) || tree.nodes().iter().any(is_stated)
}

/// States the usage of an account and of all above it where the source left it to be summed up, so that it stays when
/// something goes from below, or comes with more than its users show: accounts that are summed up count users alone.
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

/// How much of the amounts that were added and taken away the sum of an account's children may be above it by rounding
/// alone.
const ROUNDING: f64 = 1e-12;

/// Gives an account as much usage as its children have together, where rounding alone made it less.
fn raise_to_children(tree: &mut Tree, account: NodeId, replaced: &mut ReplacedUsage) {
    raise_after(tree, account, 0.0, replaced);
}

/// The same, where an amount was added or taken away that may be far above what is left.
fn raise_after(tree: &mut Tree, account: NodeId, amount: f64, replaced: &mut ReplacedUsage) {
    // PBS's accounts are sums, whatever their records say.
    let stated = tree
        .usage(account)
        .amount()
        .filter(|_| !tree.kinds_follow_shape());
    let Some(stated) = stated else {
        return;
    };
    let used = tree.used_by_children(account);
    if used > stated && used - stated <= used.max(amount.abs()) * ROUNDING {
        replaced.set(tree, account, Usage::new(used));
    }
}

/// The same, for an account and all above it.
pub(in crate::scenario) fn raise_line(
    tree: &mut Tree,
    account: Option<NodeId>,
    replaced: &mut ReplacedUsage,
) {
    for account in accounts_above(tree, account) {
        raise_to_children(tree, account, replaced);
    }
}

/// Takes an amount of usage from an account and gives it to another one. Accounts above both keep what they have, and
/// so do those whose usage was not stated: theirs follows by itself.
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
    let [losing, winning] = [from, to].map(|account| accounts_above(tree, account));
    let [losers, winners] = [&losing, &winning].map(|line| line.iter().copied().collect());
    let is_apart = |other: &HashSet<NodeId>, node: &NodeId| !other.contains(node);
    for &account in losing.iter().filter(|node| is_apart(&winners, node)) {
        add(tree, account, -amount, replaced);
    }
    for &account in winning.iter().filter(|node| is_apart(&losers, node)) {
        add(tree, account, amount, replaced);
    }
    for &account in losing.iter().filter(|node| winners.contains(node)) {
        raise_to_children(tree, account, replaced);
    }
}

/// Returns an account and all above it.
fn accounts_above(tree: &Tree, account: Option<NodeId>) -> Vec<NodeId> {
    std::iter::successors(account, |&account| tree.parent(account)).collect()
}

/// Adds to the stated usage of an account. Rounding never leaves it less than its children have together.
fn add(tree: &mut Tree, account: NodeId, amount: f64, replaced: &mut ReplacedUsage) {
    if let Some(stated) = tree.usage(account).amount() {
        replaced.set(tree, account, Usage::new((stated + amount).max(0.0)));
        raise_after(tree, account, amount, replaced);
    }
}

/// Gives a node other usage, and the accounts above as much more or less; gives back the way home. An account of
/// Slurm forgets its usage together with everything below it, for so does `rawusage=0`.
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
        // Accounts that are summed up count users alone.
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
    // What a node had first is what comes back.
    let mut seen = HashSet::new();
    replaced.0.retain(|&(node, _)| seen.insert(node));
    Edit::RestoreUsage(replaced.0)
}

/// Puts usage back, and gives back what it replaces, in the same order.
pub(super) fn put_back(tree: &mut Tree, usages: Vec<(NodeId, Usage)>) -> Vec<(NodeId, Usage)> {
    let replaced = usages.into_iter().map(|(node, usage)| {
        let before = tree.usage(node);
        tree.set_usage(node, usage);
        (node, before)
    });
    replaced.collect()
}
