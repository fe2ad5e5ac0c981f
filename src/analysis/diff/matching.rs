//! The matching of nodes between two trees.

use super::Pair;
use crate::model::{Kind, NodeId, Shares, Tree, Usage};
use hashbrown::{HashMap, HashSet};
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

    /// Returns whether only the names differ, and these are alike. No different names are alike without a rule.
    fn is_like(self, other: Self, alike: Option<Alike>) -> bool {
        let Some(alike) = alike else {
            return false;
        };
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
            if let Some(after) = self.after(before) {
                let accounts = Pair { before, after };
                for child in self.family_pairs(old, new, accounts, alike) {
                    self.pair(child.before, child.after);
                }
            }
        }
    }

    /// Returns pairs of the unmatched children of two matched accounts.
    fn family_pairs(
        &self,
        old: &Tree,
        new: &Tree,
        accounts: Pair<NodeId>,
        alike: Option<Alike>,
    ) -> Vec<Pair<NodeId>> {
        let mut pairs = Vec::new();
        let mut strays = Vec::new();
        // Usually no child was added or removed, so the children pair up in order.
        let mut family = unmatched_children(new, accounts.after, &self.before);
        for before in unmatched_children(old, accounts.before, &self.after) {
            match family.next() {
                Some(after) if Identity::of(old, before) == Identity::of(new, after) => {
                    pairs.push(Pair { before, after });
                }
                _ => strays.push(before),
            }
        }
        if strays.is_empty() {
            return pairs;
        }
        let mut known = HashMap::new();
        for node in unmatched_children(new, accounts.after, &self.before) {
            known.insert(Identity::of(new, node), node);
        }
        for before in strays {
            let identity = Identity::of(old, before);
            let mut found = known.get(&identity).copied();
            if found.is_none() && alike.is_some() {
                found = unmatched_children(new, accounts.after, &self.before)
                    .find(|&node| identity.is_like(Identity::of(new, node), alike));
            }
            if let Some(after) = found {
                pairs.push(Pair { before, after });
            }
        }
        pairs
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

    /// Matches nodes that were renamed in place: the only ones of their kind, partition and shares that an account lost
    /// and got, whose names the other tree does not have. The usage, members or shares of two such nodes must show that
    /// they are one, or the same two names in several accounts.
    fn match_renamed(&mut self, old: &Tree, new: &Tree) {
        let mut renamed: HashMap<Pair<KindAndName<'_>>, Vec<Pair<NodeId>>> = HashMap::new();
        for &account in old.nodes() {
            let Some(counterpart) = self.after(account) else {
                continue;
            };
            let lost = unmatched_children(old, account, &self.after);
            let lost_by_place = by_key(lost, |child| Place::of(old, child));
            if lost_by_place.is_empty() {
                continue;
            }
            let got = unmatched_children(new, counterpart, &self.before);
            let got_by_place = by_key(got, |child| Place::of(new, child));
            for (place, before) in lost_by_place {
                if let Some(before) = before
                    && let Some(&Some(after)) = got_by_place.get(&place)
                {
                    let names = Pair {
                        before: KindAndName::of(old, before),
                        after: KindAndName::of(new, after),
                    };
                    let nodes = Pair { before, after };
                    renamed.entry(names).or_default().push(nodes);
                }
            }
        }
        let mut gone: HashSet<KindAndName<'_>> = HashSet::new();
        let mut come: HashSet<KindAndName<'_>> = HashSet::new();
        for names in renamed.keys() {
            gone.insert(names.before);
            come.insert(names.after);
        }
        remove_names(&mut gone, new);
        remove_names(&mut come, old);
        renamed.retain(|names, _| gone.contains(&names.before) && come.contains(&names.after));
        if renamed.is_empty() {
            return;
        }
        let decay = self.usual_decay(old, new);
        for pairs in renamed.into_values() {
            if pairs.len() > 1 || is_one_node(old, new, pairs[0], decay) {
                for pair in pairs {
                    self.pair(pair.before, pair.after);
                }
            }
        }
        self.match_families(old, new, None);
        self.unpair_kinds(old, new);
    }

    /// Returns the change of usage that most matched users share, as idle users do after a decay. `None` without any.
    fn usual_decay(&self, old: &Tree, new: &Tree) -> Option<f64> {
        let mut users: HashMap<u64, usize> = HashMap::new();
        for &was in old.nodes() {
            if old.kind(was) == Kind::User
                && let Some(now) = self.after(was)
                && let Some(change) = change(old.usage(was), new.usage(now))
            {
                *users.entry(change.to_bits()).or_default() += 1;
            }
        }
        let changes = users.into_iter();
        let (most, _) = changes.max_by_key(|&(change, count)| (count, change))?;
        Some(f64::from_bits(most))
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

/// Removes the names that a tree has.
fn remove_names<'a>(names: &mut HashSet<KindAndName<'a>>, tree: &'a Tree) {
    if names.is_empty() {
        return;
    }
    for &node in tree.nodes() {
        names.remove(&KindAndName::of(tree, node));
    }
}

/// What a node in an account has but its name.
#[derive(PartialEq, Eq, Hash)]
struct Place<'a> {
    kind: Kind,
    partition: Option<&'a [u8]>,
    shares: Shares,
}

impl<'a> Place<'a> {
    /// Returns what a node has but its name.
    fn of(tree: &'a Tree, node: NodeId) -> Self {
        Self {
            kind: tree.kind(node),
            partition: tree.partition(node),
            shares: tree.shares(node),
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

/// Returns the change of usage in whole thousandths of its natural logarithm. `None` if either node has no usage.
fn change(was: Usage, now: Usage) -> Option<f64> {
    match (was.amount(), now.amount()) {
        (Some(was), Some(now)) if was > 0.0 && now > 0.0 => {
            // Zero has one sign.
            Some(((now / was).ln() * 1000.0).round() + 0.0)
        }
        _ => None,
    }
}

/// Returns whether two nodes in the same place are one that was renamed: an account that holds the same; a user with the
/// same usage, or with usage that decayed as usual; without usage, with shares that no sibling has and that are not 1.
fn is_one_node(old: &Tree, new: &Tree, pair: Pair<NodeId>, decay: Option<f64>) -> bool {
    let Pair { before, after } = pair;
    if old.has_children(before) || new.has_children(after) {
        return identities_in(old, before) == identities_in(new, after);
    }
    let was = old.usage(before);
    let now = new.usage(after);
    if was.amount() > Some(0.0) || now.amount() > Some(0.0) {
        let Some(own) = change(was, now) else {
            return false;
        };
        let is_same = own.abs() < 1.0;
        return match decay {
            Some(usual) => is_same || (own - usual).abs() <= 1.0,
            None => is_same,
        };
    }
    old.shares(before) != Shares::new(1)
        && !shares_as_sibling(old, before)
        && !shares_as_sibling(new, after)
}

/// Returns what distinguishes each child of an account from the others.
fn identities_in(tree: &Tree, account: NodeId) -> Vec<Identity<'_>> {
    let children = tree.children(account);
    children.map(|child| Identity::of(tree, child)).collect()
}

/// Returns whether a sibling has as many shares as a node.
fn shares_as_sibling(tree: &Tree, node: NodeId) -> bool {
    let Some(account) = tree.parent(node) else {
        return false;
    };
    let mut siblings = tree.children(account);
    siblings.any(|other| other != node && tree.shares(other) == tree.shares(node))
}
