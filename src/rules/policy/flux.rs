//! Flux's weighted walk, to the bit.
//!
//! Follows flux-accounting 0.60 (master 9546e250): `src/fairness/weighted_tree` (`weighted_tree_node`: shares, usage
//! and weights; its comparison of siblings), `weighted_walk` (order, ties, ranks, fair-share), and `data_reader_db` for
//! accounts without stated usage (the sum of their users).
//!
//! Shares are 64-bit words and usage is a double. But the sum of a level's usage is kept in a 64-bit word, which loses
//! its fraction after every addition. All of that is imitated, because the order can depend on it.

use super::column::column_ids;
use super::evaluation::{NumberColumn, Numbers, Presence, blank};
use super::levels::visit_levels;
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::sort::{has_no_fraction, rising};
use crate::model::{Kind, NodeId, Settings, Tree};
use std::cmp;
use std::sync::Arc;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![WeightedShares WeightedUsage Weight SchedulerRank],
    extra: &[],
    usual: column_ids![Shares WeightedShares Usage WeightedUsage Weight Factor Rank],
    settings: &[],
    factor: ColumnId::Factor,
    factor_help: "The place in the ranking: 1 is first, 0.5 the middle",
    portions: Portions::OfLevel(
        [ColumnId::WeightedShares, ColumnId::WeightedUsage],
        Some(ColumnId::Weight),
    ),
    precedence: Precedence::Levels(ColumnId::Weight),
    evaluate,
};

/// Usage below this counts as none.
pub const LEAST_USAGE: f64 = 1e-9;

/// The weight of a node with shares and without usage: the largest 64-bit word plus 1, as a double.
pub const UNUSED_WEIGHT: f64 = 18_446_744_073_709_551_616.0;

/// Returns whether two weights are equal to Flux: within 2^-52 of the larger one, or of 1 if that is larger.
pub fn are_equal(a: f64, b: f64) -> bool {
    (a - b).abs() < f64::EPSILON * a.abs().max(b.abs()).max(1.0)
}

/// Adds usage to the sum of a level, as the 64-bit word in which Flux keeps it: the fraction is cut off.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "Flux converts the word to a double and the sum back"
)]
pub(super) fn add_usage(sum: u64, usage: f64) -> u64 {
    let sum = sum as f64 + usage;
    // A sum beyond 64 bits is undefined in C++. On x86-64 the conversion gives 0.
    if sum >= UNUSED_WEIGHT { 0 } else { sum as u64 }
}

/// Compares two siblings as Flux does: the heavier is visited first, and of equal weights a user before a bank. Two of
/// the same kind and weight have no order.
pub(super) fn compare(tree: &Tree, evaluation: &Evaluation, a: NodeId, b: NodeId) -> cmp::Ordering {
    let weight = |node| evaluation.number(ColumnId::Weight, node).unwrap_or(0.0);
    if are_equal(weight(a), weight(b)) {
        let is_account = |node| tree.kind(node) == Kind::Account;
        is_account(a).cmp(&is_account(b))
    } else {
        evaluation.compare(ColumnId::Weight, a, b)
    }
}

/// Returns siblings in the order in which they are visited, each with its place; those that tie share one.
pub(super) fn places(
    tree: &Tree,
    evaluation: &Evaluation,
    siblings: &[(u64, NodeId)],
) -> Vec<(u64, NodeId)> {
    let Some(Numbers::Double(weights)) = evaluation.numbers(ColumnId::Weight) else {
        return siblings.to_vec();
    };
    let mut members = Siblings::default();
    for &(_, node) in siblings {
        if let Some(position) = tree.order().position(node) {
            let is_user = tree.kind(node) == Kind::User;
            let position = u32::try_from(position).expect("a tree has fewer than 2^32 nodes");
            members.push(position, weights[position as usize], is_user);
        }
    }
    let node = |&position: &u32| tree.nodes()[position as usize];
    let runs = (0..).zip(members.visited());
    runs.flat_map(|(place, run)| run.iter().map(move |position| (place, node(position))))
        .collect()
}

