//! Changes of a tree: shares, usage, names and the shape.

use super::{Position, Tree};
use crate::model::{Ids, Kind, NodeId, Shares, Usage};
use std::sync::{Arc, OnceLock};

impl Tree {
    /// Replaces the shares of one node.
    pub fn set_shares(&mut self, node: NodeId, shares: Shares) {
        Arc::make_mut(&mut self.shares)[node.index()] = shares;
    }

    /// Replaces the recorded usage of one node.
    pub fn set_usage(&mut self, node: NodeId, usage: Usage) {
        Arc::make_mut(&mut self.usage)[node.index()] = usage;
        self.usage_is_whole &= usage.is_whole();
    }

    /// Replaces the recorded usage of all nodes, by id.
    pub fn set_usages(&mut self, usages: Vec<Usage>) {
        debug_assert_eq!(usages.len(), self.id_count(), "one usage for every id");
        self.usage = Arc::new(usages);
        self.usage_is_whole = false;
    }

    /// Replaces the name of one node.
    pub fn rename(&mut self, node: NodeId, name: &[u8]) {
        let id = Arc::make_mut(&mut self.names).intern_later(name);
        self.index_without(node);
        Arc::make_mut(&mut self.name)[node.index()] = id;
        self.index_with(node);
        self.names_are_unique = false;
        self.settle();
    }

    /// Adds a node at the position that the source's scheduler would give it.
    pub fn add(
        &mut self,
        parent: NodeId,
        name: &[u8],
        kind: Kind,
        shares: Shares,
        usage: Usage,
    ) -> NodeId {
        self.add_in_partition(parent, name, None, kind, shares, usage)
    }

    /// Adds an association of Slurm for one partition, as [`Tree::add`] does.
    pub fn add_in_partition(
        &mut self,
        parent: NodeId,
        name: &[u8],
        partition: Option<&[u8]>,
        kind: Kind,
        shares: Shares,
        usage: Usage,
    ) -> NodeId {
        let id = Arc::make_mut(&mut self.names).intern_later(name);
        let partition = partition.map(|name| Arc::make_mut(&mut self.names).intern_later(name));
        self.ids = Ids::default();
        let links = Arc::make_mut(&mut self.links);
        let node = links.push();
        let position = if self.kinds_follow_shape {
            Position::First
        } else {
            Position::Last
        };
        links.attach(node, parent, position);
        Arc::make_mut(&mut self.name).push(id);
        Arc::make_mut(&mut self.kind).push(kind);
        Arc::make_mut(&mut self.removed).push(false);
        Arc::make_mut(&mut self.shares).push(shares);
        Arc::make_mut(&mut self.usage).push(usage);
        self.usage_is_whole &= usage.is_whole();
        Arc::make_mut(&mut self.group).push(0);
        if let Some(partition) = partition {
            Arc::make_mut(&mut self.partition).insert(node, partition);
        }
        self.index_with(node);
        self.names_are_unique = false;
        self.settle();
        node
    }

    /// Removes a node with its whole subtree. Its id and values stay.
    pub fn remove(&mut self, node: NodeId) {
        Arc::make_mut(&mut self.removed)[node.index()] = true;
        self.settle();
    }

    /// Restores a removed node at its old position.
    pub fn restore(&mut self, node: NodeId) {
        Arc::make_mut(&mut self.removed)[node.index()] = false;
        self.settle();
    }

    /// Moves a subtree under another account, to the position that the source's scheduler would give it.
    pub fn move_under(&mut self, node: NodeId, parent: NodeId) {
        let after = if self.kinds_follow_shape {
            None
        } else {
            self.links.last_child(parent)
        };
        self.move_after(node, parent, after.filter(|&after| after != node));
    }

    /// Moves a subtree under another account, after the given sibling or to the front.
    pub fn move_after(&mut self, node: NodeId, parent: NodeId, after: Option<NodeId>) {
        self.index_without(node);
        let links = Arc::make_mut(&mut self.links);
        links.detach(node);
        links.attach_after(node, parent, after);
        self.index_with(node);
        self.settle();
    }

    /// Notes that the shape has changed, so that what is derived from it is computed when it is next asked for.
    pub(super) fn settle(&mut self) {
        if !self.update_mode.is_put_off() {
            self.shape = OnceLock::new();
        }
    }
}
