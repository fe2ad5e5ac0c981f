//! Slurm's LEVEL_BASED.

use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};

pub(super) const RULES: Rules = Rules {
    columns: &[
        ColumnId::NormShares,
        ColumnId::EffectvUsage,
        ColumnId::Level,
        ColumnId::LevelFsWord,
        ColumnId::PriorityFsRaw,
        ColumnId::SchedulerRank,
    ],
    extra: &[ColumnId::BucketFactor],
    usual: &[
        ColumnId::Shares,
        ColumnId::NormShares,
        ColumnId::Usage,
        ColumnId::EffectvUsage,
        ColumnId::BucketFactor,
        ColumnId::PriorityFsRaw,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &["PriorityLevels"],
    factor: ColumnId::Factor,
    portions: Portions::OfLevel {
        share: ColumnId::NormShares,
        usage: ColumnId::EffectvUsage,
    },
    ordering: Ordering::ByBuckets,
    evaluate,
};

/// How many levels have a bucket: `PriorityLevels`, else as deep as the tree, at most 16.
#[must_use]
pub fn levels(_tree: &Tree, settings: &Settings) -> u8 {
    settings.slurm.priority_levels.unwrap_or(16)
}

fn evaluate(tree: &Tree, _settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    Evaluation::new(tree, Vec::new(), None)
}
