//! `rank`: the users, first to run on top.

use super::json::{Lines, List, Row, object};
use super::rows::{Options, flat, places};
use super::show::{columns, csv_cell, shown_cell};
use super::{Field, Form, Sort, View, csv, dump, json, markdown, table};
use crate::model::{Kind, NodeId, path_of};
use crate::rules::policy::ColumnId;
use std::borrow::Cow;
use std::io::{self, Write};

/// The users below a node in the order in which they run; who has no rank comes last, in tree order.
#[must_use]
pub fn ranking(view: &View<'_>, node: Option<NodeId>, sort: Option<Sort>) -> Vec<NodeId> {
    let by_rank = Sort {
        field: Field::Column(ColumnId::Rank),
        is_descending: false,
    };
    let options = Options {
        sort: Some(sort.unwrap_or(by_rank)),
        node,
        ..Options::default()
    };
    let mut nodes = flat(view, &options);
    nodes.retain(|&node| view.tree.kind(node) == Kind::User);
    nodes
}

/// What a person sees of each user.
fn usual(view: &View<'_>) -> Vec<Field> {
    let leads = [Field::Column(ColumnId::Rank), Field::Path];
    let own = view.usual_columns().into_iter();
    // Shares are of the level, and a ranking has no levels.
    let own = own.filter(|column| {
        !matches!(
            column,
            ColumnId::Shares | ColumnId::GroupPercentage | ColumnId::Rank
        )
    });
    leads.into_iter().chain(own.map(Field::Column)).collect()
}

/// Writes the ranking; `Tree` is written as `Table`, for a ranking has no branches.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let nodes = ranking(view, options.node, options.sort);
    let given = options.columns.clone();
    dump::write_headline_of(out, view, form)?;
    match form {
        Form::Tree | Form::Table | Form::Markdown => {
            let fields = given.unwrap_or_else(|| usual(view));
            let columns = columns(&fields);
            let cell = |row: usize, column: usize| shown_cell(view, fields[column], nodes[row]);
            if form == Form::Markdown {
                markdown::write(out, &columns, nodes.len(), cell)
            } else {
                table::write(out, &columns, nodes.len(), cell)
            }
        }
        Form::Csv => {
            let fields = given.unwrap_or_else(|| Field::all(view.policy));
            let header: Vec<&str> = fields.iter().map(|field| field.name()).collect();
            let places = places(view, view.tree.nodes());
            csv::write(out, &header, nodes.len(), |row, column, text| {
                let node = nodes[row];
                let is_path = fields[column] == Field::Path;
                let path = is_path.then(|| path_of(view.tree, node)).flatten();
                let parent = view
                    .tree
                    .parent(node)
                    .and_then(|parent| places[parent.index()]);
                csv_cell(view, fields[column], node, path.as_deref(), parent, text);
            })
        }
        Form::Json => {
            let fields = given.unwrap_or_else(|| Field::all(view.policy));
            write_json(out, view, &fields, &nodes)
        }
    }
}

/// Writes the ranking as JSON. `parent` is the place in the tree that `show` writes.
fn write_json(
    out: &mut dyn Write,
    view: &View<'_>,
    fields: &[Field],
    nodes: &[NodeId],
) -> io::Result<()> {
    let places = places(view, view.tree.nodes());
    let row = |&node: &NodeId| {
        let parent = view.tree.parent(node);
        Row {
            view,
            fields: fields.into(),
            node,
            path: path_of(view.tree, node).map(Cow::Owned),
            parent: parent.and_then(|parent| places[parent.index()]),
        }
    };
    let body = object! {
        user_count: view.evaluation.user_count(),
        ranking: Lines(List(nodes.iter().map(row))),
        problems: json::problems(view.problems.list()),
    };
    json::write(out, view, body)
}
