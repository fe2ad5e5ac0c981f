//! PBS's order without a `job_sort_formula`: the tree is walked, and the group with the least usage/perc comes first.
//!
//! Follows `compare_path` and `sort_jobs` of OpenPBS 23.06: the numbers are PBS's, the rank is the place in the walk,
//! and the factor is a number like the others, which no rank follows.

use super::{ColumnId, Evaluation, PolicyTraits, Portions, Precedence, numbers};
use crate::model::{NodeId, Settings, Tree};
use crate::rules::policy::evaluation::{Column, Numbers};
use std::cmp::Ordering;
use std::sync::Arc;

pub(in crate::rules::policy) const RULES: PolicyTraits = PolicyTraits {
    columns: super::RULES.columns,
    extra: super::RULES.extra,
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
    factor_help: super::RULES.factor_help,
    portions: Portions::OfTree(ColumnId::FairsharePerc),
    precedence: Precedence::Walk,
    evaluate,
};

/// Computes every column of `RULES`, usage and rank; what `last` computed from the same inputs is kept.
fn evaluate(tree: &Tree, settings: &Settings, last: Option<&Evaluation>) -> Evaluation {
    let evaluation = numbers(tree, settings, last);
    let ranks = match evaluation.numbers(ColumnId::WalkRank) {
        Some(Numbers::Rank(ranks)) => Arc::clone(ranks),
        _ => Arc::default(),
    };
    evaluation.with(vec![Column::new(ColumnId::Rank, Numbers::Rank(ranks))])
}

/// Returns which of two nodes of one depth the walk visits first, by their own numbers alone: `Less` is the first.
pub(in crate::rules::policy) fn compare(evaluation: &Evaluation, a: NodeId, b: NodeId) -> Ordering {
    let key = |node| super::explain::key(evaluation, node);
    key(a).cmp(&key(b))
}

/// Returns whether the walk looks no deeper below a node: it has no share of the tree.
pub(in crate::rules::policy) fn is_end(evaluation: &Evaluation, node: NodeId) -> bool {
    let target = evaluation.number(ColumnId::FairsharePerc, node);
    target.is_none_or(|target| target <= 0.0)
}
