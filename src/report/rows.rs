//! Which nodes a report shows, and in which order.

use super::field::{Field, PlacedNode};
use super::{View, outline};
use crate::base::number::Value;
use crate::model::{Kind, NodeId};

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

fn in_tree_order(view: &View<'_>, options: &Options) -> Vec<NodeId> {
    let top = options.node.unwrap_or(NodeId::ROOT);
    let mut nodes = view.tree.within(top).to_vec();
    if let Some(depth) = options.depth {
        let deepest = view.tree.depth(top).saturating_add(depth);
        nodes.retain(|&node| view.tree.depth(node) <= deepest);
    }
    nodes
}

pub(super) fn flat(view: &View<'_>, options: &Options) -> Vec<NodeId> {
    let mut nodes = in_tree_order(view, options);
    if let Some(sort) = options.sort {
        sort_nodes(view, &mut nodes, sort);
    }
    nodes
}

/// Returns the nodes that the options select, each account before its subtree; only siblings are sorted.
pub(super) fn nested(view: &View<'_>, options: &Options) -> Vec<NodeId> {
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
        Field::Column(column) => view.value(column, node),
    };
    match sort.field {
        Field::Name if falls => nodes.sort_by(|&a, &b| tree.name(b).cmp(tree.name(a))),
        Field::Name => nodes.sort_by(|&a, &b| tree.name(a).cmp(tree.name(b))),
        _ => nodes.sort_by_cached_key(|&node| outline::key(value(node), falls)),
    }
}
