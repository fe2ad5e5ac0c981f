//! Finding the nodes of one tree in another by their paths.

use crate::model::{NodeId, Tree};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// By what a node is known among its siblings: name, partition, and the how-manieth of them.
type ChildKey<'a> = (&'a [u8], Option<&'a [u8]>, Option<u32>);

fn step(tree: &Tree, node: NodeId) -> ChildKey<'_> {
    (tree.name(node), tree.partition(node), tree.ordinal(node))
}

/// A tree in which children are found by their names.
pub(super) struct ChildIndex<'a> {
    pub(super) tree: &'a Tree,
    known: RefCell<IndexedChildren<'a>>,
}

/// The children of the accounts that were asked for.
#[derive(Default)]
struct IndexedChildren<'a> {
    accounts: HashSet<NodeId>,
    children: HashMap<(NodeId, ChildKey<'a>), NodeId>,
}

impl<'a> ChildIndex<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            known: RefCell::default(),
        }
    }

    /// The child of an account that is known as a node of another tree is there.
    pub(super) fn child(&self, account: NodeId, other: &'a Tree, node: NodeId) -> Option<NodeId> {
        let mut known = self.known.borrow_mut();
        if known.accounts.insert(account) {
            for child in self.tree.children(account) {
                let place = (account, step(self.tree, child));
                known.children.insert(place, child);
            }
        }
        let place = (account, step(other, node));
        known.children.get(&place).copied()
    }
}

/// The way from the nodes of one tree to those of the same path in another.
pub(super) struct PathLookup<'a, 'p> {
    from: &'a Tree,
    to: &'p ChildIndex<'a>,
    found: RefCell<HashMap<NodeId, Option<NodeId>>>,
}

impl<'a, 'p> PathLookup<'a, 'p> {
    pub(super) fn new(from: &'a Tree, to: &'p ChildIndex<'a>) -> Self {
        Self {
            from,
            to,
            found: RefCell::default(),
        }
    }

    /// The node of the other tree that has the same path; the roots are the same.
    pub(super) fn find(&self, node: NodeId) -> Option<NodeId> {
        if !self.from.contains(node) {
            return None;
        }
        let mut found = self.found.borrow_mut();
        let mut waiting = Vec::new();
        let mut here = node;
        let mut there = loop {
            if let Some(&known) = found.get(&here) {
                break known;
            }
            let Some(account) = self.from.parent(here) else {
                break Some(NodeId::ROOT);
            };
            waiting.push(here);
            here = account;
        };
        for node in waiting.into_iter().rev() {
            there = there.and_then(|account| self.to.child(account, self.from, node));
            found.insert(node, there);
        }
        there
    }
}
