//! In which order the lines of a `resource_group` must stand.

use crate::model::{NodeId, Tree};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Where a line would like to stand: the line it had, or for one without behind which it comes, and in which order.
type LinePriority = (usize, u8, usize);

/// The nodes that need lines, in the order in which PBS must read them: each behind the node it stands under and
/// behind the siblings that the tree has after it, for PBS puts the newest child first. Whatever may stay where it is
/// stays.
pub(super) fn file_order(before: &Tree, after: &Tree, line_of: &[Option<usize>]) -> Vec<NodeId> {
    // Each node waits for one other: the sibling before it in the file, or the node it stands under.
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
                let wish = line_of[first.index()].map_or((usize::MAX, 1, 0), |line| (line, 0, 0));
                ready.push(Reverse((wish, first)));
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
    while let Some(Reverse((wish, node))) = ready.pop() {
        order.push(node);
        for next in waiting[node.index()].into_iter().flatten() {
            let next_wish: LinePriority = if let Some(line) = line_of[next.index()] {
                (line, 0, 0)
            } else {
                // Behind all that stands below the sibling before it.
                let family = sibling_before.get(&next).map_or(&[][..], |&sibling| {
                    &after.nodes()[after.order().span(sibling)]
                });
                let lines = family.iter().filter_map(|&node| line_of[node.index()]);
                let behind = lines.max().unwrap_or(0).max(wish.0);
                (behind, 1, order.len())
            };
            ready.push(Reverse((next_wish, next)));
        }
    }
    order
}

/// Whether PBS still makes the node by itself when it reads its usage record: nothing about it has changed.
fn is_made_by_record(before: &Tree, after: &Tree, node: NodeId) -> bool {
    before.contains(node)
        && after.parent(node) == after.unknown()
        && after.shares(node) == before.shares(node)
        && after.name(node) == before.name(node)
        && !after.has_children(node)
}
