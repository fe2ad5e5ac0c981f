//! What follows from the shape of a tree: order, kinds, ordinals. All of it is computed when it is first asked for after
//! a change. The facts about a single node are told without it, so that many edits need it once.

use super::Tree;
use crate::model::{Kind, NameId, NodeId, Order};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// What follows from the links of a tree.
#[derive(Debug)]
pub(super) struct Shape {
    /// The position of each node.
    pub(super) order: Arc<Order>,
    /// The kinds of PBS's nodes, by id; `None` if kinds do not follow the shape.
    kinds: Option<Vec<Kind>>,
    /// How many users there are.
    pub(super) users: usize,
    /// The siblings that share a name and partition, but for the first of each.
    ordinals: HashMap<NodeId, u32>,
    /// The living nodes by the number of their name, those of one name in tree order. Computed when many nodes of one name
    /// are first asked for.
    by_name: OnceLock<Vec<NodeId>>,
    /// The same nodes by the number of their name and then by parent. Computed when siblings of such a name are first
    /// asked for.
    by_family: OnceLock<Vec<NodeId>>,
}

impl Tree {
    /// Returns what follows from the links.
    pub(super) fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| Arc::new(Shape::new(self)))
    }

    /// Returns the shape if it was asked for since the last change.
    pub(super) fn known_shape(&self) -> Option<&Shape> {
        let shape = self.shape.get()?;
        Some(shape)
    }

    /// Returns whether neither the node nor an ancestor was removed.
    pub fn contains(&self, node: NodeId) -> bool {
        if node.index() >= self.id_count() {
            return false;
        }
        if let Some(shape) = self.known_shape() {
            return shape.order.position(node).is_some();
        }
        for above in self.upwards(node) {
            if self.structure.removed[above.index()] {
                return false;
            }
        }
        true
    }

    /// Returns whether the node is an account, a user, or what is not listed.
    pub fn kind(&self, node: NodeId) -> Kind {
        if !self.kinds_follow_shape() {
            return self.structure.kind[node.index()];
        }
        if let Some(shape) = self.known_shape()
            && let Some(kinds) = &shape.kinds
            && let Some(&kind) = kinds.get(node.index())
        {
            return kind;
        }
        self.kind_by_shape(node)
    }

    /// Returns whether the node is a user.
    pub(crate) fn is_user(&self, node: NodeId) -> bool {
        self.kind(node) == Kind::User
    }

    /// Returns whether the node is an account.
    pub(crate) fn is_account(&self, node: NodeId) -> bool {
        self.kind(node) == Kind::Account
    }

    /// Returns whether the node stands for what its level has and the source does not list.
    pub(crate) fn is_others(&self, node: NodeId) -> bool {
        self.kind(node) == Kind::Others
    }

    /// Returns whether usage is charged to the node itself: to a user, and to what is not listed.
    pub(crate) fn is_charged(&self, node: NodeId) -> bool {
        self.kind(node) != Kind::Account
    }

    /// Returns the kind of a node of PBS, by its children.
    fn kind_by_shape(&self, node: NodeId) -> Kind {
        match self.children(node).next() {
            None if node != NodeId::ROOT && Some(node) != self.unknown() => Kind::User,
            _ => Kind::Account,
        }
    }

    /// Returns whether the node has living children.
    pub fn has_children(&self, node: NodeId) -> bool {
        match self.known_shape() {
            Some(shape) => shape.order.span(node).len() > 1,
            None => self.contains(node) && self.children(node).next().is_some(),
        }
    }

    /// Returns whether a node is `ancestor` or below it.
    pub fn is_within(&self, node: NodeId, ancestor: NodeId) -> bool {
        match self.known_shape() {
            Some(shape) => shape.order.is_within(node, ancestor),
            None => self.contains(node) && self.upwards(node).any(|above| above == ancestor),
        }
    }

    /// Returns the number of steps from the root.
    pub fn depth(&self, node: NodeId) -> u32 {
        match self.known_shape() {
            Some(shape) => shape.order.depth(node),
            None if self.contains(node) => {
                let depth = self.upwards(node).count() - 1;
                u32::try_from(depth).expect("a tree has fewer than 2^32 nodes")
            }
            None => 0,
        }
    }

    /// Returns 2 for the second sibling of the same name (and partition), 3 for the third, and `None` for the first.
    pub fn ordinal(&self, node: NodeId) -> Option<u32> {
        if let Some(shape) = self.known_shape() {
            return shape.ordinals.get(&node).copied();
        }
        let parent = self.parent(node)?;
        let namesakes = self.children_named(parent, self.name(node), self.partition(node));
        if namesakes.len() < 2 {
            return None;
        }
        self.shape().ordinals.get(&node).copied()
    }
}

