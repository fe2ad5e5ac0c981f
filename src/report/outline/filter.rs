//! Which nodes are shown.

use crate::base::table::table;
use crate::model::{NodeId, Shares};
use crate::scenario::Scenario;

table! {
    /// Which nodes are shown; their accounts stay visible.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum Filter {
        #[default]
        All, "none", "Everything";
        OverServed, "over-served", "Nodes that used more than their target share";
        UnderServed, "under-served", "Nodes that used less than their target share";
        ZeroShares, "zero shares", "Nodes with 0 shares, and their subtrees";
        Edited, "edited", "Nodes that differ from the snapshot";
        Unknown, "unknown", "Entities missing from resource_group, in the group unknown";
    }
}

impl Filter {
    /// Returns the filters that can find anything in such a tree: only PBS has a group of unnamed entities.
    pub fn offered(scenario: &Scenario) -> impl Iterator<Item = Self> {
        let has_unknown = scenario.tree().unknown().is_some();
        let is_offered = move |filter: &Self| has_unknown || *filter != Self::Unknown;
        Self::ALL.iter().copied().filter(is_offered)
    }

    /// Whether a node itself passes.
    pub fn matches(self, scenario: &Scenario, node: NodeId) -> bool {
        let tree = scenario.tree();
        let portions = || scenario.policy().portions(scenario.evaluation(), node);
        match self {
            Self::All => true,
            Self::OverServed => portions().is_some_and(|(target, used)| used > target),
            Self::UnderServed => portions().is_some_and(|(target, used)| used < target),
            Self::ZeroShares => node != NodeId::ROOT && tree.shares(node) == Shares::new(0),
            Self::Edited => scenario.is_edited(node),
            Self::Unknown => tree
                .unknown()
                .is_some_and(|unknown| tree.order().is_within(node, unknown)),
        }
    }

    /// Returns the nodes that pass, with the accounts above them; `None` if all pass.
    pub(super) fn passing(self, scenario: &Scenario) -> Option<Vec<bool>> {
        if self == Self::All {
            return None;
        }
        let tree = scenario.tree();
        let mut passing = vec![false; tree.id_count()];
        passing[NodeId::ROOT.index()] = true;
        for &node in tree.nodes().iter().rev() {
            passing[node.index()] |= node != NodeId::ROOT && self.matches(scenario, node);
            if passing[node.index()]
                && let Some(parent) = tree.parent(node)
            {
                passing[parent.index()] = true;
            }
        }
        Some(passing)
    }
}
