//! Sets of nodes of a tree, and how they are named.

use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Tree};
use crate::report::{label, path};

/// A set of nodes by their numbers, so that edits, undo and redo lose none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeSet {
    /// Whether a node is in the set, by its number; nodes beyond the end are not.
    holds: Vec<bool>,
}

impl NodeSet {
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.holds.get(node.index()).copied().unwrap_or(false)
    }

    pub(crate) fn set(&mut self, node: NodeId, is_in: bool) {
        let needed = self.holds.len().max(node.index() + 1);
        self.holds.resize(needed, false);
        self.holds[node.index()] = is_in;
    }

    pub(crate) fn clear(&mut self) {
        self.holds.clear();
    }

    /// Returns the nodes that are in the tree at the moment, in tree order.
    pub(crate) fn nodes(&self, tree: &Tree) -> Vec<NodeId> {
        let nodes = tree.nodes().iter().copied();
        nodes.filter(|&node| self.contains(node)).collect()
    }

    /// Returns how many nodes of the set are in the tree at the moment.
    pub(crate) fn count(&self, tree: &Tree) -> usize {
        let held = (0..self.holds.len()).filter(|&index| self.holds[index]);
        let nodes = held.map(NodeId::from_index);
        nodes.filter(|&node| tree.contains(node)).count()
    }

    pub(crate) fn follow(&mut self, counterparts: &[Option<NodeId>]) {
        let before = std::mem::take(&mut self.holds);
        for (is_in, counterpart) in before.into_iter().zip(counterparts) {
            if let (true, Some(node)) = (is_in, *counterpart) {
                self.set(node, true);
            }
        }
    }
}

/// How many nodes are named one by one.
const NAMED: usize = 3;

/// Returns nodes by name, for people: `alice`, `alice and bob`, `alice, bob and 3 more`. If two have the same name, all
/// are given by their paths.
pub(crate) fn names(tree: &Tree, nodes: &[NodeId]) -> Shown {
    let (shown, rest) = match nodes.len() {
        ..=NAMED => (nodes, 0),
        count => (&nodes[..NAMED - 1], count - (NAMED - 1)),
    };
    let mut named: Vec<Shown> = shown.iter().map(|&node| label(tree, node)).collect();
    let is_same = |at: usize| named[..at].contains(&named[at]);
    if (1..named.len()).any(is_same) {
        named = shown.iter().map(|&node| path(tree, node)).collect();
    }
    let last = match rest {
        0 => named.pop().unwrap_or_default(),
        rest => sentence!("{} more", grouped(rest)),
    };
    if named.is_empty() {
        last
    } else {
        sentence!("{} and {last}", named.join(", "))
    }
}

pub(crate) fn users_in(tree: &Tree, node: NodeId) -> usize {
    let below = tree.nodes()[tree.order().span(node)].iter();
    below.filter(|&&node| tree.kind(node) == Kind::User).count()
}
