//! What edits of shares and usage leave as it is: which names, kinds and places the nodes have.

use super::links::{Links, some};
use super::{Position, Tree};
use crate::model::{Kind, NameId, NodeId};
use std::borrow::Cow;

/// The columns of names, kinds and places, and of what belongs to single nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure {
    /// The parents, children and siblings.
    pub(super) links: Links,
    /// By id: the name.
    pub(super) name: Vec<NameId>,
    /// By id: the kind that the source states.
    pub(super) kind: Vec<Kind>,
    /// By id: whether the node was removed, with all below it.
    pub(super) removed: Vec<bool>,
    /// By id: the number that PBS keeps beside a name.
    pub(super) group: Vec<i32>,
    /// By id: the partition of an association of Slurm.
    pub(super) partition: Vec<Option<NameId>>,
    /// By id: whether the source called it active.
    pub(super) active: Vec<Option<bool>>,
    /// By name: the last node that got it.
    last_named: Vec<NodeId>,
    /// By node: the node that got its name before it.
    named_before: Vec<NodeId>,
    /// PBS's group of the entities that `resource_group` does not name.
    pub(super) unknown: Option<NodeId>,
    /// Whether this is a PBS tree, in which a node without children is an entity.
    pub(super) kinds_follow_shape: bool,
}

impl Structure {
    /// Adds a node without a parent.
    pub(super) fn push(&mut self, name: NameId, kind: Kind) -> NodeId {
        let node = self.links.push();
        self.name.push(name);
        self.kind.push(kind);
        self.removed.push(false);
        self.group.push(0);
        self.partition.push(None);
        self.active.push(None);
        self.named_before.push(NodeId::NONE);
        self.note_name(node);
        node
    }

    /// Puts a node under its parent, at the position that the source's scheduler would give it.
    pub(super) fn attach(&mut self, node: NodeId, parent: NodeId) {
        let position = if self.kinds_follow_shape {
            Position::First
        } else {
            Position::Last
        };
        self.links.attach(node, parent, position);
    }

    /// Reserves space for so many more nodes.
    pub(super) fn reserve(&mut self, nodes: usize) {
        self.links.reserve(nodes);
        self.name.reserve(nodes);
        self.kind.reserve(nodes);
        self.removed.reserve(nodes);
        self.group.reserve(nodes);
        self.partition.reserve(nodes);
        self.active.reserve(nodes);
        self.last_named.reserve(nodes);
        self.named_before.reserve(nodes);
    }

    /// Replaces the name of a node.
    pub(super) fn rename(&mut self, node: NodeId, name: NameId) {
        let before = self.named_before[node.index()];
        let old_name = self.name[node.index()];
        let last = &mut self.last_named[old_name.index()];
        if *last == node {
            *last = before;
        } else {
            let mut later = *last;
            while self.named_before[later.index()] != node {
                later = self.named_before[later.index()];
            }
            self.named_before[later.index()] = before;
        }
        self.name[node.index()] = name;
        self.note_name(node);
    }

    /// Replaces the names of all nodes and of their partitions, by id.
    pub(super) fn rename_all(&mut self, names: Vec<NameId>, partitions: Vec<Option<NameId>>) {
        self.name = names;
        self.partition = partitions;
        self.last_named.clear();
        for node in (0..self.name.len()).map(NodeId::from_index) {
            self.note_name(node);
        }
    }

    /// Puts a node in front of the others of its name.
    fn note_name(&mut self, node: NodeId) {
        let name = self.name[node.index()].index();
        if self.last_named.len() <= name {
            self.last_named.resize(name + 1, NodeId::NONE);
        }
        self.named_before[node.index()] = self.last_named[name];
        self.last_named[name] = node;
    }

    /// Returns the nodes of a name, removed ones included.
    fn namesakes(&self, name: NameId) -> impl Iterator<Item = NodeId> {
        let mut next = self.last_named.get(name.index()).copied();
        std::iter::from_fn(move || {
            let node = some(next?)?;
            next = Some(self.named_before[node.index()]);
            Some(node)
        })
    }

    /// Returns whether so few nodes have a name that looking at all of them takes no time.
    fn has_few(&self, name: NameId) -> bool {
        const FEW: usize = 64;
        self.namesakes(name).nth(FEW).is_none()
    }

    /// Returns whether no two nodes have one name.
    pub(super) fn has_unique_names(&self) -> bool {
        self.named_before.iter().all(|&node| node == NodeId::NONE)
    }
}

impl Tree {
    /// Returns the living children of this name and partition, in any order, quickly however large the family is.
    pub fn children_named(
        &self,
        parent: NodeId,
        name: &[u8],
        partition: Option<&[u8]>,
    ) -> Vec<NodeId> {
        let Some(name) = self.names.find(name) else {
            return Vec::new();
        };
        let is_meant = |&node: &NodeId| {
            self.name_id(node) == name
                && self.partition(node) == partition
                && self.parent(node) == Some(parent)
                && !self.structure.removed[node.index()]
        };
        if self.structure.has_few(name) {
            return self.structure.namesakes(name).filter(is_meant).collect();
        }
        match self.known_shape() {
            Some(shape) => {
                let children = shape.children_named(self, parent, name).iter().copied();
                children.filter(is_meant).collect()
            }
            None => self.children(parent).filter(is_meant).collect(),
        }
    }

    /// Returns the living nodes of this name, in tree order, quickly however often it is asked for.
    pub fn nodes_named(&self, name: &[u8]) -> Cow<'_, [NodeId]> {
        let Some(name) = self.names.find(name) else {
            return Cow::default();
        };
        if !self.structure.has_few(name) {
            return Cow::Borrowed(self.shape().nodes_named(self, name));
        }
        let mut nodes = Vec::new();
        for node in self.structure.namesakes(name) {
            if self.contains(node) {
                nodes.push(node);
            }
        }
        if nodes.len() > 1 {
            nodes.sort_by_key(|&node| self.order().position(node));
        }
        Cow::Owned(nodes)
    }
}
