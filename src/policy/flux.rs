//! Flux's weighted walk.

use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};

pub(super) const RULES: Rules = Rules {
    columns: &[
        ColumnId::WeightedShares,
        ColumnId::WeightedUsage,
        ColumnId::Weight,
        ColumnId::SchedulerRank,
    ],
    extra: &[],
    usual: &[
        ColumnId::Shares,
        ColumnId::WeightedShares,
        ColumnId::Usage,
        ColumnId::WeightedUsage,
        ColumnId::Weight,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &[],
    factor: ColumnId::Factor,
    portions: Portions::OfLevel {
        share: ColumnId::WeightedShares,
        usage: ColumnId::WeightedUsage,
    },
    ordering: Ordering::ByLevel {
        column: ColumnId::Weight,
        merges: true,
    },
    evaluate,
};

fn evaluate(tree: &Tree, _settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    Evaluation::new(tree, Vec::new(), None)
}
