//! The order of a tree: pre-order, spans and depths. It is derived, and rebuilt when the shape changes.

use super::NodeId;
use super::tree::Links;

/// The position of each living node in pre-order. A subtree is a contiguous span, so "X is under Y" is a range test. A
/// sweep over positions meets every parent before its children.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// By position: the node.
    nodes: Vec<NodeId>,
    /// By position: the position of the parent.
    above: Vec<u32>,
    /// By position: the position after the subtree.
    end: Vec<u32>,
    /// By position: the steps from the root.
    depth: Vec<u32>,
    /// By id: the position.
    position: Vec<u32>,
}

/// The position of a removed node.
const ABSENT: u32 = u32::MAX;

/// Returns a position as it is stored.
fn narrow(position: usize) -> u32 {
    u32::try_from(position).expect("a tree has fewer than 2^32 nodes")
}

impl Order {
    /// Walks the links from the root. A removed node is left out with its whole subtree.
    pub(super) fn walk(links: &Links, removed: &[bool]) -> Self {
        let count = removed.len();
        let mut order = Self {
            nodes: Vec::with_capacity(count),
            above: Vec::with_capacity(count),
            end: Vec::with_capacity(count),
            depth: Vec::with_capacity(count),
            position: vec![ABSENT; count],
        };
        let mut node = NodeId::ROOT;
        let mut above = 0;
        let mut depth = 0;
        loop {
            if !removed[node.index()] {
                let here = narrow(order.nodes.len());
                order.position[node.index()] = here;
                order.nodes.push(node);
                order.above.push(above);
                order.depth.push(depth);
                order.end.push(here + 1);
                if let Some(child) = links.first_child(node) {
                    node = child;
                    above = here;
                    depth += 1;
                    continue;
                }
            }
            // There are no living nodes below: continue with the next sibling, of an ancestor if need be.
            while depth > 0 && links.next_sibling(node).is_none() {
                let parent = above as usize;
                order.end[parent] = narrow(order.nodes.len());
                node = order.nodes[parent];
                above = order.above[parent];
                depth -= 1;
            }
            match links.next_sibling(node) {
                Some(next) if depth > 0 => node = next,
                _ => return order,
            }
        }
    }

    /// Returns the living nodes in pre-order, the root first.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns, by position, the position of the parent; the root's is its own.
    pub(crate) fn above(&self) -> &[u32] {
        &self.above
    }

    /// Returns, by position, the position after the subtree.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.end
    }

    /// Returns the place of a node in [`Order::nodes`], or `None` for a removed node.
    pub(crate) fn position(&self, node: NodeId) -> Option<usize> {
        match self.position.get(node.index()) {
            None | Some(&ABSENT) => None,
            Some(&position) => Some(position as usize),
        }
    }

    /// Returns the positions of a node and of its whole subtree.
    pub fn span(&self, node: NodeId) -> std::ops::Range<usize> {
        match self.position(node) {
            Some(start) => start..self.end[start] as usize,
            None => 0..0,
        }
    }

    /// Returns the number of steps from the root; 0 for a removed node.
    pub(crate) fn depth(&self, node: NodeId) -> u32 {
        match self.position(node) {
            Some(position) => self.depth[position],
            None => 0,
        }
    }

    /// Returns the positions of a node's children.
    pub(crate) fn children(&self, position: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end[position as usize];
        let mut next = position + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = next;
            next = self.end[child as usize];
            Some(child)
        })
    }

    /// Returns, by position, how many of the marked positions are in each subtree.
    pub(crate) fn count_within(&self, is_marked: &[bool]) -> Vec<u32> {
        let mut counts: Vec<u32> = is_marked.iter().copied().map(u32::from).collect();
        self.sum_up(&mut counts, |above, below| above + below);
        counts
    }

    /// Adds the value of each position to that of the account above, from the last position to the first.
    pub(crate) fn sum_up<T: Copy>(&self, values: &mut [T], plus: impl Fn(T, T) -> T) {
        for place in (1..values.len()).rev() {
            let above = self.above[place] as usize;
            values[above] = plus(values[above], values[place]);
        }
    }

    /// Returns whether `node` is `ancestor` or below it.
    pub fn is_within(&self, node: NodeId, ancestor: NodeId) -> bool {
        match self.position(node) {
            Some(position) => self.span(ancestor).contains(&position),
            None => false,
        }
    }
}