fn evaluate(tree: &Tree, _settings: &Settings) -> Evaluation {
    // Flux does not know Slurm's `parent`, and inactive associations and banks are not loaded.
    let blank = blank(tree, |node| {
        tree.shares(node).is_parent() || tree.active(node) == Some(false)
    });
    let is_blank = |position: usize| blank.as_ref().is_some_and(|blank| blank[position]);
    // Nodes are in memory in the order in which they were read, so everything about a node is read at once.
    let count = tree.node_count();
    let mut is_user = Vec::with_capacity(count);
    let mut recorded = Vec::with_capacity(count);
    let mut shares = Vec::with_capacity(count);
    for (position, &node) in tree.nodes().iter().enumerate() {
        let counts = tree.counts_above(node) && !is_blank(position);
        let amount = tree.usage(node).amount();
        is_user.push(counts && tree.kind(node) == Kind::User);
        recorded.push(amount.filter(|_| counts).unwrap_or(0.0));
        shares.push(tree.shares(node).count().unwrap_or(0).cast_unsigned());
    }
    let usage = usages(tree, &is_user, recorded, is_blank);
    let level = Levels::of(tree, &shares, &usage, is_blank);
    let user_count = u32::try_from(is_user.iter().filter(|&&is_user| is_user).count())
        .expect("a tree has fewer than 2^32 nodes");
    let ranks = ranks(tree, &is_user, &level.weight, is_blank);
    let counter = |&rank: &u32| (user_count + 1).saturating_sub(rank.max(1));
    let counters: Vec<u32> = ranks.iter().map(counter).collect();
    let factor = |&counter: &u32| f64::from(counter) / f64::from(user_count);
    let factors = counters.iter().map(factor).collect();
    let is_user = Arc::new(is_user);
    let users = || Presence::Marked(Arc::clone(&is_user));
    let columns = vec![
        NumberColumn::doubles(ColumnId::Usage, usage),
        NumberColumn::doubles(ColumnId::WeightedShares, level.shares).at(Presence::BelowRoot),
        NumberColumn::doubles(ColumnId::WeightedUsage, level.usage).at(Presence::BelowRoot),
        NumberColumn::doubles(ColumnId::Weight, level.weight),
        NumberColumn::counts(ColumnId::SchedulerRank, counters).at(users()),
        NumberColumn::doubles(ColumnId::Factor, factors).at(users()),
        NumberColumn::ranks(ColumnId::Rank, ranks),
    ];
    Evaluation::new(tree, columns, blank)
}

/// The parts of every node among its siblings, by position.
struct Levels {
    /// Its part of their shares; 0 without shares.
    shares: Vec<f64>,
    /// Its part of their usage; 0 without usage.
    usage: Vec<f64>,
    weight: Vec<f64>,
}

impl Levels {
    fn of(tree: &Tree, shares: &[u64], usage: &[f64], is_blank: impl Fn(usize) -> bool) -> Self {
        let above = tree.order().above();
        // The sums of each account's children, in their order.
        let mut totals = vec![(0_u64, 0_u64); usage.len()];
        for position in (1..usage.len()).filter(|&position| !is_blank(position)) {
            let (share_total, usage_total) = &mut totals[above[position] as usize];
            *share_total = share_total.wrapping_add(shares[position]);
            *usage_total = add_usage(*usage_total, usage[position]);
        }
        let mut levels = Self {
            shares: vec![0.0; usage.len()],
            usage: vec![0.0; usage.len()],
            weight: vec![0.0; usage.len()],
        };
        for position in 1..usage.len() {
            let (share_total, usage_total) = totals[above[position] as usize];
            let (share, used) = (shares[position], usage[position]);
            if share != 0 {
                levels.shares[position] = portion(share as f64, share_total);
            }
            let is_unused = used.abs() < LEAST_USAGE;
            if !is_unused {
                levels.usage[position] = portion(used, usage_total);
            }
            levels.weight[position] = match (share, is_unused) {
                (0, _) => 0.0,
                (_, true) => UNUSED_WEIGHT,
                (_, false) => levels.shares[position] / levels.usage[position],
            };
        }
        levels
    }
}

fn portion(number: f64, total: u64) -> f64 {
    number / total as f64
}

/// How often a bank's usage is added to an account above it before speed takes precedence over the exact order.
///
/// Flux adds each bank's usage to every bank above it. Where the sums are not exact, their last bits depend on that
/// order. A chain of a million accounts with fractions in its usage would take a day.
const MOST_ADDITIONS: u64 = 1 << 26;

