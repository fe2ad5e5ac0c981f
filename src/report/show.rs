//! `show`: the tree with its numbers.

use super::document::Document;
use super::field::{PlacedNode, parent_place};
use super::front::Front;
use super::json::{Lines, Row, object};
use super::rows::{RowPaths, flat, nested, places};
use super::table::{Cell, Column, Heading, Table, write_csv};
use super::tree::{Guide, Guides};
use super::{Field, Form, Options, Output, Report, View, emit, json};
use crate::model::NodeId;
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes the tree, or the part of it that the options select.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Output,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let report = TreeReport {
        view,
        options,
        is_tree: form == Form::Tree || form == Form::Html,
    };
    emit(out, &report, form)
}

/// The report of a tree.
struct TreeReport<'a> {
    view: &'a View<'a>,
    options: &'a Options,
    /// Whether guide lines show its branches.
    is_tree: bool,
}

/// A node, its steps below the topmost one, and what is drawn before its name.
struct Branch {
    guide: Guide,
    depth: usize,
    node: NodeId,
}

/// Returns the tree with guide lines.
pub(super) fn tree<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let requested = options.columns.as_deref();
    let usual = || Field::usual(view);
    let fields = Field::for_people(requested, usual, view, |row: &Branch| row.node);
    let nodes = nested(view, options);
    let top = nodes.first().map_or(0, |&top| view.tree.depth(top));
    let depths = nodes.iter().map(|&node| view.tree.depth(node) - top);
    let mut guides = Guides::new(depths.collect());
    let name = |row: &Branch| Cell::Label(row.guide, view.tree, row.node);
    let heading = Heading::left(view.settings.noun().with_users);
    let mut columns = vec![Column::new(heading, name)];
    columns.extend(fields);
    let rows = nodes
        .into_iter()
        .enumerate()
        .map(move |(row, node)| Branch {
            guide: guides.before(row),
            depth: (view.tree.depth(node) - top) as usize,
            node,
        });
    Table::tree(columns, rows, |row| row.depth)
}

/// Returns the nodes, one line each.
pub(super) fn list<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let requested = options.columns.as_deref();
    let usual = || {
        let leads = [Field::Path, Field::Kind].into_iter();
        leads.chain(Field::usual(view)).collect()
    };
    let columns = Field::for_people(requested, usual, view, |&node| node);
    Table::new(columns, flat(view, options).into_iter())
}

impl TreeReport<'_> {
    /// Returns the fields for machines.
    fn fields(&self) -> Cow<'_, [Field]> {
        Field::machine(self.view, self.options.columns.as_deref())
    }
}

impl Report for TreeReport<'_> {
    fn front(&self) -> Front {
        Front::of("Fairshare tree", self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.headline(self.view);
        document.table(if self.is_tree {
            tree(self.view, self.options)
        } else {
            list(self.view, self.options)
        });
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let nodes = Nodes {
            view,
            options: self.options,
            fields: &self.fields(),
        };
        let body = object! {
            user_count: view.evaluation.user_count(),
            nodes: Lines(nodes),
            problems: json::problems(view.problems.list()),
        };
        json::write(out, view, body)
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, options, .. } = *self;
        let fields = self.fields();
        let columns = fields.iter().map(|field| field.for_machines(view));
        let nodes = flat(view, options);
        let places = places(view, &nodes);
        let mut paths = RowPaths::new(view, options);
        let rows = nodes.iter().map(|&node| PlacedNode {
            node,
            path: paths.next(node).map(str::to_owned),
            parent: parent_place(view, node, &places),
        });
        write_csv(out, &columns.collect::<Vec<_>>(), rows)
    }
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
            rows.serialize_element(&Row {
                view,
                fields: self.fields.into(),
                node,
                path: paths.next(node).map(Cow::Borrowed),
                parent: parent_place(view, node, &places),
            })?;
        }
        rows.end()
    }
}
