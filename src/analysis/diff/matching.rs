//! The matching of nodes between two trees.

mod renamed;

use super::Pair;
use crate::model::{Kind, NodeId, Tree};
use hashbrown::HashMap;
use std::hash::Hash;

/// Returns the node of the new tree at the path of each old node, by id in `old`. `None` if there is none.
pub fn counterparts(old: &Tree, new: &Tree) -> Vec<Option<NodeId>> {
    Matching::of_paths(old, new, None).after
}

/// Whether two different names are of one node.
pub(crate) type Alike = fn(&[u8], &[u8]) -> bool;

/// What distinguishes a node from its siblings.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Identity<'a> {
    name: &'a [u8],
    partition: Option<&'a [u8]>,
    ordinal: Option<u32>,
}

impl<'a> Identity<'a> {
    /// Returns what distinguishes a node.
    fn of(tree: &'a Tree, node: NodeId) -> Self {
        Self {
            name: tree.name(node),
            partition: tree.partition(node),
            ordinal: tree.ordinal(node),
        }
    }

    /// Returns whether only the names differ, and these are alike.
    fn is_like(self, other: Self, alike: Alike) -> bool {
        alike(self.name, other.name)
            && self.partition == other.partition
            && self.ordinal == other.ordinal
    }
}

/// Returns the children of an account that have no match.
fn unmatched_children<'a>(
    tree: &'a Tree,
    account: NodeId,
    matches: &'a [Option<NodeId>],
) -> impl Iterator<Item = NodeId> + 'a {
    let children = tree.children(account);
    children.filter(|child| matches[child.index()].is_none())
}

/// The children of two matched accounts, compared in their order. Usually no child was added or removed, so all pair up.
#[derive(Default)]
struct Family {
    /// Those that are the same.
    pairs: Vec<Pair<NodeId>>,
    /// Those of the old account that differ from the child in their place.
    strays: Vec<NodeId>,
}

/// Pairs of nodes of two trees; each node is in at most one pair.
#[derive(Clone, Debug)]
pub struct Matching {
    /// The node of the new tree, by id in the old one.
    after: Vec<Option<NodeId>>,
    /// The node of the old tree, by id in the new one.
    before: Vec<Option<NodeId>>,
}

impl Matching {
    /// Returns a matching of two trees without pairs.
    fn none(old: &Tree, new: &Tree) -> Self {
        Self {
            after: vec![None; old.id_count()],
            before: vec![None; new.id_count()],
        }
    }

    /// Matches the nodes of the same name, partition and ordinal below the same account, then those of names alike.
    pub(crate) fn of_paths(old: &Tree, new: &Tree, alike: Option<Alike>) -> Self {
        let mut matching = Self::none(old, new);
        matching.pair(NodeId::ROOT, NodeId::ROOT);
        matching.match_families(old, new, alike);
        matching
    }

    /// Matches by path and kind, then nodes renamed in place, then nodes of one kind whose name is unique in both
    /// trees: accounts, with the nodes below them, before leaves.
    pub fn by_path(old: &Tree, new: &Tree) -> Self {
        let mut matching = Self::of_paths(old, new, None);
        matching.unpair_kinds(old, new);
        matching.match_renamed(old, new);
        matching.match_moved(old, new, |tree, node| tree.kind(node) == Kind::Account);
        matching.match_moved(old, new, |tree, node| !tree.has_children(node));
        matching
    }

    /// Matches two trees that were edited from one: `common` nodes by id, nodes added in both by path.
    pub(crate) fn by_id(old: &Tree, new: &Tree, common: usize) -> Self {
        let mut matching = Self::none(old, new);
        for node in (0..common).map(NodeId::from_index) {
            if old.contains(node) && new.contains(node) {
                matching.pair(node, node);
            }
        }
        matching.match_families(old, new, None);
        matching.unpair_kinds(old, new);
        matching
    }

    /// Returns the node of the new tree for a node of the old one. `None` if it has no match.
    pub fn after(&self, old: NodeId) -> Option<NodeId> {
        self.after.get(old.index()).copied().flatten()
    }

    /// Returns the node of the old tree for a node of the new one. `None` if it has no match.
    pub fn before(&self, new: NodeId) -> Option<NodeId> {
        self.before.get(new.index()).copied().flatten()
    }

    /// Makes a pair of two nodes.
    fn pair(&mut self, old: NodeId, new: NodeId) {
        self.after[old.index()] = Some(new);
        self.before[new.index()] = Some(old);
    }

    /// Matches the unmatched nodes below matched accounts, one account's children after another.
    pub(crate) fn match_families(&mut self, old: &Tree, new: &Tree, alike: Option<Alike>) {
        for &before in old.nodes() {
            let Some(after) = self.after(before) else {
                continue;
            };
            let family = self.family(old, new, Pair { before, after });
            for child in family.pairs {
                self.pair(child.before, child.after);
            }
            if !family.strays.is_empty() {
                self.match_strays(old, new, family.strays, after, alike);
            }
        }
    }

