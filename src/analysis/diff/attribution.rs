//! The attribution of changed ranks to changes.
//!
//! The changes are applied one after the other, and each accounts for the ranks gained or lost by its own step. So they
//! add up to the whole move. An effect that needs two changes counts for the later one.

use super::{Diff, Side, has_moved};
use crate::base::table::table;
use crate::model::{NodeId, Tree, Usage};
use crate::rules::policy::{Basis, Evaluation};
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
    /// Returns the title of its column.
    pub(crate) const fn heading(self) -> &'static str {
        match self {
            Self::Structure => "Structure",
            Self::Shares => "Shares",
            Self::Settings => "Settings",
            Self::OwnUsage => "Own usage",
            Self::AccountUsage => "Account's",
            Self::Others => "Others'",
        }
    }
}

/// The ranks that a user gained by each kind of change; positive is earlier. They add up to the whole move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlacesByCause {
    structure: i64,
    shares: i64,
    settings: i64,
    own_usage: i64,
    account_usage: i64,
    others: i64,
}

impl PlacesByCause {
    /// Returns the ranks gained by a kind of change.
    pub fn places(&self, cause: Cause) -> i64 {
        match cause {
            Cause::Structure => self.structure,
            Cause::Shares => self.shares,
            Cause::Settings => self.settings,
            Cause::OwnUsage => self.own_usage,
            Cause::AccountUsage => self.account_usage,
            Cause::Others => self.others,
        }
    }
}

/// A user's rank while changes are applied one after the other.
struct RankSteps {
    rank: u32,
}

impl RankSteps {
    /// Goes on to the next rank, and returns the ranks gained. A step that was skipped, or leaves the user without a rank,
    /// has rank 0, and counts for nothing.
    fn gained(&mut self, next: u32) -> i64 {
        if next == 0 {
            return 0;
        }
        let gained = i64::from(self.rank) - i64::from(next);
        self.rank = next;
        gained
    }
}

/// Ranks by position in the new tree once changes that affect all users are applied, one kind after the other; 0 for none.
#[derive(Debug)]
struct RanksByStep {
    before: Vec<u32>,
    structure: Vec<u32>,
    shares: Vec<u32>,
    settings: Vec<u32>,
}

/// The changes between two trees, applied one after the other. All intermediate trees have the shape of the new tree.
#[derive(Debug)]
pub struct Attribution<'a> {
    diff: &'a Diff,
    ranks: RanksByStep,
    /// The new tree with the old usage.
    tree: Tree,
    /// The number of nodes in each subtree whose usage changed, by position in the new tree.
    changes_within: Vec<u32>,
    /// The usage of each subtree before, by position in the new tree.
    used_before: Vec<f64>,
    /// The usage of each subtree after, by position in the new tree.
    used_after: Vec<f64>,
    /// The ranks by position in the new tree once all usage in an account is new.
    of_accounts: HashMap<NodeId, Vec<u32>>,
}

impl<'a> Attribution<'a> {
    /// Applies the changes that affect all users: structure, shares and settings.
    pub fn of(diff: &'a Diff) -> Self {
        let new = &diff.after.tree;
        let mut tree = with_old_values(diff);
        let before = first_ranks(diff);
        let structure = if is_of_one_shape(diff) {
            before.clone()
        } else {
            ranks_as_on(&diff.before, diff, &tree)
        };
        let mut has_new_shares = false;
        for &node in new.nodes() {
            if tree.shares(node) != new.shares(node) {
                tree.set_shares(node, new.shares(node));
                has_new_shares = true;
            }
        }
        let shares = if has_new_shares {
            ranks_as_on(&diff.before, diff, &tree)
        } else {
            structure.clone()
        };
        let is_same_rule = diff.before.policy == diff.after.policy;
        let settings = if is_same_rule && diff.changes.settings.is_empty() {
            shares.clone()
        } else {
            ranks_as_on(&diff.after, diff, &tree)
        };
        let mut is_used_anew = Vec::with_capacity(new.node_count());
        for &node in new.nodes() {
            is_used_anew.push(tree.usage(node) != new.usage(node));
        }
        Self {
            diff,
            ranks: RanksByStep {
                before,
                structure,
                shares,
                settings,
            },
            changes_within: new.order().count_within(&is_used_anew),
            used_before: used_within(&tree),
            used_after: used_within(new),
            tree,
            of_accounts: HashMap::new(),
        }
    }

