//! The tree: one column per fact, addressed by stable ids.

mod builder;
mod links;
mod memory;
mod state;
mod update_mode;
mod usage;

pub use builder::TreeBuilder;
pub(super) use links::Links;
use update_mode::UpdateMode;

use super::{
    Kind, Listing, NameId, Names, NodeId, Order, PrintedNumbers, Shares, Slurm, Usage, UsageState,
};
use crate::base::extended::Extended;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The position of a new child among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Before all others: PBS puts the newest child at the front of the list.
    First,
    /// After all others.
    Last,
}

/// One usage record of a source, in the order of the source.
///
/// PBS sums records in the order in which it reads them, and floating-point sums depend on that order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The node that was named.
    pub node: NodeId,
    /// What was recorded for it.
    pub amount: f64,
    /// Whether the node had no children when the record was read, so that its ancestors got the amount too.
    pub adds_to_ancestors: bool,
    /// Whether a later record named the same node.
    pub superseded: bool,
}

/// A fairshare tree: struct of arrays, shared column by column.
///
/// Cloning is cheap: a clone shares every column until one of the two changes it. So a snapshot stays untouched while a
/// scenario edits its own tree.
#[derive(Clone, Debug)]
pub struct Tree {
    names: Arc<Names>,
    links: Arc<Links>,
    name: Arc<Vec<NameId>>,
    kind: Arc<Vec<Kind>>,
    removed: Arc<Vec<bool>>,
    shares: Arc<Vec<Shares>>,
    usage: Arc<Vec<Usage>>,
    group: Arc<Vec<i32>>,
    partition: Arc<BTreeMap<NodeId, NameId>>,
    inactive: Arc<BTreeMap<NodeId, bool>>,
    records: Arc<Vec<Record>>,
    /// The usage as recorded: the same column as `usage` until an edit changes that.
    recorded: Arc<Vec<Usage>>,
    order: Arc<Order>,
    ordinal: Arc<HashMap<NodeId, u32>>,
    unknown: Option<NodeId>,
    kinds_follow_shape: bool,
    newest_first: bool,
    names_are_unique: bool,
    user_count: usize,
    update_mode: UpdateMode,
    usage_state: Option<Arc<UsageState>>,
    listing: Option<Arc<Listing>>,
    printed: Option<Arc<PrintedNumbers>>,
}

impl Tree {
    /// Returns how many ids have been used, including those of removed nodes: the length of every column.
    #[must_use]
    pub fn id_count(&self) -> usize {
        self.name.len()
    }

