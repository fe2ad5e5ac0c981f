//! Net changes between two states of a tree, whatever edits led from one to the other.

use crate::model::{NodeId, Settings, Tree};
use crate::scenario::Scenario;

/// A tree and its settings, before or after some edits. Nodes keep their ids.
#[derive(Clone, Copy, Debug)]
pub struct EditState<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The settings.
    pub settings: &'a Settings,
}

impl<'a> EditState<'a> {
    /// Returns a scenario without its edits.
    pub fn before(scenario: &'a Scenario) -> Self {
        Self {
            tree: &scenario.base().tree,
            settings: &scenario.base().settings,
        }
    }

    /// Returns a scenario with its edits.
    pub fn after(scenario: &'a Scenario) -> Self {
        Self {
            tree: scenario.tree(),
            settings: scenario.settings(),
        }
    }
}

/// A changed setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// Its key, as in the table of settings.
    pub key: &'static str,
    /// The value before.
    pub before: String,
    /// The value after.
    pub after: String,
}

/// The net changes between two states; edits that cancel out do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetChanges {
    /// Added nodes, in the order of the tree after: accounts before their members.
    pub added: Vec<NodeId>,
    /// Removed nodes, in the order of the tree before; of a removed subtree only the topmost node.
    pub removed: Vec<NodeId>,
    /// Nodes that moved to another account, in the order of the tree after.
    pub moved: Vec<NodeId>,
    /// Renamed nodes, in the order of the tree after.
    pub renamed: Vec<NodeId>,
    /// Nodes in both states whose shares changed, in the order of the tree after.
    pub shares: Vec<NodeId>,
    /// Nodes in both states whose recorded usage changed, in the order of the tree after.
    pub usage: Vec<NodeId>,
    /// Changed settings, in the order of their table.
    pub settings: Vec<SettingChange>,
}

impl NetChanges {
    /// Returns the net changes that a scenario makes to its snapshot.
    pub fn of(scenario: &Scenario) -> Self {
        Self::between(EditState::before(scenario), EditState::after(scenario))
    }

    /// Returns the net changes between two states of one tree.
    pub fn between(before: EditState<'_>, after: EditState<'_>) -> Self {
        let mut changes = Self {
            settings: settings(before.settings, after.settings),
            ..Self::default()
        };
        let (old, new) = (before.tree, after.tree);
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

    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
            && [
                &self.added,
                &self.removed,
                &self.moved,
                &self.renamed,
                &self.shares,
                &self.usage,
            ]
            .iter()
            .all(|list| list.is_empty())
    }
}

/// Returns the settings whose values differ.
fn settings(before: &Settings, after: &Settings) -> Vec<SettingChange> {
    Settings::keys()
        .filter_map(|key| {
            let (before, after) = (before.get(key)?, after.get(key)?);
            (before != after).then_some(SettingChange { key, before, after })
        })
        .collect()
}
