//! Some nodes of a tree: which they are, and how they are named.

use crate::model::{Kind, NodeId, Tree};
use crate::report::{label, path};

/// Some of a tree's nodes. They are known by their numbers, so edits, undo and redo lose none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSet {
    /// By the number of a node; what lies beyond the end is not in the set.
    holds: Vec<bool>,
}

impl NodeSet {
    /// Whether the node is one of them.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.holds.get(node.index()).copied().unwrap_or(false)
    }

    /// Takes a node in or out.
    pub fn set(&mut self, node: NodeId, is_in: bool) {
        if node.index() >= self.holds.len() {
            if !is_in {
                return;
            }
            self.holds.resize(node.index() + 1, false);
        }
        self.holds[node.index()] = is_in;
    }

    /// Leaves none in.
    pub fn clear(&mut self) {
        self.holds.clear();
    }

    /// Those that are in the tree at the moment, in tree order.
    #[must_use]
    pub fn nodes(&self, tree: &Tree) -> Vec<NodeId> {
        if self.holds.is_empty() {
            return Vec::new();
        }
        let nodes = tree.nodes().iter().copied();
        nodes.filter(|&node| self.contains(node)).collect()
    }

    /// How many of them are in the tree at the moment.
    #[must_use]
    pub fn count(&self, tree: &Tree) -> usize {
        let held = self.holds.iter().enumerate().filter(|(_, is)| **is);
        held.filter(|(index, _)| tree.contains(NodeId::from_index(*index)))
            .count()
    }

    /// The same nodes in another tree, in which they have those counterparts.
    pub(crate) fn follow(&mut self, counterparts: &[Option<NodeId>]) {
        let before = std::mem::take(self);
        for (is_in, counterpart) in before.holds.into_iter().zip(counterparts) {
            if let (true, Some(node)) = (is_in, *counterpart) {
                self.set(node, true);
            }
        }
    }
}

/// How many nodes are named one by one.
const NAMED: usize = 3;

/// Nodes by name, for people: `alice`, `alice and bob`, `alice, bob and 3 more`. Where two of them have one name, all go
/// by their paths.
pub(crate) fn names(tree: &Tree, nodes: &[NodeId]) -> String {
    let shown = if nodes.len() > NAMED {
        NAMED - 1
    } else {
        nodes.len()
    };
    let mut named: Vec<String> = nodes[..shown]
        .iter()
        .map(|&node| label(tree, node))
        .collect();
    let is_same = |at: usize| named[..at].contains(&named[at]);
    if (1..named.len()).any(is_same) {
        named = nodes[..shown]
            .iter()
            .map(|&node| path(tree, node))
            .collect();
    }
    let last = match nodes.len() - shown {
        0 => named.pop().unwrap_or_default(),
        rest => format!("{} more", crate::base::number::grouped(rest)),
    };
    if named.is_empty() {
        last
    } else {
        format!("{} and {last}", named.join(", "))
    }
}

pub(crate) fn users_in(tree: &Tree, node: NodeId) -> usize {
    let below = tree.nodes()[tree.order().span(node)].iter();
    below.filter(|&&node| tree.kind(node) == Kind::User).count()
}