    /// Returns how many nodes there are, the root included.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.order.nodes().len()
    }

    /// Returns how many users there are.
    #[must_use]
    pub fn user_count(&self) -> usize {
        self.user_count
    }

    /// Returns the living nodes in tree order, the root first.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        self.order.nodes()
    }

    /// Returns the position of each node in tree order.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Returns whether neither the node nor an ancestor was removed.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        node.index() < self.id_count() && self.order.position(node).is_some()
    }

    /// Returns the names of all nodes.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the node's interned name.
    #[must_use]
    pub fn name_id(&self, node: NodeId) -> NameId {
        self.name[node.index()]
    }

    /// Returns the node's name as untrusted bytes. See [`crate::base::shown::shown`] before showing it.
    #[must_use]
    pub fn name(&self, node: NodeId) -> &[u8] {
        self.names.bytes(self.name_id(node))
    }

    /// Returns whether the node is an account or a user.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> Kind {
        self.kind[node.index()]
    }

    /// Returns the parent, or `None` for the root.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.links.parent(node)
    }

    /// Returns the living children, in the source's sibling order.
    #[must_use]
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children {
            tree: self,
            next: self.links.first_child(node),
        }
    }

    /// Returns whether the node has living children.
    #[must_use]
    pub fn has_children(&self, node: NodeId) -> bool {
        self.order.span(node).len() > 1
    }

    /// Returns the nodes from the root's child down to the node itself; empty for the root.
    #[must_use]
    pub fn line(&self, node: NodeId) -> Vec<NodeId> {
        let mut line = Vec::new();
        let mut here = node;
        while let Some(parent) = self.parent(here) {
            line.push(here);
            here = parent;
        }
        line.reverse();
        line
    }

    /// Returns the number of steps from the root.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.order.depth(node)
    }

    /// Returns the raw shares.
    #[must_use]
    pub fn shares(&self, node: NodeId) -> Shares {
        self.shares[node.index()]
    }

    /// Returns the usage the source recorded for this node itself.
    #[must_use]
    pub fn usage(&self, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    /// Returns the number that PBS keeps beside a name (`cresgroup`); 0 elsewhere.
    #[must_use]
    pub fn group(&self, node: NodeId) -> i32 {
        self.group[node.index()]
    }

    /// Returns the partition of a Slurm association, or `None` if it is for all partitions.
    #[must_use]
    pub fn partition(&self, node: NodeId) -> Option<&[u8]> {
        self.partition
            .get(&node)
            .map(|&name| self.names.bytes(name))
    }

    /// Returns whether the source called the user active or inactive, or `None` if it did not say.
    #[must_use]
    pub fn active(&self, node: NodeId) -> Option<bool> {
        self.inactive.get(&node).map(|inactive| !inactive)
    }

    /// Returns the usage records in the order in which the source gave them.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns whether every node's usage is as the source recorded it, and every recorded node is still there.
    #[must_use]
    pub fn is_usage_as_recorded(&self) -> bool {
        let read = self.recorded.len();
        let is_same = Arc::ptr_eq(&self.usage, &self.recorded) || {
            let (old, new) = self.usage.split_at(read);
            // Nodes that were added and removed again do not count.
            let mut added = (read..).map(NodeId::from_index).zip(new);
            old == &self.recorded[..]
                && added.all(|(node, usage)| usage.amount().is_none() || !self.contains(node))
        };
        let is_read = |node: &&NodeId| node.index() < read;
        is_same
            && (self.order.nodes().len() == self.id_count()
                || self.order.nodes().iter().filter(is_read).count() == read)
    }

    /// Returns the recorded usage of all nodes, for use after the tree's next change.
    #[must_use]
    pub fn shared_usage(&self) -> Arc<Vec<Usage>> {
        Arc::clone(&self.usage)
    }

    /// Returns the position of each node in tree order, for use after the tree's next change.
    #[must_use]
    pub fn shared_order(&self) -> Arc<Order> {
        Arc::clone(&self.order)
    }

    /// Returns the scheduler's internal usage state, or `None` if the tree is no longer the one it belongs to.
    #[must_use]
    pub fn usage_state(&self) -> Option<&UsageState> {
        self.usage_state
            .as_deref()
            .filter(|usage_state| usage_state.is_of(self))
    }

    /// Returns the usage of the nodes in tree order as the scheduler holds it in memory, adjusted for every later
    /// change of usage and structure. `None` if no numbers longer than doubles are known.
    #[must_use]
    pub fn amounts_in_memory(&self) -> Option<Vec<Extended>> {
        self.usage_state
            .as_deref()
            .and_then(|usage_state| usage_state.amounts_in(self))
    }

    /// Returns the order in which the scheduler lists accounts, if something beside the tree shows it.
    #[must_use]
    pub fn listing(&self) -> Option<&Listing> {
        self.listing.as_deref()
    }

    /// Sets the order in which the scheduler lists accounts.
    pub fn set_listing(&mut self, listing: Option<Listing>) {
        self.listing = listing.map(Arc::new);
    }

    /// Returns the numbers that are shown as printed, if this is the tree they belong to, under the policy of this name
    /// and these settings.
    #[must_use]
    pub fn printed(&self, rule: &str, settings: &Slurm) -> Option<&PrintedNumbers> {
        let printed = self.printed.as_deref()?;
        printed.is_of(self, rule, settings).then_some(printed)
    }

    /// Returns whether the source listed only some of the associations, so that only printed numbers are shown.
    #[must_use]
    pub fn shows_only_printed(&self) -> bool {
        self.printed.as_deref().is_some_and(PrintedNumbers::is_all)
    }

    /// Returns the same tree without the numbers that are shown as printed.
    #[must_use]
    pub fn without_printed(&self) -> Self {
        Self {
            printed: None,
            ..self.clone()
        }
    }

    /// Sets numbers that are to be shown as printed.
    pub fn set_printed(&mut self, printed: Option<PrintedNumbers>) {
        self.printed = printed.map(Arc::new);
    }

    /// Returns the shares of all nodes, for use after the tree's next change.
    #[must_use]
    pub(super) fn shared_shares(&self) -> Arc<Vec<Shares>> {
        Arc::clone(&self.shares)
    }

    /// Returns the scheduler's internal usage state, for use after the tree's next change.
    #[must_use]
    pub fn shared_usage_state(&self) -> Option<Arc<UsageState>> {
        self.usage_state.clone()
    }

    /// Sets the scheduler's internal usage state.
    pub fn set_usage_state(&mut self, usage_state: Option<UsageState>) {
        self.usage_state = usage_state.map(Arc::new);
    }

    /// Returns PBS's group of the entities that `resource_group` does not name, or `None` in other trees.
    #[must_use]
    pub fn unknown(&self) -> Option<NodeId> {
        self.unknown
    }

    /// Returns whether this is a PBS tree: a node without children is an entity, and new children come first.
    #[must_use]
    pub fn kinds_follow_shape(&self) -> bool {
        self.kinds_follow_shape
    }

    /// Returns 2 for the second sibling of the same name (and partition), 3 for the third, and `None` for the first.
    #[must_use]
    pub fn ordinal(&self, node: NodeId) -> Option<u32> {
        self.ordinal.get(&node).copied()
    }

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

    /// Returns the previous sibling, removed ones included. With it [`Tree::move_after`] can move the node back.
    #[must_use]
    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.links.previous_sibling(node)
    }

    /// Recomputes everything derived from the shape.
    fn settle(&mut self) {
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

/// The living children of a node.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    tree: &'a Tree,
    next: Option<NodeId>,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        loop {
            let node = self.next?;
            self.next = self.tree.links.next_sibling(node);
            if !self.tree.removed[node.index()] {
                return Some(node);
            }
        }
    }
}
