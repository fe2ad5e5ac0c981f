//! Being on target, asked and in words.

use super::reason::named;
use super::{Goal, SolveError};
use crate::base::number::percent;
use crate::model::{NodeId, Tree};
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
    let reason = if tree.shares(node).is_parent() {
        "its shares are `parent`"
    } else {
        "the policy has no numbers for it"
    };
    Err(SolveError::NoTarget {
        node: named(tree, node),
        reason,
    })
}

/// What a node used against its target: `uses 66.4% of physics, target 59.4%`, or `of all usage` where targets are
/// portions of the tree.
#[must_use]
pub fn against_target(policy: Policy, tree: &Tree, node: NodeId, target: Target) -> String {
    let whole = if policy.counts_by_level() {
        level_of(tree, node)
    } else {
        NodeId::ROOT
    };
    let whole = if whole == NodeId::ROOT {
        "all usage".to_owned()
    } else {
        named(tree, whole)
    };
    let [used, share] = told_apart(target.used, target.share);
    format!("uses {used} of {whole}, target {share}")
}

/// The account whose members a node competes with: those with Slurm's `parent` shares pass theirs on.
fn level_of(tree: &Tree, node: NodeId) -> NodeId {
    let mut above = std::iter::successors(tree.parent(node), |&account| tree.parent(account));
    above
        .find(|&account| !tree.shares(account).is_parent())
        .unwrap_or(NodeId::ROOT)
}

/// Two portions as percentages, with the digits it takes to tell them apart.
pub(super) fn told_apart(one: f64, other: f64) -> [String; 2] {
    let texts = [one, other].map(percent);
    if texts[0] != texts[1] || one.to_bits() == other.to_bits() {
        return texts;
    }
    let digits = [3, 6, 9, 12].into_iter();
    let longer = digits.map(|digits| [one, other].map(|it| format!("{:.digits$}%", it * 100.0)));
    let mut longer = longer.filter(|[one, other]| one != other);
    longer.next().unwrap_or(texts)
}
