//! What differs as comma-separated values: a row for every node about which anything differs.

use super::{Rows, Sides, on_both, usage};
use crate::analysis::diff::Pair;
use crate::base::number::Exact;
use crate::base::number::Value;
use crate::model::{NodeId, Tree, path_of};
use crate::report::View;
use crate::report::csv::{self, put, put_text};
use crate::rules::policy::ColumnId;
use std::io::{self, Write};

/// One line of CSV.
struct CsvRow {
    node: Sides,
    events: Vec<&'static str>,
    /// The place among the moves.
    of_moves: Option<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = self.csv_rows();
        let mut header = vec![
            "path",
            "path_before",
            "kind",
            "change",
            "shares_before",
            "shares_after",
            "usage_before",
            "usage_after",
            "rank_before",
            "rank_after",
            "rank_change",
        ];
        let lead = header.len();
        header.extend(self.causes.iter().map(|cause| cause.name()));
        csv::write(out, &header, rows.len(), |row, column, text| {
            let row = &rows[row];
            let side = |pair: Pair<Option<Value>>| {
                let value = if column.is_multiple_of(2) {
                    pair.before
                } else {
                    pair.after
                };
                value.unwrap_or(Value::Null)
            };
            match column {
                0 => put_text(text, &self.path(row.node).unwrap_or_default()),
                1 => {
                    let before = row
                        .node
                        .before
                        .map(|node| (self.compared.before.tree, node));
                    let path = before.and_then(|(tree, node)| path_of(tree, node));
                    put_text(text, &path.unwrap_or_default());
                }
                2 => {
                    let place = self.place(row.node);
                    text.push_str(place.map_or("", |(tree, node)| tree.kind(node).name()));
                }
                3 => text.push_str(&row.events.join(" ")),
                4 | 5 => {
                    let shares = |view: &View<'a>, node| view.value(ColumnId::Shares, node);
                    put(text, Exact(side(self.values(row.node, shares))));
                }
                6 | 7 => put(text, Exact(side(self.values(row.node, usage)))),
                8 | 9 => {
                    let rank = |view: &View<'a>, node| view.value(ColumnId::Rank, node);
                    put(text, Exact(side(self.values(row.node, rank))));
                }
                10 => {
                    let places = row
                        .of_moves
                        .map(|place| self.diff().moves()[place].places());
                    if let Some(places) = places {
                        put(text, places);
                    }
                }
                column => {
                    let because = row.of_moves.and_then(|place| self.because.get(place));
                    if let Some(because) = because {
                        put(text, because.places(self.causes[column - lead]));
                    }
                }
            }
        })
    }

    /// Every node about which anything differs: in the order of the new tree, then what was removed.
    fn csv_rows(&self) -> Vec<CsvRow> {
        let mut rows: Vec<CsvRow> = Vec::new();
        let new = self.compared.after.tree;
        let mut row_of = vec![None; new.id_count()];
        let mut row = |rows: &mut Vec<CsvRow>, node: Sides| {
            let known = node.after.and_then(|after| row_of[after.index()]);
            known.unwrap_or_else(|| {
                rows.push(CsvRow {
                    node,
                    events: Vec::new(),
                    of_moves: None,
                });
                if let Some(after) = node.after {
                    row_of[after.index()] = Some(rows.len() - 1);
                }
                rows.len() - 1
            })
        };
        for (event, node) in self.events() {
            let row = row(&mut rows, node);
            rows[row].events.push(event.name());
        }
        for (place, user) in self.diff().moves()[..self.shown].iter().enumerate() {
            let row = row(&mut rows, on_both(user.nodes));
            rows[row].of_moves = Some(place);
        }
        let position = |row: &CsvRow| {
            let after = row.node.after.and_then(|node| new.order().position(node));
            after.unwrap_or(usize::MAX)
        };
        rows.sort_by_key(position);
        rows
    }

    /// The path in the new tree, or in the old one of what is no longer there.
    fn path(&self, node: Sides) -> Option<String> {
        let (tree, node) = self.place(node)?;
        path_of(tree, node)
    }

    /// The tree and node that the path is of.
    fn place(&self, node: Sides) -> Option<(&'a Tree, NodeId)> {
        let after = node.after.map(|node| (self.compared.after.tree, node));
        after.or_else(|| node.before.map(|node| (self.compared.before.tree, node)))
    }
}
