//! PBS's order without a `job_sort_formula`: the tree is walked, and the group with the least usage/perc comes first.
//!
//! Follows `compare_path` and `sort_jobs` of OpenPBS 23.06. The numbers are PBS's, and the rank is the place in the
//! walk. The factor is only a column, on which no rank depends.

use super::{ColumnId, Evaluation, PolicyTraits, Precedence, numbers};
use crate::model::{NodeId, Tree};
use crate::rules::policy::column::column_ids;
use std::cmp::Ordering;

pub(crate) const TRAITS: PolicyTraits = PolicyTraits {
    usual: column_ids![Shares GroupPercentage FairsharePerc Usage UsageOverPerc Factor Rank],
    precedence: Precedence::Levels(ColumnId::UsageOverPerc),
    evaluate: |tree, _| by_place(numbers(tree)),
    ..super::TRAITS
};

/// Ranks users by their place in the walk.
pub(crate) fn by_place(evaluation: Evaluation) -> Evaluation {
    let ranks = evaluation.ranks_of(ColumnId::WalkRank).to_vec();
    evaluation.with(vec![ColumnId::Rank.ranks(ranks)])
}

/// Compares two nodes of one depth by their own numbers alone: the walk visits the `Less` one first.
pub(crate) fn compare(evaluation: &Evaluation, a: NodeId, b: NodeId) -> Ordering {
    super::key(evaluation, a).cmp(&super::key(evaluation, b))
}

/// Returns whether a node has a share of the tree. The walk stops at a node without one.
pub(crate) fn has_share(evaluation: &Evaluation, node: NodeId) -> bool {
    match evaluation.number(ColumnId::FairsharePerc, node) {
        Some(target) => target > 0.0,
        None => false,
    }
}

/// Compares two nodes as PBS does without a formula: `Less` is more deserving.
///
/// Both paths are walked in step from the root, and the first level at which usage/perc differs decides. A node ties
/// with its ancestors and the root with every node. The relation is not transitive between nodes of different depths.
pub fn compare_path(tree: &Tree, evaluation: &Evaluation, a: NodeId, b: NodeId) -> Ordering {
    let other_line = tree.line(b);
    for (a, b) in tree.line(a).into_iter().zip(other_line) {
        if a == b {
            continue;
        }
        let a_has_share = has_share(evaluation, a);
        let b_has_share = has_share(evaluation, b);
        if !a_has_share || !b_has_share {
            // The one that has a share comes first.
            return b_has_share.cmp(&a_has_share);
        }
        let a_ratio = ratio(evaluation, a);
        let b_ratio = ratio(evaluation, b);
        if a_ratio < b_ratio {
            return Ordering::Less;
        }
        if a_ratio > b_ratio {
            return Ordering::Greater;
        }
        // A NaN decides nothing, and neither do equal ratios: the next level is compared.
    }
    Ordering::Equal
}

/// Returns usage/perc of a node.
fn ratio(evaluation: &Evaluation, node: NodeId) -> f64 {
    let ratio = evaluation.number(ColumnId::UsageOverPerc, node);
    ratio.unwrap_or(0.0)
}
