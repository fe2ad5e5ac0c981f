//! The fields of a row of a report, by name, and their columns for people and for machines.

use super::line::Emphasis;
use super::table::{Cell, Column, Heading, Table};
use super::{View, json, room};
use crate::base::number::{Alignment, NOT_REPRODUCED, OPEN_WORD, Unit, Value, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, Recorded, Settings};
use crate::rules::policy::{ColumnId, Policy};

/// One field of a row: a fact about the node, or a number of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The path from the root.
    Path,
    /// The name.
    Name,
    /// `account` or `user`.
    Kind,
    /// Steps from the root.
    Depth,
    /// The index of the parent's row.
    Parent,
    /// A number.
    Column(ColumnId),
}

/// The fields that every policy has, in the order of JSON and CSV.
const COMMON: [Field; 9] = [
    Field::Path,
    Field::Name,
    Field::Kind,
    Field::Depth,
    Field::Column(ColumnId::Shares),
    Field::Column(ColumnId::Usage),
    Field::Column(ColumnId::Rank),
    Field::Parent,
    Field::Column(ColumnId::Factor),
];

impl Field {
    /// Returns the name on the command line, in JSON and in CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Kind => "kind",
            Self::Depth => "depth",
            Self::Parent => "parent",
            Self::Column(column) => column.name(),
        }
    }

    /// Returns the heading of a table for people.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Path => "Path",
            Self::Name => "Name",
            Self::Kind => "Kind",
            Self::Depth => "Depth",
            Self::Parent => "Parent",
            Self::Column(column) => column.heading(),
        }
    }

    /// Returns the side on which its column is aligned.
    pub const fn alignment(self) -> Alignment {
        match self {
            Self::Path | Self::Name | Self::Kind => Alignment::Left,
            Self::Depth | Self::Parent => Alignment::Right,
            Self::Column(column) => column.alignment(),
        }
    }

    /// Returns the place in the order in which columns get room, or `None` if the field is always there.
    fn order(self, view: &View<'_>) -> Option<u8> {
        match self {
            Self::Path | Self::Name => None,
            Self::Kind | Self::Depth | Self::Parent => Some(room::ASKED),
            Self::Column(column) => Some(room::order(view, column)),
        }
    }

    /// Returns the fields of a policy's rows, in the order of JSON and CSV.
    pub fn all(policy: Policy) -> Vec<Self> {
        let columns = policy.columns().iter().copied().map(Self::Column);
        COMMON.into_iter().chain(columns).collect()
    }

    /// Returns the fields that can be requested by name: those of the rows, those of the screen, and the recorded ones.
    pub fn offered(policy: Policy, settings: &Settings, recorded: &Recorded) -> Vec<Self> {
        let points =
            Some(ColumnId::PriorityPoints).filter(|_| policy.has_priority_points(settings));
        let extra = policy.extra_columns().iter().copied().chain(points);
        let recorded = recorded.facts().map(ColumnId::Recorded);
        let served = [ColumnId::Served];
        let further = extra.chain(served).chain(recorded).map(Self::Column);
        Self::all(policy).into_iter().chain(further).collect()
    }

    /// Returns the fields for machines: the requested ones, else all.
    pub(super) fn machine(view: &View<'_>, asked: Option<&[Self]>) -> Vec<Self> {
        asked.map_or_else(|| Self::all(view.policy), <[Self]>::to_vec)
    }

    /// Returns the default fields for people.
    pub fn usual(view: &View<'_>) -> Vec<Self> {
        let columns = view.usual_columns().into_iter();
        columns.map(Self::Column).collect()
    }
}

/// A node among the rows of a report for machines.
#[derive(Clone, Copy)]
pub(super) struct PlacedNode {
    pub(super) node: NodeId,
    /// Its parent's place among the rows.
    pub(super) parent: Option<u32>,
}

impl Field {
    /// Returns columns for people: the requested ones, else the usual ones, which give way to more important ones where a
    /// table is too wide. `node` gives the node of a row.
    pub(super) fn for_people<'a, R>(
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
        let heading = match self.alignment() {
            Alignment::Left => Heading::left(self.heading()),
            Alignment::Right => Heading::right(self.heading()),
        };
        let column = Column::new(heading, move |row| shown_cell(view, self, node(row)));
        match self {
            Self::Column(ColumnId::Usage | ColumnId::Served) => {
                column.emphasized(move |row| served(view, node(row)))
            }
            _ => column,
        }
    }

    /// Returns the rows of CSV, with the requested fields or all.
    pub(super) fn rows<'a>(
        view: &'a View<'a>,
        requested: Option<&[Self]>,
        rows: Vec<PlacedNode>,
    ) -> Table<'a> {
        let columns = Self::machine(view, requested)
            .into_iter()
            .map(|field| Column::left(field.name(), move |&row| exact_cell(view, field, row)));
        Table::new(columns.collect(), rows.into_iter())
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
        Field::Depth => {
            let depth = view.tree.depth(node);
            Cell::Told(sentence!("{depth}"), Value::Count(depth.into()))
        }
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
            Cell::Told(text, value)
        }
    }
}

/// Whether the column holds words that are marked where their last unit is open.
const fn marks_open(column: ColumnId) -> bool {
    matches!(column, ColumnId::PriorityFsRaw | ColumnId::LevelFsWord)
}

/// Returns a cell for machines.
fn exact_cell<'a>(view: &'a View<'a>, field: Field, row: PlacedNode) -> Cell<'a> {
    let node = row.node;
    match field {
        Field::Path => Cell::Node(view.tree, node),
        Field::Name => Cell::Exact(json::name_text(view.tree.name(node))),
        Field::Kind => view.tree.kind(node).name().into(),
        Field::Depth => Cell::Number(Value::Count(view.tree.depth(node).into()), Unit::Count),
        Field::Parent => Cell::Number(row.parent.into(), Unit::Count),
        Field::Column(ColumnId::Recorded(fact)) if view.recorded.is_text(fact) => {
            Cell::Exact(view.recorded.text(fact, node).unwrap_or_default().into())
        }
        Field::Column(column) => Cell::Number(view.value(column, node), column.unit()),
    }
}
