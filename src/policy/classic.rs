//! Slurm's classic fair-share.

use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};

pub(super) const RULES: Rules = Rules {
    columns: &[
        ColumnId::NormShares,
        ColumnId::NormUsage,
        ColumnId::EffectvUsage,
    ],
    extra: &[],
    usual: &[
        ColumnId::Shares,
        ColumnId::NormShares,
        ColumnId::Usage,
        ColumnId::NormUsage,
        ColumnId::EffectvUsage,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &["FairShareDampeningFactor"],
    factor: ColumnId::Factor,
    portions: Portions::OfTree(ColumnId::NormShares),
    ordering: Ordering::ByFactor {
        siblings: ColumnId::Factor,
    },
    evaluate,
};

fn evaluate(tree: &Tree, _settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    Evaluation::new(tree, Vec::new(), None)
}
