//! Omissions: the parts of a scenario that a plan cannot apply, and the tree that the plan makes without them.

use super::note::Statements;
use super::{NetChanges, OmissionReason, SettingFault};
use crate::analysis::diff::SettingChange;
use crate::base::shown::Shown;
use crate::model::{NodeId, Tree};
use crate::scenario::Scenario;
use hashbrown::HashSet;
use std::collections::BTreeSet;

/// A part of a scenario that a scheduler cannot apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// The addition, removal or move of a node.
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

#[derive(Debug, Default)]
pub(super) struct Omissions {
    pub(super) reasons: Statements<OmissionReason>,
    pub(super) parts: BTreeSet<Omission>,
}

impl Omissions {
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

    /// Adds the reason why a setting is not changed. Unless the scheduler does not have it, an admin may change it by
    /// hand.
    pub(super) fn leave_out_setting(&mut self, change: &SettingChange, fault: SettingFault) {
        let key = change.key;
        if matches!(fault, SettingFault::Unknown(_)) {
            self.parts.insert(Omission::Setting(key));
        }
        let value = Shown::again(change.after.clone());
        let reason = OmissionReason::Setting { key, value, fault };
        self.reasons.add_general(reason);
    }
}

/// Returns the tree that a plan makes: the tree of the scenario with the omitted parts as before.
pub fn planned_tree(scenario: &Scenario, omissions: &BTreeSet<Omission>) -> Tree {
    let (before, after) = (&scenario.base().tree, scenario.tree());
    let mut tree = after.clone();
    if omissions.is_empty() {
        return tree;
    }
    let moved: HashSet<NodeId> = NetChanges::of(scenario).moved.into_iter().collect();
    let places = PlaceReversal::new(before, after, &moved, omissions);
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
        places.reverse(before, after, tree);
    });
    tree
}

/// The added, removed and moved nodes of a scenario that its plan omits.
struct PlaceReversal {
    /// Added nodes that are not made.
    dropped: Vec<NodeId>,
    /// Nodes that stay where they were instead of moving.
    returning: HashSet<NodeId>,
    kept: HashSet<NodeId>,
}

impl PlaceReversal {
    fn new(
        before: &Tree,
        after: &Tree,
        moved: &HashSet<NodeId>,
        omissions: &BTreeSet<Omission>,
    ) -> Self {
        let is_out = |node: NodeId| omissions.contains(&Omission::Place(node));
        let mut dropped = HashSet::new();
        let mut returning = HashSet::new();
        for &node in after.nodes() {
            let is_below_dropped = after
                .parent(node)
                .is_some_and(|parent| dropped.contains(&parent));
            if !is_below_dropped && !is_out(node) {
                continue;
            }
            if !before.contains(node) {
                dropped.insert(node);
            } else if moved.contains(&node) {
                // A node stays if it was to move below a node that is not made.
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
            dropped: dropped.into_iter().collect(),
            returning,
            kept,
        }
    }

    /// Reverses those changes in `tree`, a copy of the tree after the edits.
    fn reverse(self, before: &Tree, after: &Tree, tree: &mut Tree) {
        if !self.kept.is_empty() {
            // Keeping an account does not bring back removed nodes below it, nor nodes that were added and removed
            // again.
            let ids = (0..after.id_count()).map(NodeId::from_index);
            for node in ids.filter(|&node| !after.contains(node)) {
                if !self.kept.contains(&node) {
                    tree.remove(node);
                    continue;
                }
                tree.restore(node);
                // The node may have been edited before it was removed.
                tree.rename(node, before.name(node));
                tree.set_shares(node, before.shares(node));
                tree.set_usage(node, before.usage(node));
            }
        }
        let staying = || self.kept.iter().chain(&self.returning);
        let accounts: HashSet<NodeId> = staying().filter_map(|&node| before.parent(node)).collect();
        let accounts = before
            .nodes()
            .iter()
            .filter(|node| accounts.contains(*node));
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

/// Returns whether a node is another one or below it. The order of the tree is outdated here.
fn is_within(tree: &Tree, node: NodeId, other: NodeId) -> bool {
    std::iter::successors(Some(node), |&node| tree.parent(node)).any(|above| above == other)
}
