//! The usage of accounts when their members are added, removed, moved or given other usage.
//!
//! An account of Slurm has usage that none of its associations shows: that of its former associations. Slurm keeps it
//! in the account and moves it with the account (`leaf_usage` in `src/common/assoc_mgr.c`, `assoc_mgr_update_assocs`).
//!
//! A plan tells Slurm the difference between two trees. If a user is moved away and back again there is no difference,
//! so the association stays, and its usage with it. An account that is moved and then removed is removed from its place
//! in the snapshot, and its usage stays there.

use super::Edit;
use crate::model::{Kind, NodeId, Scheduler, Settings, Snapshot, Tree, Usage};

/// Returns whether usage of former associations stays in the accounts, as in Slurm.
pub(super) fn stays_in_accounts(settings: &Settings) -> bool {
    settings.scheduler == Some(Scheduler::Slurm)
}

/// Returns whether the usage of a node is stated, and not the sum of what is below it.
fn is_stated(tree: &Tree, node: NodeId) -> bool {
    tree.usage(node).amount().is_some()
}

/// Returns whether the stated usage of a node is 0.
fn has_used_nothing(tree: &Tree, node: NodeId) -> bool {
    tree.usage(node).amount() == Some(0.0)
}

/// States the usage of a node.
fn set_amount(tree: &mut Tree, node: NodeId, amount: f64) {
    tree.set_usage(node, Usage::new(amount));
}

/// Returns the usage of a new node, which is 0 in Slurm, and prepares the accounts above for it.
pub(super) fn usage_of_new(
    tree: &mut Tree,
    settings: &Settings,
    parent: NodeId,
    kind: Kind,
    usage: Usage,
) -> Usage {
    let mut new = usage;
    if usage.amount().is_none() && stays_in_accounts(settings) && tree.has_usage() {
        new = Usage::new(0.0);
    }
    let amount = usage.amount().unwrap_or(0.0);
    // No user shows the usage of former associations.
    let is_former = kind == Kind::Account && amount > 0.0;
    if is_former || counts_alone(tree, parent) {
        state(tree, Some(parent));
    }
    new
}

/// Removes a node. In Slurm the accounts above keep its usage.
pub(super) fn remove(tree: &mut Tree, settings: &Settings, node: NodeId) {
    if stays_in_accounts(settings) && tree.has_usage() {
        state(tree, tree.parent(node));
    }
    tree.remove(node);
}

/// Moves a subtree with its usage. A user of Slurm gets a new association, and its usage stays in the account.
pub(super) fn relocate(tree: &mut Tree, settings: &Settings, node: NodeId, to: NodeId) {
    let home = tree.parent(node).expect("only the root has no parent");
    if counts_alone(tree, to) {
        state(tree, Some(to));
    }
    let is_stated = is_stated(tree, node);
    if home == to {
        tree.move_under(node, to);
        // Summed in another order, the children may be rounded to more than the account has.
        raise_line(tree, Some(to));
    } else if tree.kind(node) == Kind::User && stays_in_accounts(settings) {
        if is_stated {
            state(tree, Some(home));
            set_amount(tree, node, 0.0);
        }
        tree.move_under(node, to);
    } else {
        if tree.kind(node) == Kind::Account && is_stated {
            // The account may have used more than its users show.
            state(tree, Some(to));
        }
        let used = tree.used_below(node);
        tree.move_under(node, to);
        transfer(tree, Some(home), Some(to), used);
    }
}

/// Returns whether an account's stated usage counts in the accounts above for want of members, as it will not with one.
fn counts_alone(tree: &Tree, account: NodeId) -> bool {
    is_stated(tree, account) && !tree.kinds_follow_shape() && tree.counts_above(account)
}

/// States the usage of an account and of all above it, if the source left it to be summed. So it stays when a member is
/// removed, and counts a member that has used more than its users show. An account that is summed counts users alone.
fn state(tree: &mut Tree, account: Option<NodeId>) {
    for account in accounts_above(tree, account) {
        if !is_stated(tree, account) {
            let used = tree.used_below(account);
            set_amount(tree, account, used);
        }
        raise_after(tree, account, 0.0);
    }
}

/// How far, relative to the amounts moved, the sum of an account's children may exceed it through rounding alone.
const ROUNDING: f64 = 1e-12;

/// Raises an account's usage to its children's sum if only rounding made it less, after `amount` was added.
fn raise_after(tree: &mut Tree, account: NodeId, amount: f64) {
    // PBS's accounts are sums, whatever their records say. Whole numbers are not rounded.
    if tree.kinds_follow_shape() || tree.has_whole_usage() {
        return;
    }
    let Some(stated) = tree.usage(account).amount() else {
        return;
    };
    let used = tree.used_by_children(account);
    let most_rounded = used.max(amount.abs()) * ROUNDING;
    if used > stated && used - stated <= most_rounded {
        set_amount(tree, account, used);
    }
}

