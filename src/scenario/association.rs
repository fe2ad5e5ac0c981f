//! Associations that several edits together leave as in the snapshot, and the usage that Slurm still has of them.
//!
//! A plan tells Slurm the difference between two trees. If a user is moved away and back again there is no difference,
//! so the association stays, and its usage with it. An account that is moved and then removed is removed from its place
//! in the snapshot, and its usage stays there.

use super::Edit;
use super::edit::{raise_line, state, transfer};
use crate::model::{Kind, NodeId, Scheduler, Settings, Snapshot, Tree, Usage};

/// The nodes that an edit moves or removes.
#[derive(Debug, Default)]
pub(super) struct ChangedNodes {
    moved: Vec<NodeId>,
    removed: Vec<NodeId>,
    /// How many nodes existed before the edit; nodes with later ids were added by it.
    known: usize,
}

impl ChangedNodes {
    /// Returns the nodes that an edit moves or removes, before it is made.
    pub(super) fn by(edit: &Edit, tree: &Tree) -> Self {
        let mut touched = Self {
            known: tree.id_count(),
            ..Self::default()
        };
        for part in edit.parts() {
            match *part {
                Edit::Move { node, .. } => touched.moved.push(node),
                Edit::Remove { node } => touched.removed.push(node),
                _ => {}
            }
        }
        touched
    }

    /// Corrects usage after the edit. Once time has passed nothing is, because removed associations were really absent.
    pub(super) fn settle(self, base: &Snapshot, tree: &mut Tree, settings: &Settings) {
        let is_at_once = settings.time.passed == base.settings.time.passed;
        if settings.scheduler != Some(Scheduler::Slurm) || !is_at_once {
            return;
        }
        let base = &base.tree;
        for &node in &self.removed {
            leave_usage_in_place(base, tree, node);
        }
        let added = (self.known..tree.id_count()).map(NodeId::from_index);
        let placed: Vec<NodeId> = self.moved.into_iter().chain(added).collect();
        for node in placed {
            if !tree.contains(node) {
                continue;
            }
            match tree.kind(node) {
                Kind::User => restore_user(base, tree, node),
                Kind::Account if node.index() >= base.id_count() => {
                    restore_account(base, tree, node);
                }
                Kind::Account => {}
            }
        }
    }
}

/// Gives a user the usage of the association that the snapshot has at its place.
fn restore_user(base: &Tree, tree: &mut Tree, user: NodeId) {
    let account = tree.parent(user).unwrap_or(NodeId::ROOT);
    let Some(home) = account_before(base, tree, account) else {
        return;
    };
    let mut namesakes = base.children_named(home, tree.name(user), tree.partition(user));
    namesakes.retain(|&other| base.kind(other) == Kind::User);
    // The first of those that the source repeats.
    namesakes.sort_by_key(|&other| base.ordinal(other));
    let before = namesakes.first().copied();
    let Some((before, used)) = before.and_then(|node| Some((node, base.usage(node).amount()?)))
    else {
        return;
    };
    let is_elsewhere =
        before == user || !tree.contains(before) || tree.parent(before) != Some(account);
    let has_used_nothing = tree.usage(user).amount() == Some(0.0);
    if is_elsewhere && has_used_nothing {
        let used = used.min(kept(tree, account));
        tree.set_usage(user, Usage::new(used));
        raise_line(tree, Some(account));
    }
}

/// Returns an account's usage of former associations, which none of its children shows.
fn kept(tree: &Tree, account: NodeId) -> f64 {
    let used = tree.used_below(account);
    (used - tree.used_by_children(account)).max(0.0)
}

/// Returns the snapshot's account that Slurm would identify with one: itself, or a removed one of the same name.
fn account_before(base: &Tree, tree: &Tree, account: NodeId) -> Option<NodeId> {
    if account.index() < base.id_count() {
        return base.contains(account).then_some(account);
    }
    let is_it = |&other: &NodeId| base.kind(other) == Kind::Account && !tree.contains(other);
    base.nodes_named(tree.name(account)).into_iter().find(is_it)
}

/// Gives an account that is added again the usage it had when it was removed.
fn restore_account(base: &Tree, tree: &mut Tree, account: NodeId) {
    let Some(before) = account_before(base, tree, account) else {
        return;
    };
    let left = nearest_living_account(base, tree, before);
    let parent = tree.parent(account);
    let used = match left {
        Some(left) => tree.used_below(before).min(kept(tree, left)),
        None => tree.used_below(before),
    };
    let has_used_nothing = tree.usage(account).amount() == Some(0.0);
    if used > 0.0 && has_used_nothing {
        state(tree, parent);
        tree.set_usage(account, Usage::new(used));
        transfer(tree, left, parent, used);
    }
}

/// Leaves the usage of removed accounts at their place in the snapshot, wherever they were moved before.
fn leave_usage_in_place(base: &Tree, tree: &mut Tree, top: NodeId) {
    let here = tree.upwards(top).skip(1).find(|&node| tree.contains(node));
    let mut waiting = vec![top];
    while let Some(node) = waiting.pop() {
        if tree.kind(node) != Kind::Account {
            continue;
        }
        let is_moved = base.contains(node) && base.parent(node) != tree.parent(node);
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
    base.upwards(node).skip(1).find(|&node| tree.contains(node))
}
