//! The construction of a tree.

use super::structure::Structure;
use super::{NodeId, Part, Position, Record, RoundedUsage, ShareBounds, Tree, UnlistedLevel};
use crate::model::{Ids, Kind, NameId, NameInterner, Names, Shares, Usage};
use std::sync::{Arc, OnceLock};

/// A tree while it is being read.
#[derive(Debug)]
pub struct TreeBuilder {
    names: NameInterner,
    structure: Structure,
    /// By id: the raw shares.
    shares: Vec<Shares>,
    /// By id: the recorded usage.
    usage: Vec<Usage>,
    /// The usage records in the order of the source.
    records: Vec<Record>,
    /// What the source does not list.
    part: Option<Part>,
    /// How the source rounds usage.
    rounded_usage: Option<RoundedUsage>,
}

impl TreeBuilder {
    /// Returns a tree of one node, the root: an account with one share and no recorded usage.
    pub fn new(root_name: &[u8]) -> Self {
        Self::with_names(NameInterner::default(), root_name)
    }

    /// Returns a tree of the root alone, which uses names that are already interned.
    pub(crate) fn with_names(names: NameInterner, root_name: &[u8]) -> Self {
        let mut builder = Self {
            names,
            structure: Structure::default(),
            shares: Vec::new(),
            usage: Vec::new(),
            records: Vec::new(),
            part: None,
            rounded_usage: None,
        };
        let name = builder.intern(root_name);
        let root = builder.push_apart(name, Kind::Account);
        builder.set_shares(root, Shares::new(1));
        builder
    }

    /// Makes this a PBS tree: nodes without children are entities, but the root and `unknown`; a new child comes first.
    pub fn follow_pbs(&mut self, unknown: NodeId) {
        self.structure.kinds_follow_shape = true;
        self.structure.unknown = Some(unknown);
    }

    /// Reserves space for nodes and as many names.
    pub(crate) fn reserve(&mut self, nodes: usize) {
        self.names.reserve(nodes);
        self.reserve_nodes(nodes);
    }

    /// Reserves space for nodes whose names are already interned.
    pub(crate) fn reserve_nodes(&mut self, nodes: usize) {
        self.structure.reserve(nodes);
        self.shares.reserve(nodes);
        self.usage.reserve(nodes);
    }

    /// Reserves space for usage records.
    pub(crate) fn reserve_records(&mut self, records: usize) {
        self.records.reserve(records);
    }

