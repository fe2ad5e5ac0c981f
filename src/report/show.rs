//! `show` and `rank`: the nodes of a tree with their numbers, and its users by rank; which of them, and in which order.

use super::field::{PlacedNode, json_rows};
use super::render::document::{Document, Front};
use super::render::json::{self, object};
use super::render::line::Emphasis;
use super::render::table::{Cell, Column, Table};
use super::render::tree::{Guide, guides};
use super::words::part;
use super::{Field, Form, Output, Report, View, dump, emit, outline};
use crate::base::number::{Value, grouped, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::ColumnId;
use serde::Serialize;
use std::cmp::Reverse;
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
    /// The most rows, of which the first ones are shown; `None` is all.
    pub limit: Option<usize>,
    /// The only nodes that have rows; `None` is all.
    pub only: Option<Vec<NodeId>>,
}

impl Options {
    /// Leaves out the rows beyond the most.
    fn cut<T>(&self, rows: &mut Vec<T>) {
        if let Some(limit) = self.limit {
            rows.truncate(limit);
        }
    }
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
    let options = &by_rank(options);
    let report = NodeReport {
        view,
        options,
        is_tree: false,
        is_ranking: true,
    };
    emit(out, &report, form)
}

/// Returns the options of a ranking, which is in the order of ranks unless another one is asked for.
fn by_rank(options: &Options) -> Options {
    let by_rank = RowOrder {
        field: Field::current(ColumnId::Rank),
        is_descending: false,
    };
    Options {
        sort: Some(options.sort.unwrap_or(by_rank)),
        ..options.clone()
    }
}

/// Returns the users that the options select, by rank.
pub(super) fn ranking<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let options = by_rank(options);
    let mut users = flat(view, &options);
    keep_users(view, &mut users);
    options.cut(&mut users);
    let mut usual = vec![Field::current(ColumnId::Rank), Field::Path];
    for column in view.usual_columns() {
        match column {
            // Shares are portions of a level, and a ranking has no levels.
            ColumnId::Shares | ColumnId::GroupPercentage | ColumnId::Rank => {}
            column => usual.push(Field::current(column)),
        }
    }
    table(view, &options, usual, users)
}

/// Keeps those nodes that are users.
fn keep_users(view: &View<'_>, nodes: &mut Vec<NodeId>) {
    nodes.retain(|&node| view.tree.kind(node) == Kind::User);
}

/// A tree or a part of it, or the ranking of its users.
struct NodeReport<'a> {
    /// The tree.
    view: &'a View<'a>,
    /// Its rows and columns.
    options: &'a Options,
    /// Whether guide lines show its branches.
    is_tree: bool,
    /// Whether only users are listed, by rank.
    is_ranking: bool,
}

/// A node of a drawn tree.
#[derive(Clone, Copy)]
struct TreeRow {
    /// The node.
    node: NodeId,
    /// What stands before its name.
    guide: Guide,
}

/// Returns the nodes that the options select, as a drawn tree.
pub(super) fn tree<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let rows = tree_rows(view, options);
    let noun = view.settings.noun().with_users;
    let name = Column::left(noun, |row: &TreeRow| {
        Cell::Label(row.guide, view.tree, row.node)
    });
    let mut columns = vec![name];
    columns.extend(Field::for_people(
        options.columns.as_deref(),
        || Field::usual(view),
        view,
        |row: &TreeRow| row.node,
    ));
    Table::of(
        columns,
        rows.into_iter(),
        |_| Emphasis::Plain,
        Some(|row| row.guide.depth as usize),
    )
}

/// Returns the nodes that the options select, with what stands before their names in a drawn tree.
fn tree_rows(view: &View<'_>, options: &Options) -> Vec<TreeRow> {
    let tree = view.tree;
    let nodes = nested(view, options);
    let mut depths = Vec::with_capacity(nodes.len());
    for &node in &nodes {
        let top = tree.depth(nodes[0]);
        depths.push(tree.depth(node) - top);
    }
    let guides = guides(&depths);
    let mut rows = Vec::with_capacity(nodes.len());
    for (node, guide) in nodes.into_iter().zip(guides) {
        rows.push(TreeRow { node, guide });
    }
    options.cut(&mut rows);
    rows
}

/// Returns the nodes that the options select, by their paths.
pub(super) fn list<'a>(view: &'a View<'a>, options: &Options) -> Table<'a> {
    let mut usual = vec![Field::Path, Field::Kind];
    usual.extend(Field::usual(view));
    let mut nodes = flat(view, options);
    options.cut(&mut nodes);
    table(view, options, usual, nodes)
}

/// Returns a table of nodes with the requested fields, else the usual ones.
fn table<'a>(
    view: &'a View<'a>,
    options: &Options,
    usual: Vec<Field>,
    nodes: Vec<NodeId>,
) -> Table<'a> {
    let requested = options.columns.as_deref();
    let columns = Field::for_people(requested, || usual, view, |&node| node);
    Table::new(columns, nodes.into_iter())
}

