//! Which columns there are for a tree.

use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;

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

/// The order of a column that is shown only if it was chosen.
pub(crate) const ASKED: u8 = u8::MAX;

/// The width of a column that depends on the tree: [`Widths`] computes it.
const BY_TREE: u16 = 0;

/// The columns of the table, left to right.
pub(crate) const SHAPES: &[Shape] = &[
    shape(ColumnId::Shares, 8, 1),
    shape(ColumnId::NormShares, 10, 7),
    shape(ColumnId::WeightedShares, 12, 7),
    shape(ColumnId::GroupPercentage, 8, 8),
    shape(ColumnId::FairsharePerc, 8, 7),
    shape(ColumnId::Usage, 9, 5),
    shape(ColumnId::Balance, 19, 10),
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
    shape(ColumnId::FairshareFactor, 8, 6),
    shape(ColumnId::Factor, 8, 6),
    shape(ColumnId::PriorityPoints, 9, 8),
    shape(ColumnId::SchedulerRank, 9, ASKED),
    shape(ColumnId::WalkRank, BY_TREE, 15),
    shape(ColumnId::Rank, BY_TREE, 0),
    shape(ColumnId::Before, BY_TREE, 4),
    shape(ColumnId::Change, BY_TREE, 3),
    shape(ColumnId::GroupId, 6, ASKED),
];

/// Returns the columns that can be shown for this tree.
pub(crate) fn available(scenario: &Scenario) -> Vec<ColumnId> {
    let policy = scenario.policy();
    let always = [
        ColumnId::Shares,
        ColumnId::Usage,
        ColumnId::Balance,
        ColumnId::Rank,
        ColumnId::Before,
        ColumnId::Change,
    ];
    let has_groups = scenario.tree().kinds_follow_shape();
    let fits = |column: &ColumnId| {
        if *column == ColumnId::GroupId && !has_groups {
            return false;
        }
        if *column == ColumnId::PriorityPoints {
            return policy.has_priority_points(scenario.settings());
        }
        // Under one of two names, or the same number would stand there twice.
        if matches!(column, ColumnId::Factor | ColumnId::FairshareFactor) {
            return policy.usual_columns().contains(column);
        }
        let own = [policy.columns(), policy.extra_columns()];
        own.iter().any(|own| own.contains(column)) || always.contains(column)
    };
    let recorded = &scenario.base().recorded;
    let recorded = recorded.facts().map(ColumnId::Recorded);
    SHAPES
        .iter()
        .map(|shape| shape.column)
        .filter(fits)
        .chain(recorded)
        .collect()
}

/// Returns the preferred columns, given by name, that can be shown for this tree, or `None` without any.
pub(crate) fn preferred(names: &[&str], scenario: &Scenario) -> Option<Vec<ColumnId>> {
    let available = available(scenario);
    let named = |name: &&str| {
        available
            .iter()
            .copied()
            .find(|column| column.name() == *name)
    };
    let columns: Vec<ColumnId> = names.iter().filter_map(named).collect();
    (!columns.is_empty()).then_some(columns)
}

/// Inserts a column behind those that usually come before it.
pub(crate) fn insert(columns: &mut Vec<ColumnId>, column: ColumnId) {
    let before = |&other: &ColumnId| place(other) <= place(column);
    let at = columns.iter().rposition(before).map_or(0, |last| last + 1);
    columns.insert(at, column);
}

/// Returns the place of a column from the left.
pub(crate) fn place(column: ColumnId) -> usize {
    SHAPES
        .iter()
        .position(|shape| shape.column == column)
        .unwrap_or(SHAPES.len())
}
