//! Changes of a tree: shares, usage, names and the shape.

use super::Tree;
use super::structure::Structure;
use crate::model::{Ids, Kind, NameId, NameInterner, NodeId, Shares, Usage};
use std::sync::{Arc, OnceLock};

impl Tree {
    /// Replaces the shares of one node.
    pub fn set_shares(&mut self, node: NodeId, shares: Shares) {
        Arc::make_mut(&mut self.shares)[node.index()] = shares;
    }

    /// Replaces the recorded usage of one node.
    pub fn set_usage(&mut self, node: NodeId, usage: Usage) {
        Arc::make_mut(&mut self.usage)[node.index()] = usage;
        self.note_usage(usage);
    }

    /// Notes what a new usage changes in what is known of all of them.
    fn note_usage(&mut self, usage: Usage) {
        self.usage_is_whole &= usage.is_whole();
        self.usage_is_stated |= usage.amount().is_some();
    }

    /// Replaces the recorded usage of all nodes, by id.
    pub(crate) fn set_usages(&mut self, usages: Vec<Usage>) {
        debug_assert_eq!(usages.len(), self.id_count(), "one usage for every id");
        self.usage = Arc::new(usages);
        self.usage_is_whole = false;
        self.usage_is_stated = true;
    }

    /// Replaces the name of one node.
    pub fn rename(&mut self, node: NodeId, name: &[u8]) {
        let name = self.intern(name);
        self.structure_mut().rename(node, name);
    }

    /// Gives every node and every partition another name. `renamed` gets its old one, and the kind of a node; `None`
    /// for a partition.
    pub(crate) fn rename_all(&mut self, renamed: impl Fn(Option<Kind>, &[u8]) -> Vec<u8>) {
        let mut names = NameInterner::default();
        let mut of_nodes = Vec::with_capacity(self.id_count());
        let mut of_partitions = Vec::with_capacity(self.id_count());
        for node in self.all_ids() {
            let kind = self.kind(node);
            let name = renamed(Some(kind), self.name(node));
            of_nodes.push(names.intern(&name));
            let mut partition = None;
            if let Some(name) = self.partition(node) {
                partition = Some(names.intern(&renamed(None, name)));
            }
            of_partitions.push(partition);
        }
        Arc::make_mut(&mut self.structure).rename_all(of_nodes, of_partitions);
        self.names = Arc::new(names);
        self.shape = OnceLock::new();
    }

    /// Orders every family by name, users first, and the records of usage likewise.
    pub(crate) fn sort_families(&mut self) {
        for parent in self.all_ids() {
            let mut family = self.structure.links.family(parent);
            family.sort_by_cached_key(|&child| {
                let is_account = self.is_account(child);
                let partition = self.partition(child).map(<[u8]>::to_vec);
                (is_account, self.name(child).to_vec(), partition)
            });
            let mut before = None;
            for child in family {
                self.move_after(child, parent, before);
                before = Some(child);
            }
        }
        let mut records = self.records().to_vec();
        records.sort_by_key(|record| self.order().position(record.node));
        self.records = Arc::new(records);
    }

    /// Adds a node where the source's scheduler would put it. Only associations of Slurm may have a partition.
    pub fn add(
        &mut self,
        parent: NodeId,
        name: &[u8],
        partition: Option<&[u8]>,
        kind: Kind,
        shares: Shares,
        usage: Usage,
    ) -> NodeId {
        self.ids = Ids::default();
        let name = self.intern(name);
        let partition = partition.map(|name| self.intern(name));
        let structure = self.structure_mut();
        let node = structure.push(name, kind);
        structure.partition[node.index()] = partition;
        structure.attach(node, parent);
        Arc::make_mut(&mut self.shares).push(shares);
        Arc::make_mut(&mut self.usage).push(usage);
        self.note_usage(usage);
        node
    }

    /// Removes a node with its whole subtree. Its id and values stay.
    pub fn remove(&mut self, node: NodeId) {
        self.structure_mut().removed[node.index()] = true;
    }

    /// Returns the tree without the nodes that stand for what the source does not list, for formats that know none.
    pub(crate) fn listed(&self) -> Self {
        let mut listed = self.clone();
        if let Some(part) = listed.part.take() {
            for level in &part.levels {
                listed.remove(level.others);
            }
        }
        listed
    }

    /// Restores a removed node at its old position.
    pub fn restore(&mut self, node: NodeId) {
        self.structure_mut().removed[node.index()] = false;
    }

    /// Moves a subtree under another account, to the position that the source's scheduler would give it.
    pub fn move_under(&mut self, node: NodeId, parent: NodeId) {
        let structure = self.structure_mut();
        structure.links.detach(node);
        structure.attach(node, parent);
    }

    /// Moves a subtree under another account, after the given sibling or to the front.
    pub(crate) fn move_after(&mut self, node: NodeId, parent: NodeId, after: Option<NodeId>) {
        let links = &mut self.structure_mut().links;
        links.detach(node);
        links.attach_after(node, parent, after);
    }

    /// Returns the id of a name, adding the name if it is new.
    fn intern(&mut self, name: &[u8]) -> NameId {
        Arc::make_mut(&mut self.names).intern(name)
    }

    /// Returns the structure to be changed. What is derived from the shape is computed when it is next asked for.
    fn structure_mut(&mut self) -> &mut Structure {
        self.shape = OnceLock::new();
        Arc::make_mut(&mut self.structure)
    }
}
