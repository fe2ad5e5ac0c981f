//! Which columns there are for a tree.

use crate::report::room::SHAPES;
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;

/// Returns the columns that can be shown for this tree.
pub(crate) fn available(scenario: &Scenario) -> Vec<ColumnId> {
    let policy = scenario.policy();
    let always = [
        ColumnId::Shares,
        ColumnId::Usage,
        ColumnId::Served,
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
