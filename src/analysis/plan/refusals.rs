//! What a scheduler cannot be told: the reasons, and the parts of the scenario that stay undone for them.

use super::about::Gathered;
use super::{LeftOut, Reason};
use crate::model::{NodeId, Tree};
use std::collections::BTreeSet;

/// Reasons, each with the nodes it is about.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    pub(super) reasons: Gathered<Reason>,
    /// What is left out of the plan.
    pub(super) left_out: BTreeSet<LeftOut>,
}

impl Refusals {
    /// Takes down why a part of a node cannot be as it was to be.
    pub(super) fn leave_out(
        &mut self,
        tree: &Tree,
        node: NodeId,
        part: fn(NodeId) -> LeftOut,
        reason: Reason,
    ) {
        self.left_out.insert(part(node));
        self.reasons.add(tree, node, reason);
    }

    /// Takes down what is to be said about a node.
    pub(super) fn add(&mut self, tree: &Tree, node: NodeId, reason: Reason) {
        self.reasons.add(tree, node, reason);
    }

    /// Takes down what is not about a node.
    pub(super) fn say(&mut self, reason: Reason) {
        self.reasons.say(reason);
    }
}
