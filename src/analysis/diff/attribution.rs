//! The attribution of changed ranks to changes.
//!
//! The changes are applied one after the other, and each accounts for the ranks gained or lost by its own step. So they
//! add up to the whole move. An effect that needs two changes counts for the later one.

use super::{Diff, Pair, has_moved};
use crate::base::table::table;
use crate::model::{NodeId, Settings, Tree, Usage};
use crate::rules::policy::{Basis, Evaluation, Policy};
use hashbrown::HashMap;
use std::ops::Add as _;

table! {
    /// A kind of change, in the order in which they are applied.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cause {
        Structure, "structure", "Added, removed and moved nodes. Added nodes have used nothing yet";
        Shares, "shares", "The shares of all nodes";
        Settings, "settings", "The settings that the policy reads";
        OwnUsage, "own_usage", "The user's own usage";
        AccountUsage, "account_usage", "The usage of all others in its account, which the root is not";
        Others, "others", "The usage of everybody else";
    }
}

impl Cause {
    /// In the order of the kinds.
    const HEADINGS: [&str; Self::ALL.len()] = [
        "Structure",
        "Shares",
        "Settings",
        "Own usage",
        "Account's",
        "Others'",
    ];

    pub(crate) const fn heading(self) -> &'static str {
        Self::HEADINGS[self as usize]
    }
}

/// The ranks that a user gained by each kind of change; positive is earlier. They add up to the whole move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlacesByCause([i64; Cause::ALL.len()]);

impl PlacesByCause {
    /// Returns the ranks gained by a kind of change.
    pub fn places(&self, cause: Cause) -> i64 {
        self.0[cause as usize]
    }
}

/// The changes between two trees, applied one after the other. All intermediate trees have the shape of the new tree.
#[derive(Debug)]
pub struct Attribution<'a> {
    diff: &'a Diff,
    /// By position in the new tree: the old ranks, then those with the new structure, shares and settings; 0 for none.
    ranks: [Vec<u32>; 4],
    /// The new tree with the old usage.
    tree: Tree,
    /// The number of nodes in each subtree whose usage changed, by position in the new tree.
    changes_within: Vec<u32>,
    /// The usage of each subtree before and after, by position in the new tree.
    used: [Vec<f64>; 2],
    /// The ranks by position in the new tree once all usage in an account is new.
    of_accounts: HashMap<NodeId, Vec<u32>>,
}

impl<'a> Attribution<'a> {
    /// Applies the changes that affect all users: structure, shares and settings.
    pub fn of(diff: &'a Diff) -> Self {
        let policies = [diff.before.policy, diff.after.policy];
        let new = &diff.after.tree;
        let (old_settings, settings) = (&diff.before.settings, &diff.after.settings);
        let ranks_under = |policy: Policy, tree: &Tree, settings: &Settings| {
            let printed = diff.after.printed.as_deref();
            let basis = Basis {
                tree,
                settings,
                printed,
            };
            policy.evaluate_as_printed(basis).ranks().to_vec()
        };
        let ranks_in = |tree: &Tree, known: Option<&Vec<u32>>| match known {
            Some(ranks) => ranks.clone(),
            None => ranks_under(policies[0], tree, old_settings),
        };
        let at_first = first_ranks(diff);
        let mut tree = with_old_values(diff);
        let structured = ranks_in(&tree, is_of_one_shape(diff).then_some(&at_first));
        let mut has_new_shares = false;
        for &node in new.nodes() {
            if tree.shares(node) != new.shares(node) {
                tree.set_shares(node, new.shares(node));
                has_new_shares = true;
            }
        }
        let shared = ranks_in(&tree, (!has_new_shares).then_some(&structured));
        let set = if diff.changes.settings.is_empty() && policies[0] == policies[1] {
            shared.clone()
        } else {
            ranks_under(policies[1], &tree, settings)
        };
        let is_anew = |&node: &NodeId| tree.usage(node) != new.usage(node);
        let is_used_anew: Vec<bool> = new.nodes().iter().map(is_anew).collect();
        Self {
            diff,
            ranks: [at_first, structured, shared, set],
            changes_within: new.order().count_within(&is_used_anew),
            used: [used_within(&tree), used_within(new)],
            tree,
            of_accounts: HashMap::new(),
        }
    }

