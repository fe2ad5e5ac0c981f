//! The tree: one column per fact, addressed by stable ids.

mod builder;
mod edit;
mod links;
mod memory;
mod part;
mod shape;
mod state;
mod structure;

pub use builder::TreeBuilder;
pub(super) use links::Links;
pub use memory::{Amounts, Listing, SteadyPeriod, UsageState};
pub(crate) use part::OTHERS;
pub use part::{Part, ShareBounds, UnlistedLevel};
use shape::Shape;
use structure::Structure;

use super::{Ids, NameId, NameInterner, Names, NodeId, Order, Scheduler, Shares, Usage};
use crate::base::extended::Extended;
use std::sync::{Arc, OnceLock};

/// The position of a new child among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Before all others: PBS puts the newest child at the front of the list.
    First,
    /// After all others.
    Last,
}

/// One usage record, in the order of the source, in which PBS sums them: floating-point sums depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The node that was named.
    pub node: NodeId,
    /// The usage, in the unit of the source.
    pub(crate) amount: f64,
    /// Whether the node had no children when the record was read, so that its ancestors got the amount too.
    pub(crate) adds_to_ancestors: bool,
    /// Whether a later record named the same node.
    pub(crate) superseded: bool,
}

/// A fairshare tree: struct of arrays. A clone shares every column until one of the two changes it, so a snapshot stays
/// untouched while a scenario edits its own tree.
#[derive(Clone, Debug)]
pub struct Tree {
    /// What the ids mean.
    ids: Ids,
    names: Arc<NameInterner>,
    structure: Arc<Structure>,
    /// By id: the raw shares.
    shares: Arc<Vec<Shares>>,
    /// By id: the usage of the node itself.
    usage: Arc<Vec<Usage>>,
    /// Whether every usage is known to be a whole number.
    usage_is_whole: bool,
    /// Whether some usage may be stated; `false` if none is.
    usage_is_stated: bool,
    records: Arc<Vec<Record>>,
    /// The usage as recorded: the same column as `usage` until an edit changes that.
    recorded: Arc<Vec<Usage>>,
    /// What follows from the structure; empty after a change of it.
    shape: OnceLock<Arc<Shape>>,
    usage_state: Option<Arc<UsageState>>,
    listing: Option<Arc<Listing>>,
    /// What the source does not list.
    part: Option<Arc<Part>>,
    /// Whether the source does not state what every rule computes from.
    lacks_column: bool,
    /// How its source rounds usage; `None` if it has all that the rules compute from.
    rounded_usage: Option<RoundedUsage>,
}

/// How a source states usage that it does not state in full: in the digits of a portion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RoundedUsage {
    /// How far usage can be off.
    pub(crate) error: f64,
    /// Whether usage of 0 is none at all, and not less than a digit.
    pub(crate) tells_none: bool,
}

impl Tree {
    /// Returns how many ids have been used, including those of removed nodes: the length of every column.
    pub fn id_count(&self) -> usize {
        self.shares.len()
    }

