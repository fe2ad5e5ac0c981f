//! Nodes that were renamed in place.

use super::{Identity, KindAndName, Matching, by_key, unmatched_children};
use crate::analysis::diff::Pair;
use crate::model::{Kind, NodeId, Shares, Tree, Usage};
use hashbrown::{HashMap, HashSet};

/// Nodes that may have been renamed, by their two names.
type Candidates<'a> = HashMap<Pair<KindAndName<'a>>, Vec<Pair<NodeId>>>;

impl Matching {
    /// Matches nodes that were renamed in place: the only ones of their kind, partition and shares that an account lost
    /// and got, whose names the other tree does not have. The usage, members or shares of two such nodes must show that
    /// they are one, or the same two names in several accounts.
    pub(super) fn match_renamed(&mut self, old: &Tree, new: &Tree) {
        let mut renamed = self.candidates(old, new);
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

    /// Returns the only nodes of their kind, partition and shares that an account lost and got, for each account.
    fn candidates<'a>(&self, old: &'a Tree, new: &'a Tree) -> Candidates<'a> {
        let mut renamed = Candidates::new();
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
        renamed
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
