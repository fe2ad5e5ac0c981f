//! The columns of fields, for people and for machines.

use super::Field;
use crate::base::number::{NOT_REPRODUCED, OPEN_WORD, Unit, Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, path_of};
use crate::report::line::Emphasis;
use crate::report::table::{Cell, Column, Heading};
use crate::report::{View, json};
use crate::rules::policy::ColumnId;

/// A node among the rows of a report for machines.
pub(in crate::report) struct PlacedNode {
    pub(in crate::report) node: NodeId,
    /// Its path; `None` if it is too deep for one.
    pub(in crate::report) path: Option<String>,
    /// Its parent's place among the rows.
    pub(in crate::report) parent: Option<u32>,
}

impl PlacedNode {
    /// Returns a node by itself among rows whose places are `places`.
    pub(in crate::report) fn new(view: &View<'_>, node: NodeId, places: &[Option<u32>]) -> Self {
        Self {
            node,
            path: path_of(view.tree, node),
            parent: parent_place(view, node, places),
        }
    }
}

/// Returns the place of a node's parent among rows whose places are `places`.
pub(in crate::report) fn parent_place(
    view: &View<'_>,
    node: NodeId,
    places: &[Option<u32>],
) -> Option<u32> {
    view.tree
        .parent(node)
        .and_then(|parent| places[parent.index()])
}

impl Field {
    /// Returns columns for people: the requested ones, else the usual ones, which give way to more important ones where a
    /// table is too wide. `node` gives the node of a row.
    pub(in crate::report) fn for_people<'a, R>(
        requested: Option<&[Self]>,
        usual: impl FnOnce() -> Vec<Self>,
        view: &'a View<'a>,
        node: fn(&R) -> NodeId,
    ) -> Vec<Column<'a, R>>
    where
        R: 'a,
    {
        if let Some(requested) = requested {
            let fields = requested.iter();
            return fields.map(|field| field.column(view, node)).collect();
        }
        let usual = usual().into_iter();
        let columns = usual.map(|field| {
            let column = field.column(view, node);
            match field.order(view) {
                Some(order) => column.giving_way(order),
                None => column,
            }
        });
        columns.collect()
    }

    /// Returns the column for people; `node` gives the node of a row.
    fn column<'a, R>(self, view: &'a View<'a>, node: fn(&R) -> NodeId) -> Column<'a, R>
    where
        R: 'a,
    {
        let heading = Heading {
            text: self.heading().into(),
            alignment: self.alignment(),
        };
        let column = Column::new(heading, move |row| shown_cell(view, self, node(row)));
        match self {
            Self::Column(ColumnId::Recorded(fact)) if view.recorded.is_text(fact) => column,
            Self::Column(id) => {
                let column = column.keyed(move |row| view.value(id, node(row)));
                if matches!(id, ColumnId::Usage | ColumnId::Served) {
                    column.emphasized(move |row| served(view, node(row)))
                } else {
                    column
                }
            }
            Self::Depth => column.keyed(move |row| Value::Count(view.tree.depth(node(row)).into())),
            Self::Path | Self::Name | Self::Kind | Self::Parent => column,
        }
    }

    /// Returns the column for machines.
    pub(in crate::report) fn for_machines<'a>(self, view: &'a View<'a>) -> Column<'a, PlacedNode> {
        let heading = Heading::left(self.name());
        Column::new(heading, move |row| exact_cell(view, self, row))
    }
}

/// Returns whether a node used more or less than its target.
fn served(view: &View<'_>, node: NodeId) -> Emphasis {
    match view.value(ColumnId::Served, node).as_f64() {
        Some(served) if served > 1.0 => Emphasis::Over,
        Some(served) if served < 1.0 => Emphasis::Under,
        _ => Emphasis::Plain,
    }
}

/// Returns a cell for people.
fn shown_cell<'a>(view: &'a View<'a>, field: Field, node: NodeId) -> Cell<'a> {
    match field {
        Field::Path => Cell::Node(view.tree, node),
        Field::Name => view.name(node).into(),
        Field::Kind => match view.tree.kind(node) {
            Kind::Account => view.settings.noun().one.into(),
            Kind::User => Kind::User.name().into(),
        },
        Field::Depth => sentence!("{}", view.tree.depth(node)).into(),
        // To people a parent is a name, not a place among the rows.
        Field::Parent => view
            .tree
            .parent(node)
            .map_or_else(Shown::default, |parent| view.name(parent))
            .into(),
        Field::Column(ColumnId::Recorded(fact)) if view.recorded.is_text(fact) => {
            let text = view.recorded.text(fact, node).unwrap_or_default();
            shown(text.as_bytes()).into()
        }
        Field::Column(column) => {
            let value = view.value(column, node);
            let unit = match value {
                Value::Count(_) => Unit::Count,
                _ => column.unit(),
            };
            let is_open = matches!(value, Value::Word(_))
                && marks_open(column)
                && view.evaluation.is_open_word(node);
            let is_printed = view.evaluation.is_printed(column, node);
            if !is_open && !is_printed {
                return Cell::Number(value, unit);
            }
            let mut text = cell(value, unit);
            if is_open {
                text += &OPEN_WORD.into();
            }
            if is_printed {
                text = sentence!("{NOT_REPRODUCED}{text}");
            }
            text.into()
        }
    }
}

/// Whether the column holds words that are marked where their last unit is open.
const fn marks_open(column: ColumnId) -> bool {
    matches!(column, ColumnId::PriorityFsRaw | ColumnId::LevelFsWord)
}

/// Returns a cell for machines.
fn exact_cell<'a>(view: &'a View<'a>, field: Field, row: &PlacedNode) -> Cell<'a> {
    let node = row.node;
    match field {
        Field::Path => Cell::Exact(row.path.clone().unwrap_or_default().into()),
        Field::Name => Cell::Exact(json::name_text(view.tree.name(node))),
        Field::Kind => view.tree.kind(node).name().into(),
        Field::Depth => Cell::Number(Value::Count(view.tree.depth(node).into()), Unit::Count),
        Field::Parent => {
            let place = row
                .parent
                .map_or(Value::Null, |place| Value::Count(place.into()));
            Cell::Number(place, Unit::Count)
        }
        Field::Column(ColumnId::Recorded(fact)) if view.recorded.is_text(fact) => {
            Cell::Exact(view.recorded.text(fact, node).unwrap_or_default().into())
        }
        Field::Column(column) => Cell::Number(view.value(column, node), column.unit()),
    }
}
