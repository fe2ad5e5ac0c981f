//! The order of the lines of a `resource_group`.

use crate::model::{NodeId, Tree};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The preferred place of a line: its old line, or for a new node the line to follow; then new lines in their order.
type LinePriority = (usize, u8, usize);

/// Returns the nodes that need lines, in the order in which PBS must read them.
///
/// Each node comes after its account and after the siblings that follow it in the tree, because PBS puts the newest
/// child first. Otherwise lines keep their places.
pub(super) fn file_order(before: &Tree, after: &Tree, line_of: &[Option<usize>]) -> Vec<NodeId> {
    // Each node waits for one other: the sibling before it in the file, or its account.
    let mut waiting: Vec<[Option<NodeId>; 2]> = vec![[None; 2]; after.id_count()];
    let mut sibling_before: HashMap<NodeId, NodeId> = HashMap::new();
    let mut ready = BinaryHeap::new();
    let mut members = Vec::new();
    let needs_line =
        |node: NodeId| line_of[node.index()].is_some() || !is_made_by_record(before, after, node);
    let has_own_line = |node: NodeId| node != NodeId::ROOT && Some(node) != after.unknown();
    for &parent in after.nodes() {
        members.clear();
        let children = after.children(parent);
        members.extend(children.filter(|&child| has_own_line(child) && needs_line(child)));
        members.reverse();
        if let Some(&first) = members.first() {
            if has_own_line(parent) {
                waiting[parent.index()][0] = Some(first);
            } else {
                let priority =
                    line_of[first.index()].map_or((usize::MAX, 1, 0), |line| (line, 0, 0));
                ready.push(Reverse((priority, first)));
            }
        }
        for pair in members.windows(2) {
            waiting[pair[0].index()][1] = Some(pair[1]);
            if line_of[pair[1].index()].is_none() {
                sibling_before.insert(pair[1], pair[0]);
            }
        }
    }
    let mut order = Vec::new();
    while let Some(Reverse((priority, node))) = ready.pop() {
        order.push(node);
        for next in waiting[node.index()].into_iter().flatten() {
            let next_priority: LinePriority = if let Some(line) = line_of[next.index()] {
                (line, 0, 0)
            } else {
                // After all nodes below the sibling before it.
                let family = sibling_before.get(&next).map_or(&[][..], |&sibling| {
                    &after.nodes()[after.order().span(sibling)]
                });
                let lines = family.iter().filter_map(|&node| line_of[node.index()]);
                let behind = lines.max().unwrap_or(0).max(priority.0);
                (behind, 1, order.len())
            };
            ready.push(Reverse((next_priority, next)));
        }
    }
    order
}

/// Returns whether PBS makes the node from its usage record, unchanged.
fn is_made_by_record(before: &Tree, after: &Tree, node: NodeId) -> bool {
    before.contains(node)
        && after.parent(node) == after.unknown()
        && after.shares(node) == before.shares(node)
        && after.name(node) == before.name(node)
        && !after.has_children(node)
}
