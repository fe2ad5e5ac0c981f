//! `show` and `rank`: the nodes of a tree with their numbers, and its users by rank.

use super::field::{PlacedNode, json_rows};
use super::render::document::{Document, Front};
use super::render::json::{self, object};
use super::render::line::Emphasis;
use super::render::table::{Cell, Column, Table};
use super::render::tree::{Guide, Guides};
use super::rows::{flat, nested, placed};
use super::{Field, Form, Options, Output, Report, RowOrder, View, dump, emit};
use crate::model::{Kind, NodeId};
use crate::rules::policy::ColumnId;
use std::io::{self, Write};

/// Writes the tree, or the part of it that the options select.
pub fn write(
    out: &mut Output<'_>,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let report = NodeReport {
        view,
        options,
        is_tree: form == Form::Tree || form == Form::Html,
        is_ranking: false,
    };
    emit(out, &report, form)
}

/// Writes the users by rank, those without one last; `Tree` is written as `Table` because a ranking has no branches.
pub fn write_ranking(
    out: &mut Output<'_>,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let by_rank = RowOrder {
        field: Field::Column(ColumnId::Rank),
        is_descending: false,
    };
    let options = &Options {
        sort: Some(options.sort.unwrap_or(by_rank)),
        ..options.clone()
    };
    let report = NodeReport {
        view,
        options,
        is_tree: false,
        is_ranking: true,
    };
    emit(out, &report, form)
}

struct NodeReport<'a> {
    view: &'a View<'a>,
    options: &'a Options,
    /// Whether guide lines show its branches.
    is_tree: bool,
    /// Whether only users are listed, by rank.
    is_ranking: bool,
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
    let usual = || {
        let leads = [Field::Path, Field::Kind].into_iter();
        leads.chain(Field::usual(view)).collect()
    };
    table(view, options, usual, flat(view, options))
}

fn table<'a>(
    view: &'a View<'a>,
    options: &Options,
    usual: impl FnOnce() -> Vec<Field>,
    nodes: Vec<NodeId>,
) -> Table<'a> {
    let requested = options.columns.as_deref();
    let columns = Field::for_people(requested, usual, view, |&node| node);
    Table::new(columns, nodes.into_iter())
}

impl<'a> NodeReport<'a> {
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = flat(self.view, self.options);
        nodes.retain(|&node| !self.is_ranking || self.view.tree.kind(node) == Kind::User);
        nodes
    }

    /// Returns the rows for machines. In a ranking the parent of each is a place in the whole tree.
    fn rows(&self) -> Vec<PlacedNode> {
        let nodes = self.nodes();
        let among = if self.is_ranking {
            self.view.tree.nodes()
        } else {
            &nodes
        };
        placed(self.view, &nodes, among)
    }

    fn ranking(&self) -> Table<'a> {
        let view = self.view;
        let usual = || {
            let leads = [Field::Column(ColumnId::Rank), Field::Path];
            let mut own = view.usual_columns();
            // Shares are portions of a level, and a ranking has no levels.
            let others = [ColumnId::Shares, ColumnId::GroupPercentage, ColumnId::Rank];
            own.retain(|column| !others.contains(column));
            let own = own.into_iter().map(Field::Column);
            leads.into_iter().chain(own).collect()
        };
        table(view, self.options, usual, self.nodes())
    }
}

impl Report for NodeReport<'_> {
    fn front(&self) -> Front {
        let title = if self.is_ranking {
            "Ranking"
        } else {
            "Fairshare tree"
        };
        Front::of(title, self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.headline(dump::headline(self.view));
        document.table(match (self.is_ranking, self.is_tree) {
            (true, _) => self.ranking(),
            (false, true) => tree(self.view, self.options),
            (false, false) => list(self.view, self.options),
        });
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let rows = || json_rows(view, self.options.columns.as_deref(), self.rows());
        let body = object! {
            user_count: view.evaluation.user_count(),
            #[serde(flatten)]
            ranking: self.is_ranking.then(|| object! { ranking: rows() }),
            #[serde(flatten)]
            nodes: (!self.is_ranking).then(|| object! { nodes: rows() }),
        };
        json::write(out, view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        let columns = self.options.columns.as_deref();
        Some(Field::csv_rows(self.view, columns, self.rows()))
    }
}
