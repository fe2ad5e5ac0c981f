//! `show`: the tree with its numbers.

use super::field::{PlacedNode, parent_place};
use super::front::Front;
use super::json::{Lines, Row, object};
use super::page::Page;
use super::rows::{RowPaths, flat, nested, places};
use super::table::{Cell, Column, Heading};
use super::tree::{Guide, Guides};
use super::{Field, Form, Options, Output, Prose, Rows, View, csv, emit, json};
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
    let report = Report {
        view,
        options,
        is_tree: form == Form::Tree || form == Form::Html,
    };
    emit(out, &report, form)
}

/// Writes the rows of a tree without the lines about its source.
pub(super) fn write_rows(
    page: &mut Page<'_>,
    view: &View<'_>,
    options: &Options,
) -> io::Result<()> {
    let is_tree = !page.is_markdown();
    let report = Report {
        view,
        options,
        is_tree,
    };
    if is_tree {
        report.write_tree(page)
    } else {
        report.write_list(page)
    }
}

/// The report of a tree.
struct Report<'a> {
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

impl Report<'_> {
    /// Returns the fields for machines.
    fn fields(&self) -> Cow<'_, [Field]> {
        Field::machine(self.view, self.options.columns.as_deref())
    }

    fn write_tree(&self, page: &mut Page<'_>) -> io::Result<()> {
        let Self { view, options, .. } = *self;
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
        let is_drawn = page.is_drawn();
        let rows = nodes.iter().enumerate().map(move |(row, &node)| {
            let depth = (view.tree.depth(node) - top) as usize;
            let guide = if is_drawn {
                Guide::folded(depth)
            } else {
                guides.before(row)
            };
            Branch { guide, depth, node }
        });
        page.tree(&columns, rows, |row| row.depth)
    }

    fn write_list(&self, page: &mut Page<'_>) -> io::Result<()> {
        let view = self.view;
        let requested = self.options.columns.as_deref();
        let usual = || {
            let leads = [Field::Path, Field::Kind].into_iter();
            leads.chain(Field::usual(view)).collect()
        };
        let columns = Field::for_people(requested, usual, view, |&node| node);
        let nodes = flat(view, self.options);
        page.table(&columns, nodes.iter().copied())
    }
}

impl Prose for Report<'_> {
    fn front(&self) -> Front {
        Front::of("Fairshare tree", self.view)
    }

    fn write_page(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.headline(self.view)?;
        if self.is_tree {
            self.write_tree(page)
        } else {
            self.write_list(page)
        }
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
}

impl Rows for Report<'_> {
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
        csv::write(out, &columns.collect::<Vec<_>>(), rows)
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
