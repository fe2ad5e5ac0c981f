//! Finding the nodes of one tree in another by their paths.

use crate::format::slurm::dump::unescaped;
use crate::model::{NodeId, Tree};
use hashbrown::{HashMap, HashSet};
use std::cell::RefCell;

/// What distinguishes a node from its siblings: name, partition, and ordinal among nodes of the same name.
type ChildKey<'a> = (&'a [u8], Option<&'a [u8]>, Option<u32>);

fn child_key(tree: &Tree, node: NodeId) -> ChildKey<'_> {
    (tree.name(node), tree.partition(node), tree.ordinal(node))
}

/// An index of the children of accounts by name, filled as accounts are looked up.
pub(super) struct ChildIndex<'a> {
    pub(super) tree: &'a Tree,
    /// Whether two backslashes count as one, because either tree was read from a dump.
    pub(super) reads_escapes: bool,
    known: RefCell<IndexedChildren<'a>>,
}

/// The children of the accounts that were looked up.
#[derive(Default)]
struct IndexedChildren<'a> {
    accounts: HashSet<NodeId>,
    children: HashMap<(NodeId, ChildKey<'a>), NodeId>,
}

impl<'a> ChildIndex<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            reads_escapes: false,
            known: RefCell::default(),
        }
    }

    /// Returns the child of an account that corresponds to a node of another tree. `None` if there is none.
    pub(super) fn child(&self, account: NodeId, other: &'a Tree, node: NodeId) -> Option<NodeId> {
        let mut known = self.known.borrow_mut();
        if known.accounts.insert(account) {
            for child in self.tree.children(account) {
                let place = (account, child_key(self.tree, child));
                known.children.insert(place, child);
            }
        }
        let key = child_key(other, node);
        let found = known.children.get(&(account, key)).copied();
        if found.is_some() || !self.reads_escapes || !key.0.contains(&b'\\') {
            return found;
        }
        self.tree.children(account).find(|&child| {
            let own = child_key(self.tree, child);
            let is_same = unescaped(own.0) == key.0 || own.0 == unescaped(key.0);
            is_same && (own.1, own.2) == (key.1, key.2)
        })
    }
}

/// Finds the nodes of another tree with the same paths.
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

    /// Returns the node of the other tree with the same path. The roots correspond. `None` if there is none.
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
