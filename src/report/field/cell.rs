//! The cells of a row, for people and for machines.
//!
//! To people a hidden number is `?`, and a number that no usage gives, or a rank that is known only in part, has a sign.
//! Machines get every number in full, whatever is hidden on the screen.

use super::{Field, PlacedNode};
use crate::base::number::{NOT_REPRODUCED, OPEN_WORD, Unit, Value, at_best, cell};
use crate::base::shown::{sentence, shown};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::render::json;
use crate::report::render::line::Emphasis;
use crate::report::render::table::Cell;
use crate::rules::policy::{ColumnId, RuleColumn};

/// Returns whether a node used more or less than its target.
pub(super) fn served(view: &View<'_>, node: NodeId) -> Emphasis {
    let value = view.value(ColumnId::Served, node);
    match value.as_f64() {
        Some(served) if served > 1.0 => Emphasis::Over,
        Some(served) if served < 1.0 => Emphasis::Under,
        _ => Emphasis::Plain,
    }
}

/// Returns a cell for people.
pub(super) fn shown_cell<'a>(view: &'a View<'a>, field: Field, node: NodeId) -> Cell<'a> {
    let tree = view.tree;
    match field {
        Field::Path => Cell::Node(tree, node),
        Field::Name => {
            let name = if tree.is_others(node) {
                view.label(node)
            } else {
                view.name(node)
            };
            name.into()
        }
        Field::Kind => {
            let kind = tree.kind(node);
            if kind == Kind::Account {
                let account = view.settings.noun().one;
                return account.into();
            }
            kind.name().into()
        }
        Field::Depth => {
            let depth = tree.depth(node);
            let value = Value::Count(depth.into());
            Cell::Told(sentence!("{depth}"), value)
        }
        // To people a parent is a name, not a place among the rows.
        Field::Parent => match tree.parent(node) {
            Some(parent) => {
                let name = view.name(parent);
                name.into()
            }
            None => "".into(),
        },
        Field::Column(column) => number_cell(view, column, node),
    }
}

/// Returns a number for people: `?` if it is hidden, and with signs where it is not known in full.
fn number_cell<'a>(view: &'a View<'a>, column: RuleColumn, node: NodeId) -> Cell<'a> {
    let value = view.rule_value(column, node);
    let id = column.column;
    if view.hidden.contains(&id) && value != Value::Null {
        return "?".into();
    }
    if let Some(text) = recorded_text(view, id, node) {
        let safe = shown(text.as_bytes());
        return safe.into();
    }
    if id == ColumnId::Rank
        && let Some(least) = view.least_rank(column, node)
    {
        return Cell::Told(at_best(least), Value::Null);
    }
    let unit = match value {
        Value::Count(_) => Unit::Count,
        _ => id.unit(),
    };
    let Some(evaluation) = view.evaluation_of(column) else {
        return Cell::Number(value, unit);
    };
    let is_open = is_word(id, value) && evaluation.is_open_word(node);
    let is_printed = evaluation.is_printed(id, node);
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

/// Returns what the source recorded of a node in a column of texts, empty if nothing; `None` for any other column.
fn recorded_text<'a>(view: &View<'a>, column: ColumnId, node: NodeId) -> Option<&'a str> {
    let ColumnId::Recorded(fact) = column else {
        return None;
    };
    if !view.recorded.is_text(fact) {
        return None;
    }
    let text = view.recorded.text(fact, node);
    Some(text.unwrap_or_default())
}

/// Returns whether a number is a 64-bit priority.
const fn is_word(column: ColumnId, value: Value) -> bool {
    match column {
        ColumnId::PriorityFsRaw | ColumnId::LevelFsWord => matches!(value, Value::Word(_)),
        _ => false,
    }
}

/// Returns a cell for machines.
pub(super) fn exact_cell<'a>(view: &'a View<'a>, field: Field, row: PlacedNode) -> Cell<'a> {
    let tree = view.tree;
    let node = row.node;
    match field {
        Field::Path => Cell::Node(tree, node),
        Field::Name => {
            let name = tree.name(node);
            Cell::Exact(json::name_text(name))
        }
        Field::Kind => {
            let kind = tree.kind(node);
            kind.name().into()
        }
        Field::Depth => {
            let depth = tree.depth(node);
            let value = Value::Count(depth.into());
            Cell::Number(value, Unit::Count)
        }
        Field::Parent => {
            let place = Value::from(row.parent);
            Cell::Number(place, Unit::Count)
        }
        Field::Column(column) => {
            let id = column.column;
            if let Some(text) = recorded_text(view, id, node) {
                return Cell::Exact(text.into());
            }
            let value = view.rule_value(column, node);
            Cell::Number(value, id.unit())
        }
    }
}