/// Raises the usage of an account and all above it as [`raise_after`] does.
fn raise_line(tree: &mut Tree, account: Option<NodeId>) {
    for account in accounts_above(tree, account) {
        raise_after(tree, account, 0.0);
    }
}

/// Moves an amount of usage from one account to another. Accounts above both keep their usage. Accounts whose usage is
/// not stated are left, because their sums follow.
pub(super) fn transfer(tree: &mut Tree, from: Option<NodeId>, to: Option<NodeId>, amount: f64) {
    // PBS's accounts are sums, whatever their records say.
    if tree.kinds_follow_shape() || amount == 0.0 {
        return;
    }
    let mut losing = accounts_above(tree, from);
    let mut winning = accounts_above(tree, to);
    let mut common = Vec::new();
    while losing.last() == winning.last() {
        let Some(account) = losing.pop() else {
            break;
        };
        winning.pop();
        common.push(account);
    }
    for account in losing {
        add(tree, account, -amount);
    }
    for account in winning {
        add(tree, account, amount);
    }
    for account in common.into_iter().rev() {
        raise_after(tree, account, 0.0);
    }
}

/// Returns an account and all above it, the root last.
fn accounts_above(tree: &Tree, account: Option<NodeId>) -> Vec<NodeId> {
    match account {
        Some(account) => tree.upwards(account).collect(),
        None => Vec::new(),
    }
}

/// Adds to the stated usage of an account. Rounding never leaves it with less than the sum of its children.
fn add(tree: &mut Tree, account: NodeId, amount: f64) {
    if let Some(stated) = tree.usage(account).amount() {
        let sum = (stated + amount).max(0.0);
        set_amount(tree, account, sum);
        raise_after(tree, account, amount);
    }
}

/// Sets the usage of a node and changes the accounts above by the same amount. An account of Slurm loses its usage
/// together with its whole subtree, as with `rawusage=0`.
pub(super) fn set_usage_of(tree: &mut Tree, settings: &Settings, node: NodeId, usage: Usage) {
    if let Some(times) = scale_to(tree, settings, node, usage) {
        return scale_below(tree, node, times);
    }
    let parent = tree.parent(node);
    let stated = tree.usage(node).amount();
    let mut used = stated.unwrap_or(0.0);
    let is_account = tree.kind(node) == Kind::Account;
    let is_of_slurm = is_account && stays_in_accounts(settings);
    if is_of_slurm {
        // Accounts that are summed count users alone.
        used = tree.used_below(node);
        state(tree, parent);
    }
    tree.set_usage(node, usage);
    if is_of_slurm && usage.amount() == Some(0.0) {
        for below in subtree(tree, node) {
            if is_stated(tree, below) {
                tree.set_usage(below, usage);
            }
        }
    }
    let now = usage.amount().unwrap_or(0.0);
    transfer(tree, None, parent, now - used);
}

/// Returns by what all usage below a node is multiplied when it is given this usage. `None` if that of the node itself is
/// set: a user's, one that is stated, where nothing is used below, and where Slurm resets all.
pub(super) fn scale_to(
    tree: &Tree,
    settings: &Settings,
    node: NodeId,
    usage: Usage,
) -> Option<f64> {
    let target = usage.amount()?;
    let is_reset = target == 0.0 && stays_in_accounts(settings);
    let is_user = tree.kind(node) == Kind::User;
    if is_reset || is_user || is_stated(tree, node) {
        return None;
    }
    let times = target / tree.used_below(node);
    // Nothing is 0 times something, and something is no finite multiple of nothing.
    if times.is_finite() && times >= 0.0 {
        return Some(times);
    }
    None
}

/// Multiplies all usage that is stated below an account.
fn scale_below(tree: &mut Tree, account: NodeId, times: f64) {
    let before = tree.used_below(account);
    // Members come before their accounts.
    for node in subtree(tree, account).into_iter().rev() {
        if let Some(amount) = tree.usage(node).amount() {
            set_amount(tree, node, amount * times);
            raise_after(tree, node, amount);
        }
    }
    let more = tree.used_below(account) - before;
    let parent = tree.parent(account);
    transfer(tree, None, parent, more);
}

/// Returns a node and all below it, level by level.
fn subtree(tree: &Tree, top: NodeId) -> Vec<NodeId> {
    let mut nodes = vec![top];
    let mut place = 0;
    while let Some(&node) = nodes.get(place) {
        nodes.extend(tree.children(node));
        place += 1;
    }
    nodes
}

