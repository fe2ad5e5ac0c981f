//! Flux's weighted walk, to the bit.
//!
//! Follows flux-accounting 0.60 (master 9546e250): `src/fairness/weighted_tree` (`weighted_tree_node`: shares, usage
//! and weights; its comparison of siblings), `weighted_walk` (order, ties, ranks, fair-share), and `data_reader_db` for
//! accounts without stated usage (the sum of their users).
//!
//! Shares are 64-bit words and usage is a double. But the sum of a level's usage is kept in a 64-bit word, which loses
//! its fraction after every addition. All of that is imitated, because the order can depend on it.

use super::blank::BlankNodes;
use super::column::column_ids;
use super::evaluation::{Numbers, Presence};
use super::levels::{Member, visit_levels};
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::sort::{has_no_fraction, rising};
use crate::model::{NodeId, Settings, Tree};
use std::cmp;
use std::sync::Arc;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![WeightedShares WeightedUsage Weight SchedulerRank],
    extra: &[],
    usual: column_ids![Shares WeightedShares Usage WeightedUsage Weight Factor Rank],
    settings: &[],
    factor: ColumnId::Factor,
    factor_help: "Portion of the users at this rank or below; 1 is the best",
    portions: Portions::OfLevel {
        share: ColumnId::WeightedShares,
        usage: ColumnId::WeightedUsage,
        ratio: Some(ColumnId::Weight),
    },
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
    if !are_equal(weight(a), weight(b)) {
        return evaluation.compare(ColumnId::Weight, a, b);
    }
    let a_is_bank = tree.is_account(a);
    let b_is_bank = tree.is_account(b);
    a_is_bank.cmp(&b_is_bank)
}

/// Returns siblings in the order in which they are visited, each with its place as the key; those that tie share one.
pub(super) fn places(tree: &Tree, evaluation: &Evaluation, siblings: &[Member]) -> Vec<Member> {
    let Some(Numbers::Double(weights)) = evaluation.numbers(ColumnId::Weight) else {
        return siblings.to_vec();
    };
    let mut order = Siblings::default();
    for sibling in siblings {
        if let Some(position) = tree.order().position(sibling.node) {
            let is_user = tree.is_user(sibling.node);
            let narrow = u32::try_from(position).expect("a tree has fewer than 2^32 nodes");
            order.push(narrow, weights[position], is_user);
        }
    }
    order.sort();
    let mut members = Vec::with_capacity(siblings.len());
    for (place, tied) in (0..).zip(order.runs()) {
        for &position in tied {
            members.push(Member {
                key: place,
                node: tree.nodes()[position as usize],
            });
        }
    }
    members
}

/// What Flux loads of a tree, by position. Inactive associations and banks are not loaded.
struct Loaded {
    /// The nodes that are not loaded, and those with Slurm's `parent`, which Flux does not know.
    blank: BlankNodes,
    is_user: Vec<bool>,
    /// Shares as 64-bit words.
    shares: Vec<u64>,
    /// Users and childless accounts as recorded, accounts as stated or the sum of those below.
    usage: Vec<f64>,
}

impl Loaded {
    fn new(tree: &Tree) -> Self {
        let blank = BlankNodes::below(tree, |node| {
            tree.shares(node).is_parent() || tree.active(node) == Some(false)
        });
        // Nodes are in memory in the order in which they were read, so everything about a node is read at once.
        let count = tree.node_count();
        let mut is_user = Vec::with_capacity(count);
        let mut usage = Vec::with_capacity(count);
        let mut shares = Vec::with_capacity(count);
        for (position, node) in tree.positions() {
            let counts = tree.counts_above(node) && !blank.contains(position);
            let amount = tree.usage(node).amount().unwrap_or(0.0);
            is_user.push(counts && tree.is_user(node));
            usage.push(if counts { amount } else { 0.0 });
            shares.push(tree.shares(node).count().unwrap_or(0).cast_unsigned());
        }
        let mut loaded = Self {
            blank,
            is_user,
            shares,
            usage,
        };
        loaded.add_up(tree);
        loaded.state(tree);
        loaded
    }

