//! What a plan leaves out of its scenario, and what is left of the scenario without it.

use super::changes::{Changes, State};
use crate::model::{NodeId, Tree};
use crate::scenario::Scenario;
use std::collections::{BTreeSet, HashSet};

/// A part of a scenario that a scheduler cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// That a node comes, goes, or stands under another account.
    Place(NodeId),
    /// A node's new name.
    Name(NodeId),
    /// A node's new shares.
    Shares(NodeId),
    /// A node's new usage.
    Usage(NodeId),
    /// A setting, by its key.
    Setting(&'static str),
}

/// The tree that a plan makes: the one of the scenario, but as before where something is left out.
#[must_use]
pub fn reached(scenario: &Scenario, left_out: &BTreeSet<LeftOut>) -> Tree {
    let (before, mut tree) = (&scenario.base().tree, scenario.tree().clone());
    if left_out.is_empty() {
        return tree;
    }
    let changes = Changes::between(State::before(scenario), State::after(scenario));
    let is_out = |part: LeftOut| left_out.contains(&part);
    let is_kept = |node: &&NodeId| is_out(LeftOut::Place(**node));
    for &node in changes
        .renamed
        .iter()
        .filter(|&&node| is_out(LeftOut::Name(node)))
    {
        tree.rename(node, before.name(node));
    }
    for &node in changes
        .shares
        .iter()
        .filter(|&&node| is_out(LeftOut::Shares(node)))
    {
        tree.set_shares(node, before.shares(node));
    }
    for &node in changes
        .usage
        .iter()
        .filter(|&&node| is_out(LeftOut::Usage(node)))
    {
        tree.set_usage(node, before.usage(node));
    }
    keep_removed(before, &mut tree, left_out);
    let dropped: HashSet<NodeId> = changes.added.iter().filter(is_kept).copied().collect();
    for &node in &changes.moved {
        // What was to go under something new that is not made stays as well.
        let is_stranded = tree.line(node).iter().any(|above| dropped.contains(above));
        if !is_out(LeftOut::Place(node)) && !is_stranded {
            continue;
        }
        let Some(parent) = before.parent(node) else {
            continue;
        };
        let mut above = Some(parent);
        while let Some(account) = above
            && !tree.contains(account)
        {
            tree.restore(account);
            above = before.parent(account);
        }
        if !tree.order().is_within(parent, node) {
            tree.move_after(node, parent, before.previous_sibling(node));
        }
    }
    tree.together(|tree| {
        for node in dropped {
            tree.remove(node);
        }
    });
    tree
}

/// Puts back what was to go and stays, without what goes from below it.
fn keep_removed(before: &Tree, tree: &mut Tree, left_out: &BTreeSet<LeftOut>) {
    let is_gone = |node: &NodeId| !tree.contains(*node);
    let gone: Vec<NodeId> = before.nodes().iter().copied().filter(is_gone).collect();
    let (kept, lost): (Vec<NodeId>, Vec<NodeId>) = gone
        .into_iter()
        .partition(|&node| left_out.contains(&LeftOut::Place(node)));
    if !kept.is_empty() {
        tree.together(|tree| {
            for node in lost {
                tree.remove(node);
            }
            for node in kept {
                tree.restore(node);
            }
        });
    }
}