/// Sums of whole numbers are exact up to here, in any order.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns usage by position: users and childless accounts as `recorded`, accounts as stated or the sum of those below.
///
/// A bank's own users are summed in their order, and that sum is added to the bank and to every bank above.
fn usages(
    tree: &Tree,
    is_user: &[bool],
    recorded: Vec<f64>,
    is_blank: impl Fn(usize) -> bool,
) -> Vec<f64> {
    let nodes = tree.nodes();
    let above = tree.order().above();
    let mut usage = recorded;
    // The usage of each account's own users.
    let mut own = vec![0.0; nodes.len()];
    let mut is_exact = true;
    for (position, &amount) in usage.iter().enumerate().skip(1) {
        is_exact &= amount >= 0.0 && has_no_fraction(amount);
        own[above[position] as usize] += amount;
    }
    let accounts = || (0..nodes.len()).filter(|&position| own[position] != 0.0);
    let additions = || -> u64 {
        let depths = accounts().map(|position| tree.depth(nodes[position]));
        depths.map(u64::from).sum()
    };
    is_exact &= accounts().map(|position| own[position]).sum::<f64>() < EXACT;
    if is_exact || additions() > MOST_ADDITIONS {
        let mut sums = own;
        tree.order().sum_up(&mut sums, |above, below| above + below);
        for position in (0..sums.len()).filter(|&position| !is_user[position]) {
            usage[position] = sums[position];
        }
    } else {
        for position in accounts() {
            let mut here = position;
            usage[here] += own[position];
            while here > 0 {
                here = above[here] as usize;
                usage[here] += own[position];
            }
        }
    }
    for (position, &node) in nodes.iter().enumerate() {
        if !is_user[position]
            && let Some(amount) = tree.usage(node).amount()
            && tree.kind(node) == Kind::Account
            && !is_blank(position)
        {
            usage[position] = amount;
        }
    }
    usage
}

/// Returns the rank of every user by position, 1 for the first visited; 0 for accounts and blank nodes.
///
/// Flux walks depth first with a descending counter. Here the number of users below an account tells the counter after
/// it, so levels can be processed one after the other, without recursion.
fn ranks(tree: &Tree, is_user: &[bool], weight: &[f64], blank: impl Fn(usize) -> bool) -> Vec<u32> {
    let users_within = tree.order().count_within(is_user);
    let mut ranks = vec![0; is_user.len()];
    let mut siblings = Siblings::default();
    let is_counted = |at| !blank(at);
    visit_levels(tree, is_counted, |children, first_rank, next| {
        siblings.clear();
        for &child in children {
            siblings.push(child, weight[child as usize], is_user[child as usize]);
        }
        let mut rank = first_rank;
        for tied in siblings.visited() {
            if is_user[tied[0] as usize] {
                for &user in tied {
                    ranks[user as usize] = rank;
                }
            } else {
                next.push(tied, rank);
            }
            let users = tied.iter().map(|&at| users_within[at as usize]);
            rank += users.sum::<u32>();
        }
    });
    ranks
}

/// The children of accounts that tie.
#[derive(Default)]
struct Siblings {
    /// Each with its weight as an integer in descending order of weight.
    users: Vec<(u64, u32)>,
    accounts: Vec<(u64, u32)>,
    order: Vec<u32>,
    /// The ends of the runs that tie, in that order.
    ends: Vec<usize>,
}

impl Siblings {
    fn clear(&mut self) {
        self.users.clear();
        self.accounts.clear();
    }

    fn push(&mut self, position: u32, weight: f64, is_user: bool) {
        let members = if is_user {
            &mut self.users
        } else {
            &mut self.accounts
        };
        members.push((!rising(weight), position));
    }

    /// Returns the members in the order in which they are visited, in runs that tie.
    ///
    /// Flux's comparison of siblings is no ordering: "equal" has a tolerance, and a user comes before a bank of equal
    /// weight while two users are compared exactly. But among nodes of one kind it is an ordering. So each kind is
    /// sorted, and the two are merged by Flux's comparison. That gives the same as any sort would where the comparison
    /// is sound.
    fn visited(&mut self) -> impl Iterator<Item = &[u32]> {
        for members in [&mut self.users, &mut self.accounts] {
            members.sort_unstable();
        }
        self.order.clear();
        self.ends.clear();
        let (mut users, mut accounts) = (&self.users[..], &self.accounts[..]);
        let mut last: Option<(u64, bool)> = None;
        loop {
            let is_user = match (users.first(), accounts.first()) {
                (Some((user, _)), Some((bank, _))) => are_tied(*user, *bank) || user < bank,
                (user, _) => user.is_some(),
            };
            let members = if is_user { &mut users } else { &mut accounts };
            let Some((&(key, position), rest)) = members.split_first() else {
                break;
            };
            *members = rest;
            // Only neighbours of one kind tie, each with the next, so a chain may span more than the tolerance.
            let is_tied =
                last.is_some_and(|(before, was_user)| was_user == is_user && are_tied(before, key));
            if !is_tied && last.is_some() {
                self.ends.push(self.order.len());
            }
            self.order.push(position);
            last = Some((key, is_user));
        }
        self.ends.push(self.order.len());
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let runs = starts.zip(self.ends.iter().copied());
        runs.map(|(start, end)| &self.order[start..end])
            .filter(|run| !run.is_empty())
    }
}

fn are_tied(a: u64, b: u64) -> bool {
    are_equal(weight(a), weight(b))
}

fn weight(key: u64) -> f64 {
    let rising = !key;
    f64::from_bits(if rising >> 63 == 1 {
        rising ^ 1 << 63
    } else {
        !rising
    })
}