    /// Adds the usage of users to the banks above them. A bank's own users are summed in their order, and that sum is added
    /// to the bank and to every bank above.
    fn add_up(&mut self, tree: &Tree) {
        let above = tree.above();
        // The usage of each account's own users.
        let mut own = vec![0.0; above.len()];
        let mut is_exact = true;
        for (position, &amount) in self.usage.iter().enumerate().skip(1) {
            is_exact &= amount >= 0.0 && has_no_fraction(amount);
            own[above[position] as usize] += amount;
        }
        let mut total = 0.0;
        let mut additions = 0;
        for (position, node) in tree.positions() {
            if own[position] != 0.0 {
                total += own[position];
                additions += u64::from(tree.depth(node));
            }
        }
        is_exact &= total < EXACT;
        if is_exact || additions > MOST_ADDITIONS {
            tree.order().sum_up(&mut own, |above, below| above + below);
            for (position, sum) in own.into_iter().enumerate() {
                if !self.is_user[position] && !tree.is_others(tree.nodes()[position]) {
                    self.usage[position] = sum;
                }
            }
            return;
        }
        for (position, &amount) in own.iter().enumerate() {
            if amount == 0.0 {
                continue;
            }
            let mut here = position;
            self.usage[here] += amount;
            while here > 0 {
                here = above[here] as usize;
                self.usage[here] += amount;
            }
        }
    }

    /// Replaces the usage of accounts for which the source states it.
    fn state(&mut self, tree: &Tree) {
        for (position, node) in tree.positions() {
            if !self.is_user[position]
                && let Some(amount) = tree.usage(node).amount()
                && tree.is_account(node)
                && !self.blank.contains(position)
            {
                self.usage[position] = amount;
            }
        }
    }

    /// Returns the rank of every user by position, 1 for the first visited; 0 for accounts and blank nodes.
    ///
    /// Flux walks depth first with a descending counter. Here the number of users below an account tells the counter after
    /// it, so levels can be processed one after the other, without recursion.
    fn ranks(&self, tree: &Tree, weight: &[f64]) -> Vec<u32> {
        let users_within = tree.order().count_within(&self.is_user);
        let mut ranks = vec![0; weight.len()];
        let mut siblings = Siblings::default();
        visit_levels(tree, &self.blank, |children, first_rank, next| {
            siblings.clear();
            for &child in children {
                let position = child as usize;
                siblings.push(child, weight[position], self.is_user[position]);
            }
            siblings.sort();
            let mut rank = first_rank;
            for tied in siblings.runs() {
                if !self.is_user[tied[0] as usize] {
                    next.push(tied, rank);
                }
                let first_rank = rank;
                for &member in tied {
                    let position = member as usize;
                    if self.is_user[position] {
                        ranks[position] = first_rank;
                    }
                    rank += users_within[position];
                }
            }
        });
        ranks
    }
}

fn evaluate(tree: &Tree, _settings: &Settings) -> Evaluation {
    let loaded = Loaded::new(tree);
    let parts = LevelParts::new(tree, &loaded);
    let ranks = loaded.ranks(tree, &parts.weight);
    let user_count = loaded.is_user.iter().filter(|&&is_user| is_user).count();
    let user_count = u32::try_from(user_count).expect("a tree has fewer than 2^32 nodes");
    let mut counters = Vec::with_capacity(ranks.len());
    let mut factors = Vec::with_capacity(ranks.len());
    for &rank in &ranks {
        let counter = (user_count + 1).saturating_sub(rank.max(1));
        counters.push(counter);
        factors.push(f64::from(counter) / f64::from(user_count));
    }
    let users = Presence::Marked(Arc::new(loaded.is_user));
    let columns = vec![
        ColumnId::Usage.doubles(loaded.usage),
        ColumnId::WeightedShares
            .doubles(parts.shares)
            .at(Presence::BelowRoot),
        ColumnId::WeightedUsage
            .doubles(parts.usage)
            .at(Presence::BelowRoot),
        ColumnId::Weight.doubles(parts.weight),
        ColumnId::SchedulerRank.counts(counters).at(users.clone()),
        ColumnId::Factor.doubles(factors).at(users),
        ColumnId::Rank.ranks(ranks),
    ];
    Evaluation::new(tree, columns, loaded.blank)
}

/// The parts of every node among its siblings, by position.
struct LevelParts {
    /// Its part of their shares; 0 without shares.
    shares: Vec<f64>,
    /// Its part of their usage; 0 without usage.
    usage: Vec<f64>,
    /// The one divided by the other: 0 without shares, and [`UNUSED_WEIGHT`] without usage.
    weight: Vec<f64>,
}

