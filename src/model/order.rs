//! The order of a tree: pre-order, spans, depths. Derived; rebuilt when the shape changes.

use super::tree::{Links, NodeId};

/// Where each living node stands in pre-order.
///
/// A subtree is a contiguous span, so "below", "skip a folded account" and "is X under Y" are range tests.
#[derive(Clone, Debug, Default)]
pub struct Order {
    nodes: Vec<NodeId>,
    position: Vec<u32>,
    end: Vec<u32>,
    depth: Vec<u32>,
}

/// The position of a node that is not in the order.
const ABSENT: u32 = u32::MAX;

impl Order {
    /// Walks the links from the root; a removed node is left out with everything below it.
    pub(super) fn walk(links: &Links, removed: &[bool]) -> Self {
        let count = removed.len();
        let mut order = Self {
            nodes: Vec::with_capacity(count),
            position: vec![ABSENT; count],
            end: vec![ABSENT; count],
            depth: vec![0; count],
        };
        let mut depth = 0;
        let mut node = NodeId::ROOT;
        loop {
            if removed[node.index()] {
                if let Some(next) = links.next_sibling(node) {
                    node = next;
                    continue;
                }
                // The removed node was the last sibling: its parent is complete.
                match order.close(links, node, &mut depth) {
                    Some(next) => node = next,
                    None => return order,
                }
                continue;
            }
            let index = node.index();
            order.position[index] = u32::try_from(order.nodes.len()).expect("ids are 32 bits wide");
            order.depth[index] = depth;
            order.nodes.push(node);
            if let Some(child) = links.first_child(node) {
                depth += 1;
                node = child;
                continue;
            }
            order.end[index] = u32::try_from(order.nodes.len()).expect("ids are 32 bits wide");
            if node == NodeId::ROOT {
                return order;
            }
            if let Some(next) = links.next_sibling(node) {
                node = next;
                continue;
            }
            match order.close(links, node, &mut depth) {
                Some(next) => node = next,
                None => return order,
            }
        }
    }

    /// Climbs from a last sibling, ending the span of each ancestor, to the next node to visit.
    fn close(&mut self, links: &Links, last: NodeId, depth: &mut u32) -> Option<NodeId> {
        let mut node = last;
        loop {
            let parent = links.parent(node)?;
            *depth -= 1;
            self.end[parent.index()] =
                u32::try_from(self.nodes.len()).expect("ids are 32 bits wide");
            if parent == NodeId::ROOT {
                return None;
            }
            if let Some(next) = links.next_sibling(parent) {
                return Some(next);
            }
            node = parent;
        }
    }

    /// The living nodes in pre-order, the root first.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The place of a node in [`Order::nodes`], or nothing for a removed node.
    #[must_use]
    pub fn position(&self, node: NodeId) -> Option<usize> {
        let position = self.position[node.index()];
        (position != ABSENT).then_some(position as usize)
    }

    /// The places of a node and of everything below it.
    #[must_use]
    pub fn span(&self, node: NodeId) -> std::ops::Range<usize> {
        match self.position(node) {
            Some(start) => start..self.end[node.index()] as usize,
            None => 0..0,
        }
    }

    /// The number of steps from the root.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.depth[node.index()]
    }

    /// Whether `node` lies below `ancestor`, or is it.
    #[must_use]
    pub fn is_within(&self, node: NodeId, ancestor: NodeId) -> bool {
        self.position(node)
            .is_some_and(|position| self.span(ancestor).contains(&position))
    }
}
