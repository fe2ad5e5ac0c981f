//! The links between nodes: parents, children and siblings.

use super::Position;
use crate::model::NodeId;

/// The links between nodes.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Links {
    parent: Vec<NodeId>,
    first_child: Vec<NodeId>,
    last_child: Vec<NodeId>,
    next_sibling: Vec<NodeId>,
    previous_sibling: Vec<NodeId>,
}

fn some(node: NodeId) -> Option<NodeId> {
    (node != NodeId::NONE).then_some(node)
}

impl Links {
    pub(in crate::model) fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.parent[node.index()])
    }

    pub(in crate::model) fn first_child(&self, node: NodeId) -> Option<NodeId> {
        some(self.first_child[node.index()])
    }

    pub(in crate::model) fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        some(self.next_sibling[node.index()])
    }

    pub(super) fn reserve(&mut self, nodes: usize) {
        for links in [
            &mut self.parent,
            &mut self.first_child,
            &mut self.last_child,
            &mut self.next_sibling,
            &mut self.previous_sibling,
        ] {
            links.reserve(nodes);
        }
    }

    /// Returns the last child, removed ones included.
    pub(super) fn last_child(&self, node: NodeId) -> Option<NodeId> {
        some(self.last_child[node.index()])
    }

    pub(super) fn push(&mut self) -> NodeId {
        let node = NodeId::from_index(self.parent.len());
        for links in [
            &mut self.parent,
            &mut self.first_child,
            &mut self.last_child,
            &mut self.next_sibling,
            &mut self.previous_sibling,
        ] {
            links.push(NodeId::NONE);
        }
        node
    }

    fn attach_first(&mut self, node: NodeId, parent: NodeId) {
        let second = self.first_child[parent.index()];
        self.parent[node.index()] = parent;
        self.next_sibling[node.index()] = second;
        self.first_child[parent.index()] = node;
        match some(second) {
            Some(second) => self.previous_sibling[second.index()] = node,
            None => self.last_child[parent.index()] = node,
        }
    }

    pub(super) fn attach_after(&mut self, node: NodeId, parent: NodeId, before: Option<NodeId>) {
        let Some(before) = before else {
            return self.attach_first(node, parent);
        };
        let after = self.next_sibling[before.index()];
        self.parent[node.index()] = parent;
        self.next_sibling[node.index()] = after;
        self.previous_sibling[node.index()] = before;
        self.next_sibling[before.index()] = node;
        match some(after) {
            Some(after) => self.previous_sibling[after.index()] = node,
            None => self.last_child[parent.index()] = node,
        }
    }

    pub(super) fn attach(&mut self, node: NodeId, parent: NodeId, position: Position) {
        match position {
            Position::First => self.attach_first(node, parent),
            Position::Last => {
                self.attach_after(node, parent, some(self.last_child[parent.index()]));
            }
        }
    }

    /// Returns the previous sibling, removed ones included.
    fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        some(self.previous_sibling[node.index()])
    }

    pub(super) fn detach(&mut self, node: NodeId) {
        let Some(parent) = self.parent(node) else {
            return;
        };
        let (previous, next) = (self.previous_sibling(node), self.next_sibling(node));
        match previous {
            Some(previous) => self.next_sibling[previous.index()] = next.unwrap_or(NodeId::NONE),
            None => self.first_child[parent.index()] = next.unwrap_or(NodeId::NONE),
        }
        match next {
            Some(next) => self.previous_sibling[next.index()] = previous.unwrap_or(NodeId::NONE),
            None => self.last_child[parent.index()] = previous.unwrap_or(NodeId::NONE),
        }
        self.parent[node.index()] = NodeId::NONE;
        self.next_sibling[node.index()] = NodeId::NONE;
        self.previous_sibling[node.index()] = NodeId::NONE;
    }
}
