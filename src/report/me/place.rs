//! The path from the top to the user: the place of each account among its siblings, and the median user below it.

use super::UserPage;
use crate::base::number::{Value, amount, counted, grouped, ordinal, times};
use crate::base::shown::{Shown, sentence};
use crate::model::NodeId;
use crate::report::render::document::Document;
use crate::report::render::json::object;
use crate::report::render::table::{Cell, Column, Table};
use crate::rules::policy::{ColumnId, Level};
use serde::Serialize;

/// How many levels are shown at each end of a long path.
const MOST_AT_AN_END: usize = 8;

/// A row: an account of the path, the user, or the median of all users.
#[derive(Clone)]
struct PlaceRow {
    /// Whose numbers these are.
    name: Shown,
    /// Its place among its siblings; empty for the median, and where none is known.
    place: Shown,
    /// What it has used, in the source's unit.
    usage: Value,
    /// Usage as a multiple of the target; `None` without a target.
    served: Option<f64>,
    /// The number that orders users; of no use where it is only a place in the ranking.
    factor: Value,
}

/// Returns the place of a node among its siblings: `2nd of 3`, `1st of 3, tied`. Empty where it has none of its own.
fn place(level: &Level) -> Shown {
    if level.listed.is_unknown() {
        return Shown::default();
    }
    if level.shares.is_parent() {
        return "shares parent".into();
    }
    let siblings = grouped(level.sibling_count + 1);
    let place = ordinal(level.siblings_ahead + 1);
    let listed = if level.listed.is_part() {
        " listed"
    } else {
        ""
    };
    let tied = if level.siblings_tied > 0 {
        ", tied"
    } else {
        ""
    };
    sentence!("{place} of {siblings}{listed}{tied}")
}

impl UserPage<'_> {
    /// Adds the path of the best association with the place of each node, and the median user. Nothing where no level is
    /// known.
    pub(super) fn add_path(&self, document: &mut Document<'_>) {
        let rows = self.place_rows();
        let Some(explanation) = &self.best().explanation else {
            return;
        };
        let has_place = rows.iter().any(|row| !row.place.is_empty());
        if !has_place {
            return;
        }
        let mut columns = vec![
            Column::left("From the top", |row: &PlaceRow| row.name.clone()),
            Column::left("Place", |row: &PlaceRow| row.place.clone()),
            Column::number("Usage", ColumnId::Usage.unit(), |row: &PlaceRow| row.usage),
            Column::right("Served", |row: &PlaceRow| Cell::told(row.served, times)),
        ];
        if !self.view.policy.orders_by_level() {
            let column = self.view.policy.factor_column();
            let heading = column.heading();
            columns.push(Column::number(heading, column.unit(), |row: &PlaceRow| {
                row.factor
            }));
        }
        document.gap();
        document.table(Table::new(columns, rows.into_iter()));
        let left_out = explanation.levels.len().saturating_sub(2 * MOST_AT_AN_END);
        if left_out > 0 {
            let count = counted(left_out, "level", "levels");
            document.note(Some(sentence!("{count} between them are left out.")));
        }
    }

    /// Returns the rows of the path from the top to the best association, and the median.
    fn place_rows(&self) -> Vec<PlaceRow> {
        let mut rows = Vec::new();
        let Some(explanation) = &self.best().explanation else {
            return rows;
        };
        let levels = &explanation.levels;
        for (at, level) in levels.iter().enumerate() {
            let is_at_an_end = at < MOST_AT_AN_END || at + MOST_AT_AN_END >= levels.len();
            if is_at_an_end {
                rows.push(self.place_row(level));
            }
        }
        if !rows.is_empty()
            && let Some(median) = &self.median
        {
            let users = amount(median.users as f64);
            rows.push(PlaceRow {
                name: sentence!("Median of {users} users"),
                place: Shown::default(),
                usage: median.usage.into(),
                served: median.served,
                factor: median.factor.into(),
            });
        }
        rows
    }

    /// Returns the row of a node of the path.
    fn place_row(&self, level: &Level) -> PlaceRow {
        let view = &self.view;
        let node: NodeId = level.node;
        PlaceRow {
            name: view.label(node),
            place: place(level),
            usage: view.value(ColumnId::Usage, node),
            served: view.policy.served(view.tree, view.evaluation, node),
            factor: view.value(view.policy.factor_column(), node),
        }
    }

    /// Returns the median user for JSON; `None` where there is none.
    pub(super) fn median_json(&self) -> Option<impl Serialize> {
        let median = self.median.as_ref()?;
        Some(object! {
            users: median.users,
            usage: median.usage,
            served: median.served,
            factor: median.factor,
        })
    }
}
