//! Net changes of a scenario, whatever edits led to them.

use crate::analysis::diff::{SettingChange, changed_settings};
use crate::model::{NodeId, Settings, Tree};
use crate::scenario::Scenario;

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
