//! Changes of a tree: shares, usage, names and the shape.

use super::{Position, Tree};
use crate::model::{Kind, NodeId, Order, Shares, Usage, UsageState};
use std::collections::HashMap;
use std::sync::Arc;

impl Tree {
    /// Replaces the shares of one node.
    pub fn set_shares(&mut self, node: NodeId, shares: Shares) {
        Arc::make_mut(&mut self.shares)[node.index()] = shares;
    }

    /// Replaces the recorded usage of one node.
    pub fn set_usage(&mut self, node: NodeId, usage: Usage) {
        Arc::make_mut(&mut self.usage)[node.index()] = usage;
    }

    /// Replaces the recorded usage of all nodes, by id.
    pub fn set_usages(&mut self, usages: Vec<Usage>) {
        debug_assert_eq!(usages.len(), self.id_count(), "one usage for every id");
        self.usage = Arc::new(usages);
    }

    /// Replaces the recorded usage of all nodes, by id, together with the scheduler's internal usage state.
    pub fn share_usage(&mut self, usage: Arc<Vec<Usage>>, usage_state: Option<Arc<UsageState>>) {
        debug_assert_eq!(usage.len(), self.id_count(), "one usage for every id");
        self.usage = usage;
        self.usage_state = usage_state;
    }

    /// Replaces the name of one node.
    pub fn rename(&mut self, node: NodeId, name: &[u8]) {
        let id = Arc::make_mut(&mut self.names).intern_rarely(name);
        Arc::make_mut(&mut self.name)[node.index()] = id;
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
        let id = Arc::make_mut(&mut self.names).intern_rarely(name);
        let partition = partition.map(|name| Arc::make_mut(&mut self.names).intern_rarely(name));
        let links = Arc::make_mut(&mut self.links);
        let node = links.push();
        let position = if self.newest_first {
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
        Arc::make_mut(&mut self.group).push(0);
        if let Some(partition) = partition {
            Arc::make_mut(&mut self.partition).insert(node, partition);
        }
        self.names_are_unique = false;
        self.settle();
        node
    }

    /// Removes a node with its whole subtree. Its id and values stay, so that [`Tree::restore`] is exact.
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
        let after = if self.newest_first {
            None
        } else {
            self.links.last_child(parent)
        };
        self.move_after(node, parent, after.filter(|&after| after != node));
    }

    /// Moves a subtree under another account, after the given sibling or to the front.
    pub fn move_after(&mut self, node: NodeId, parent: NodeId, after: Option<NodeId>) {
        let links = Arc::make_mut(&mut self.links);
        links.detach(node);
        links.attach_after(node, parent, after);
        self.settle();
    }

    /// Recomputes everything derived from the shape.
    pub(super) fn settle(&mut self) {
        if self.update_mode.is_put_off() {
            return;
        }
        self.order = Arc::new(Order::walk(&self.links, &self.removed));
        if self.kinds_follow_shape {
            let mut kinds = Vec::clone(&self.kind);
            for &node in self.order.nodes() {
                let always_account = node == NodeId::ROOT || Some(node) == self.unknown;
                let is_account = always_account || self.order.span(node).len() > 1;
                kinds[node.index()] = if is_account {
                    Kind::Account
                } else {
                    Kind::User
                };
            }
            if kinds != *self.kind {
                self.kind = Arc::new(kinds);
            }
        }
        self.user_count = self
            .nodes()
            .iter()
            .filter(|&&node| self.kind(node) == Kind::User)
            .count();
        self.ordinal = Arc::new(self.count_namesakes());
    }

    /// Numbers siblings that share a name and partition. Usually there are none and nothing is allocated.
    fn count_namesakes(&self) -> HashMap<NodeId, u32> {
        let mut ordinal = HashMap::new();
        if self.names_are_unique {
            return ordinal;
        }
        let mut last_parent = vec![NodeId::NONE; self.names.len()];
        let mut crowded = Vec::new();
        for &parent in self.order.nodes() {
            let mut repeats = false;
            for child in self.children(parent) {
                let last = &mut last_parent[self.name_id(child).index()];
                repeats |= *last == parent;
                *last = parent;
            }
            if repeats {
                crowded.push(parent);
            }
        }
        for parent in crowded {
            let mut seen = HashMap::new();
            for child in self.children(parent) {
                let key = (self.name_id(child), self.partition.get(&child));
                let count = seen.entry(key).and_modify(|count| *count += 1).or_insert(1);
                if *count > 1 {
                    ordinal.insert(child, *count);
                }
            }
        }
        ordinal
    }
}