    /// Returns the id of a name, adding the name if it is new.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        self.names.intern(name)
    }

    /// Returns the id of a name, or `None` if it has not been seen.
    pub fn find_name(&self, name: &[u8]) -> Option<NameId> {
        self.names.find(name)
    }

    /// Returns the names seen so far.
    pub(crate) fn names(&self) -> &Names {
        self.names.names()
    }

    /// Returns the bytes of a name.
    pub(crate) fn name_bytes(&self, name: NameId) -> &[u8] {
        self.names().bytes(name)
    }

    /// Returns the id of the node's name.
    pub(crate) fn name_id(&self, node: NodeId) -> NameId {
        self.structure.name[node.index()]
    }

    /// Returns the node's name as untrusted bytes.
    pub(crate) fn name(&self, node: NodeId) -> &[u8] {
        self.name_bytes(self.name_id(node))
    }

    /// Returns how many nodes there are so far, the root included.
    pub fn len(&self) -> usize {
        self.shares.len()
    }

    /// Never true: the root is always there.
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// Adds a node without recorded usage, with zero shares.
    pub fn push(&mut self, parent: NodeId, name: NameId, kind: Kind, position: Position) -> NodeId {
        let node = self.push_apart(name, kind);
        self.structure.links.attach(node, parent, position);
        node
    }

    /// Adds a node without a parent, usage or shares. Ids grow in the order of adding, on which rules rely.
    pub(crate) fn push_apart(&mut self, name: NameId, kind: Kind) -> NodeId {
        self.shares.push(Shares::new(0));
        self.usage.push(Usage::NONE);
        self.structure.push(name, kind)
    }

    /// Puts a node of [`TreeBuilder::push_apart`] under its parent, after the present children.
    pub(crate) fn attach(&mut self, node: NodeId, parent: NodeId) {
        self.structure.links.attach(node, parent, Position::Last);
    }

    /// Returns whether the node has children so far.
    pub fn has_children(&self, node: NodeId) -> bool {
        self.structure.links.first_child(node).is_some()
    }

    /// Returns the parent, or `None` for the root and unattached nodes.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.structure.links.parent(node)
    }

    /// Renames the root, which exists before its name is known.
    pub(crate) fn rename_root(&mut self, name: &[u8]) {
        let name = self.intern(name);
        self.structure.rename(NodeId::ROOT, name);
    }

    /// Sets the kind of the node. A PBS tree derives it from the shape instead.
    pub(crate) fn set_kind(&mut self, node: NodeId, kind: Kind) {
        self.structure.kind[node.index()] = kind;
    }

    /// Returns the kind that was set.
    pub fn kind(&self, node: NodeId) -> Kind {
        self.structure.kind[node.index()]
    }

    /// Sets the raw shares.
    pub fn set_shares(&mut self, node: NodeId, shares: Shares) {
        self.shares[node.index()] = shares;
    }

    /// Returns the raw shares.
    pub(crate) fn shares(&self, node: NodeId) -> Shares {
        self.shares[node.index()]
    }

    /// Returns the recorded usage.
    pub(crate) fn usage(&self, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    /// Sets the recorded usage without a [`Record`].
    pub fn set_usage(&mut self, node: NodeId, usage: Usage) {
        self.usage[node.index()] = usage;
    }

    /// Sets the number that PBS keeps beside a name.
    pub fn set_group(&mut self, node: NodeId, group: i32) {
        self.structure.group[node.index()] = group;
    }

    /// Sets the partition of an association.
    pub fn set_partition(&mut self, node: NodeId, partition: &[u8]) {
        let partition = self.intern(partition);
        self.set_partition_name(node, partition);
    }

    /// Sets the partition of an association by the id of its name.
    pub(crate) fn set_partition_name(&mut self, node: NodeId, partition: NameId) {
        self.structure.partition[node.index()] = Some(partition);
    }

    /// Sets whether the source called the user active or inactive.
    pub fn set_active(&mut self, node: NodeId, active: bool) {
        self.structure.active[node.index()] = Some(active);
    }

    /// Returns the account on whose level a node competes under Slurm's rules: the nearest one above that has no `parent` in
    /// place of shares. `None` if no account is above it.
    pub(crate) fn account_of(&self, node: NodeId) -> Option<NodeId> {
        let mut account = self.parent(node)?;
        while account != NodeId::ROOT && self.shares(account).is_parent() {
            account = self.parent(account)?;
        }
        Some(account)
    }

    /// Says what the source does not list.
    pub(crate) fn set_part(&mut self, part: Part) {
        self.part = Some(part);
    }

    /// Says that the source rounds usage.
    pub(crate) fn set_rounded_usage(&mut self, rounded: RoundedUsage) {
        self.rounded_usage = Some(rounded);
    }

    /// Adds a usage record and makes its amount the node's usage. `superseded` is set at the end.
    pub fn record(&mut self, node: NodeId, amount: f64, adds_to_ancestors: bool) {
        self.usage[node.index()] = Usage::new(amount);
        self.records.push(Record {
            node,
            amount,
            adds_to_ancestors,
            superseded: false,
        });
    }

    /// Returns what the source does not list, if nodes stand for it of which only their numbers are known. Their shares are
    /// what they say, but those of a node alone on its level say nothing.
    fn part_of_others(&self) -> Option<Part> {
        let mut levels = Vec::new();
        for index in 1..self.len() {
            let others = NodeId::from_index(index);
            if self.kind(others) != Kind::Others {
                continue;
            }
            let Some(account) = self.parent(others) else {
                continue;
            };
            let links = &self.structure.links;
            let is_alone =
                links.first_child(account) == Some(others) && links.next_sibling(others).is_none();
            let mut shares = None;
            if !is_alone && let Some(count) = self.shares(others).count() {
                shares = Some(ShareBounds {
                    least: count,
                    most: count,
                });
            }
            levels.push(UnlistedLevel {
                account,
                others,
                shares,
            });
        }
        if levels.is_empty() {
            return None;
        }
        levels.sort_unstable_by_key(|level| level.account);
        Some(Part {
            levels,
            ..Part::default()
        })
    }

    /// Returns the finished tree.
    pub fn build(mut self) -> Tree {
        if self.part.is_none() {
            self.part = self.part_of_others();
        }
        let mut seen = vec![false; self.len()];
        for record in self.records.iter_mut().rev() {
            let is_seen = &mut seen[record.node.index()];
            record.superseded = *is_seen;
            *is_seen = true;
        }
        self.names.shrink_to_fit();
        let usage = Arc::new(self.usage);
        let tree = Tree {
            ids: Ids::default(),
            names: Arc::new(self.names),
            structure: Arc::new(self.structure),
            shares: Arc::new(self.shares),
            recorded: Arc::clone(&usage),
            usage_is_whole: usage.iter().all(|usage| usage.is_whole()),
            usage_is_stated: usage.iter().any(|usage| usage.amount().is_some()),
            usage,
            records: Arc::new(self.records),
            shape: OnceLock::new(),
            usage_state: None,
            listing: None,
            part: self.part.map(Arc::new),
            lacks_column: false,
            rounded_usage: self.rounded_usage,
        };
        // A tree that is read is asked for its order next.
        let _ = tree.order();
        tree
    }
}
