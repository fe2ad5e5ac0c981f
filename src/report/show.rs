//! `show`: the tree with its numbers.

use super::field::{PlacedNode, json_rows};
use super::render::document::{Document, Front};
use super::render::json::{self, object};
use super::render::line::Emphasis;
use super::render::table::{Cell, Column, Table};
use super::render::tree::{Guide, Guides};
use super::rows::{flat, nested, placed};
use super::{Field, Form, Options, Output, Report, View, dump, emit};
use crate::model::NodeId;
use std::io::{self, Write};

/// Writes the tree, or the part of it that the options select.
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

struct TreeReport<'a> {
    view: &'a View<'a>,
    options: &'a Options,
    /// Whether guide lines show its branches.
    is_tree: bool,
}

struct TreeBranch {
    guide: Guide,
    depth: usize,
    node: NodeId,
}

pub(super) fn tree<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let requested = options.columns.as_deref();
    let usual = || Field::usual(view);
    let fields = Field::for_people(requested, usual, view, |row: &TreeBranch| row.node);
    let nodes = nested(view, options);
    let top = nodes.first().map_or(0, |&top| view.tree.depth(top));
    let depths = nodes.iter().map(|&node| view.tree.depth(node) - top);
    let mut guides = Guides::new(depths.collect());
    let name = |row: &TreeBranch| Cell::Label(row.guide, view.tree, row.node);
    let mut columns = vec![Column::left(view.settings.noun().with_users, name)];
    columns.extend(fields);
    let rows = nodes.into_iter().enumerate();
    let rows = rows.map(move |(row, node)| TreeBranch {
        guide: guides.before(row),
        depth: (view.tree.depth(node) - top) as usize,
        node,
    });
    Table::of(columns, rows, |_| Emphasis::Plain, Some(|row| row.depth))
}

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
    fn rows(&self) -> Vec<PlacedNode> {
        let nodes = flat(self.view, self.options);
        placed(self.view, &nodes, &nodes)
    }
}

impl Report for TreeReport<'_> {
    fn front(&self) -> Front {
        Front::of("Fairshare tree", self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.headline(dump::headline(self.view));
        document.table(if self.is_tree {
            tree(self.view, self.options)
        } else {
            list(self.view, self.options)
        });
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, options, .. } = *self;
        let body = object! {
            user_count: view.evaluation.user_count(),
            nodes: json_rows(view, options.columns.as_deref(), self.rows()),
        };
        json::write(out, view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        let columns = self.options.columns.as_deref();
        Some(Field::csv_rows(self.view, columns, self.rows()))
    }
}
