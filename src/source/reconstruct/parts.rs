//! Parts of a tree that can be worked on at the same time: runs of whole subtrees.

use crate::model::Order;
use std::ops::{Index, IndexMut, Range};

/// The parts of a tree, and the nodes above them.
pub(super) struct Parts {
    /// The positions of each part. Every subtree that begins in one ends in it.
    spans: Vec<Range<usize>>,
    /// The positions of the other nodes, from the root down.
    above: Vec<usize>,
}

impl Parts {
    /// Returns parts of at most so many nodes each.
    pub(super) fn of(order: &Order, most: usize) -> Self {
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut above = Vec::new();
        let mut position = 0;
        while position < order.nodes().len() {
            let end = order.ends()[position] as usize;
            if end - position > most {
                above.push(position);
                position += 1;
                continue;
            }
            match spans.last_mut() {
                Some(last) if last.end == position && end - last.start <= most => last.end = end,
                _ => spans.push(position..end),
            }
            position = end;
        }
        Self { spans, above }
    }

    /// Returns the number of parts.
    pub(super) fn count(&self) -> usize {
        self.spans.len()
    }

    /// Returns the positions of the nodes in no part, from the root down.
    pub(super) fn above(&self) -> &[usize] {
        &self.above
    }

    /// Returns the numbers of each part, given those of all nodes by position.
    pub(super) fn split<'a, T>(&self, mut numbers: &'a mut [T]) -> Vec<PartNumbers<'a, T>> {
        let mut start = 0;
        let parts = self.spans.iter().map(|span| {
            let (_, rest) = std::mem::take(&mut numbers).split_at_mut(span.start - start);
            let (own, rest) = rest.split_at_mut(span.len());
            numbers = rest;
            start = span.end;
            PartNumbers {
                first: span.start,
                numbers: own,
            }
        });
        parts.collect()
    }
}

/// A column of numbers of a part, by position in the tree.
pub(super) struct PartNumbers<'a, T> {
    first: usize,
    numbers: &'a mut [T],
}

impl<T> PartNumbers<'_, T> {
    /// Returns the positions in the part.
    pub(super) fn positions(&self) -> Range<usize> {
        self.first..self.first + self.numbers.len()
    }
}

impl<T> Index<usize> for PartNumbers<'_, T> {
    type Output = T;

    fn index(&self, position: usize) -> &T {
        &self.numbers[position - self.first]
    }
}

impl<T> IndexMut<usize> for PartNumbers<'_, T> {
    fn index_mut(&mut self, position: usize) -> &mut T {
        &mut self.numbers[position - self.first]
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;
    use crate::model::generate::{Shape, generate};

    #[test]
    fn every_node_is_in_one_part_or_above_all_and_no_subtree_is_cut() {
        for shape in [Shape::Flat, Shape::Skewed, Shape::Chain, Shape::Balanced] {
            let tree = generate(300, shape, 1).tree;
            let order = tree.order();
            for most in [1, 2, 7, 50, 10_000] {
                let parts = Parts::of(order, most);
                let mut places = vec![0; tree.node_count()];
                for &position in parts.above() {
                    places[position] += 1;
                }
                for mut part in parts.split(&mut places) {
                    let own = part.positions();
                    assert!(own.len() <= most, "{own:?}");
                    for position in own.clone() {
                        assert!(order.ends()[position] as usize <= own.end);
                        part[position] += 1;
                    }
                }
                assert!(places.iter().all(|&count| count == 1), "{shape:?} {most}");
                assert_eq!(parts.above().is_empty(), most >= tree.node_count());
            }
        }
    }
}
