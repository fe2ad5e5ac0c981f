//! What a plan leaves out of its scenario, and what is left of the scenario without it.

use super::OmissionReason;
use super::changes::{EditState, NetChanges};
use super::statement::Statements;
use crate::model::{NodeId, Tree};
use crate::scenario::Scenario;
use std::collections::{BTreeSet, HashSet};

/// A part of a scenario that a scheduler cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
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

/// Reasons, each with the nodes it is about.
#[derive(Debug, Default)]
pub(super) struct Omissions {
    pub(super) reasons: Statements<OmissionReason>,
    /// What is left out of the plan.
    pub(super) parts: BTreeSet<Omission>,
}

impl Omissions {
    /// Takes down why a part of a node cannot be as it was to be.
    pub(super) fn leave_out(
        &mut self,
        tree: &Tree,
        node: NodeId,
        part: fn(NodeId) -> Omission,
        reason: OmissionReason,
    ) {
        self.parts.insert(part(node));
        self.reasons.add(tree, node, reason);
    }

    /// Takes down what is to be said about a node.
    pub(super) fn add(&mut self, tree: &Tree, node: NodeId, reason: OmissionReason) {
        self.reasons.add(tree, node, reason);
    }

    /// Takes down what is not about a node.
    pub(super) fn say(&mut self, reason: OmissionReason) {
        self.reasons.say(reason);
    }
}

/// The tree that a plan makes: the one of the scenario, but as before where something is left out.
#[must_use]
pub fn planned_tree(scenario: &Scenario, omissions: &BTreeSet<Omission>) -> Tree {
    let (before, after) = (&scenario.base().tree, scenario.tree());
    let mut tree = after.clone();
    if omissions.is_empty() {
        return tree;
    }
    let changes = NetChanges::between(EditState::before(scenario), EditState::after(scenario));
    let places = PlaceReversal::new(before, after, &changes, omissions);
    tree.together(|tree| {
        for part in omissions {
            match *part {
                Omission::Name(node) if before.contains(node) => {
                    tree.rename(node, before.name(node));
                }
                Omission::Shares(node) if before.contains(node) => {
                    tree.set_shares(node, before.shares(node));
                }
                Omission::Usage(node) if before.contains(node) => {
                    tree.set_usage(node, before.usage(node));
                }
                _ => {}
            }
        }
        places.undo(before, after, tree);
    });
    tree
}

/// What comes, goes and moves in a scenario, and does not in its plan.
struct PlaceReversal {
    /// New nodes that are not made.
    dropped: Vec<NodeId>,
    /// Nodes that stay where they stood, in place of moving.
    returning: HashSet<NodeId>,
    /// Nodes that were to go and stay.
    kept: HashSet<NodeId>,
}

impl PlaceReversal {
    fn new(
        before: &Tree,
        after: &Tree,
        changes: &NetChanges,
        omissions: &BTreeSet<Omission>,
    ) -> Self {
        let is_out = |node: NodeId| omissions.contains(&Omission::Place(node));
        let moved: HashSet<NodeId> = changes.moved.iter().copied().collect();
        let mut lost = HashSet::new();
        let mut returning = HashSet::new();
        for &node in after.nodes() {
            let is_stranded = after
                .parent(node)
                .is_some_and(|parent| lost.contains(&parent));
            if !is_stranded && !is_out(node) {
                continue;
            }
            if !before.contains(node) {
                lost.insert(node);
            } else if moved.contains(&node) {
                // What was to go under something new that is not made stays as well.
                returning.insert(node);
            }
        }
        let is_gone = |node: NodeId| !after.contains(node);
        let gone = before.nodes().iter().copied().filter(|&node| is_gone(node));
        let mut kept: HashSet<NodeId> = gone.filter(|&node| is_out(node)).collect();
        let staying: Vec<NodeId> = kept.iter().chain(&returning).copied().collect();
        for node in staying {
            let mut above = before.parent(node);
            while let Some(account) = above.filter(|&account| is_gone(account))
                && kept.insert(account)
            {
                above = before.parent(account);
            }
        }
        Self {
            dropped: lost.into_iter().collect(),
            returning,
            kept,
        }
    }

    /// Takes all of it back in the tree after.
    fn undo(self, before: &Tree, after: &Tree, tree: &mut Tree) {
        if !self.kept.is_empty() {
            // An account that stays does not bring back what goes from below it, or was added in between.
            let ids = (0..after.id_count()).map(NodeId::from_index);
            for node in ids.filter(|&node| !after.contains(node)) {
                if !self.kept.contains(&node) {
                    tree.remove(node);
                    continue;
                }
                tree.restore(node);
                // Other edits may have come before the one that removed it.
                tree.rename(node, before.name(node));
                tree.set_shares(node, before.shares(node));
                tree.set_usage(node, before.usage(node));
            }
        }
        let staying = || self.kept.iter().chain(&self.returning);
        let accounts: HashSet<NodeId> = staying().filter_map(|&node| before.parent(node)).collect();
        let accounts = before.nodes().iter().filter(|node| accounts.contains(node));
        for &account in accounts {
            let mut last = None;
            for child in before.children(account) {
                let is_staying = self.kept.contains(&child) || self.returning.contains(&child);
                if is_staying
                    && tree.parent(child) != Some(account)
                    && !is_within(tree, account, child)
                {
                    tree.move_after(child, account, last);
                }
                if tree.parent(child) == Some(account) {
                    last = Some(child);
                }
            }
        }
        for node in self.dropped {
            tree.remove(node);
        }
    }
}

/// Whether a node is another one or below it, while the order is not up to date.
fn is_within(tree: &Tree, node: NodeId, other: NodeId) -> bool {
    let mut here = Some(node);
    while let Some(above) = here
        && above != other
    {
        here = tree.parent(above);
    }
    here.is_some()
}
