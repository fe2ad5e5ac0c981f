//! `show`: the tree with its numbers.

use super::csv::{put, put_text};
use super::json::{Lines, Row, object};
use super::rows::{RowPaths, flat, nested, places};
use super::table::Column;
use super::tree::Guides;
use super::{Field, Form, Options, View, csv, dump, json, markdown, table};
use crate::base::number::Value;
use crate::base::number::{Exact, NOT_REPRODUCED, OPEN_WORD, cell, grouped};
use crate::base::shown::shown;
use crate::model::NodeId;
use crate::rules::policy::ColumnId;
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes the tree, or the part of it that the options ask for.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    dump::write_headline_of(out, view, form)?;
    match form {
        Form::Tree => write_tree(out, view, options),
        Form::Table => write_people(out, view, options, Form::Table),
        Form::Markdown => write_people(out, view, options, Form::Markdown),
        Form::Csv => write_csv(out, view, options),
        Form::Json => write_json(out, view, options),
    }
}

/// The columns of a table for people.
pub(super) fn columns(fields: &[Field]) -> Vec<Column> {
    fields
        .iter()
        .map(|field| Column {
            heading: field.heading().to_owned(),
            alignment: field.alignment(),
        })
        .collect()
}

/// One cell for people.
pub(super) fn shown_cell(view: &View<'_>, field: Field, node: NodeId) -> String {
    match field {
        Field::Path => view.path(node),
        Field::Name => view.name(node),
        Field::Kind => view.tree.kind(node).name().to_owned(),
        Field::Depth => view.tree.depth(node).to_string(),
        // To people a parent is a name, not a place among the rows.
        Field::Parent => view
            .tree
            .parent(node)
            .map_or_else(String::new, |parent| view.name(parent)),
        Field::Column(ColumnId::Recorded(fact)) if view.recorded.is_text(fact) => {
            let text = view.recorded.text(fact, node).unwrap_or_default();
            shown(text.as_bytes())
        }
        Field::Column(column) => {
            let text = match view.value(column, node) {
                value @ Value::Word(_)
                    if marks_open(column) && view.evaluation.is_open_word(node) =>
                {
                    cell(value, column.unit()) + OPEN_WORD
                }
                Value::Count(count) => grouped(count),
                value => cell(value, column.unit()),
            };
            if view.evaluation.is_printed(column, node) {
                format!("{NOT_REPRODUCED}{text}")
            } else {
                text
            }
        }
    }
}

/// Whether the column holds words that are marked where their last unit is open.
const fn marks_open(column: ColumnId) -> bool {
    matches!(column, ColumnId::PriorityFsRaw | ColumnId::LevelFsWord)
}

fn write_tree(out: &mut dyn Write, view: &View<'_>, options: &Options) -> io::Result<()> {
    let fields = options
        .columns
        .clone()
        .unwrap_or_else(|| Field::usual(view));
    let nodes = nested(view, options);
    let top = nodes.first().map_or(0, |&top| view.tree.depth(top));
    let depths = nodes
        .iter()
        .map(|&node| view.tree.depth(node) - top)
        .collect();
    let mut guides = Guides::new(depths);
    let mut columns = columns(&fields);
    columns.insert(0, Column::left("Account / user"));
    table::write(out, &columns, nodes.len(), |row, column| match column {
        0 => guides.before(row) + &view.label(nodes[row]),
        column => shown_cell(view, fields[column - 1], nodes[row]),
    })
}

fn write_people(
    out: &mut dyn Write,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let fields = options.columns.clone().unwrap_or_else(|| {
        let mut fields = vec![Field::Path, Field::Kind];
        fields.extend(Field::usual(view));
        fields
    });
    let nodes = flat(view, options);
    let columns = columns(&fields);
    let cell = |row: usize, column: usize| shown_cell(view, fields[column], nodes[row]);
    match form {
        Form::Markdown => markdown::write(out, &columns, nodes.len(), cell),
        _ => table::write(out, &columns, nodes.len(), cell),
    }
}

/// Fills one cell of CSV.
pub(super) fn csv_cell(
    view: &View<'_>,
    field: Field,
    node: NodeId,
    path: Option<&str>,
    parent: Option<u32>,
    text: &mut String,
) {
    match field {
        Field::Path => put_text(text, path.unwrap_or_default()),
        Field::Name => put_text(text, &json::name_text(view.tree.name(node))),
        Field::Kind => text.push_str(view.tree.kind(node).name()),
        Field::Depth => put(text, view.tree.depth(node)),
        Field::Parent => {
            if let Some(parent) = parent {
                put(text, parent);
            }
        }
        Field::Column(ColumnId::Recorded(fact)) if view.recorded.is_text(fact) => {
            put_text(text, view.recorded.text(fact, node).unwrap_or_default());
        }
        Field::Column(column) => put(text, Exact(view.value(column, node))),
    }
}

fn write_csv(out: &mut dyn Write, view: &View<'_>, options: &Options) -> io::Result<()> {
    let fields = options
        .columns
        .clone()
        .unwrap_or_else(|| Field::all(view.policy));
    let nodes = flat(view, options);
    let places = places(view, &nodes);
    let mut paths = RowPaths::new(view, options);
    let mut path: Option<String> = None;
    let header: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    csv::write(out, &header, nodes.len(), |row, column, text| {
        let node = nodes[row];
        if column == 0 {
            path = paths.next(node).map(str::to_owned);
        }
        let parent = view
            .tree
            .parent(node)
            .and_then(|parent| places[parent.index()]);
        csv_cell(view, fields[column], node, path.as_deref(), parent, text);
    })
}

fn write_json(out: &mut dyn Write, view: &View<'_>, options: &Options) -> io::Result<()> {
    let fields = options
        .columns
        .clone()
        .unwrap_or_else(|| Field::all(view.policy));
    let nodes = Nodes {
        view,
        options,
        fields: &fields,
    };
    let body = object! {
        user_count: view.evaluation.user_count(),
        nodes: Lines(nodes),
        problems: json::problems(view.problems.list()),
    };
    json::write(out, view, body)
}

/// The nodes that are shown.
struct Nodes<'a> {
    view: &'a View<'a>,
    options: &'a Options,
    fields: &'a [Field],
}

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { view, options, .. } = *self;
        let nodes = flat(view, options);
        let places = places(view, &nodes);
        let mut paths = RowPaths::new(view, options);
        let mut rows = serializer.serialize_seq(None)?;
        for &node in &nodes {
            let parent = view.tree.parent(node);
            rows.serialize_element(&Row {
                view,
                fields: self.fields.into(),
                node,
                path: paths.next(node).map(Cow::Borrowed),
                parent: parent.and_then(|parent| places[parent.index()]),
            })?;
        }
        rows.end()
    }
}
