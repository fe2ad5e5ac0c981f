//! Sets of nodes of a tree, and how they are named.

use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Tree};
use crate::report::{label, path};

/// A set of nodes by their numbers, so that edits, undo and redo lose none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSet {
    /// Whether a node is in the set, by its number; nodes beyond the end are not.
    holds: Vec<bool>,
}

impl NodeSet {
    /// Returns whether the node is in the set.
    pub fn contains(&self, node: NodeId) -> bool {
        self.holds.get(node.index()).copied().unwrap_or(false)
    }

    /// Adds a node or removes it.
    pub fn set(&mut self, node: NodeId, is_in: bool) {
        if node.index() >= self.holds.len() {
            if !is_in {
                return;
            }
            self.holds.resize(node.index() + 1, false);
        }
        self.holds[node.index()] = is_in;
    }

    /// Removes every node.
    pub fn clear(&mut self) {
        self.holds.clear();
    }

    /// Returns the nodes that are in the tree at the moment, in tree order.
    pub fn nodes(&self, tree: &Tree) -> Vec<NodeId> {
        if self.holds.is_empty() {
            return Vec::new();
        }
        let nodes = tree.nodes().iter().copied();
        nodes.filter(|&node| self.contains(node)).collect()
    }

    /// Returns how many nodes of the set are in the tree at the moment.
    pub fn count(&self, tree: &Tree) -> usize {
        let held = self.holds.iter().enumerate().filter(|(_, is)| **is);
        held.filter(|(index, _)| tree.contains(NodeId::from_index(*index)))
            .count()
    }

    /// Replaces every node by its counterpart in another tree.
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

/// Returns nodes by name, for people: `alice`, `alice and bob`, `alice, bob and 3 more`. If two have the same name, all
/// are given by their paths.
pub(crate) fn names(tree: &Tree, nodes: &[NodeId]) -> Shown {
    let shown = if nodes.len() > NAMED {
        NAMED - 1
    } else {
        nodes.len()
    };
    let mut named: Vec<Shown> = nodes[..shown]
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
        rest => sentence!("{} more", crate::base::number::grouped(rest)),
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