    /// Attributes the move of a user of the new tree. `None` if it has no rank in one of the trees.
    pub fn attribute(&mut self, user: NodeId) -> Option<PlacesByCause> {
        let diff = self.diff;
        let place = diff.after.tree.order().position(user)?;
        let last = diff.after.evaluation.rank(user)?;
        let first = self.ranks[0][place];
        if first == 0 {
            return None;
        }
        let own = self.rank_with_own_usage(user, place);
        let account = self.rank_with_usage_of_account(user, place).or(own);
        let [_, structure, shares, settings] = [0, 1, 2, 3].map(|step| self.ranks[step][place]);
        let [own, account] = [own, account].map(|rank| rank.unwrap_or(0));
        let ranks = [structure, shares, settings, own, account, last];
        let mut gained = PlacesByCause::default();
        let mut rank = first;
        for (places, next) in gained.0.iter_mut().zip(ranks) {
            // A step that was skipped, or leaves the user without a rank, counts for nothing.
            if next > 0 {
                *places = i64::from(rank) - i64::from(next);
                rank = next;
            }
        }
        Some(gained)
    }

    /// Returns the rank with the user's own new usage. `None` if that did not change.
    fn rank_with_own_usage(&self, user: NodeId, place: usize) -> Option<u32> {
        if self.changes_within[place] == 0 {
            return None;
        }
        let mut tree = self.tree.clone();
        let usage = self.diff.after.tree.usage(user);
        let amount = |usage: Usage| usage.amount().unwrap_or(0.0);
        let more = amount(usage) - amount(tree.usage(user));
        tree.set_usage(user, usage);
        charge(&mut tree, user, more);
        self.evaluate(&tree).rank(user)
    }

    /// Returns the rank with the new usage of the whole account. `None` if that changes nothing, or for the root.
    fn rank_with_usage_of_account(&mut self, user: NodeId, place: usize) -> Option<u32> {
        let new = &self.diff.after.tree;
        let account = new.parent(user).filter(|&above| above != NodeId::ROOT)?;
        let at = new.order().position(account)?;
        if self.changes_within[at] == self.changes_within[place] {
            return None;
        }
        if !self.of_accounts.contains_key(&account) {
            let mut tree = self.tree.clone();
            for &node in new.within(account) {
                if tree.usage(node) != new.usage(node) {
                    tree.set_usage(node, new.usage(node));
                }
            }
            let more = self.used[1][at] - self.used[0][at];
            charge(&mut tree, account, more);
            let ranks = self.evaluate(&tree).ranks().to_vec();
            self.of_accounts.insert(account, ranks);
        }
        Some(self.of_accounts[&account][place]).filter(|&rank| rank > 0)
    }

    fn evaluate(&self, tree: &Tree) -> Evaluation {
        self.diff.policy().evaluate_as_printed(Basis {
            tree,
            settings: &self.diff.after.settings,
            printed: self.diff.after.printed.as_deref(),
        })
    }
}

/// Returns the old ranks, by position in the new tree.
fn first_ranks(diff: &Diff) -> Vec<u32> {
    let was = |&node: &NodeId| {
        let before = diff.matching.before(node)?;
        diff.before.evaluation.rank(before)
    };
    let nodes = diff.after.tree.nodes().iter();
    nodes.map(|node| was(node).unwrap_or(0)).collect()
}

/// Returns whether both trees have the same nodes in the same order, so that the structure moved nobody.
fn is_of_one_shape(diff: &Diff) -> bool {
    let (old, new) = (&diff.before.tree, &diff.after.tree);
    let is_same = |&node: &NodeId| {
        diff.matching.before(node) == Some(node)
            && old.name(node) == new.name(node)
            && old.parent(node) == new.parent(node)
            && old.active(node) == new.active(node)
            && old.group(node) == new.group(node)
    };
    old.nodes() == new.nodes() && new.nodes().iter().all(is_same)
}

