//! Nodes by name: an index of one family, or of the whole tree, made when it is first asked for and kept up to date from
//! then on. So a file of edits is read in a time that grows with its length, however large the family.

use super::Tree;
use crate::model::NodeId;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The indexes that were asked for: of the children of a node, and of all nodes for `None`.
#[derive(Debug, Default)]
pub(super) struct Lookup(Mutex<HashMap<Option<NodeId>, Arc<Index>>>);

/// Nodes by the hashes of their names.
#[derive(Clone, Debug, Default)]
struct Index {
    nodes: HashTable<NodeId>,
    hasher: DefaultHashBuilder,
}

impl Clone for Lookup {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}

impl Lookup {
    fn lock(&self) -> MutexGuard<'_, HashMap<Option<NodeId>, Arc<Index>>> {
        // An index is inserted whole, so a panic elsewhere leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a node is found by: its name, and among siblings its partition too.
type Key<'a> = (&'a [u8], Option<&'a [u8]>);

impl Index {
    fn of(tree: &Tree, parent: Option<NodeId>) -> Self {
        let mut index = Self::default();
        let mut insert = |node| index.insert(tree, parent, node);
        // Removed nodes stay, for they may be restored.
        match parent {
            Some(parent) => {
                let first = tree.links.first_child(parent);
                let next = |&node: &NodeId| tree.links.next_sibling(node);
                std::iter::successors(first, next).for_each(&mut insert);
            }
            None => (0..tree.id_count())
                .map(NodeId::from_index)
                .for_each(&mut insert),
        }
        index
    }

    fn key(tree: &Tree, parent: Option<NodeId>, node: NodeId) -> Key<'_> {
        let partition = parent.and_then(|_| tree.partition(node));
        (tree.name(node), partition)
    }

    fn insert(&mut self, tree: &Tree, parent: Option<NodeId>, node: NodeId) {
        let hash = |node: &NodeId| self.hasher.hash_one(Self::key(tree, parent, *node));
        self.nodes.insert_unique(hash(&node), node, hash);
    }

    fn remove(&mut self, tree: &Tree, parent: Option<NodeId>, node: NodeId) {
        let hash = self.hasher.hash_one(Self::key(tree, parent, node));
        if let Ok(entry) = self.nodes.find_entry(hash, |&other| other == node) {
            entry.remove();
        }
    }

    /// Returns the nodes of a key, in any order.
    fn find(&self, tree: &Tree, parent: Option<NodeId>, key: Key<'_>) -> Vec<NodeId> {
        let nodes = self.nodes.iter_hash(self.hasher.hash_one(key));
        let nodes = nodes.filter(|&&node| Self::key(tree, parent, node) == key);
        nodes.copied().collect()
    }
}

impl Tree {
    /// Returns the living children of this name and partition, in any order.
    pub fn children_named(
        &self,
        parent: NodeId,
        name: &[u8],
        partition: Option<&[u8]>,
    ) -> Vec<NodeId> {
        let mut nodes = self.find(Some(parent), (name, partition));
        nodes.retain(|node| !self.removed[node.index()]);
        nodes
    }

    /// Returns the living nodes of this name, in tree order.
    pub fn nodes_named(&self, name: &[u8]) -> Vec<NodeId> {
        let mut nodes = self.find(None, (name, None));
        nodes.retain(|&node| self.contains(node));
        if nodes.len() > 1 {
            nodes.sort_by_key(|&node| self.order().position(node));
        }
        nodes
    }

    fn find(&self, parent: Option<NodeId>, key: Key<'_>) -> Vec<NodeId> {
        let mut indexes = self.lookup.lock();
        let index = indexes
            .entry(parent)
            .or_insert_with(|| Arc::new(Index::of(self, parent)));
        index.find(self, parent, key)
    }

    /// Takes a node out of the indexes that were asked for, before its name or its parent changes.
    pub(super) fn index_without(&self, node: NodeId) {
        let mut indexes = self.lookup.lock();
        for parent in [self.parent(node), None] {
            if let Some(index) = indexes.get_mut(&parent) {
                Arc::make_mut(index).remove(self, parent, node);
            }
        }
    }

    /// Puts a node into the indexes that were asked for.
    pub(super) fn index_with(&self, node: NodeId) {
        let mut indexes = self.lookup.lock();
        for parent in [self.parent(node), None] {
            if let Some(index) = indexes.get_mut(&parent) {
                Arc::make_mut(index).insert(self, parent, node);
            }
        }
    }
}