/// The sums of an account's children, in 64-bit words.
#[derive(Clone, Copy, Default)]
struct LevelTotals {
    shares: u64,
    usage: u64,
}

impl LevelParts {
    fn new(tree: &Tree, loaded: &Loaded) -> Self {
        let above = tree.above();
        let count = above.len();
        // By the position of the account; the children are added in their order.
        let mut totals = vec![LevelTotals::default(); count];
        for position in 1..count {
            if !loaded.blank.contains(position) {
                let level = &mut totals[above[position] as usize];
                level.shares = level.shares.wrapping_add(loaded.shares[position]);
                level.usage = add_usage(level.usage, loaded.usage[position]);
            }
        }
        let mut parts = Self {
            shares: vec![0.0; count],
            usage: vec![0.0; count],
            weight: vec![0.0; count],
        };
        for position in 1..count {
            let level = totals[above[position] as usize];
            let shares = loaded.shares[position];
            let usage = loaded.usage[position];
            let is_unused = usage.abs() < LEAST_USAGE;
            if shares != 0 {
                parts.shares[position] = shares as f64 / level.shares as f64;
            }
            if !is_unused {
                parts.usage[position] = usage / level.usage as f64;
            }
            if shares == 0 {
                continue;
            }
            parts.weight[position] = if is_unused {
                UNUSED_WEIGHT
            } else {
                parts.shares[position] / parts.usage[position]
            };
        }
        parts
    }
}

/// How often a bank's usage is added to an account above it before speed takes precedence over the exact order.
///
/// Flux adds each bank's usage to every bank above it. Where the sums are not exact, their last bits depend on that
/// order. A chain of a million accounts with fractions in its usage would take a day.
const MOST_ADDITIONS: u64 = 1 << 26;

/// Sums of whole numbers are exact up to here, in any order.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The children of accounts that tie, in the order in which they are visited.
#[derive(Default)]
struct Siblings {
    users: Vec<Sibling>,
    accounts: Vec<Sibling>,
    /// All of them by position, once they are sorted.
    order: Vec<u32>,
    /// The ends of the runs that tie, in that order.
    ends: Vec<usize>,
}

/// A sibling in the order of its weight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sibling {
    /// Its weight as an integer in descending order of weight.
    key: u64,
    /// Its position in the tree's order.
    position: u32,
}

impl Sibling {
    /// Returns whether two weights are equal to Flux.
    fn ties_with(self, other: Self) -> bool {
        are_equal(self.weight(), other.weight())
    }

    fn weight(self) -> f64 {
        let rising = !self.key;
        f64::from_bits(if rising >> 63 == 1 {
            rising ^ 1 << 63
        } else {
            !rising
        })
    }
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
        members.push(Sibling {
            key: !rising(weight),
            position,
        });
    }

    /// Puts the members in the order in which they are visited, in runs that tie.
    ///
    /// Flux's comparison of siblings is no ordering: "equal" has a tolerance, and a user comes before a bank of equal
    /// weight while two users are compared exactly. But among nodes of one kind it is an ordering. So each kind is
    /// sorted, and the two are merged by Flux's comparison. That gives the same as any sort would where the comparison
    /// is sound.
    fn sort(&mut self) {
        self.users.sort_unstable();
        self.accounts.sort_unstable();
        self.order.clear();
        self.ends.clear();
        let mut users = self.users.iter().copied().peekable();
        let mut accounts = self.accounts.iter().copied().peekable();
        let mut last: Option<Sibling> = None;
        let mut was_user = false;
        loop {
            let is_user = match (users.peek(), accounts.peek()) {
                (Some(user), Some(bank)) => user.ties_with(*bank) || user.key < bank.key,
                (user, _) => user.is_some(),
            };
            let next = if is_user {
                users.next()
            } else {
                accounts.next()
            };
            let Some(next) = next else {
                break;
            };
            if let Some(last) = last {
                // Only neighbours of one kind tie, each with the next, so a chain may span more than the tolerance.
                let is_tied = was_user == is_user && last.ties_with(next);
                if !is_tied {
                    self.ends.push(self.order.len());
                }
            }
            self.order.push(next.position);
            last = Some(next);
            was_user = is_user;
        }
        if last.is_some() {
            self.ends.push(self.order.len());
        }
    }

    /// Returns the runs that tie, by position.
    fn runs(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let run = &self.order[start..end];
            start = end;
            run
        })
    }
}
