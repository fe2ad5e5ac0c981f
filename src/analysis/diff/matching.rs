//! The matching of nodes between two trees.

use crate::model::{Kind, NodeId, Shares, Tree, Usage};
use hashbrown::{HashMap, HashSet};
use std::hash::Hash;

/// Returns the node of the new tree at the path of each old node, by id in `old`. `None` if there is none.
pub fn counterparts(old: &Tree, new: &Tree) -> Vec<Option<NodeId>> {
    Matching::of_paths(old, new, None).after
}

/// Whether two different names are of one node.
pub(crate) type Alike = fn(&[u8], &[u8]) -> bool;

/// Returns what distinguishes a node from its siblings.
fn identity(tree: &Tree, node: NodeId) -> (&[u8], Option<&[u8]>, Option<u32>) {
    (tree.name(node), tree.partition(node), tree.ordinal(node))
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

    fn pair(&mut self, old: NodeId, new: NodeId) {
        self.after[old.index()] = Some(new);
        self.before[new.index()] = Some(old);
    }

    /// Matches the unmatched nodes below matched accounts, one account's children after another.
    pub(crate) fn match_families(&mut self, old: &Tree, new: &Tree, alike: Option<Alike>) {
        let mut strays = Vec::new();
        let mut pairs = Vec::new();
        for &account in old.nodes() {
            let Some(counterpart) = self.after(account) else {
                continue;
            };
            let is_left = |&node: &NodeId| self.before(node).is_none();
            // Usually no child was added or removed, so the children pair up in order.
            let mut family = new.children(counterpart).filter(is_left);
            let left = old.children(account);
            for child in left.filter(|&child| self.after(child).is_none()) {
                match family.next() {
                    Some(now) if identity(old, child) == identity(new, now) => {
                        pairs.push((child, now));
                    }
                    _ => strays.push(child),
                }
            }
            if !strays.is_empty() {
                let family = new.children(counterpart).filter(is_left);
                let known: HashMap<_, _> = family.map(|node| (identity(new, node), node)).collect();
                let similar = |(name, partition, ordinal): (&[u8], Option<&[u8]>, Option<u32>)| {
                    let alike = alike?;
                    let mut family = new.children(counterpart).filter(is_left);
                    family.find(|&node| {
                        let (other, ..) = identity(new, node);
                        alike(name, other) && identity(new, node) == (other, partition, ordinal)
                    })
                };
                let found = strays.drain(..).filter_map(|child| {
                    let own = identity(old, child);
                    let now = known.get(&own).copied().or_else(|| similar(own))?;
                    Some((child, now))
                });
                pairs.extend(found);
            }
            for (child, now) in pairs.drain(..) {
                self.pair(child, now);
            }
        }
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
        let mut renamed: HashMap<Names<'_>, Vec<(NodeId, NodeId)>> = HashMap::new();
        for &account in old.nodes() {
            let Some(counterpart) = self.after(account) else {
                continue;
            };
            let lost = old.children(account);
            let lost = lost.filter(|&child| self.after(child).is_none());
            let lost = by_key(lost, |child| place_key(old, child));
            if lost.is_empty() {
                continue;
            }
            let got = new.children(counterpart);
            let got = got.filter(|&child| self.before(child).is_none());
            let got = by_key(got, |child| place_key(new, child));
            for (key, was) in lost {
                if let (Some(was), Some(Some(now))) = (was, got.get(&key)) {
                    let names = [(key.0, old.name(was)), (key.0, new.name(*now))];
                    renamed.entry(names).or_default().push((was, *now));
                }
            }
        }
        let mut gone: HashSet<_> = renamed.keys().map(|names| names[0]).collect();
        let mut come: HashSet<_> = renamed.keys().map(|names| names[1]).collect();
        for (names, tree) in [(&mut gone, new), (&mut come, old)] {
            if !names.is_empty() {
                for &node in tree.nodes() {
                    names.remove(&(tree.kind(node), tree.name(node)));
                }
            }
        }
        renamed.retain(|names, _| gone.contains(&names[0]) && come.contains(&names[1]));
        if renamed.is_empty() {
            return;
        }
        let decay = self.usual_decay(old, new);
        for pairs in renamed.into_values() {
            let is_one =
                |&(was, now): &(NodeId, NodeId)| is_one_node((old, was), (new, now), decay);
            if pairs.len() > 1 || pairs.iter().any(is_one) {
                for (was, now) in pairs {
                    self.pair(was, now);
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
            let now = self.after(was).filter(|_| old.kind(was) == Kind::User);
            if let Some(change) = now.and_then(|now| change((old, was), (new, now))) {
                *users.entry(change.to_bits()).or_default() += 1;
            }
        }
        let by_count = |&(change, count): &(u64, usize)| (count, change);
        let most = users.into_iter().max_by_key(by_count);
        most.map(|(change, _)| f64::from_bits(change))
    }

    /// Matches unmatched nodes of a sort whose kind, name and partition are unique among those of both trees.
    fn match_moved(&mut self, old: &Tree, new: &Tree, is_of_sort: fn(&Tree, NodeId) -> bool) {
        let left = |tree: &Tree, pairs: &[Option<NodeId>]| -> Vec<NodeId> {
            let nodes = tree.nodes().iter().copied();
            let is_left = |&node: &NodeId| pairs[node.index()].is_none() && is_of_sort(tree, node);
            nodes.filter(is_left).collect()
        };
        let (was, is) = (left(old, &self.after), left(new, &self.before));
        if was.is_empty() || is.is_empty() {
            return;
        }
        let has_accounts = was.iter().any(|&node| old.has_children(node));
        let was = by_key(was, |node| node_key(old, node));
        let is = by_key(is, |node| node_key(new, node));
        for (key, node) in was {
            // The node may have been matched already, with a moved account above it.
            if let (Some(node), Some(&Some(now))) = (node, is.get(&key))
                && self.after(node).is_none()
                && self.before(now).is_none()
            {
                self.pair(node, now);
            }
        }
        if has_accounts {
            self.match_families(old, new, None);
            self.unpair_kinds(old, new);
        }
    }
}

/// The old and the new name of a node, each with its kind.
type Names<'a> = [(Kind, &'a [u8]); 2];

