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
            if old.parent(node) != new.parent(node) {
                changes.moved.push(node);
            }
            if old.name(node) != new.name(node) {
                changes.renamed.push(node);
            }
            if old.shares(node) != new.shares(node) {
                changes.shares.push(node);
            }
            if old.usage(node) != new.usage(node) {
                changes.usage.push(node);
            }
        }
        for &node in old.nodes() {
            let parent = old.parent(node).unwrap_or(NodeId::ROOT);
            if !new.contains(node) && new.contains(parent) {
                changes.removed.push(node);
            }
        }
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

/// The parts of a scenario that a scheduler cannot apply, with the reasons.
#[derive(Debug, Default)]
pub(super) struct Omissions {
    pub(super) reasons: Statements<OmissionReason>,
    pub(super) parts: BTreeSet<Omission>,
}

impl Omissions {
    /// Adds a part of a node, and why it is omitted.
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
    let old = &scenario.base().tree;
    let after = scenario.tree();
    let mut tree = after.clone();
    if omissions.is_empty() {
        return tree;
    }
    let unplaced = UnplacedNodes::of(old, after, omissions);
    for part in omissions {
        match *part {
            Omission::Name(node) if old.contains(node) => tree.rename(node, old.name(node)),
            Omission::Shares(node) if old.contains(node) => tree.set_shares(node, old.shares(node)),
            Omission::Usage(node) if old.contains(node) => tree.set_usage(node, old.usage(node)),
            _ => {}
        }
    }
    put_back(old, after, &unplaced.staying, &mut tree);
    for node in unplaced.dropped {
        tree.remove(node);
    }
    tree
}

/// Nodes that do not get their planned places.
#[derive(Default)]
struct UnplacedNodes {
    /// The added nodes that are not made.
    dropped: HashSet<NodeId>,
    /// The removed or moved nodes that stay where they were.
    staying: HashSet<NodeId>,
}

impl UnplacedNodes {
    /// Finds the nodes whose places are omitted, and those that depend on them.
    fn of(before: &Tree, after: &Tree, omissions: &BTreeSet<Omission>) -> Self {
        let mut unplaced = Self::default();
        for &node in after.nodes() {
            let parent = after.parent(node);
            let is_below_dropped = unplaced.dropped.contains(&parent.unwrap_or(NodeId::ROOT));
            if !is_below_dropped && !omissions.contains(&Omission::Place(node)) {
                continue;
            }
            if !before.contains(node) {
                unplaced.dropped.insert(node);
            } else if before.parent(node) != parent {
                // A node stays if it was to move below a node that is not made.
                unplaced.staying.insert(node);
            }
        }
        for &node in before.nodes() {
            if !after.contains(node) && omissions.contains(&Omission::Place(node)) {
                unplaced.staying.insert(node);
            }
        }
        for node in unplaced.staying.clone() {
            unplaced.keep_accounts_above(node, before, after);
        }
        unplaced
    }

    /// Keeps the removed accounts above a node.
    fn keep_accounts_above(&mut self, node: NodeId, before: &Tree, after: &Tree) {
        for account in before.upwards(node).skip(1) {
            if after.contains(account) || !self.staying.insert(account) {
                return;
            }
        }
    }
}

/// Puts nodes back where they were, in `tree`, a copy of the tree after the edits.
fn put_back(before: &Tree, after: &Tree, staying: &HashSet<NodeId>, tree: &mut Tree) {
    if !staying.iter().all(|&node| after.contains(node)) {
        restore_removed(before, after, staying, tree);
    }
    let mut accounts = HashSet::new();
    for &node in staying {
        accounts.extend(before.parent(node));
    }
    for &account in before.nodes() {
        if accounts.contains(&account) {
            put_members_back(account, before, staying, tree);
        }
    }
}

/// Restores the removed nodes that stay. Keeping an account does not bring back removed nodes below it, nor nodes that
/// were added and removed again.
fn restore_removed(before: &Tree, after: &Tree, staying: &HashSet<NodeId>, tree: &mut Tree) {
    for id in 0..after.id_count() {
        let node = NodeId::from_index(id);
        if after.contains(node) {
            continue;
        }
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

/// Puts the former members of an account back, in their order. One that the account is below now stays there.
fn put_members_back(account: NodeId, before: &Tree, staying: &HashSet<NodeId>, tree: &mut Tree) {
    let mut last = None;
    for child in before.children(account) {
        let is_away = tree.parent(child) != Some(account);
        if is_away && staying.contains(&child) && !is_above(tree, child, account) {
            tree.move_after(child, account, last);
        }
        if tree.parent(child) == Some(account) {
            last = Some(child);
        }
    }
}

/// Returns whether a node is above another one. Does not ask for the order of the tree, which changes with every move.
fn is_above(tree: &Tree, above: NodeId, node: NodeId) -> bool {
    tree.upwards(node).any(|account| account == above)
}
