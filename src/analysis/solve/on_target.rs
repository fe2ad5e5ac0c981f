//! The goal to be on target.

use super::{Goal, SolveError};
use crate::model::{NodeId, Tree, path_for_people};
use crate::rules::policy::{Evaluation, Policy, Target};

/// Checks that a node has a target of its own, if the goal is to be on target.
///
/// # Errors
/// Returns an error if it has none.
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

/// A node's usage and its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetUse {
    /// The node.
    pub node: NodeId,
    /// The account of whose usage these are portions; the root if they are portions of all usage.
    pub whole: NodeId,
    /// The usage and the target.
    pub target: Target,
}

impl TargetUse {
    /// Returns the usage of a node and its target under a policy.
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

/// Returns the account whose members a node competes with. Accounts with Slurm's `parent` shares are passed over.
fn level_of(tree: &Tree, node: NodeId) -> NodeId {
    let mut above = std::iter::successors(tree.parent(node), |&account| tree.parent(account));
    above
        .find(|&account| !tree.shares(account).is_parent())
        .unwrap_or(NodeId::ROOT)
}