/// Returns the new tree with the old shares and usage. Added nodes have used nothing; moved nodes take usage along.
fn with_old_values(diff: &Diff) -> Tree {
    let (old, new) = (&diff.before.tree, &diff.after.tree);
    let mut tree = new.clone();
    for &node in new.nodes() {
        match diff.matching.before(node) {
            Some(before) => {
                tree.set_shares(node, old.shares(before));
                tree.set_usage(node, old.usage(before));
            }
            None => tree.set_usage(node, Usage::NONE),
        }
    }
    if tree.kinds_follow_shape() {
        return tree;
    }
    for (account, more) in carried(diff) {
        add_to_stated(&mut tree, account, more);
    }
    tree
}

/// Returns the usage that moved nodes took from accounts (negative) or added to accounts.
fn carried(diff: &Diff) -> Vec<(NodeId, f64)> {
    /// The largest relative difference between sums of the same amounts in another order.
    const ROUNDING: f64 = 1e-12;
    let (old, new) = (&diff.before.tree, &diff.after.tree);
    let is_moved = |pair: &Pair<NodeId>| has_moved(old, new, &diff.matching, *pair);
    let moved: Vec<_> = diff.all_pairs().filter(is_moved).collect();
    if moved.is_empty() {
        return Vec::new();
    }
    let used = used_within(old);
    let mut joined = vec![0.0; new.node_count()];
    let mut left = vec![0.0; old.node_count()];
    let mut own = left.clone();
    let mut moves_at = vec![None; old.node_count()];
    for pair in &moved {
        if let Some(place) = old.order().position(pair.before) {
            moves_at[place] = Some(pair.after);
        }
    }
    // A node that moved out of a moved account is subtracted from that account.
    let mut moved_above: Vec<Option<usize>> = vec![None; old.node_count()];
    for place in 1..old.node_count() {
        let above = old.order().above()[place] as usize;
        moved_above[place] = moves_at[above].map_or(moved_above[above], |_| Some(above));
        if moves_at[place].is_some() {
            own[place] += used[place];
            if let Some(outer) = moved_above[place] {
                own[outer] -= used[place];
            }
        }
    }
    for (place, after) in moves_at.iter().enumerate() {
        let above = after.and_then(|after| new.parent(after));
        if let Some(above) = above.and_then(|above| new.order().position(above)) {
            left[old.order().above()[place] as usize] += own[place];
            joined[above] += own[place];
        }
    }
    old.order().sum_up(&mut left, f64::add);
    new.order().sum_up(&mut joined, f64::add);
    let accounts = new.nodes().iter().zip(&joined);
    accounts
        .filter_map(|(&account, &joined)| {
            let before = diff.matching.before(account)?;
            let left = left[old.order().position(before)?];
            let more: f64 = joined - left;
            (more.abs() > ROUNDING * joined.max(left)).then_some((account, more))
        })
        .collect()
}

/// Returns the usage of each node by position: the stated usage, otherwise the sum of its users' and childless accounts' usage.
fn used_within(tree: &Tree) -> Vec<f64> {
    let stated = |&node: &NodeId| tree.usage(node).amount();
    let nodes = tree.nodes().iter();
    let counted = nodes.map(|node| stated(node).filter(|_| tree.counts_above(*node)));
    let mut used: Vec<f64> = counted.map(|amount| amount.unwrap_or(0.0)).collect();
    tree.order().sum_up(&mut used, f64::add);
    for (used, node) in used.iter_mut().zip(tree.nodes()) {
        *used = stated(node).unwrap_or(*used);
    }
    used
}

/// Adds usage to the stated usage of the accounts above a node. Accounts without stated usage are sums anyway.
fn charge(tree: &mut Tree, node: NodeId, amount: f64) {
    // In PBS the usage of accounts is always a sum.
    if tree.kinds_follow_shape() || amount == 0.0 {
        return;
    }
    let above: Vec<NodeId> = tree.upwards(node).skip(1).collect();
    for account in above {
        add_to_stated(tree, account, amount);
    }
}

fn add_to_stated(tree: &mut Tree, account: NodeId, amount: f64) {
    if let Some(stated) = tree.usage(account).amount() {
        tree.set_usage(account, Usage::new((stated + amount).max(0.0)));
    }
}
