//! The order in which PBS must read the lines of a new `resource_group`.

use crate::model::{NodeId, Tree};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A node whose line can come next. The least comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ReadyNode {
    /// Its old line, or for a new node the line to follow.
    line: usize,
    /// Whether it has no old line.
    is_new: bool,
    /// Of a new node, how many lines came before it was ready, so that new lines are in their order.
    before: usize,
    node: NodeId,
}

/// The lines of nodes while they are put in order.
struct LineOrder<'a> {
    before: &'a Tree,
    after: &'a Tree,
    /// The old line of each node, by id.
    line_of: &'a [Option<usize>],
    /// The member of each group whose line is the first to come after that of the group, by id.
    first_member: Vec<Option<NodeId>>,
    /// The sibling whose line is the next to come, by id.
    next_sibling: Vec<Option<NodeId>>,
    /// The siblings whose lines come before those of new nodes.
    sibling_before: HashMap<NodeId, NodeId>,
    ready: BinaryHeap<Reverse<ReadyNode>>,
}

/// Returns the nodes that need lines, in the order in which PBS must read them: each after its account and after the
/// siblings that follow it in the tree, because PBS puts the newest child first. Otherwise lines keep their places.
pub(super) fn file_order(before: &Tree, after: &Tree, line_of: &[Option<usize>]) -> Vec<NodeId> {
    let mut lines = LineOrder {
        before,
        after,
        line_of,
        first_member: vec![None; after.id_count()],
        next_sibling: vec![None; after.id_count()],
        sibling_before: HashMap::new(),
        ready: BinaryHeap::new(),
    };
    for &group in after.nodes() {
        lines.link_members(group);
    }
    lines.order()
}

impl LineOrder<'_> {
    /// Makes the members of a group wait for each other, and the first of them for the group.
    fn link_members(&mut self, group: NodeId) {
        let mut members = Vec::new();
        for child in self.after.children(group) {
            if self.needs_line(child) {
                members.push(child);
            }
        }
        let mut last: Option<NodeId> = None;
        for &member in members.iter().rev() {
            match last {
                Some(sibling) => {
                    self.next_sibling[sibling.index()] = Some(member);
                    if self.line_of[member.index()].is_none() {
                        self.sibling_before.insert(member, sibling);
                    }
                }
                None if self.may_have_line(group) => {
                    self.first_member[group.index()] = Some(member);
                }
                None => self.make_first_ready(member),
            }
            last = Some(member);
        }
    }

    /// Returns whether PBS does not know the node before it reads the file.
    fn may_have_line(&self, node: NodeId) -> bool {
        node != NodeId::ROOT && Some(node) != self.after.unknown()
    }

    /// Returns whether PBS has a node only if the file has a line of it.
    fn needs_line(&self, node: NodeId) -> bool {
        let has_line = self.line_of[node.index()].is_some();
        self.may_have_line(node) && (has_line || !self.is_made_by_record(node))
    }

    /// Returns whether PBS makes the node from its usage record, unchanged.
    fn is_made_by_record(&self, node: NodeId) -> bool {
        let before = self.before;
        let after = self.after;
        before.contains(node)
            && after.parent(node) == after.unknown()
            && after.shares(node) == before.shares(node)
            && after.name(node) == before.name(node)
            && !after.has_children(node)
    }

    /// Makes the first member of a group ready that PBS knows before it reads the file. A new one comes last.
    fn make_first_ready(&mut self, node: NodeId) {
        let line = self.line_of[node.index()];
        self.ready.push(Reverse(ReadyNode {
            line: line.unwrap_or(usize::MAX),
            is_new: line.is_none(),
            before: 0,
            node,
        }));
    }

    /// Returns the nodes in order.
    fn order(mut self) -> Vec<NodeId> {
        let mut order = Vec::new();
        while let Some(Reverse(last)) = self.ready.pop() {
            order.push(last.node);
            let place = last.node.index();
            let freed = [self.first_member[place], self.next_sibling[place]];
            for node in freed.into_iter().flatten() {
                let next = self.ready_after(node, last.line, order.len());
                self.ready.push(Reverse(next));
            }
        }
        order
    }

    /// Returns the place of a node that is ready after that line, when so many lines are written.
    fn ready_after(&self, node: NodeId, last_line: usize, written: usize) -> ReadyNode {
        if let Some(line) = self.line_of[node.index()] {
            return ReadyNode {
                line,
                is_new: false,
                before: 0,
                node,
            };
        }
        // After all nodes below the sibling before it.
        let mut line = last_line;
        if let Some(&sibling) = self.sibling_before.get(&node) {
            for inside in self.after.within(sibling) {
                if let Some(other) = self.line_of[inside.index()] {
                    line = line.max(other);
                }
            }
        }
        ReadyNode {
            line,
            is_new: true,
            before: written,
            node,
        }
    }
}
