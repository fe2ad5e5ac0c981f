//! PBS's order without a `job_sort_formula`: the tree is walked, and the group with the least usage/perc comes first.
//!
//! Follows `compare_path` and `sort_jobs` of OpenPBS 23.06. The numbers are PBS's, and the rank is the place in the
//! walk. The factor is only a column, on which no rank depends.

use super::{ColumnId, Evaluation, PolicyTraits, Portions, Precedence, numbers};
use crate::model::{NodeId, Settings, Tree};
use crate::rules::policy::evaluation::{Column, Numbers};
use std::cmp::Ordering;

pub(in crate::rules::policy) const TRAITS: PolicyTraits = PolicyTraits {
    columns: super::TRAITS.columns,
    extra: super::TRAITS.extra,
    usual: &[
        ColumnId::Shares,
        ColumnId::GroupPercentage,
        ColumnId::FairsharePerc,
        ColumnId::Usage,
        ColumnId::UsageOverPerc,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: super::SETTINGS,
    factor: ColumnId::FairshareFactor,
    factor_help: super::TRAITS.factor_help,
    portions: Portions::OfTree(ColumnId::FairsharePerc),
    precedence: Precedence::Walk,
    evaluate,
};

/// Computes every column of `TRAITS`, usage and rank.
fn evaluate(tree: &Tree, _settings: &Settings) -> Evaluation {
    let evaluation = numbers(tree);
    let ranks = match evaluation.numbers(ColumnId::WalkRank) {
        Some(Numbers::Rank(ranks)) => ranks.clone(),
        _ => Vec::new(),
    };
    evaluation.with(vec![Column::ranks(ColumnId::Rank, ranks)])
}

/// Compares two nodes of one depth by their own numbers alone: the walk visits the `Less` one first.
pub(in crate::rules::policy) fn compare(evaluation: &Evaluation, a: NodeId, b: NodeId) -> Ordering {
    let key = |node| super::explain::key(evaluation, node);
    key(a).cmp(&key(b))
}

/// Returns whether the walk stops at a node, because it has no share of the tree.
pub(in crate::rules::policy) fn is_end(evaluation: &Evaluation, node: NodeId) -> bool {
    let target = evaluation.number(ColumnId::FairsharePerc, node);
    target.is_none_or(|target| target <= 0.0)
}
