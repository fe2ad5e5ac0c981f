//! The matching of nodes between two trees.

use crate::model::{Kind, NodeId, Tree};
use hashbrown::HashMap;

/// Returns the node of the new tree for each node of the old one, by id in `old`: the node of the same name, partition
/// and ordinal below the same account. `None` if there is none.
#[must_use]
pub fn counterparts(old: &Tree, new: &Tree) -> Vec<Option<NodeId>> {
    let mut matching = Matching::none(old, new);
    matching.pair(NodeId::ROOT, NodeId::ROOT);
    matching.match_families(old, new, NodeId::ROOT);
    matching.after
}

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
    /// Returns a matching without pairs.
    fn none(old: &Tree, new: &Tree) -> Self {
        Self {
            after: vec![None; old.id_count()],
            before: vec![None; new.id_count()],
        }
    }

    /// Matches by path and kind. Among the unmatched nodes, two of the same kind with a name that is unique in both
    /// trees are one node that moved: first accounts, with the nodes below them, then leaves.
    #[must_use]
    pub fn by_path(old: &Tree, new: &Tree) -> Self {
        let mut matching = Self::none(old, new);
        matching.pair(NodeId::ROOT, NodeId::ROOT);
        matching.match_families(old, new, NodeId::ROOT);
        matching.unpair_kinds(old, new);
        matching.match_moved(old, new, |tree, node| tree.kind(node) == Kind::Account);
        matching.match_moved(old, new, |tree, node| !tree.has_children(node));
        matching
    }

    /// Matches two trees that were edited from one tree. Its `common` nodes are matched by id, even if they moved or
    /// were renamed; nodes added in both trees are matched by path.
    #[must_use]
    pub fn by_id(old: &Tree, new: &Tree, common: usize) -> Self {
        let mut matching = Self::none(old, new);
        for node in (0..common).map(NodeId::from_index) {
            if old.contains(node) && new.contains(node) {
                matching.pair(node, node);
            }
        }
        matching.match_families(old, new, NodeId::ROOT);
        matching.unpair_kinds(old, new);
        matching
    }

    /// Returns the node of the new tree for a node of the old one. `None` if it has no match.
    #[must_use]
    pub fn after(&self, old: NodeId) -> Option<NodeId> {
        self.after.get(old.index()).copied().flatten()
    }

    /// Returns the node of the old tree for a node of the new one. `None` if it has no match.
    #[must_use]
    pub fn before(&self, new: NodeId) -> Option<NodeId> {
        self.before.get(new.index()).copied().flatten()
    }

    /// Adds a pair.
    fn pair(&mut self, old: NodeId, new: NodeId) {
        self.after[old.index()] = Some(new);
        self.before[new.index()] = Some(old);
    }

    /// Matches the unmatched nodes below `top`, one account's children after another.
    fn match_families(&mut self, old: &Tree, new: &Tree, top: NodeId) {
        let mut strays = Vec::new();
        let mut pairs = Vec::new();
        for &account in &old.nodes()[old.order().span(top)] {
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
                let found = strays.drain(..).filter_map(|child| {
                    let now = known.get(&identity(old, child))?;
                    Some((child, *now))
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

    /// Matches unmatched nodes whose kind, name and partition are unique among the unmatched nodes of both trees. Only
    /// nodes for which `is_of_sort` returns true are taken.
    fn match_moved(&mut self, old: &Tree, new: &Tree, is_of_sort: fn(&Tree, NodeId) -> bool) {
        let left = |tree: &Tree, pairs: &[Option<NodeId>]| -> Vec<NodeId> {
            let nodes = tree.nodes().iter().copied();
            nodes
                .filter(|&node| pairs[node.index()].is_none() && is_of_sort(tree, node))
                .collect()
        };
        let (was, is) = (left(old, &self.after), left(new, &self.before));
        if was.is_empty() || is.is_empty() {
            return;
        }
        let (was, is) = (unique(old, &was), unique(new, &is));
        for (key, &node) in &was.by_key {
            // The node may have been matched already, with a moved account above it.
            if let Some(&now) = is.by_key.get(key)
                && let (Some(node), Some(now)) = (node, now)
                && self.after(node).is_none()
                && self.before(now).is_none()
            {
                self.pair(node, now);
            }
        }
        if was.has_accounts {
            self.match_families(old, new, NodeId::ROOT);
            self.unpair_kinds(old, new);
        }
    }
}

/// What a node is called, wherever it is in the tree.
type NodeKey<'a> = (Kind, &'a [u8], Option<&'a [u8]>);

/// Nodes by what they are called. `None` for several nodes that are called the same.
struct UniqueNodes<'a> {
    by_key: HashMap<NodeKey<'a>, Option<NodeId>>,
    has_accounts: bool,
}

/// Groups nodes by what they are called.
fn unique<'a>(tree: &'a Tree, nodes: &[NodeId]) -> UniqueNodes<'a> {
    let mut by_key = HashMap::with_capacity(nodes.len());
    let mut has_accounts = false;
    for &node in nodes {
        let key = (tree.kind(node), tree.name(node), tree.partition(node));
        has_accounts |= tree.has_children(node);
        by_key
            .entry(key)
            .and_modify(|node| *node = None)
            .or_insert(Some(node));
    }
    UniqueNodes {
        by_key,
        has_accounts,
    }
}
