//! Which columns get room first where a table is wider than the screen or the terminal.

use crate::report::View;
use crate::rules::policy::{ColumnId, Policy};

/// A column of the table: its width in cells, and its place in the order in which columns get room, from 0.
pub(crate) struct Shape {
    pub(crate) column: ColumnId,
    pub(crate) cells: u16,
    pub(crate) order: u8,
}

pub(crate) const fn shape(column: ColumnId, cells: u16, order: u8) -> Shape {
    Shape {
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

/// The width of a column that depends on the tree: the explorer computes it.
const BY_TREE: u16 = 0;

/// The width of a column that depends on the screen: the explorer computes it.
const BY_SCREEN: u16 = 0;

/// The columns of the table, left to right.
pub(crate) const SHAPES: &[Shape] = &[
    shape(ColumnId::Shares, 8, 1),
    shape(ColumnId::NormShares, 10, 9),
    shape(ColumnId::WeightedShares, 12, 9),
    shape(ColumnId::GroupPercentage, 8, 10),
    shape(ColumnId::FairsharePerc, 8, 9),
    shape(ColumnId::Usage, 9, 6),
    shape(ColumnId::Served, BY_SCREEN, 3),
    shape(ColumnId::Balance, 19, ASKED),
    shape(ColumnId::NormUsage, 9, 13),
    shape(ColumnId::EffectvUsage, 12, 11),
    shape(ColumnId::WeightedUsage, 11, 11),
    shape(ColumnId::BucketFactor, 8, 12),
    shape(ColumnId::Level, 5, ASKED),
    shape(ColumnId::LevelFsWord, 18, ASKED),
    shape(ColumnId::PriorityFsRaw, BY_TREE, 2),
    shape(ColumnId::LevelFs, 9, 2),
    shape(ColumnId::Weight, 9, 2),
    shape(ColumnId::Tickets, 13, 2),
    shape(ColumnId::FairshareTreeUsage, 9, 11),
    shape(ColumnId::UsageOverPerc, 10, 14),
    shape(ColumnId::FormulaValue, 8, 2),
    shape(ColumnId::FairshareFactor, 8, 5),
    shape(ColumnId::Factor, 8, 5),
    shape(ColumnId::PriorityPoints, 9, 8),
    shape(ColumnId::SchedulerRank, 9, ASKED),
    shape(ColumnId::WalkRank, BY_TREE, 15),
    shape(ColumnId::Rank, BY_TREE, 0),
    shape(ColumnId::Before, BY_TREE, 4),
    shape(ColumnId::Change, BY_TREE, 3),
    shape(ColumnId::GroupId, 6, ASKED),
];

/// Returns the place of a column in the order in which columns get room.
pub(crate) fn order(view: &View<'_>, column: ColumnId) -> u8 {
    match column {
        // The walk ranks by this value.
        ColumnId::UsageOverPerc if view.policy == Policy::PbsWalk => DECIDING,
        ColumnId::Recorded(fact) if view.better_recorded() == Some(fact) => FIRST,
        column => {
            let mut shapes = SHAPES.iter();
            let shape = shapes.find(|shape| shape.column == column);
            shape.map_or(ASKED, |shape| shape.order)
        }
    }
}

/// Returns the order of a column that is one of a list, such as one for each policy: the first of them get room first.
pub(in crate::report) fn listed(place: usize) -> u8 {
    u8::try_from(place)
        .unwrap_or(u8::MAX)
        .saturating_add(DECIDING + 1)
}
