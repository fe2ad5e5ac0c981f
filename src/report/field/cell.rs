//! The cells of a row, for people and for machines.

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
    match view.value(ColumnId::Served, node).as_f64() {
        Some(served) if served > 1.0 => Emphasis::Over,
        Some(served) if served < 1.0 => Emphasis::Under,
        _ => Emphasis::Plain,
    }
}

/// Returns a cell for people.
pub(super) fn shown_cell<'a>(view: &'a View<'a>, field: Field, node: NodeId) -> Cell<'a> {
    match field {
        Field::Path => Cell::Node(view.tree, node),
        Field::Name if view.tree.is_others(node) => view.label(node).into(),
        Field::Name => view.name(node).into(),
        Field::Kind => match view.tree.kind(node) {
            Kind::Account => view.settings.noun().one.into(),
            kind => kind.name().into(),
        },
        Field::Depth => {
            let depth = view.tree.depth(node);
            Cell::Told(sentence!("{depth}"), Value::Count(depth.into()))
        }
        // To people a parent is a name, not a place among the rows.
        Field::Parent => match view.tree.parent(node) {
            Some(parent) => view.name(parent).into(),
            None => "".into(),
        },
        Field::Column(column) => number_cell(view, column, node),
    }
}

/// Returns a number for people: `?` if it is hidden, and with signs where it is not known in full.
fn number_cell<'a>(view: &'a View<'a>, column: RuleColumn, node: NodeId) -> Cell<'a> {
    let value = view.rule_value(column, node);
    let id = column.column;
    if view.hidden.contains(&id) && !matches!(value, Value::Null) {
        return "?".into();
    }
    if let ColumnId::Recorded(fact) = id
        && view.recorded.is_text(fact)
    {
        let text = view.recorded.text(fact, node).unwrap_or_default();
        return shown(text.as_bytes()).into();
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
    let is_word = matches!(id, ColumnId::PriorityFsRaw | ColumnId::LevelFsWord);
    let is_open = is_word && matches!(value, Value::Word(_)) && evaluation.is_open_word(node);
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

/// Returns a cell for machines.
pub(super) fn exact_cell<'a>(view: &'a View<'a>, field: Field, row: PlacedNode) -> Cell<'a> {
    let node = row.node;
    match field {
        Field::Path => Cell::Node(view.tree, node),
        Field::Name => Cell::Exact(json::name_text(view.tree.name(node))),
        Field::Kind => view.tree.kind(node).name().into(),
        Field::Depth => {
            let depth = view.tree.depth(node);
            Cell::Number(Value::Count(depth.into()), Unit::Count)
        }
        Field::Parent => Cell::Number(row.parent.into(), Unit::Count),
        Field::Column(RuleColumn {
            column: ColumnId::Recorded(fact),
            ..
        }) if view.recorded.is_text(fact) => {
            let text = view.recorded.text(fact, node);
            Cell::Exact(text.unwrap_or_default().into())
        }
        Field::Column(column) => Cell::Number(view.rule_value(column, node), column.column.unit()),
    }
}