    /// Returns what the ids mean.
    pub(crate) fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns all ids that have been used, removed nodes included.
    pub(crate) fn all_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.id_count()).map(NodeId::from_index)
    }

    /// Returns how many nodes there are, the root included.
    pub fn node_count(&self) -> usize {
        self.order().nodes().len()
    }

    /// Returns how many users there are.
    pub fn user_count(&self) -> usize {
        self.shape().users
    }

    /// Returns the living nodes in tree order, the root first.
    pub fn nodes(&self) -> &[NodeId] {
        self.order().nodes()
    }

    /// Returns the living nodes in tree order, each with its position.
    pub(crate) fn positions(&self) -> impl DoubleEndedIterator<Item = (usize, NodeId)> {
        self.nodes().iter().copied().enumerate()
    }

    /// Returns the position of each node's parent, by position; the root's is its own.
    pub(crate) fn above(&self) -> &[u32] {
        self.order().above()
    }

    /// Returns the node and all nodes below it, in tree order.
    pub(crate) fn within(&self, node: NodeId) -> &[NodeId] {
        &self.nodes()[self.order().span(node)]
    }

    /// Returns the users in tree order.
    pub(crate) fn users(&self) -> impl Iterator<Item = NodeId> {
        let nodes = self.nodes().iter().copied();
        nodes.filter(|&node| self.is_user(node))
    }

    /// Returns the nodes that usage is charged to, in tree order: users, and what is not listed. In a tree of accounts alone
    /// those without members are charged.
    pub(crate) fn charged(&self) -> impl Iterator<Item = NodeId> {
        let has_users = self.user_count() > 0;
        let mut charged = Vec::new();
        for &node in self.nodes() {
            if self.is_charged(node) || (!has_users && self.counts_above(node)) {
                charged.push(node);
            }
        }
        charged.into_iter()
    }

    /// Returns what the source does not list, or `None` if it lists all associations.
    pub(crate) fn part(&self) -> Option<&Part> {
        self.part.as_deref()
    }

    /// Makes it a part of a tree that lists all of its levels, but not all users.
    pub(crate) fn lack_users(&mut self) {
        self.part = Some(Arc::default());
    }

    /// Returns whether the source does not state what every rule computes from: the shares, the usage or the place of what it
    /// lists.
    pub(crate) fn lacks_column(&self) -> bool {
        self.lacks_column
    }

    /// Makes it a tree of which no rule can compute anything.
    pub(crate) fn lack_column(&mut self) {
        self.lacks_column = true;
    }

    /// Returns how the source rounds usage, or `None` if it states all that the rules compute from.
    pub(crate) fn rounded_usage(&self) -> Option<RoundedUsage> {
        self.rounded_usage
    }

    /// Makes it a part of a tree of which nothing tells the settings that factors depend on.
    pub(crate) fn hide_factors(&mut self) {
        if let Some(part) = &mut self.part {
            Arc::make_mut(part).hides_factors = true;
        }
    }

    /// Returns the position of each node in tree order.
    pub fn order(&self) -> &Order {
        &self.shape().order
    }

    /// Returns the names of the tree.
    pub(crate) fn names(&self) -> &Names {
        self.names.names()
    }

    /// Returns the id of the node's name.
    pub(crate) fn name_id(&self, node: NodeId) -> NameId {
        self.structure.name[node.index()]
    }

    /// Returns the node's name as untrusted bytes. See [`crate::base::shown::shown`] before showing it.
    pub fn name(&self, node: NodeId) -> &[u8] {
        self.names().bytes(self.name_id(node))
    }

    /// Returns the parent, or `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.structure.links.parent(node)
    }

    /// Returns the living children, in the source's sibling order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + Clone {
        let structure = &*self.structure;
        let first = structure.links.first_child(node);
        std::iter::successors(first, |&child| structure.links.next_sibling(child))
            .filter(|child| !structure.removed[child.index()])
    }

    /// Returns the node and the accounts above it, the root last.
    pub(crate) fn upwards(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |&node| self.parent(node))
    }

    /// Returns the nodes from the root's child down to the node itself; empty for the root.
    pub fn line(&self, node: NodeId) -> Vec<NodeId> {
        let mut line: Vec<NodeId> = self.upwards(node).collect();
        line.pop();
        line.reverse();
        line
    }

    /// Returns the raw shares.
    pub fn shares(&self, node: NodeId) -> Shares {
        self.shares[node.index()]
    }

    /// Returns the usage the source recorded for this node itself.
    pub fn usage(&self, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    /// Returns the number that PBS keeps beside a name (`cresgroup`); 0 elsewhere.
    pub fn group(&self, node: NodeId) -> i32 {
        self.structure.group[node.index()]
    }

    /// Returns the partition of a Slurm association, or `None` if it is for all partitions.
    pub fn partition(&self, node: NodeId) -> Option<&[u8]> {
        let partition = self.structure.partition[node.index()]?;
        Some(self.names().bytes(partition))
    }

    /// Returns whether the source called the user active or inactive, or `None` if it did not say.
    pub fn active(&self, node: NodeId) -> Option<bool> {
        self.structure.active[node.index()]
    }

    /// Returns the usage records in the order in which the source gave them.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns whether every node's usage is as the source recorded it, and every recorded node is still there.
    pub(crate) fn is_usage_as_recorded(&self) -> bool {
        let read = self.recorded.len();
        if !Arc::ptr_eq(&self.usage, &self.recorded) && self.usage[..read] != self.recorded[..] {
            return false;
        }
        for node in self.all_ids().skip(read) {
            // Nodes that were added and removed again do not count.
            if self.usage(node).amount().is_some() && self.contains(node) {
                return false;
            }
        }
        let nodes = self.nodes();
        if nodes.len() == self.id_count() {
            return true;
        }
        let mut kept = 0;
        for node in nodes {
            if node.index() < read {
                kept += 1;
            }
        }
        kept == read
    }

    /// Returns whether this is the usage that the source recorded for the node; none for nodes that were added.
    pub(crate) fn is_recorded(&self, node: NodeId, usage: Usage) -> bool {
        match self.recorded.get(node.index()) {
            Some(recorded) => *recorded == usage,
            None => usage == Usage::NONE,
        }
    }

    /// Returns the recorded usage of all nodes, for use after the tree's next change.
    pub(crate) fn shared_usage(&self) -> Arc<Vec<Usage>> {
        Arc::clone(&self.usage)
    }

    /// Returns the order, for use after the tree's next change.
    pub(crate) fn shared_order(&self) -> Arc<Order> {
        Arc::clone(&self.shape().order)
    }

    /// Returns the scheduler's internal usage state, or `None` if the tree is no longer the one it belongs to.
    pub fn usage_state(&self) -> Option<&UsageState> {
        let usage_state = self.usage_state.as_deref()?;
        if usage_state.is_of(self) {
            Some(usage_state)
        } else {
            None
        }
    }

    /// Returns the usage in memory in tree order, adjusted for later changes. `None` if none is longer than a double.
    pub(crate) fn amounts_in_memory(&self) -> Option<Vec<Extended>> {
        self.usage_state.as_ref()?.amounts_in(self)
    }

    /// Returns the order in which the scheduler lists accounts, if something beside the tree shows it.
    pub(crate) fn listing(&self) -> Option<&Listing> {
        self.listing.as_deref()
    }

    /// Sets the order in which the scheduler lists accounts.
    pub(crate) fn set_listing(&mut self, listing: Option<Arc<Listing>>) {
        self.listing = listing;
    }

    /// Returns the shares of all nodes, for use after the tree's next change.
    pub(super) fn shared_shares(&self) -> Arc<Vec<Shares>> {
        Arc::clone(&self.shares)
    }

    /// Returns the scheduler's internal usage state, whether or not it is of this tree.
    pub(crate) fn shared_usage_state(&self) -> Option<Arc<UsageState>> {
        self.usage_state.clone()
    }

    /// Sets the scheduler's internal usage state.
    pub fn set_usage_state(&mut self, usage_state: Option<UsageState>) {
        self.usage_state = usage_state.map(Arc::new);
    }

    /// Returns PBS's group of the entities that `resource_group` does not name, or `None` in other trees and where it was
    /// removed.
    pub fn unknown(&self) -> Option<NodeId> {
        let unknown = self.structure.unknown?;
        if self.structure.removed[unknown.index()] {
            return None;
        }
        Some(unknown)
    }

    /// Returns the node whose shares are the setting `unknown_shares`: PBS's group `unknown`, or in a tree without a scheduler
    /// the node at the top of that name.
    pub(crate) fn set_by_unknown_shares(&self, scheduler: Option<Scheduler>) -> Option<NodeId> {
        if self.unknown().is_some() || scheduler.is_some() {
            return self.unknown();
        }
        let mut top = self.children(NodeId::ROOT);
        top.find(|&child| self.name(child) == b"unknown")
    }

    /// Returns whether this is a PBS tree: a node without children is an entity, and new children come first.
    pub fn kinds_follow_shape(&self) -> bool {
        self.structure.kinds_follow_shape
    }

    /// Returns whether a node's usage counts in the accounts above: that of a user, or of an account without children.
    pub(crate) fn counts_above(&self, node: NodeId) -> bool {
        self.is_charged(node) || !self.has_children(node)
    }

    /// Returns whether every usage is known to be a [whole number](Usage::is_whole), whose sums are not rounded.
    pub(crate) fn has_whole_usage(&self) -> bool {
        self.usage_is_whole
    }

    /// Returns whether the usage of any node is stated.
    pub(crate) fn has_usage(&self) -> bool {
        if !self.usage_is_stated {
            return false;
        }
        // By ids, because the order is outdated after every edit of the shape.
        let mut ids = self.all_ids();
        ids.any(|node| self.usage(node).amount().is_some() && self.contains(node))
    }

    /// Returns the usage of a subtree: its recorded usage, or the sum of the nearest recorded usage below; 0 if none.
    pub(crate) fn used_below(&self, node: NodeId) -> f64 {
        if let Some(recorded) = self.usage(node).amount() {
            return recorded;
        }
        // After an edit of the shape the order would be computed anew.
        let mut used = 0.0;
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if let Some(recorded) = self.usage(node).amount() {
                used += recorded;
                continue;
            }
            let first = waiting.len();
            waiting.extend(self.children(node));
            waiting[first..].reverse();
        }
        used
    }

    /// Returns the usage that is shown for a node: the stated one, or the sum below an account. `None` if neither is known.
    pub(crate) fn shown_usage(&self, node: NodeId) -> Option<f64> {
        if let Some(stated) = self.usage(node).amount() {
            return Some(stated);
        }
        let used = self.used_below(node);
        if used > 0.0 { Some(used) } else { None }
    }

    /// Returns the sum of the usage below each child of an account.
    pub(crate) fn used_by_children(&self, account: NodeId) -> f64 {
        let children = self.children(account);
        children.map(|child| self.used_below(child)).sum()
    }
}
