//! Which change moved whom: the changes are made one after the other, and each is answerable for the places between the
//! ranks before and after it. So they add up to the whole move; what two changes did together falls to the later one.

use super::changes::{Pair, has_moved};
use super::{Diff, Side};
use crate::model::{Kind, NodeId, Tree, Usage};
use crate::rules::policy::Evaluation;
use std::collections::HashMap;

/// A kind of change, in the order in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Who is there and where: nodes that came, went or moved. Who came has used nothing yet.
    Structure,
    /// The shares of all nodes.
    Shares,
    /// The settings that the policy reads.
    Settings,
    /// What the user itself used.
    OwnUsage,
    /// What all others in its account used; nothing for a user directly below the root, which is nobody's account.
    AccountUsage,
    /// What everybody else used.
    Others,
}

impl Cause {
    /// All of them, in the order in which the changes are made.
    pub const ALL: [Self; 6] = [
        Self::Structure,
        Self::Shares,
        Self::Settings,
        Self::OwnUsage,
        Self::AccountUsage,
        Self::Others,
    ];

    /// The name in files and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Shares => "shares",
            Self::Settings => "settings",
            Self::OwnUsage => "own_usage",
            Self::AccountUsage => "account_usage",
            Self::Others => "others",
        }
    }

    /// What stands above its column.
    #[must_use]
    pub const fn heading(self) -> &'static str {
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

/// How many places each change moved a user: positive is earlier. They add up to the whole move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlacesByCause([i64; Cause::ALL.len()]);

impl PlacesByCause {
    /// The places that a change moved the user.
    #[must_use]
    pub fn places(&self, cause: Cause) -> i64 {
        self.0[cause as usize]
    }

    /// The places of all changes together.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }
}

/// The changes between two trees, made one after the other. All hybrids have the shape of the new tree.
#[derive(Debug)]
pub struct Attribution<'a> {
    diff: &'a Diff,
    /// The ranks by place in the new tree: as they were, with the new structure, shares and settings. 0 for nodes that
    /// had none.
    ranks: [Vec<u32>; 4],
    /// All is new but the usage.
    tree: Tree,
    /// Its numbers, for what a change of some usage leaves as it is.
    numbers: Evaluation,
    /// By place in the new tree: how many nodes of the subtree have other usage.
    changes_within: Vec<u32>,
    /// By place in the new tree: what was used below it before and after.
    used: [Vec<f64>; 2],
    /// By account: the ranks of the users directly below it once all usage in it is new.
    of_accounts: HashMap<NodeId, Vec<(NodeId, u32)>>,
}

impl<'a> Attribution<'a> {
    /// Makes the changes that concern all: structure, shares and settings.
    #[must_use]
    pub fn of(diff: &'a Diff) -> Self {
        let policies = [diff.before(), diff.after()].map(Side::policy);
        let new = diff.after().tree();
        let (old_settings, settings) = (diff.before().settings(), diff.after().settings());
        let evaluate = |tree: &Tree, last: Option<&Evaluation>| {
            policies[0].evaluate_after(tree, old_settings, last)
        };
        let at_first = first_ranks(diff);

        let mut tree = with_old_values(diff);
        let restructured = evaluate(&tree, None);
        let structured = if is_of_one_shape(diff) {
            at_first.clone()
        } else {
            restructured.ranks().to_vec()
        };

        let mut has_new_shares = false;
        for &node in new.nodes() {
            if tree.shares(node) != new.shares(node) {
                tree.set_shares(node, new.shares(node));
                has_new_shares = true;
            }
        }
        let (mut numbers, mut shared) = (restructured, structured.clone());
        if has_new_shares {
            numbers = evaluate(&tree, Some(&numbers));
            shared = numbers.ranks().to_vec();
        }
        let mut set = shared.clone();
        if !diff.changes().settings.is_empty() || policies[0] != policies[1] {
            numbers = policies[1].evaluate(&tree, settings);
            set = numbers.ranks().to_vec();
        }

        let is_used_anew: Vec<bool> = new
            .nodes()
            .iter()
            .map(|&node| tree.usage(node) != new.usage(node))
            .collect();
        Self {
            diff,
            ranks: [at_first, structured, shared, set],
            changes_within: new.order().count_within(&is_used_anew),
            used: [used_within(&tree), used_within(new)],
            tree,
            numbers,
            of_accounts: HashMap::new(),
        }
    }