impl Shape {
    /// Computes what follows from the links.
    fn new(tree: &Tree) -> Self {
        let structure = &tree.structure;
        let order = Order::walk(&structure.links, &structure.removed);
        let mut kinds = None;
        if tree.kinds_follow_shape() {
            let by_shape = tree.all_ids().map(|node| tree.kind_by_shape(node));
            kinds = Some(by_shape.collect());
        }
        let by_id: &Vec<Kind> = kinds.as_ref().unwrap_or(&structure.kind);
        let mut users = 0;
        for node in order.nodes() {
            users += usize::from(by_id[node.index()] == Kind::User);
        }
        Self {
            users,
            ordinals: count_namesakes(tree, &order),
            order: Arc::new(order),
            kinds,
            by_name: OnceLock::new(),
            by_family: OnceLock::new(),
        }
    }

    /// Returns the living nodes of a name, in tree order.
    pub(super) fn nodes_named(&self, tree: &Tree, name: NameId) -> &[NodeId] {
        let nodes = self.by_name.get_or_init(|| {
            let mut nodes = self.order.nodes().to_vec();
            nodes.sort_by_key(|&node| tree.name_id(node).index());
            nodes
        });
        run(nodes, |node| tree.name_id(node).index(), &name.index())
    }

    /// Returns the living children of a name, in tree order.
    pub(super) fn children_named(&self, tree: &Tree, parent: NodeId, name: NameId) -> &[NodeId] {
        let nodes = self.by_family.get_or_init(|| {
            let mut nodes = self.order.nodes().to_vec();
            nodes.sort_by_key(|&node| family(tree, node));
            nodes
        });
        let wanted = (name.index(), Some(parent));
        run(nodes, |node| family(tree, node), &wanted)
    }
}

/// Returns the number of a node's name, and its parent.
fn family(tree: &Tree, node: NodeId) -> (usize, Option<NodeId>) {
    (tree.name_id(node).index(), tree.parent(node))
}

/// Returns the nodes with a key, of nodes in the order of their keys.
fn run<'a, K: Ord>(nodes: &'a [NodeId], key: impl Fn(NodeId) -> K, wanted: &K) -> &'a [NodeId] {
    let first = nodes.partition_point(|&node| key(node) < *wanted);
    let end = nodes.partition_point(|&node| key(node) <= *wanted);
    &nodes[first..end]
}

/// Numbers siblings that share a name and partition. Usually there are none and nothing is allocated.
fn count_namesakes(tree: &Tree, order: &Order) -> HashMap<NodeId, u32> {
    let mut ordinals = HashMap::new();
    if tree.structure.has_unique_names() {
        return ordinals;
    }
    let mut last_parent = vec![NodeId::NONE; tree.names().len()];
    let mut crowded = Vec::new();
    for &parent in order.nodes() {
        let mut repeats = false;
        for child in tree.children(parent) {
            let last = &mut last_parent[tree.name_id(child).index()];
            repeats |= *last == parent;
            *last = parent;
        }
        if repeats {
            crowded.push(parent);
        }
    }
    for parent in crowded {
        let mut seen = HashMap::new();
        for child in tree.children(parent) {
            let key = (tree.name_id(child), tree.partition(child));
            let count = seen.entry(key).or_insert(0);
            *count += 1;
            if *count > 1 {
                ordinals.insert(child, *count);
            }
        }
    }
    ordinals
}
