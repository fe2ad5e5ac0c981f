//! Being on target.

use super::{Goal, SolveError};
use crate::model::{NodeId, Tree, path_for_people};
use crate::rules::policy::{Evaluation, Policy, Target};

/// Whether a node has a target of its own, where that is the goal.
///
/// # Errors
/// If it has none.
pub fn check_target(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    node: NodeId,
    goal: Goal,
) -> Result<(), SolveError> {
    if goal != Goal::OnTarget || policy.target(tree, evaluation, node).is_some() {
        return Ok(());
    }
    let name = path_for_people(tree, node);
    Err(if tree.shares(node).is_parent() {
        SolveError::ParentShares(name)
    } else {
        SolveError::NoTarget(name)
    })
}

/// What a node used against its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetUse {
    /// The node.
    pub node: NodeId,
    /// The account whose usage the portions are of; the root for all usage.
    pub whole: NodeId,
    /// What it used, and what it may use.
    pub target: Target,
}

impl TargetUse {
    /// What a node used against a target that the policy has for it.
    #[must_use]
    pub fn of(policy: Policy, tree: &Tree, node: NodeId, target: Target) -> Self {
        let whole = if policy.counts_by_level() {
            level_of(tree, node)
        } else {
            NodeId::ROOT
        };
        Self {
            node,
            whole,
            target,
        }
    }
}

/// The account whose members a node competes with: those with Slurm's `parent` shares pass theirs on.
fn level_of(tree: &Tree, node: NodeId) -> NodeId {
    let mut above = std::iter::successors(tree.parent(node), |&account| tree.parent(account));
    above
        .find(|&account| !tree.shares(account).is_parent())
        .unwrap_or(NodeId::ROOT)
}