/// Corrects usage after an edit, before which there were so many nodes. Once time has passed nothing is, because removed
/// associations were really absent.
pub(in crate::scenario) fn settle_usage(
    edit: &Edit,
    known: usize,
    snapshot: &Snapshot,
    tree: &mut Tree,
    settings: &Settings,
) {
    let is_at_once = settings.time.passed == snapshot.settings.time.passed;
    if !stays_in_accounts(settings) || !is_at_once {
        return;
    }
    let base = &snapshot.tree;
    let mut placed = Vec::new();
    for part in edit.parts() {
        match *part {
            Edit::Move { node, .. } => placed.push(node),
            Edit::Remove { node } => leave_usage_in_place(base, tree, node),
            _ => {}
        }
    }
    for index in known..tree.id_count() {
        placed.push(NodeId::from_index(index));
    }
    for node in placed {
        if !tree.contains(node) {
            continue;
        }
        if tree.kind(node) == Kind::User {
            restore_user(base, tree, node);
        } else if node.index() >= base.id_count() {
            restore_account(base, tree, node);
        }
    }
}

/// Gives a user the usage of the association that the snapshot has at its place.
fn restore_user(base: &Tree, tree: &mut Tree, user: NodeId) {
    let account = tree.parent(user).unwrap_or(NodeId::ROOT);
    let Some(home) = account_before(base, tree, account) else {
        return;
    };
    let name = tree.name(user);
    let partition = tree.partition(user);
    let namesakes = base.children_named(home, name, partition);
    let Some(before) = first_user(base, namesakes) else {
        return;
    };
    let Some(used) = base.usage(before).amount() else {
        return;
    };
    let parent = tree.parent(before);
    let is_there = tree.contains(before) && parent == Some(account);
    let is_another = before != user && is_there;
    if has_used_nothing(tree, user) && !is_another {
        let restored = used.min(kept(tree, account));
        set_amount(tree, user, restored);
        raise_line(tree, Some(account));
    }
}

/// Returns the first user among nodes in the order of the source, which may repeat one.
fn first_user(base: &Tree, mut nodes: Vec<NodeId>) -> Option<NodeId> {
    nodes.retain(|&node| base.kind(node) == Kind::User);
    nodes.sort_by_key(|&node| base.ordinal(node));
    nodes.first().copied()
}

/// Returns an account's usage of former associations, which none of its children shows.
fn kept(tree: &Tree, account: NodeId) -> f64 {
    let used = tree.used_below(account);
    let shown = tree.used_by_children(account);
    (used - shown).max(0.0)
}

/// Returns the snapshot's account that Slurm would identify with one: itself, or a removed one of the same name.
fn account_before(base: &Tree, tree: &Tree, account: NodeId) -> Option<NodeId> {
    if account.index() < base.id_count() {
        return base.contains(account).then_some(account);
    }
    let namesakes = base.nodes_named(tree.name(account));
    let mut others = namesakes.iter().copied();
    others.find(|&other| base.is_account(other) && !tree.contains(other))
}

/// Gives an account that is added again the usage it had when it was removed.
fn restore_account(base: &Tree, tree: &mut Tree, account: NodeId) {
    let Some(before) = account_before(base, tree, account) else {
        return;
    };
    let left = nearest_living_account(base, tree, before);
    let parent = tree.parent(account);
    let mut used = tree.used_below(before);
    if let Some(left) = left {
        used = used.min(kept(tree, left));
    }
    if used > 0.0 && has_used_nothing(tree, account) {
        state(tree, parent);
        set_amount(tree, account, used);
        transfer(tree, left, parent, used);
    }
}

/// Leaves the usage of removed accounts at their place in the snapshot, wherever they were moved before.
fn leave_usage_in_place(base: &Tree, tree: &mut Tree, top: NodeId) {
    let here = first_in(tree, tree.upwards(top));
    let mut waiting = vec![top];
    while let Some(node) = waiting.pop() {
        if tree.kind(node) != Kind::Account {
            continue;
        }
        let parent = tree.parent(node);
        let is_moved = base.contains(node) && base.parent(node) != parent;
        if is_moved {
            let home = nearest_living_account(base, tree, node);
            let used = tree.used_below(node);
            transfer(tree, here, home, used);
        } else {
            waiting.extend(tree.children(node));
        }
    }
}

/// Returns the nearest account above a node in the snapshot that still exists.
fn nearest_living_account(base: &Tree, tree: &Tree, node: NodeId) -> Option<NodeId> {
    first_in(tree, base.upwards(node))
}

/// Returns the first of the nodes above one that still exists. `upwards` begins with the node itself.
fn first_in(tree: &Tree, upwards: impl Iterator<Item = NodeId>) -> Option<NodeId> {
    upwards.skip(1).find(|&node| tree.contains(node))
}
