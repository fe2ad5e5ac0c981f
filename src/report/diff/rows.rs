//! The differences as comma-separated values: one row for every changed node.
//!
//! A node that was both edited and moved to another rank has one row with both. Numbers stand on both sides, empty where
//! the node does not exist.

use super::{DiffReport, NodePair, on_both, shares, usage};
use crate::base::number::{Unit, Value};
use crate::base::shown::sentence;
use crate::model::{NodeId, Tree, path_of};
use crate::report::View;
use crate::report::render::table::Column;
use crate::rules::policy::ColumnId;
use std::borrow::Cow;

/// A node that differs.
#[derive(Clone)]
pub(super) struct ChangedNode {
    /// The node in both trees, or in one.
    node: NodePair,
    /// What happened to it, in a word each.
    events: Vec<&'static str>,
    /// The index of its move; `None` without another rank.
    of_moves: Option<usize>,
}

/// A column of the table.
type NodeColumn<'a> = Column<'a, ChangedNode>;

/// The rows of the table as it grows.
#[derive(Default)]
struct ChangedNodes {
    /// The rows so far.
    rows: Vec<ChangedNode>,
    /// The row of a node of the new tree, by its index; `None` if it has none.
    row_of: Vec<Option<usize>>,
}

impl ChangedNodes {
    /// Returns the row of a node, a new one if it has none.
    fn row(&mut self, node: NodePair) -> &mut ChangedNode {
        let next = self.rows.len();
        let row = match node.after {
            Some(after) => *self.row_of[after.index()].get_or_insert(next),
            None => next,
        };
        if row == next {
            self.rows.push(ChangedNode {
                node,
                events: Vec::new(),
                of_moves: None,
            });
        }
        &mut self.rows[row]
    }
}

impl<'a> DiffReport<'a> {
    /// Returns the columns for machines.
    pub(super) fn csv_columns(&self) -> Vec<NodeColumn<'_>> {
        let mut columns = vec![
            NodeColumn::exact("path", |row| self.path(row.node)),
            NodeColumn::exact("path_before", |row| self.path_before(row.node)),
            NodeColumn::exact("kind", |row| {
                let kind = self.kind(row.node);
                kind.into()
            }),
            NodeColumn::exact("change", |row| {
                let events = row.events.join(" ");
                events.into()
            }),
        ];
        self.add_sides(&mut columns, "shares", Unit::Count, shares);
        self.add_sides(&mut columns, "usage", Unit::Usage, usage);
        self.add_sides(&mut columns, "rank", Unit::Rank, rank);
        columns.push(NodeColumn::number("rank_change", Unit::Change, |row| {
            self.rank_change(row)
        }));
        for &cause in &self.causes {
            let name = cause.name();
            columns.push(NodeColumn::number(
                name,
                Unit::Change,
                move |row| match row.of_moves {
                    Some(place) => self.places(place, cause),
                    None => Value::Null,
                },
            ));
        }
        columns
    }

    /// Returns a node with the newer tree that has it.
    fn newest(&self, node: NodePair) -> Option<(&'a Tree, NodeId)> {
        if let Some(after) = node.after {
            return Some((self.after.tree, after));
        }
        let before = node.before?;
        Some((self.before.tree, before))
    }

    /// Returns the path of a node in the newer tree that has it; empty if it is too deep.
    fn path(&self, node: NodePair) -> Cow<'static, str> {
        let Some((tree, node)) = self.newest(node) else {
            return "".into();
        };
        let path = path_of(tree, node);
        path.unwrap_or_default().into()
    }

    /// Returns the path of a node in the old tree; empty if it was not there.
    fn path_before(&self, node: NodePair) -> Cow<'static, str> {
        let Some(before) = node.before else {
            return "".into();
        };
        let path = path_of(self.before.tree, before);
        path.unwrap_or_default().into()
    }

    /// Returns the kind of a node in the newer tree that has it.
    fn kind(&self, node: NodePair) -> &'static str {
        match self.newest(node) {
            Some((tree, node)) => tree.kind(node).name(),
            None => "",
        }
    }

    /// Returns how many places a user moved; none without another rank.
    fn rank_change(&self, row: &ChangedNode) -> Value {
        match row.of_moves {
            Some(place) => {
                let user = &self.diff.moves()[place];
                Value::Count(user.places())
            }
            None => Value::Null,
        }
    }

    /// Adds the columns of a number on both sides.
    fn add_sides<'c>(
        &'c self,
        columns: &mut Vec<NodeColumn<'c>>,
        name: &str,
        unit: Unit,
        value: fn(&View<'a>, NodeId) -> Value,
    ) {
        let name_before = sentence!("{name}_before");
        columns.push(NodeColumn::number(name_before, unit, move |row| {
            let values = self.values(row.node, value);
            values.before.unwrap_or(Value::Null)
        }));
        let name_after = sentence!("{name}_after");
        columns.push(NodeColumn::number(name_after, unit, move |row| {
            let values = self.values(row.node, value);
            values.after.unwrap_or(Value::Null)
        }));
    }

    /// Returns every changed node, in the order of the new tree, then the removed nodes.
    pub(super) fn csv_rows(&self) -> Vec<ChangedNode> {
        let new = self.after.tree;
        let mut nodes = ChangedNodes {
            rows: Vec::new(),
            row_of: vec![None; new.id_count()],
        };
        for event in self.events() {
            nodes.row(event.node).events.push(event.word);
        }
        let listed = &self.diff.moves()[..self.shown];
        for (place, user) in listed.iter().enumerate() {
            let node = on_both(user.nodes);
            nodes.row(node).of_moves = Some(place);
        }
        let mut rows = nodes.rows;
        rows.sort_by_key(|row| {
            let Some(after) = row.node.after else {
                return usize::MAX;
            };
            let place = new.order().position(after);
            place.unwrap_or(usize::MAX)
        });
        rows
    }
}

/// Returns the rank of a user.
fn rank(view: &View<'_>, node: NodeId) -> Value {
    view.value(ColumnId::Rank, node)
}