    /// Attributes the move of a user of the new tree. `None` if it has no rank in one of the trees.
    pub fn attribute(&mut self, user: NodeId) -> Option<PlacesByCause> {
        let diff = self.diff;
        let place = diff.after.tree.order().position(user)?;
        let last = diff.after.evaluation.rank(user)?;
        let first = self.ranks.before[place];
        if first == 0 {
            return None;
        }
        let own = self.rank_with_own_usage(user, place).unwrap_or(0);
        let account = self.rank_with_usage_of_account(user, place);
        let mut steps = RankSteps { rank: first };
        Some(PlacesByCause {
            structure: steps.gained(self.ranks.structure[place]),
            shares: steps.gained(self.ranks.shares[place]),
            settings: steps.gained(self.ranks.settings[place]),
            own_usage: steps.gained(own),
            account_usage: steps.gained(account.unwrap_or(0)),
            others: steps.gained(last),
        })
    }

    /// Returns the rank with the user's own new usage. `None` if that did not change.
    fn rank_with_own_usage(&self, user: NodeId, place: usize) -> Option<u32> {
        if self.changes_within[place] == 0 {
            return None;
        }
        let mut tree = self.tree.clone();
        let usage = self.diff.after.tree.usage(user);
        let before = tree.usage(user).amount().unwrap_or(0.0);
        let after = usage.amount().unwrap_or(0.0);
        tree.set_usage(user, usage);
        charge(&mut tree, user, after - before);
        self.evaluate(&tree).rank(user)
    }

    /// Returns the rank with the new usage of the whole account. `None` if that changes nothing, or for the root.
    fn rank_with_usage_of_account(&mut self, user: NodeId, place: usize) -> Option<u32> {
        let new = &self.diff.after.tree;
        let account = new.parent(user)?;
        let at = new.order().position(account)?;
        if account == NodeId::ROOT || self.changes_within[at] == self.changes_within[place] {
            return None;
        }
        if !self.of_accounts.contains_key(&account) {
            let mut tree = self.tree.clone();
            for &node in new.within(account) {
                if tree.usage(node) != new.usage(node) {
                    tree.set_usage(node, new.usage(node));
                }
            }
            let more = self.used_after[at] - self.used_before[at];
            charge(&mut tree, account, more);
            let ranks = self.evaluate(&tree).ranks().to_vec();
            self.of_accounts.insert(account, ranks);
        }
        match self.of_accounts[&account][place] {
            0 => None,
            rank => Some(rank),
        }
    }

    /// Evaluates a tree with the new settings.
    fn evaluate(&self, tree: &Tree) -> Evaluation {
        evaluation_as_on(&self.diff.after, self.diff, tree)
    }
}

/// Evaluates a tree of the new shape under the policy and the settings of a side.
fn evaluation_as_on(side: &Side, diff: &Diff, tree: &Tree) -> Evaluation {
    side.policy.evaluate_as_printed(Basis {
        tree,
        settings: &side.settings,
        printed: diff.after.printed.as_deref(),
    })
}

/// Returns the ranks of a tree of the new shape under the policy and the settings of a side, by position; 0 for none.
fn ranks_as_on(side: &Side, diff: &Diff, tree: &Tree) -> Vec<u32> {
    evaluation_as_on(side, diff, tree).ranks().to_vec()
}

/// Returns the old ranks, by position in the new tree; 0 for none.
fn first_ranks(diff: &Diff) -> Vec<u32> {
    let mut ranks = vec![0; diff.after.tree.node_count()];
    for (position, &node) in diff.after.tree.nodes().iter().enumerate() {
        if let Some(before) = diff.matching.before(node)
            && let Some(rank) = diff.before.evaluation.rank(before)
        {
            ranks[position] = rank;
        }
    }
    ranks
}

