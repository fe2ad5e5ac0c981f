//! Net changes of a scenario, whatever edits led to them; the parts that a plan cannot apply; and the tree that the plan
//! makes without them.

use super::note::Statements;
use super::{OmissionReason, SettingFault};
use crate::analysis::diff::{SettingChange, changed_settings};
use crate::base::shown::Shown;
use crate::model::{NodeId, Settings, Tree};
use crate::scenario::Scenario;
use hashbrown::HashSet;
use std::collections::BTreeSet;

/// The net changes between two states; edits that cancel out do not count. Nodes keep their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct NetChanges {
    /// In the order of the tree after, as the others: accounts before their members.
    pub added: Vec<NodeId>,
    /// In the order of the tree before; of a removed subtree only the topmost node.
    pub removed: Vec<NodeId>,
    pub moved: Vec<NodeId>,
    pub renamed: Vec<NodeId>,
    /// Of nodes in both states, as the usage.
    pub shares: Vec<NodeId>,
    pub(crate) usage: Vec<NodeId>,
    /// In the order of their table.
    pub(crate) settings: Vec<SettingChange>,
}

impl NetChanges {
    /// Returns the net changes that a scenario makes to its snapshot.
    pub fn of(scenario: &Scenario) -> Self {
        Self::up_to(scenario, scenario.tree())
    }

    /// Returns the net changes from the snapshot of a scenario to its settings and to a tree made from its own.
    pub(super) fn up_to(scenario: &Scenario, new: &Tree) -> Self {
        let base = scenario.base();
        let old = &base.tree;
        let mut changes = Self {
            settings: changed_settings(Settings::keys(), &base.settings, scenario.settings()),
            ..Self::default()
        };
        for &node in new.nodes() {
            if !old.contains(node) {
                changes.added.push(node);
                continue;
            }
            for (differs, list) in [
                (old.parent(node) != new.parent(node), &mut changes.moved),
                (old.name(node) != new.name(node), &mut changes.renamed),
                (old.shares(node) != new.shares(node), &mut changes.shares),
                (old.usage(node) != new.usage(node), &mut changes.usage),
            ] {
                if differs {
                    list.push(node);
                }
            }
        }
        let is_gone = |node: NodeId| !new.contains(node);
        let is_topmost = |node: &NodeId| !old.parent(*node).is_some_and(is_gone);
        let gone = old.nodes().iter().copied().filter(|&node| is_gone(node));
        changes.removed = gone.filter(is_topmost).collect();
        changes
    }
}

/// A part of a scenario that a scheduler cannot apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "variants are what their names say")]
pub enum Omission {
    /// The addition, removal or move of a node.
    Place(NodeId),
    Name(NodeId),
    Shares(NodeId),
    Usage(NodeId),
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

    /// Adds why a setting is not changed. Unless the scheduler does not have it, an admin may change it by hand.
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
    let (old, after) = (&scenario.base().tree, scenario.tree());
    let mut tree = after.clone();
    if omissions.is_empty() {
        return tree;
    }
    let [dropped, staying] = unplaced(old, after, omissions);
    for part in omissions {
        match *part {
            Omission::Name(node) if old.contains(node) => tree.rename(node, old.name(node)),
            Omission::Shares(node) if old.contains(node) => tree.set_shares(node, old.shares(node)),
            Omission::Usage(node) if old.contains(node) => tree.set_usage(node, old.usage(node)),
            _ => {}
        }
    }
    put_back(old, after, &staying, &mut tree);
    for node in dropped {
        tree.remove(node);
    }
    tree
}

/// Returns the added nodes that are not made, and the removed or moved ones that stay where they were.
fn unplaced(before: &Tree, after: &Tree, omissions: &BTreeSet<Omission>) -> [HashSet<NodeId>; 2] {
    let is_out = |node: NodeId| omissions.contains(&Omission::Place(node));
    let (mut dropped, mut staying) = (HashSet::new(), HashSet::new());
    for &node in after.nodes() {
        let parent = after.parent(node);
        let is_below_dropped = parent.is_some_and(|parent| dropped.contains(&parent));
        if !is_below_dropped && !is_out(node) {
            continue;
        }
        if !before.contains(node) {
            dropped.insert(node);
        } else if before.parent(node) != parent {
            // A node stays if it was to move below a node that is not made.
            staying.insert(node);
        }
    }
    let is_gone = |node: NodeId| !after.contains(node);
    let gone = before.nodes().iter().copied().filter(|&node| is_gone(node));
    staying.extend(gone.filter(|&node| is_out(node)));
    for node in staying.clone() {
        let mut above = before.parent(node);
        while let Some(account) = above.filter(|&account| is_gone(account))
            && staying.insert(account)
        {
            above = before.parent(account);
        }
    }
    [dropped, staying]
}

/// Puts nodes back where they were, in `tree`, a copy of the tree after the edits.
fn put_back(before: &Tree, after: &Tree, staying: &HashSet<NodeId>, tree: &mut Tree) {
    if staying.iter().any(|&node| !after.contains(node)) {
        // Keeping an account does not bring back removed nodes below it, nor nodes that were added and removed again.
        let ids = (0..after.id_count()).map(NodeId::from_index);
        for node in ids.filter(|&node| !after.contains(node)) {
            if !staying.contains(&node) {
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
    let accounts = staying.iter().filter_map(|&node| before.parent(node));
    let accounts: HashSet<NodeId> = accounts.collect();
    // After every move the order of the tree would be computed anew.
    let is_below = |tree: &Tree, node, other| tree.upwards(node).any(|above| above == other);
    for &account in before.nodes() {
        if !accounts.contains(&account) {
            continue;
        }
        let mut last = None;
        for child in before.children(account) {
            if staying.contains(&child)
                && tree.parent(child) != Some(account)
                && !is_below(tree, account, child)
            {
                tree.move_after(child, account, last);
            }
            if tree.parent(child) == Some(account) {
                last = Some(child);
            }
        }
    }
}