    /// Why a user of the new tree stands where it stands; nothing if it has no rank in one of the trees.
    pub fn because(&mut self, user: NodeId) -> Option<PlacesByCause> {
        let diff = self.diff;
        let place = diff.after().tree().order().position(user)?;
        let last = diff.after().evaluation().rank(user)?;
        let first = self.ranks[0][place];
        if first == 0 {
            return None;
        }
        let own = self.rank_with_own_usage(user, place);
        let account = self.rank_with_usage_of_account(user, place).or(own);
        let [_, structure, shares, settings] = [0, 1, 2, 3].map(|step| self.ranks[step][place]);
        let ranks = [
            structure,
            shares,
            settings,
            own.unwrap_or(0),
            account.unwrap_or(0),
            last,
        ];
        let mut because = PlacesByCause::default();
        let mut rank = first;
        for (places, next) in because.0.iter_mut().zip(ranks) {
            // A step that leaves the user without a rank, or was not taken, moves nobody.
            if next > 0 {
                *places = i64::from(rank) - i64::from(next);
                rank = next;
            }
        }
        Some(because)
    }

    /// The rank once the usage of the user itself is new; nothing if it did not change.
    fn rank_with_own_usage(&self, user: NodeId, place: usize) -> Option<u32> {
        if self.changes_within[place] == 0 {
            return None;
        }
        let mut tree = self.tree.clone();
        let usage = self.diff.after().tree().usage(user);
        let amount = |usage: Usage| usage.amount().unwrap_or(0.0);
        let more = amount(usage) - amount(tree.usage(user));
        tree.set_usage(user, usage);
        charge(&mut tree, user, more);
        self.evaluate(&tree).rank(user)
    }

    /// The rank once all usage in the user's account is new; nothing if none but its own changed, or the account is the
    /// root.
    fn rank_with_usage_of_account(&mut self, user: NodeId, place: usize) -> Option<u32> {
        let new = self.diff.after().tree();
        let account = new.parent(user).filter(|&above| above != NodeId::ROOT)?;
        let at = new.order().position(account)?;
        if self.changes_within[at] == self.changes_within[place] {
            return None;
        }
        if !self.of_accounts.contains_key(&account) {
            let mut tree = self.tree.clone();
            for &node in &new.nodes()[new.order().span(account)] {
                if tree.usage(node) != new.usage(node) {
                    tree.set_usage(node, new.usage(node));
                }
            }
            let more = self.used[1][at] - self.used[0][at];
            charge(&mut tree, account, more);
            let numbers = self.evaluate(&tree);
            let users = new.children(account);
            let ranks = users.filter_map(|user| Some((user, numbers.rank(user)?)));
            let ranks = ranks.collect();
            self.of_accounts.insert(account, ranks);
        }
        let ranks = &self.of_accounts[&account];
        let found = ranks.iter().find(|(sibling, _)| *sibling == user);
        found.map(|&(_, rank)| rank)
    }

    fn evaluate(&self, tree: &Tree) -> Evaluation {
        let settings = self.diff.after().settings();
        let policy = self.diff.policy();
        policy.evaluate_after(tree, settings, Some(&self.numbers))
    }
}

/// The ranks as they were, by place in the new tree.
fn first_ranks(diff: &Diff) -> Vec<u32> {
    let was = |&node: &NodeId| {
        let before = diff.matching().before(node)?;
        diff.before().evaluation().rank(before)
    };
    let nodes = diff.after().tree().nodes().iter();
    nodes.map(|node| was(node).unwrap_or(0)).collect()
}

/// Whether both trees have the same nodes in the same places, so that structure moved nobody.
fn is_of_one_shape(diff: &Diff) -> bool {
    let (old, new) = (diff.before().tree(), diff.after().tree());
    let is_same = |&node: &NodeId| {
        diff.matching().before(node) == Some(node)
            && old.name(node) == new.name(node)
            && old.parent(node) == new.parent(node)
            && old.active(node) == new.active(node)
            && old.group(node) == new.group(node)
    };
    old.nodes() == new.nodes() && new.nodes().iter().all(is_same)
}