/// Returns what a node in an account has but its name: its kind, partition and shares.
fn place_key(tree: &Tree, node: NodeId) -> (Kind, Option<&[u8]>, Shares) {
    (tree.kind(node), tree.partition(node), tree.shares(node))
}

/// Returns what a node is called, wherever it is in the tree.
fn node_key(tree: &Tree, node: NodeId) -> (Kind, &[u8], Option<&[u8]>) {
    (tree.kind(node), tree.name(node), tree.partition(node))
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
fn change((old, was): (&Tree, NodeId), (new, now): (&Tree, NodeId)) -> Option<f64> {
    match [old.usage(was), new.usage(now)].map(Usage::amount) {
        [Some(was), Some(now)] if was > 0.0 && now > 0.0 => {
            // Zero has one sign.
            Some(((now / was).ln() * 1000.0).round() + 0.0)
        }
        _ => None,
    }
}

/// Returns whether two nodes in the same place are one that was renamed: an account that holds the same; a user with the
/// same usage, or with usage that decayed as usual; without usage, with shares that no sibling has and that are not 1.
fn is_one_node(before: (&Tree, NodeId), after: (&Tree, NodeId), decay: Option<f64>) -> bool {
    let ((old, was), (new, now)) = (before, after);
    if old.has_children(was) || new.has_children(now) {
        let held = old.children(was).map(|child| identity(old, child));
        return held.eq(new.children(now).map(|child| identity(new, child)));
    }
    let has_used = |usage: Usage| usage.amount().is_some_and(|amount| amount > 0.0);
    if has_used(old.usage(was)) || has_used(new.usage(now)) {
        let is_usual = |own: f64| decay.is_some_and(|usual| (own - usual).abs() <= 1.0);
        return change(before, after).is_some_and(|own| own.abs() < 1.0 || is_usual(own));
    }
    let is_shared = |(tree, node): (&Tree, NodeId)| {
        let siblings = tree.parent(node).into_iter();
        let mut siblings = siblings.flat_map(|account| tree.children(account));
        siblings.any(|other| other != node && tree.shares(other) == tree.shares(node))
    };
    old.shares(was) != Shares::new(1) && !is_shared(before) && !is_shared(after)
}
