//! The columns beside the names: which there are for a tree, and which are shown.

use crate::report::column_widths::COLUMN_WIDTHS;
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;

/// The columns beside the names.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownColumns {
    /// `None` shows those that fit.
    pub(crate) chosen: Option<Vec<ColumnId>>,
    /// The columns that the user prefers under every policy, by name.
    pub(crate) preferred: Vec<&'static str>,
    /// The number of columns that are scrolled out on the left.
    pub(crate) offset: usize,
}

impl ShownColumns {
    /// Shows the preferred columns, as far as this tree has them, or else those that fit.
    pub(crate) fn fit(&mut self, scenario: &Scenario) {
        let available = available(scenario).into_iter();
        let named = |name: &&str| available.clone().find(|column| column.name() == *name);
        let columns: Vec<ColumnId> = self.preferred.iter().filter_map(named).collect();
        self.chosen = Some(columns).filter(|columns| !columns.is_empty());
        self.offset = 0;
    }
}

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
    COLUMN_WIDTHS
        .iter()
        .map(|shape| shape.column)
        .filter(fits)
        .chain(recorded)
        .collect()
}

/// Inserts a column behind those that usually come before it.
pub(crate) fn insert(columns: &mut Vec<ColumnId>, column: ColumnId) {
    let before = |&other: &ColumnId| place(other) <= place(column);
    let at = columns.iter().rposition(before).map_or(0, |last| last + 1);
    columns.insert(at, column);
}

pub(crate) fn place(column: ColumnId) -> usize {
    COLUMN_WIDTHS
        .iter()
        .position(|shape| shape.column == column)
        .unwrap_or(COLUMN_WIDTHS.len())
}
