//! A job_sort_formula of PBS.

use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};

pub(super) const RULES: Rules = Rules {
    columns: &[
        ColumnId::FairsharePerc,
        ColumnId::FairshareTreeUsage,
        ColumnId::FairshareFactor,
        ColumnId::FormulaValue,
        ColumnId::WalkRank,
    ],
    extra: &[
        ColumnId::GroupPercentage,
        ColumnId::UsageOverPerc,
        ColumnId::GroupId,
    ],
    usual: &[
        ColumnId::Shares,
        ColumnId::FairsharePerc,
        ColumnId::Usage,
        ColumnId::FairshareTreeUsage,
        ColumnId::FairshareFactor,
        ColumnId::FormulaValue,
        ColumnId::Rank,
    ],
    settings: &["job_sort_formula", "unknown_shares"],
    factor: ColumnId::FormulaValue,
    portions: Portions::OfTree(ColumnId::FairsharePerc),
    ordering: Ordering::ByFactor {
        siblings: ColumnId::FormulaValue,
    },
    evaluate,
};

fn evaluate(tree: &Tree, _settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    Evaluation::new(tree, Vec::new(), None)
}
