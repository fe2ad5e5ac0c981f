//! `show` and `rank`: the nodes of a tree with their numbers, and its users by rank; which of them, and in which order.

use super::field::{PlacedNode, json_rows};
use super::render::document::{Document, Front};
use super::render::json::{self, object};
use super::render::line::Emphasis;
use super::render::table::{Cell, Column, Table};
use super::render::tree::{Guide, guides};
use super::words::part;
use super::{Field, Form, Output, Report, View, dump, emit, outline};
use crate::base::number::Value;
use crate::model::{Kind, NodeId};
use crate::rules::policy::ColumnId;
use std::io::{self, Write};

/// The rows and columns that a report shows. The default is the whole tree, in tree order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The fields, in order; `None` is the report's own choice.
    pub columns: Option<Vec<Field>>,
    /// The order; `None` is tree order.
    pub sort: Option<RowOrder>,
    /// The number of levels below the topmost node; `None` is all.
    pub depth: Option<u32>,
    /// The topmost node; `None` is the root.
    pub node: Option<NodeId>,
}

/// The order of rows by one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOrder {
    /// The field.
    pub field: Field,
    /// Whether the largest comes first.
    pub is_descending: bool,
}

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
        field: Field::current(ColumnId::Rank),
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

/// A node of a tree, and what stands before its name.
type TreeBranch = (NodeId, Guide);

pub(super) fn tree<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let requested = options.columns.as_deref();
    let usual = || Field::usual(view);
    let fields = Field::for_people(requested, usual, view, |row: &TreeBranch| row.0);
    let nodes = nested(view, options);
    let top = nodes.first().map_or(0, |&top| view.tree.depth(top));
    let depths = nodes.iter().map(|&node| view.tree.depth(node) - top);
    let guides = guides(depths.collect());
    let name = |&(node, guide): &TreeBranch| Cell::Label(guide, view.tree, node);
    let mut columns = vec![Column::left(view.settings.noun().with_users, name)];
    columns.extend(fields);
    let rows = nodes.into_iter().zip(guides);
    Table::of(
        columns,
        rows,
        |_| Emphasis::Plain,
        Some(|row| row.1.depth as usize),
    )
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
            let leads = [Field::current(ColumnId::Rank), Field::Path];
            let mut own = view.usual_columns();
            // Shares are portions of a level, and a ranking has no levels.
            let others = [ColumnId::Shares, ColumnId::GroupPercentage, ColumnId::Rank];
            own.retain(|column| !others.contains(column));
            let own = own.into_iter().map(Field::current);
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
        let mut document = Document::headed(dump::headline(self.view));
        document.table(match (self.is_ranking, self.is_tree) {
            (true, _) => self.ranking(),
            (false, true) => tree(self.view, self.options),
            (false, false) => list(self.view, self.options),
        });
        if self.is_ranking {
            document.paragraphs(part::listed_only(self.view.tree));
        }
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

fn in_tree_order(view: &View<'_>, options: &Options) -> Vec<NodeId> {
    let top = options.node.unwrap_or(NodeId::ROOT);
    let mut nodes = view.tree.within(top).to_vec();
    if let Some(depth) = options.depth {
        let deepest = view.tree.depth(top).saturating_add(depth);
        nodes.retain(|&node| view.tree.depth(node) <= deepest);
    }
    nodes
}

fn flat(view: &View<'_>, options: &Options) -> Vec<NodeId> {
    let mut nodes = in_tree_order(view, options);
    if let Some(sort) = options.sort {
        sort_nodes(view, &mut nodes, sort);
    }
    nodes
}

/// Returns the nodes that the options select, each account before its subtree; only siblings are sorted.
fn nested(view: &View<'_>, options: &Options) -> Vec<NodeId> {
    let mut sorted = in_tree_order(view, options);
    let (Some(sort), Some(&top)) = (options.sort, sorted.first()) else {
        return sorted;
    };
    sort_nodes(view, &mut sorted, sort);
    let places = places(view, &sorted);
    let mut nested = Vec::with_capacity(sorted.len());
    let mut pending = vec![top];
    while let Some(node) = pending.pop() {
        nested.push(node);
        let first = pending.len();
        let children = view.tree.children(node);
        pending.extend(children.filter(|child| places[child.index()].is_some()));
        pending[first..].sort_unstable_by_key(|child| std::cmp::Reverse(places[child.index()]));
    }
    nested
}

/// Returns the place of each node among the rows, by [`NodeId::index`].
fn places(view: &View<'_>, rows: &[NodeId]) -> Vec<Option<u32>> {
    let mut places = vec![None; view.tree.id_count()];
    for (place, node) in (0..).zip(rows) {
        places[node.index()] = Some(place);
    }
    places
}

/// Returns nodes for machines, with the places of their parents among `rows`.
pub(super) fn placed(view: &View<'_>, nodes: &[NodeId], rows: &[NodeId]) -> Vec<PlacedNode> {
    let places = places(view, rows);
    let placed = nodes.iter().map(|&node| PlacedNode {
        node,
        parent: view.tree.parent(node).and_then(|it| places[it.index()]),
    });
    placed.collect()
}

/// Returns nodes as rows for machines, as `show` writes them, with the places of their parents among them.
pub(super) fn rows_of<'a>(view: &'a View<'a>, nodes: &[NodeId]) -> Table<'a> {
    Field::csv_rows(view, None, placed(view, nodes, nodes))
}

/// Sorts by a field. Equals keep their order, and nodes without a number come last in both directions.
fn sort_nodes(view: &View<'_>, nodes: &mut [NodeId], sort: RowOrder) {
    let tree = view.tree;
    let falls = sort.is_descending;
    let place = |node: NodeId| tree.order().position(node).map(|place| place as f64);
    let value = |node: NodeId| match sort.field {
        Field::Path | Field::Name => place(node).into(),
        Field::Kind => Value::Count(i64::from(tree.kind(node) == Kind::User)),
        Field::Depth => Value::Count(tree.depth(node).into()),
        Field::Parent => tree.parent(node).and_then(place).into(),
        Field::Column(column) => view.rule_value(column, node),
    };
    match sort.field {
        Field::Name if falls => nodes.sort_by(|&a, &b| tree.name(b).cmp(tree.name(a))),
        Field::Name => nodes.sort_by(|&a, &b| tree.name(a).cmp(tree.name(b))),
        _ => nodes.sort_by_cached_key(|&node| outline::key(value(node), falls)),
    }
}
