//! The order of a tree: pre-order, spans and depths. It is derived, and rebuilt when the shape changes.

use super::NodeId;
use super::tree::Links;

/// The position of each living node in pre-order. A subtree is a contiguous span, so "X is under Y" is a range test. A
/// sweep over positions meets every parent before its children.
#[derive(Clone, Debug, Default)]
pub struct Order {
    nodes: Vec<NodeId>,
    above: Vec<u32>,
    end: Vec<u32>,
    depth: Vec<u32>,
    position: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

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
        let (mut node, mut above, mut depth) = (NodeId::ROOT, 0, 0);
        loop {
            if !removed[node.index()] {
                let here = narrow(order.nodes.len());
                order.position[node.index()] = here;
                order.nodes.push(node);
                order.above.push(above);
                order.depth.push(depth);
                order.end.push(here + 1);
                if let Some(child) = links.first_child(node) {
                    (node, above, depth) = (child, here, depth + 1);
                    continue;
                }
            }
            // There are no living nodes below: continue with the next sibling, of an ancestor if need be.
            while depth > 0 && links.next_sibling(node).is_none() {
                let parent = order.nodes[above as usize];
                order.end[above as usize] = narrow(order.nodes.len());
                (node, above, depth) = (parent, order.above[above as usize], depth - 1);
            }
            match links.next_sibling(node).filter(|_| depth > 0) {
                Some(next) => node = next,
                None => return order,
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
        let position = self.position.get(node.index()).copied().unwrap_or(ABSENT);
        (position != ABSENT).then_some(position as usize)
    }

    /// Returns the positions of a node and of its whole subtree.
    pub fn span(&self, node: NodeId) -> std::ops::Range<usize> {
        self.position(node)
            .map_or(0..0, |start| start..self.end[start] as usize)
    }

    /// Returns the number of steps from the root; 0 for a removed node.
    pub(crate) fn depth(&self, node: NodeId) -> u32 {
        self.position(node)
            .map_or(0, |position| self.depth[position])
    }

    pub(crate) fn children(&self, position: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end[position as usize];
        let first = Some(position + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| {
            Some(self.end[child as usize]).filter(|&next| next < end)
        })
    }

    /// Returns, by position, how many of the marked positions are in each subtree.
    pub(crate) fn count_within(&self, is_marked: &[bool]) -> Vec<u32> {
        let mut counts: Vec<u32> = is_marked.iter().map(|&is| u32::from(is)).collect();
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
        self.position(node)
            .is_some_and(|position| self.span(ancestor).contains(&position))
    }
}
