//! What one change does to the ranks, for the sentence that follows it.

use super::moves::{AccountMoves, Ranks, RanksBefore};
use crate::analysis::diff::Pair;
use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::Evaluation;
use crate::scenario::{Edit, Scenario};
use std::sync::Arc;

/// The ranks before a change, and what the change is about.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// The numbers before the change.
    evaluation: Arc<Evaluation>,
    /// The number of nodes that there were. A node with a later number is new.
    known: usize,
    /// The user that is edited, if it is the only one.
    user: Option<NodeId>,
    /// The accounts that are edited, and those of users that are.
    touched: Vec<NodeId>,
}

/// How ranks moved by one change of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    /// The users that were there before, without the only one that was edited.
    pub(crate) others: AccountMoves,
    /// How many of these moved in accounts that were not touched.
    pub(crate) untouched: usize,
    /// The ranks before and after of the only user that was edited.
    pub(crate) edited: Option<Pair<u32>>,
    /// Whether not all users are listed, so that no rank is known.
    pub(crate) is_of_part: bool,
}

impl Before {
    /// Notes the ranks before an edit of the scenario is applied.
    pub(crate) fn of(scenario: &Scenario, edit: &Edit) -> Self {
        let tree = scenario.tree();
        let mut edited = Vec::new();
        let mut touched = Vec::new();
        for part in edit.parts() {
            for node in part.named().into_iter().flatten() {
                edited.push(node);
                touched.extend(account_of(tree, node));
            }
        }
        let user = match edited[..] {
            [only] if tree.kind(only) == Kind::User => Some(only),
            _ => None,
        };
        Self {
            evaluation: scenario.shared_evaluation(),
            known: tree.id_count(),
            user,
            touched,
        }
    }

    /// Compares with the ranks after the edit.
    pub(crate) fn effect(&self, scenario: &Scenario) -> Effect {
        let tree = scenario.tree();
        let ranks_before = RanksBefore {
            evaluation: &self.evaluation,
            known: self.known,
        };
        let ranks = Ranks::between(tree, ranks_before, scenario.evaluation());
        let mut others = AccountMoves::default();
        // A setting is about every account.
        let is_of_settings = self.touched.is_empty();
        let mut is_touched = vec![is_of_settings; tree.node_count()];
        for &account in &self.touched {
            if tree.contains(account) {
                is_touched[tree.order().span(account)].fill(true);
            }
        }
        let mut untouched = 0;
        for (position, &node) in tree.nodes().iter().enumerate() {
            if tree.kind(node) == Kind::User && self.user != Some(node) {
                let has_moved = others.count_user(&ranks, position, node);
                untouched += usize::from(has_moved && !is_touched[position]);
            }
        }
        let mut edited = None;
        if let Some(user) = self.user
            && tree.contains(user)
            && let Some(before) = ranks_before.rank(user)
            && let Some(after) = scenario.evaluation().rank(user)
        {
            edited = Some(Pair { before, after });
        }
        Effect {
            others,
            untouched,
            edited,
            is_of_part: tree.part().is_some(),
        }
    }
}

/// Returns an account itself, and the account of any other node.
fn account_of(tree: &Tree, node: NodeId) -> Option<NodeId> {
    match tree.kind(node) {
        Kind::Account => Some(node),
        Kind::User | Kind::Others => tree.parent(node),
    }
}
