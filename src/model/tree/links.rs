//! The links between nodes: parents, children and siblings.

use super::Position;
use crate::model::NodeId;

/// The links between nodes. Removed nodes keep theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links(Vec<Link>);

/// The links of a node. Each is `NodeId::NONE` where there is none.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The node above.
    parent: NodeId,
    /// The first node below.
    first_child: NodeId,
    /// The last node below.
    last_child: NodeId,
    /// The node behind it below the same parent.
    next_sibling: NodeId,
    /// The node in front of it below the same parent.
    previous_sibling: NodeId,
}

impl Link {
    /// The links of a node that is not attached.
    const NONE: Self = Self {
        parent: NodeId::NONE,
        first_child: NodeId::NONE,
        last_child: NodeId::NONE,
        next_sibling: NodeId::NONE,
        previous_sibling: NodeId::NONE,
    };
}

/// Returns a node as it is stored, with `None` for none.
pub(super) fn some(node: NodeId) -> Option<NodeId> {
    if node == NodeId::NONE {
        return None;
    }
    Some(node)
}

impl Links {
    /// Returns the parent of a node; `None` for the root.
    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.0[node.index()].parent)
    }

    /// Returns the first child of a node, a removed one included.
    pub(crate) fn first_child(&self, node: NodeId) -> Option<NodeId> {
        some(self.0[node.index()].first_child)
    }

    /// Returns the node behind another below the same parent, a removed one included.
    pub(crate) fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        some(self.0[node.index()].next_sibling)
    }

    /// Returns all children, removed ones included.
    pub(super) fn family(&self, parent: NodeId) -> Vec<NodeId> {
        let mut family = Vec::new();
        let mut next = self.first_child(parent);
        while let Some(child) = next {
            family.push(child);
            next = self.next_sibling(child);
        }
        family
    }

    /// Returns the last child of a node, a removed one included.
    fn last_child(&self, node: NodeId) -> Option<NodeId> {
        some(self.0[node.index()].last_child)
    }

    /// Returns the links of a node, to be changed.
    fn link(&mut self, node: NodeId) -> &mut Link {
        &mut self.0[node.index()]
    }

    /// Reserves space for so many more nodes.
    pub(super) fn reserve(&mut self, nodes: usize) {
        self.0.reserve(nodes);
    }

    /// Adds the links of a node, without any.
    pub(super) fn push(&mut self) -> NodeId {
        let node = NodeId::from_index(self.0.len());
        self.0.push(Link::NONE);
        node
    }

    /// Puts a node under its parent.
    pub(super) fn attach(&mut self, node: NodeId, parent: NodeId, position: Position) {
        let before = match position {
            Position::First => None,
            Position::Last => self.last_child(parent),
        };
        self.attach_after(node, parent, before);
    }

    /// Puts a node behind a sibling, or in front of all.
    pub(super) fn attach_after(&mut self, node: NodeId, parent: NodeId, before: Option<NodeId>) {
        let place = match before {
            Some(before) => &mut self.link(before).next_sibling,
            None => &mut self.link(parent).first_child,
        };
        let after = std::mem::replace(place, node);
        let link = self.link(node);
        link.parent = parent;
        link.previous_sibling = before.unwrap_or(NodeId::NONE);
        link.next_sibling = after;
        match some(after) {
            Some(after) => self.link(after).previous_sibling = node,
            None => self.link(parent).last_child = node,
        }
    }

    /// Takes a node from its parent, with its whole subtree.
    pub(super) fn detach(&mut self, node: NodeId) {
        let link = *self.link(node);
        let parent = link.parent;
        let next = link.next_sibling;
        let previous = link.previous_sibling;
        if parent == NodeId::NONE {
            return;
        }
        match some(previous) {
            Some(previous) => self.link(previous).next_sibling = next,
            None => self.link(parent).first_child = next,
        }
        match some(next) {
            Some(next) => self.link(next).previous_sibling = previous,
            None => self.link(parent).last_child = previous,
        }
        let link = self.link(node);
        link.parent = NodeId::NONE;
        link.next_sibling = NodeId::NONE;
        link.previous_sibling = NodeId::NONE;
    }
}
