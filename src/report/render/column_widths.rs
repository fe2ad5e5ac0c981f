//! Which columns get room first where a table is wider than the screen or the terminal.

use crate::report::View;
use crate::rules::policy::{ColumnId, Policy};

/// A column of the table.
pub(crate) struct ColumnWidth {
    /// Which it is.
    pub(crate) column: ColumnId,
    /// Its width in cells.
    pub(crate) cells: u16,
    /// Its place in the order in which columns get room, from 0.
    pub(crate) order: u8,
}

/// Returns a column of the table.
pub(crate) const fn column_width(column: ColumnId, cells: u16, order: u8) -> ColumnWidth {
    ColumnWidth {
        column,
        cells,
        order,
    }
}

/// The order of the column that a policy decides by.
pub(crate) const DECIDING: u8 = 2;

/// The order of the factor that the scheduler itself recorded, where it decides.
const FIRST: u8 = 1;

/// The order of a column that is shown only if it was chosen.
pub(crate) const ASKED: u8 = u8::MAX;

/// The width of a column that depends on the tree or the screen: the explorer computes it.
const COMPUTED: u16 = 0;

/// The columns of the table, left to right.
pub(crate) const COLUMN_WIDTHS: &[ColumnWidth] = &[
    column_width(ColumnId::Shares, 8, 1),
    column_width(ColumnId::NormShares, 10, 9),
    column_width(ColumnId::WeightedShares, 12, 9),
    column_width(ColumnId::GroupPercentage, 8, 10),
    column_width(ColumnId::FairsharePerc, 8, 9),
    column_width(ColumnId::Usage, 9, 6),
    column_width(ColumnId::Served, COMPUTED, 8),
    column_width(ColumnId::Balance, 19, ASKED),
    column_width(ColumnId::NormUsage, 9, 13),
    column_width(ColumnId::EffectvUsage, 12, 3),
    column_width(ColumnId::WeightedUsage, 11, 3),
    column_width(ColumnId::BucketFactor, 8, 12),
    column_width(ColumnId::Level, 5, ASKED),
    column_width(ColumnId::LevelFsWord, 18, ASKED),
    column_width(ColumnId::PriorityFsRaw, COMPUTED, 2),
    column_width(ColumnId::LevelFs, 9, 2),
    column_width(ColumnId::Weight, 9, 2),
    column_width(ColumnId::Tickets, 13, 2),
    column_width(ColumnId::FairshareTreeUsage, 9, 3),
    column_width(ColumnId::UsageOverPerc, 10, 14),
    column_width(ColumnId::FormulaValue, 8, 2),
    column_width(ColumnId::FairshareFactor, 8, 5),
    column_width(ColumnId::Factor, 8, 5),
    column_width(ColumnId::PriorityPoints, 9, 8),
    column_width(ColumnId::SchedulerRank, 9, ASKED),
    column_width(ColumnId::WalkRank, COMPUTED, 15),
    column_width(ColumnId::Rank, COMPUTED, 0),
    column_width(ColumnId::Before, COMPUTED, 4),
    column_width(ColumnId::Change, COMPUTED, 3),
    column_width(ColumnId::GroupId, 6, ASKED),
];

/// Returns the place of a column in the order in which columns get room.
pub(crate) fn order(view: &View<'_>, column: ColumnId) -> u8 {
    match column {
        // The walk ranks by this value.
        ColumnId::UsageOverPerc if view.policy == Policy::PbsWalk => DECIDING,
        ColumnId::Recorded(fact) if view.better_recorded() == Some(fact) => FIRST,
        column => room_order(column),
    }
}

/// Returns the place of a column in that order under a policy that does not rank by it.
pub(crate) fn room_order(column: ColumnId) -> u8 {
    for width in COLUMN_WIDTHS {
        if width.column == column {
            return width.order;
        }
    }
    ASKED
}

/// Returns the order of a column that is one of a list, such as one for each policy: the first of them get room first.
pub(crate) fn listed(place: usize) -> u8 {
    let place = u8::try_from(place).unwrap_or(u8::MAX);
    place.saturating_add(DECIDING + 1)
}
