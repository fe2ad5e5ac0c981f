//! Comparison with the snapshot, or with another scenario on it instead of the snapshot.

use super::{EditedState, Scenario};
use crate::base::cores;
use crate::model::NodeId;
use crate::rules::policy::{Basis, Evaluation};
use std::cell::OnceCell;
use std::sync::Arc;

/// A copy of the scenario with which another one is compared.
#[derive(Clone, Debug)]
pub(super) struct ComparedScenario {
    /// The name of the scenario; empty if it has none.
    pub(super) name: String,
    state: EditedState,
    /// Its numbers under the policy of the scenario that is compared with it.
    pub(super) evaluation: OnceCell<Arc<Evaluation>>,
}

impl Scenario {
    /// Returns whether the tree is that of the snapshot, without edits and without a trial.
    pub(super) fn is_unchanged(&self) -> bool {
        self.history.is_untouched() && self.trial.is_none()
    }

    /// Returns the numbers of the untouched snapshot under [its policy](Self::policy_before). Without edits they are as
    /// shown. With edits on a snapshot that shows printed numbers they are computed.
    pub fn baseline(&self) -> &Arc<Evaluation> {
        if !self.is_unchanged() && self.base.printed.is_some() {
            // Printed numbers cannot be compared with numbers computed from truncated usage.
            return self.computed.get_or_init(|| self.compute_baseline());
        }
        self.baseline.get_or_init(|| {
            let basis = Basis {
                tree: &self.base.tree_in_memory(),
                settings: &self.base.settings,
                printed: self.base.printed.as_deref(),
            };
            let policy = self.policy_before();
            Arc::new(policy.evaluate_as_printed(basis))
        })
    }

    /// Returns the numbers of the snapshot as computed, without those that it shows as printed.
    fn compute_baseline(&self) -> Arc<Evaluation> {
        let tree = self.base.tree_in_memory();
        let policy = self.policy_before();
        let settings = &self.base.settings;
        // The numbers that they are compared with take as long, and are computed at the same time.
        let (before, _) = cores::both(
            cores::count(),
            || Arc::new(policy.evaluate(&tree, settings)),
            || self.evaluation(),
        );
        before
    }

    /// Returns the places gained (positive) or lost since what it is compared with, or `None` for nodes without a rank.
    pub fn rank_change(&self, node: NodeId) -> Option<i64> {
        let before = self.rank_before(node)?;
        let after = self.evaluation().rank(node)?;
        Some(places_gained(before, after))
    }

    /// Returns the places that the best user of a subtree gained or lost, or a user's own places.
    pub(crate) fn best_rank_change(&self, node: NodeId) -> Option<i64> {
        if self.compared.is_some() && self.is_new(node) {
            return None;
        }
        let before = self.before().best_rank(node)?;
        let after = self.evaluation().best_rank(node)?;
        Some(places_gained(before, after))
    }

    /// Returns how many users have another rank than in the untouched snapshot.
    pub fn users_moved(&self) -> usize {
        let before = self.baseline();
        let after = self.evaluation();
        let mut moved = 0;
        for &node in self.state.tree.nodes() {
            if let Some(rank_before) = before.rank(node)
                && let Some(rank_after) = after.rank(node)
                && rank_before != rank_after
            {
                moved += 1;
            }
        }
        moved
    }

    /// Returns whether the node has other shares than in the snapshot, or is not there.
    pub(crate) fn has_new_shares(&self, node: NodeId) -> bool {
        let before = &self.base.tree;
        let after = self.tree();
        self.is_new(node) || after.shares(node) != before.shares(node)
    }

    /// Returns whether the node has other usage than in the snapshot, or is not there.
    pub(crate) fn has_new_usage(&self, node: NodeId) -> bool {
        let before = &self.base.tree;
        let after = self.tree();
        self.is_new(node) || after.usage(node) != before.usage(node)
    }

    /// Returns whether an edit added the node.
    pub fn is_new(&self, node: NodeId) -> bool {
        node.index() >= self.base.tree.id_count()
    }

    /// Returns whether anything about the node itself differs from the snapshot.
    pub fn is_edited(&self, node: NodeId) -> bool {
        let before = &self.base.tree;
        let after = self.tree();
        self.has_new_shares(node)
            || self.has_new_usage(node)
            || after.parent(node) != before.parent(node)
            || after.name(node) != before.name(node)
    }

    /// Compares it with another scenario on the same snapshot, under this one's policy, or with the snapshot again.
    pub(crate) fn compare_with(&mut self, other: Option<&Self>) {
        let Some(other) = other else {
            self.compared = None;
            return;
        };
        let mut evaluation = OnceCell::new();
        let policy = self.policy_under(&other.state.settings);
        if other.policy == policy && other.trial.is_none() {
            evaluation.clone_from(&other.numbers.evaluation);
        }
        self.compared = Some(ComparedScenario {
            name: other.name.clone(),
            state: other.state.clone(),
            evaluation,
        });
    }

    /// Returns the name of the scenario with which it is compared, or `None` if that is the snapshot.
    pub(crate) fn compared(&self) -> Option<&str> {
        match &self.compared {
            Some(compared) => Some(&compared.name),
            None => None,
        }
    }

    /// Returns whether its numbers are compared with others: with edits, with a trial, or with a scenario.
    pub(crate) fn is_compared(&self) -> bool {
        !self.is_unchanged() || self.compared.is_some()
    }

    /// Returns the numbers with which it is compared: those of the untouched snapshot, or of another scenario.
    pub(crate) fn before(&self) -> &Evaluation {
        let Some(compared) = &self.compared else {
            return self.baseline();
        };
        compared.evaluation.get_or_init(|| {
            let policy = self.policy_under(&compared.state.settings);
            let basis = compared.state.basis(&self.base);
            Arc::new(policy.evaluate_as_printed(basis))
        })
    }

    /// Returns the rank of a node in what it is compared with, or `None` for nodes without one there.
    pub(crate) fn rank_before(&self, node: NodeId) -> Option<u32> {
        // The id of an added node may belong to another node there.
        if self.compared.is_some() && self.is_new(node) {
            return None;
        }
        self.before().rank(node)
    }
}

/// Returns the places gained (positive) or lost between two ranks.
fn places_gained(before: u32, after: u32) -> i64 {
    i64::from(before) - i64::from(after)
}