/// Returns whether both trees have the same nodes in the same order, so that the structure moved nobody.
fn is_of_one_shape(diff: &Diff) -> bool {
    let old = &diff.before.tree;
    let new = &diff.after.tree;
    if old.nodes() != new.nodes() {
        return false;
    }
    for &node in new.nodes() {
        let is_same = diff.matching.before(node) == Some(node)
            && old.name(node) == new.name(node)
            && old.parent(node) == new.parent(node)
            && old.active(node) == new.active(node)
            && old.group(node) == new.group(node);
        if !is_same {
            return false;
        }
    }
    true
}

/// Returns the new tree with the old shares and usage. Added nodes have used nothing; moved nodes take usage along.
fn with_old_values(diff: &Diff) -> Tree {
    let old = &diff.before.tree;
    let new = &diff.after.tree;
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
    for (account, amount) in carried(diff) {
        add_to_stated(&mut tree, account, amount);
    }
    tree
}

/// Returns the usage that moved nodes took from accounts (negative) or added to accounts.
fn carried(diff: &Diff) -> Vec<(NodeId, f64)> {
    /// The largest relative difference between sums of the same amounts in another order.
    const ROUNDING: f64 = 1e-12;
    let old = &diff.before.tree;
    let new = &diff.after.tree;
    // The new node of each moved node, by position in the old tree.
    let mut moved = vec![None; old.node_count()];
    let mut has_moves = false;
    for pair in diff.all_pairs() {
        if has_moved(old, new, &diff.matching, pair)
            && let Some(place) = old.order().position(pair.before)
        {
            moved[place] = Some(pair.after);
            has_moves = true;
        }
    }
    if !has_moves {
        return Vec::new();
    }
    let own = carried_by_each(old, &moved);
    let mut joined = vec![0.0; new.node_count()];
    let mut left = vec![0.0; old.node_count()];
    for (place, after) in moved.iter().enumerate() {
        if let Some(after) = after
            && let Some(account) = new.parent(*after)
            && let Some(above) = new.order().position(account)
        {
            left[old.order().above()[place] as usize] += own[place];
            joined[above] += own[place];
        }
    }
    old.order().sum_up(&mut left, f64::add);
    new.order().sum_up(&mut joined, f64::add);
    let mut carried = Vec::new();
    for (position, &account) in new.nodes().iter().enumerate() {
        if let Some(before) = diff.matching.before(account)
            && let Some(place) = old.order().position(before)
        {
            let amount: f64 = joined[position] - left[place];
            if amount.abs() > ROUNDING * joined[position].max(left[place]) {
                carried.push((account, amount));
            }
        }
    }
    carried
}

/// Returns the usage that each moved node took along, by position in the old tree: without that of nodes which moved out of
/// it.
fn carried_by_each(old: &Tree, moved: &[Option<NodeId>]) -> Vec<f64> {
    let used = used_within(old);
    let above = old.order().above();
    let mut own = vec![0.0; old.node_count()];
    let mut moved_above: Vec<Option<usize>> = vec![None; old.node_count()];
    for place in 1..old.node_count() {
        let account = above[place] as usize;
        moved_above[place] = match moved[account] {
            Some(_) => Some(account),
            None => moved_above[account],
        };
        if moved[place].is_some() {
            own[place] += used[place];
            if let Some(outer) = moved_above[place] {
                own[outer] -= used[place];
            }
        }
    }
    own
}

/// Returns the usage of each node by position: the stated usage, otherwise the sum of its users' and childless accounts' usage.
fn used_within(tree: &Tree) -> Vec<f64> {
    let mut used = vec![0.0; tree.node_count()];
    for (position, &node) in tree.nodes().iter().enumerate() {
        if tree.counts_above(node) {
            used[position] = tree.usage(node).amount().unwrap_or(0.0);
        }
    }
    tree.order().sum_up(&mut used, f64::add);
    for (position, &node) in tree.nodes().iter().enumerate() {
        if let Some(stated) = tree.usage(node).amount() {
            used[position] = stated;
        }
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

/// Adds usage to an account that states its own.
fn add_to_stated(tree: &mut Tree, account: NodeId, amount: f64) {
    if let Some(stated) = tree.usage(account).amount() {
        tree.set_usage(account, Usage::new((stated + amount).max(0.0)));
    }
}