    /// Compares the unmatched children of two matched accounts in their order.
    fn family(&self, old: &Tree, new: &Tree, accounts: Pair<NodeId>) -> Family {
        let mut family = Family::default();
        let mut counterparts = unmatched_children(new, accounts.after, &self.before);
        for before in unmatched_children(old, accounts.before, &self.after) {
            match counterparts.next() {
                Some(after) if Identity::of(old, before) == Identity::of(new, after) => {
                    family.pairs.push(Pair { before, after });
                }
                _ => family.strays.push(before),
            }
        }
        family
    }

    /// Matches old nodes with the unmatched children of an account: first all of them by what distinguishes them, then the
    /// rest by names alike.
    fn match_strays(
        &mut self,
        old: &Tree,
        new: &Tree,
        strays: Vec<NodeId>,
        account: NodeId,
        alike: Option<Alike>,
    ) {
        let mut known = HashMap::new();
        for node in unmatched_children(new, account, &self.before) {
            known.insert(Identity::of(new, node), node);
        }
        let mut unknown = Vec::new();
        for before in strays {
            match known.remove(&Identity::of(old, before)) {
                Some(after) => self.pair(before, after),
                None => unknown.push(before),
            }
        }
        let Some(alike) = alike else {
            return;
        };
        for before in unknown {
            let identity = Identity::of(old, before);
            if let Some(after) = self.unmatched_like(identity, new, account, alike) {
                self.pair(before, after);
            }
        }
    }

    /// Returns the first unmatched child of an account whose name is like that of an old node. `None` without any.
    fn unmatched_like(
        &self,
        identity: Identity<'_>,
        new: &Tree,
        account: NodeId,
        alike: Alike,
    ) -> Option<NodeId> {
        let mut children = unmatched_children(new, account, &self.before);
        children.find(|&node| identity.is_like(Identity::of(new, node), alike))
    }

    /// Removes the pairs of an account and a user.
    fn unpair_kinds(&mut self, old: &Tree, new: &Tree) {
        for &node in old.nodes() {
            if let Some(now) = self.after(node)
                && old.kind(node) != new.kind(now)
            {
                self.after[node.index()] = None;
                self.before[now.index()] = None;
            }
        }
    }

    /// Matches unmatched nodes of a sort whose kind, name and partition are unique among those of both trees.
    fn match_moved(&mut self, old: &Tree, new: &Tree, is_of_sort: fn(&Tree, NodeId) -> bool) {
        let lost = unmatched(old, &self.after, is_of_sort);
        let got = unmatched(new, &self.before, is_of_sort);
        if lost.is_empty() || got.is_empty() {
            return;
        }
        let has_accounts = lost.iter().any(|&node| old.has_children(node));
        let lost_by_name = by_key(lost, |node| Label::of(old, node));
        let got_by_name = by_key(got, |node| Label::of(new, node));
        for (label, was) in lost_by_name {
            // The node may have been matched already, with a moved account above it.
            if let Some(was) = was
                && let Some(&Some(now)) = got_by_name.get(&label)
                && self.after(was).is_none()
                && self.before(now).is_none()
            {
                self.pair(was, now);
            }
        }
        if has_accounts {
            self.match_families(old, new, None);
            self.unpair_kinds(old, new);
        }
    }
}

/// Returns the nodes of a sort that have no match.
fn unmatched(
    tree: &Tree,
    matches: &[Option<NodeId>],
    is_of_sort: fn(&Tree, NodeId) -> bool,
) -> Vec<NodeId> {
    let mut unmatched = Vec::new();
    for &node in tree.nodes() {
        if matches[node.index()].is_none() && is_of_sort(tree, node) {
            unmatched.push(node);
        }
    }
    unmatched
}

/// The name of a node with its kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct KindAndName<'a> {
    kind: Kind,
    name: &'a [u8],
}

impl<'a> KindAndName<'a> {
    /// Returns the name of a node with its kind.
    fn of(tree: &'a Tree, node: NodeId) -> Self {
        Self {
            kind: tree.kind(node),
            name: tree.name(node),
        }
    }
}

/// What a node is called, wherever it is in the tree.
#[derive(PartialEq, Eq, Hash)]
struct Label<'a> {
    name: KindAndName<'a>,
    partition: Option<&'a [u8]>,
}

impl<'a> Label<'a> {
    /// Returns what a node is called.
    fn of(tree: &'a Tree, node: NodeId) -> Self {
        Self {
            name: KindAndName::of(tree, node),
            partition: tree.partition(node),
        }
    }
}

/// Returns nodes by a key. `None` for several nodes with the same one.
fn by_key<K: Eq + Hash>(
    nodes: impl IntoIterator<Item = NodeId>,
    key: impl Fn(NodeId) -> K,
) -> HashMap<K, Option<NodeId>> {
    let mut only = HashMap::new();
    for node in nodes {
        let known = only.entry(key(node)).and_modify(|node| *node = None);
        known.or_insert(Some(node));
    }
    only
}
