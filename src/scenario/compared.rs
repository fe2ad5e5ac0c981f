//! Comparison with another scenario on the same snapshot, in place of the snapshot.

use super::{EditedState, Scenario};
use crate::model::NodeId;
use crate::rules::policy::Evaluation;
use std::cell::OnceCell;
use std::sync::Arc;

/// A copy of the scenario with which another one is compared.
#[derive(Clone, Debug)]
pub(super) struct ComparedScenario {
    name: String,
    state: EditedState,
    /// Its numbers under the policy of the scenario that is compared with it.
    evaluation: OnceCell<Arc<Evaluation>>,
}

impl ComparedScenario {
    /// Follows a scenario to its new name.
    pub(super) fn follow(&mut self, old: &str, new: &str) {
        if self.name == old {
            new.clone_into(&mut self.name);
        }
    }

    pub(super) fn forget(&mut self) {
        self.evaluation.take();
    }
}

impl Scenario {
    /// Compares it with another scenario on the same snapshot, under this one's policy; `None` compares it with the
    /// snapshot again.
    pub fn compare_with(&mut self, other: Option<&Self>) {
        self.compared = other.map(|other| {
            let policy = self.policy_under(&other.state.settings);
            let has_same_rule = other.policy == policy && other.trial.is_none();
            let known = other.numbers.evaluation.get().filter(|_| has_same_rule);
            ComparedScenario {
                name: other.name.clone(),
                state: other.state.clone(),
                evaluation: known.map_or_else(OnceCell::new, |known| Arc::clone(known).into()),
            }
        });
    }

    /// Returns the name of the scenario with which it is compared, or `None` if that is the snapshot.
    pub fn compared(&self) -> Option<&str> {
        self.compared.as_ref().map(|compared| &compared.name[..])
    }

    /// Returns whether its numbers are compared with others: there are edits or a trial, or it is compared with a
    /// scenario.
    pub fn is_compared(&self) -> bool {
        !self.history.is_untouched() || self.is_trying() || self.compared.is_some()
    }

    /// Returns the numbers with which it is compared: those of the untouched snapshot, or of another scenario.
    pub fn before(&self) -> &Evaluation {
        let Some(compared) = &self.compared else {
            return self.baseline();
        };
        compared.evaluation.get_or_init(|| {
            let EditedState { tree, settings } = &compared.state;
            let policy = self.policy_under(settings);
            Arc::new(policy.evaluate(tree, settings))
        })
    }

    /// Returns the rank of a node in the scenario or snapshot with which it is compared, or `None` for nodes without
    /// one there.
    pub fn rank_before(&self, node: NodeId) -> Option<u32> {
        // The id of an added node may belong to another node there.
        if self.compared.is_some() && self.is_new(node) {
            return None;
        }
        self.before().rank(node)
    }
}
