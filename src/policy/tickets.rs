//! Slurm's TICKET_BASED.

use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};

pub(super) const RULES: Rules = Rules {
    columns: &[
        ColumnId::NormShares,
        ColumnId::EffectvUsage,
        ColumnId::Tickets,
    ],
    extra: &[],
    usual: &[
        ColumnId::Shares,
        ColumnId::NormShares,
        ColumnId::Usage,
        ColumnId::EffectvUsage,
        ColumnId::Tickets,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &[],
    factor: ColumnId::Factor,
    portions: Portions::OfTree(ColumnId::NormShares),
    ordering: Ordering::ByFactor {
        siblings: ColumnId::Tickets,
    },
    evaluate,
};

fn evaluate(tree: &Tree, _settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    Evaluation::new(tree, Vec::new(), None)
}