impl<'a> NodeReport<'a> {
    /// Returns the nodes of the report, in its order.
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = flat(self.view, self.options);
        self.keep_listed(&mut nodes);
        self.options.cut(&mut nodes);
        nodes
    }

    /// Keeps those nodes of which the report has a row: in a ranking the users.
    fn keep_listed(&self, nodes: &mut Vec<NodeId>) {
        if self.is_ranking {
            keep_users(self.view, nodes);
        }
    }

    /// Returns how many rows the limit leaves out, as a sentence; `None` if it leaves out none.
    fn left_out(&self) -> Option<Shown> {
        let limit = self.options.limit?;
        let mut nodes = in_tree_order(self.view, self.options);
        self.keep_listed(&mut nodes);
        let left = nodes.len().checked_sub(limit)?;
        if left == 0 {
            return None;
        }
        let count = grouped(left);
        Some(if self.is_ranking {
            let users = word_for(left, "user", "users");
            sentence!("{count} more {users}")
        } else {
            let nodes = word_for(left, "node", "nodes");
            sentence!("{count} more {nodes}")
        })
    }

    /// Returns the rows for machines. In a ranking the parent of each is a place in the whole tree.
    fn rows(&self) -> Vec<PlacedNode> {
        let nodes = self.nodes();
        if self.is_ranking {
            placed(self.view, &nodes, self.view.tree.nodes())
        } else {
            placed(self.view, &nodes, &nodes)
        }
    }

    /// Returns the nodes as the form has them.
    fn table(&self) -> Table<'a> {
        if self.is_ranking {
            ranking(self.view, self.options)
        } else if self.is_tree {
            tree(self.view, self.options)
        } else {
            list(self.view, self.options)
        }
    }

    /// Returns the rows for JSON.
    fn json_rows(&self) -> impl Serialize {
        let columns = self.options.columns.as_deref();
        json_rows(self.view, columns, self.rows())
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
        document.table(self.table());
        if let Some(left) = self.left_out() {
            document.paragraph(left);
        }
        if self.is_ranking {
            document.paragraphs(part::listed_only(self.view.tree));
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut ranking = None;
        let mut nodes = None;
        let rows = self.json_rows();
        if self.is_ranking {
            ranking = Some(object! { ranking: rows });
        } else {
            nodes = Some(object! { nodes: rows });
        }
        let body = object! {
            user_count: self.view.evaluation.user_count(),
            #[serde(flatten)]
            ranking: ranking,
            #[serde(flatten)]
            nodes: nodes,
        };
        json::write(out, self.view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        let columns = self.options.columns.as_deref();
        Some(Field::csv_rows(self.view, columns, self.rows()))
    }
}

/// Returns the nodes that the options select, in tree order.
fn in_tree_order(view: &View<'_>, options: &Options) -> Vec<NodeId> {
    let top = options.node.unwrap_or(NodeId::ROOT);
    let mut nodes = view.tree.within(top).to_vec();
    if let Some(depth) = options.depth {
        let deepest = view.tree.depth(top).saturating_add(depth);
        nodes.retain(|&node| view.tree.depth(node) <= deepest);
    }
    if let Some(only) = &options.only {
        nodes.retain(|node| only.contains(node));
    }
    nodes
}

/// Returns the nodes that the options select, in their order.
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
    let Some(sort) = options.sort else {
        return sorted;
    };
    let mut pending = Vec::new();
    pending.extend(sorted.first().copied());
    sort_nodes(view, &mut sorted, sort);
    let places = places(view, &sorted);
    let mut nested = Vec::with_capacity(sorted.len());
    while let Some(node) = pending.pop() {
        nested.push(node);
        let first = pending.len();
        for child in view.tree.children(node) {
            if places[child.index()].is_some() {
                pending.push(child);
            }
        }
        let family = &mut pending[first..];
        family.sort_unstable_by_key(|child| Reverse(places[child.index()]));
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
    let mut placed = Vec::with_capacity(nodes.len());
    for &node in nodes {
        let parent = match view.tree.parent(node) {
            Some(parent) => places[parent.index()],
            None => None,
        };
        placed.push(PlacedNode { node, parent });
    }
    placed
}

/// Returns nodes as rows for machines, as `show` writes them, with the places of their parents among them.
pub(super) fn rows_of<'a>(view: &'a View<'a>, nodes: &[NodeId]) -> Table<'a> {
    let rows = placed(view, nodes, nodes);
    Field::csv_rows(view, None, rows)
}

/// Sorts by a field. Equals keep their order, and nodes without a number come last in both directions.
fn sort_nodes(view: &View<'_>, nodes: &mut [NodeId], sort: RowOrder) {
    let tree = view.tree;
    let falls = sort.is_descending;
    match sort.field {
        Field::Name if falls => nodes.sort_by_key(|&node| Reverse(tree.name(node))),
        Field::Name => nodes.sort_by_key(|&node| tree.name(node)),
        field => nodes.sort_by_cached_key(|&node| {
            let value = sorted_value(view, field, node);
            outline::key(value, falls)
        }),
    }
}

/// Returns the number by which nodes are sorted by a field.
fn sorted_value(view: &View<'_>, field: Field, node: NodeId) -> Value {
    let tree = view.tree;
    match field {
        Field::Path | Field::Name => position(tree, node),
        Field::Kind => {
            let is_user = tree.kind(node) == Kind::User;
            Value::Count(is_user.into())
        }
        Field::Depth => {
            let depth = tree.depth(node);
            Value::Count(depth.into())
        }
        Field::Parent => match tree.parent(node) {
            Some(parent) => position(tree, parent),
            None => Value::Null,
        },
        Field::Column(column) => view.rule_value(column, node),
    }
}

/// Returns the place of a node in tree order.
fn position(tree: &Tree, node: NodeId) -> Value {
    match tree.order().position(node) {
        Some(place) => Value::Double(place as f64),
        None => Value::Null,
    }
}
