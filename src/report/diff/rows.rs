//! The differences as comma-separated values: one row for every changed node.

use super::{DiffReport, NodePair, on_both, usage};
use crate::analysis::diff::Pair;
use crate::base::number::{Unit, Value};
use crate::base::shown::sentence;
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::report::View;
use crate::report::render::table::Column;
use crate::rules::policy::ColumnId;

#[derive(Clone)]
pub(super) struct ChangedNode {
    node: NodePair,
    events: Vec<&'static str>,
    of_moves: Option<usize>,
}

impl<'a> DiffReport<'a> {
    pub(super) fn csv_columns(&self) -> Vec<Column<'_, ChangedNode>> {
        let path = |row: &ChangedNode| {
            let path = self.place(row.node);
            let path = path.and_then(|(tree, node)| path_of(tree, node));
            path.unwrap_or_default().into()
        };
        let path_before = |row: &ChangedNode| {
            let before = row.node.before;
            let path = before.and_then(|node| path_of(self.compared.before.tree, node));
            path.unwrap_or_default().into()
        };
        let kind = |row: &ChangedNode| {
            let kind = self.place(row.node).map(|(tree, node)| tree.kind(node));
            kind.map_or("", Kind::name).into()
        };
        let shares = |view: &View<'a>, node| view.value(ColumnId::Shares, node);
        let rank = |view: &View<'a>, node| view.value(ColumnId::Rank, node);
        let places = |row: &ChangedNode| {
            let places = |place: usize| self.compared.diff.moves()[place].places();
            row.of_moves.map(places).into()
        };
        let mut columns = vec![
            Column::exact("path", path),
            Column::exact("path_before", path_before),
            Column::exact("kind", kind),
            Column::exact("change", |row: &ChangedNode| row.events.join(" ").into()),
        ];
        columns.extend(self.sides("shares", Unit::Count, shares));
        columns.extend(self.sides("usage", Unit::Usage, usage));
        columns.extend(self.sides("rank", Unit::Rank, rank));
        columns.push(Column::number("rank_change", Unit::Change, places));
        columns.extend(self.causes.iter().map(|&cause| {
            Column::number(cause.name(), Unit::Change, move |row: &ChangedNode| {
                let because = row.of_moves.and_then(|place| self.because.get(place));
                because.map(|because| because.places(cause)).into()
            })
        }));
        columns
    }

    fn sides(
        &self,
        name: &str,
        unit: Unit,
        value: impl Fn(&View<'a>, NodeId) -> Value + Copy + 'a,
    ) -> [Column<'_, ChangedNode>; 2] {
        ["before", "after"].map(|when| {
            let value = move |row: &ChangedNode| {
                let Pair { before, after } = self.values(row.node, value);
                let value = if when == "before" { before } else { after };
                value.unwrap_or(Value::Null)
            };
            Column::number(sentence!("{name}_{when}"), unit, value)
        })
    }

    /// Returns every changed node, in the order of the new tree, then the removed nodes.
    pub(super) fn csv_rows(&self) -> Vec<ChangedNode> {
        let mut rows: Vec<ChangedNode> = Vec::new();
        let new = self.compared.after.tree;
        let mut row_of = vec![None; new.id_count()];
        let mut row = |rows: &mut Vec<ChangedNode>, node: NodePair| {
            let known = node.after.and_then(|after| row_of[after.index()]);
            known.unwrap_or_else(|| {
                rows.push(ChangedNode {
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
            rows[row].events.push(event);
        }
        for (place, user) in self.compared.diff.moves()[..self.shown].iter().enumerate() {
            let row = row(&mut rows, on_both(user.nodes));
            rows[row].of_moves = Some(place);
        }
        let position = |row: &ChangedNode| {
            let after = row.node.after.and_then(|node| new.order().position(node));
            after.unwrap_or(usize::MAX)
        };
        rows.sort_by_key(position);
        rows
    }

    /// Returns the tree that the path belongs to, and the node in it.
    fn place(&self, node: NodePair) -> Option<(&'a Tree, NodeId)> {
        let after = node.after.map(|node| (self.compared.after.tree, node));
        after.or_else(|| node.before.map(|node| (self.compared.before.tree, node)))
    }
}
