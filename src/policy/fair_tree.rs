//! Slurm's Fair Tree.

use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};

pub(super) const RULES: Rules = Rules {
    columns: &[
        ColumnId::NormShares,
        ColumnId::NormUsage,
        ColumnId::EffectvUsage,
        ColumnId::LevelFs,
        ColumnId::SchedulerRank,
    ],
    extra: &[],
    usual: &[
        ColumnId::Shares,
        ColumnId::NormShares,
        ColumnId::Usage,
        ColumnId::EffectvUsage,
        ColumnId::LevelFs,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &["TieOrder"],
    factor: ColumnId::Factor,
    portions: Portions::OfLevel {
        share: ColumnId::NormShares,
        usage: ColumnId::EffectvUsage,
    },
    ordering: Ordering::ByLevel {
        column: ColumnId::LevelFs,
        merges: false,
    },
    evaluate,
};

pub(super) const DOCUMENTED: Rules = Rules {
    ordering: Ordering::ByLevel {
        column: ColumnId::LevelFs,
        merges: true,
    },
    evaluate,
    ..RULES
};

fn evaluate(tree: &Tree, _settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    Evaluation::new(tree, Vec::new(), None)
}