/// The new tree with the shares and usage that its nodes had. New nodes have their shares and have used nothing; what
/// moved took along what it used.
fn with_old_values(diff: &Diff) -> Tree {
    let (old, new) = (diff.before().tree(), diff.after().tree());
    let mut tree = new.clone();
    for &node in new.nodes() {
        match diff.matching().before(node) {
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

/// By how much what moved changed the usage of the accounts that it left (negative) and joined.
fn carried(diff: &Diff) -> Vec<(NodeId, f64)> {
    /// Sums of the same amounts in another order differ by less, as a part of the sum: nothing was carried.
    const ROUNDING: f64 = 1e-12;
    let (old, new) = (diff.before().tree(), diff.after().tree());
    let is_moved = |pair: &Pair<NodeId>| has_moved(old, new, diff.matching(), *pair);
    let moved: Vec<_> = diff.all_pairs().filter(is_moved).collect();
    if moved.is_empty() {
        return Vec::new();
    }
    let used = used_within(old);
    let mut left = vec![0.0; old.node_count()];
    let mut joined = vec![0.0; new.node_count()];
    // What moved out of something that moved too goes its own way, so it is taken off there.
    let mut own = vec![0.0; old.node_count()];
    let mut moves_at = vec![None; old.node_count()];
    for pair in &moved {
        if let Some(place) = old.order().position(pair.before) {
            moves_at[place] = Some(pair.after);
        }
    }
    let mut around: Vec<usize> = Vec::new();
    for place in 0..old.node_count() {
        if moves_at[place].is_none() {
            continue;
        }
        while around
            .last()
            .is_some_and(|&outer| old.order().ends()[outer] as usize <= place)
        {
            around.pop();
        }
        own[place] += used[place];
        if let Some(&outer) = around.last() {
            own[outer] -= used[place];
        }
        around.push(place);
    }
    for (place, after) in moves_at.iter().enumerate() {
        let above = after.and_then(|after| new.parent(after));
        if let Some(above) = above.and_then(|above| new.order().position(above)) {
            left[old.order().above()[place] as usize] += own[place];
            joined[above] += own[place];
        }
    }
    sum_up(old, &mut left);
    sum_up(new, &mut joined);
    let accounts = new.nodes().iter().zip(&joined);
    accounts
        .filter_map(|(&account, &joined)| {
            let before = diff.matching().before(account)?;
            let left = left[old.order().position(before)?];
            let more: f64 = joined - left;
            (more.abs() > ROUNDING * joined.max(left)).then_some((account, more))
        })
        .collect()
}

/// By place: what was stated for a node, else the sum of what its users used.
fn used_within(tree: &Tree) -> Vec<f64> {
    let stated = |&node: &NodeId| tree.usage(node).amount();
    let nodes = tree.nodes().iter();
    let users = nodes.map(|node| stated(node).filter(|_| tree.kind(*node) == Kind::User));
    let mut used: Vec<f64> = users.map(|amount| amount.unwrap_or(0.0)).collect();
    sum_up(tree, &mut used);
    for (used, node) in used.iter_mut().zip(tree.nodes()) {
        *used = stated(node).unwrap_or(*used);
    }
    used
}

/// Adds to the amount of every place those of all below it.
fn sum_up(tree: &Tree, amounts: &mut [f64]) {
    for place in (1..amounts.len()).rev() {
        amounts[tree.order().above()[place] as usize] += amounts[place];
    }
}

/// Adds usage to the accounts above a node as far as the source stated theirs; sums follow by themselves.
fn charge(tree: &mut Tree, node: NodeId, amount: f64) {
    // PBS's accounts are sums, whatever their records say.
    if tree.kinds_follow_shape() || amount == 0.0 {
        return;
    }
    let mut above = tree.parent(node);
    while let Some(account) = above {
        add_to_stated(tree, account, amount);
        above = tree.parent(account);
    }
}

fn add_to_stated(tree: &mut Tree, account: NodeId, amount: f64) {
    if let Some(stated) = tree.usage(account).amount() {
        tree.set_usage(account, Usage::new((stated + amount).max(0.0)));
    }
}
