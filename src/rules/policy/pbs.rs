//! PBS fairshare, to the bit.
//!
//! Follows OpenPBS 23.06 (unchanged since v22.05.11): `src/scheduler/fairshare.cpp` (`calc_fair_share_perc`,
//! `calc_usage_factor`, `read_usage`, `compare_path`, `over_fs_usage`), `formula_evaluate` and `sort_jobs`. PBS holds
//! percentages and tree usage as 32-bit floats and usage as doubles. Every step here uses the same types, because
//! rounding is part of the number.
//!
//! On machines with fused multiply-add (ARM64) the real scheduler's tree usage may differ from x86-64's, and so from
//! ours, in the last bit.

mod explain;
mod queue;
pub(super) mod rank;
pub(super) mod walk;

pub use explain::{PbsExplanation, PbsLevel};
pub(super) use explain::{explain, key};
pub(super) use queue::PbsQueue;
pub use walk::compare_path;

use super::blank::BlankNodes;
use super::classic::power;
use super::column::column_ids;
use super::evaluation::{Numbers, Presence};
pub use super::target::INITIAL_USAGE;
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::cores;
use crate::model::{NodeId, Settings, Shares, Tree};
use rank::RankedUsers;

/// The longest entity name that a usage record holds.
const LONGEST_ENTITY: usize = 49;

/// The name of the group of users that are not in the tree. PBS never writes its usage.
const UNKNOWN_ENTITY: &[u8] = b"unknown";

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![
        GroupPercentage FairsharePerc FairshareTreeUsage FairshareFactor UsageOverPerc WalkRank
    ],
    extra: column_ids![GroupId],
    usual: column_ids![Shares GroupPercentage FairsharePerc Usage FairshareTreeUsage Factor Rank],
    settings: &["unknown_shares", "fair_share", "job_sort_formula"],
    factor: ColumnId::FairshareFactor,
    factor_help: "2^-(fairshare_tree_usage / fairshare_perc): 0.5 where effective usage is the target",
    portions: Portions::OfTree(ColumnId::FairsharePerc),
    precedence: Precedence::Factor(ColumnId::FairshareFactor),
    evaluate,
};

/// Returns whether PBS accepts a usage record of this name when it reads one: letters, digits, `.`, `-`, `_`, `:` and
/// blank, at most 49 bytes. A node with any other name loses its usage at the next read.
pub fn is_recordable(name: &[u8]) -> bool {
    if name.len() > LONGEST_ENTITY {
        return false;
    }
    name.iter().all(|&byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b' ')
    })
}

/// Returns the entities and their usage in the order in which PBS writes them: the siblings in order, then their
/// subtrees from the last sibling to the first. Only leaves are written, never a usage of exactly 1, and never
/// `unknown`.
pub fn write_order(tree: &Tree) -> Vec<(NodeId, f64)> {
    let mut records = Vec::new();
    each_written(tree, |position, amount| {
        records.push((tree.nodes()[position], amount));
    });
    records
}

/// Calls `write` with the position and the usage of every leaf that [`write_order`] returns, in that order.
fn each_written(tree: &Tree, mut write: impl FnMut(usize, f64)) {
    let order = tree.order();
    let mut pending = vec![0];
    while let Some(parent) = pending.pop() {
        for child in order.children(parent) {
            let position = child as usize;
            let node = order.nodes()[position];
            let is_leaf = order.ends()[position] == child + 1;
            if !is_leaf {
                pending.push(child);
            } else if let Some(amount) = tree.usage(node).amount()
                && amount != INITIAL_USAGE
                && tree.name(node) != UNKNOWN_ENTITY
            {
                write(position, amount);
            }
        }
    }
}

/// Returns usage as PBS holds it after loading: each node begins at 1, a record replaces a node's usage, and a leaf's
/// record is added to all its ancestors.
///
/// As long as no usage was changed, the records are replayed in the order of the file. Once a usage differs from its
/// record the file counts as rewritten, so what PBS would write is replayed instead (`pbsfs -s` and the next load).
fn usage(tree: &Tree, blank: &BlankNodes) -> Vec<f64> {
    let order = tree.order();
    let mut ledger = Ledger {
        usage: vec![INITIAL_USAGE; tree.node_count()],
        above: order.above(),
        blank,
    };
    if tree.is_usage_as_recorded() {
        for record in tree.records() {
            let position = order.position(record.node);
            ledger.enter(position, record.amount, record.adds_to_ancestors);
        }
    } else if tree.kinds_follow_shape() {
        each_written(tree, |position, amount| {
            // PBS writes a negative amount or an odd name, but refuses it when it reads it back.
            if amount >= 0.0 && is_recordable(tree.name(tree.nodes()[position])) {
                ledger.enter(Some(position), amount, true);
            }
        });
    } else {
        for index in 0..tree.id_count() {
            let node = NodeId::from_index(index);
            if let Some(amount) = tree.usage(node).amount()
                && tree.is_user(node)
            {
                ledger.enter(order.position(node), amount, true);
            }
        }
    }
    if !tree.kinds_follow_shape() {
        // Outside PBS a source may state an account's usage, which is used as given. Without children it is added up.
        ledger.enter_accounts(tree, true);
        ledger.enter_accounts(tree, false);
    }
    ledger.usage
}

/// Returns usage as PBS holds it after loading, by node id; 1 for nodes that are no longer in the tree.
pub fn usage_in_memory(tree: &Tree) -> Vec<f64> {
    let mut by_id = vec![INITIAL_USAGE; tree.id_count()];
    for (&node, usage) in tree.nodes().iter().zip(usage(tree, &BlankNodes::default())) {
        by_id[node.index()] = usage;
    }
    by_id
}

/// Usage while records are entered.
struct Ledger<'a> {
    /// Usage by position.
    usage: Vec<f64>,
    /// The account above each node, by position.
    above: &'a [u32],
    /// The nodes whose records do not count.
    blank: &'a BlankNodes,
}

impl Ledger<'_> {
    /// Replaces the usage of a node, and adds it to that of its ancestors if a record says so. A node that is no longer in
    /// the tree has no position, and its record does not count.
    fn enter(&mut self, position: Option<usize>, amount: f64, adds_to_ancestors: bool) {
        let Some(position) = position else {
            return;
        };
        if self.blank.contains(position) {
            return;
        }
        self.usage[position] = amount;
        let mut here = position;
        while adds_to_ancestors && here > 0 {
            here = self.above[here] as usize;
            self.usage[here] += amount;
        }
    }

    /// Enters the stated usage of the accounts whose usage counts above them, or of the others.
    fn enter_accounts(&mut self, tree: &Tree, counts_above: bool) {
        for (position, node) in tree.positions() {
            if let Some(amount) = tree.usage(node).amount()
                && tree.is_account(node)
                && tree.counts_above(node) == counts_above
            {
                self.enter(Some(position), amount, counts_above);
            }
        }
    }
}

/// Returns raw shares as PBS holds them: 32 bits, wrapping.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS wraps shares to 32 bits without a word"
)]
fn in_32_bits(shares: Shares) -> i32 {
    shares.count().unwrap_or(0) as i32
}

/// Raw shares as PBS holds them, by position.
fn raw_shares(tree: &Tree) -> Vec<i32> {
    let mut shares = Vec::with_capacity(tree.node_count());
    for &node in tree.nodes() {
        shares.push(in_32_bits(tree.shares(node)));
    }
    shares
}

/// What raw shares are worth (`calc_fair_share_perc`), by position. PBS leaves both at 0 where a family has no shares, or
/// its account no part of the tree.
struct Percentages {
    /// `group_percentage`, the part of the level.
    of_level: Vec<f32>,
    /// `tree_percentage`, the part of the whole tree.
    of_tree: Vec<f32>,
}

impl Percentages {
    #[expect(
        clippy::cast_precision_loss,
        reason = "PBS divides shares as 32-bit floats"
    )]
    fn new(tree: &Tree, blank: &BlankNodes) -> Self {
        let shares = raw_shares(tree);
        let above = tree.above();
        // The sum of a family's shares is a wrapping 32-bit sum, as in C in practice.
        let mut totals = vec![0_i32; above.len()];
        for position in 1..above.len() {
            if !blank.contains(position) {
                let total = &mut totals[above[position] as usize];
                *total = total.wrapping_add(shares[position]);
            }
        }
        let mut of_level = vec![0.0_f32; above.len()];
        let mut of_tree = vec![0.0_f32; above.len()];
        of_tree[0] = 1.0;
        for position in 1..above.len() {
            let parent = above[position] as usize;
            let total = totals[parent] as f32;
            if total * of_tree[parent] != 0.0 {
                let portion = shares[position] as f32 / total;
                of_level[position] = portion;
                of_tree[position] = portion * of_tree[parent];
            }
        }
        Self { of_level, of_tree }
    }
}

/// Returns `fairshare_tree_usage` (`calc_usage_factor`): the root's children have their own usage, and deeper nodes
/// take on a part of their parent's.
///
/// In PBS no usage is 0, as it begins at 1, unless a record says so: then the quotients are infinite or no numbers. In
/// other trees the root may have used nothing, and then every node has used no part of it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS keeps the quotient of doubles as a 32-bit float"
)]
fn tree_usages(tree: &Tree, usage: &[f64], of_level: &[f32]) -> Vec<f32> {
    let above = tree.above();
    let total = usage[0];
    let mut effective = vec![0.0_f32; usage.len()];
    if total == 0.0 && !tree.kinds_follow_shape() {
        return effective;
    }
    for position in 1..usage.len() {
        let parent = above[position] as usize;
        let own = (usage[position] / total) as f32;
        effective[position] = if parent == 0 {
            own
        } else {
            own + (effective[parent] - own) * of_level[position]
        };
    }
    effective
}

/// Returns `fairshare_factor` by position: 2^-(tree usage / percentage), and 0 at 0 %.
fn factors(tree_usages: &[f32], percentages: &[f32]) -> Vec<f64> {
    let mut factors = Vec::with_capacity(tree_usages.len());
    for (&tree_usage, &percentage) in tree_usages.iter().zip(percentages) {
        factors.push(if percentage == 0.0 {
            0.0
        } else {
            power((tree_usage / percentage).into())
        });
    }
    factors
}

/// Returns the number that PBS compares level by level and prints as usage/perc; -1 at 0 %.
fn usage_over_perc(usage: f64, percentage: f32) -> f64 {
    if percentage == 0.0 {
        -1.0
    } else {
        usage / f64::from(percentage)
    }
}

fn evaluate(tree: &Tree, _settings: &Settings) -> Evaluation {
    by_factor(numbers(tree))
}

/// Ranks users by the factor, as PBS does with the formula `fairshare_factor`.
pub(super) fn by_factor(evaluation: Evaluation) -> Evaluation {
    let Some(Numbers::Double(factors)) = evaluation.numbers(ColumnId::FairshareFactor) else {
        return evaluation;
    };
    let sort_key = |position: usize| rank::sort_key(factors[position]);
    let walk_ranks = evaluation.ranks_of(ColumnId::WalkRank);
    let users = RankedUsers::by_key(sort_key, walk_ranks);
    let ranks = ColumnId::Rank.ranks(users.ranks);
    evaluation.with(vec![ranks]).with_ranking(users.ranking)
}

/// Computes every column of `TRAITS` and usage, but no rank.
pub(super) fn numbers(tree: &Tree) -> Evaluation {
    // PBS does not know Slurm's `parent` shares.
    let blank = BlankNodes::below(tree, |node| tree.shares(node).is_parent());
    let usage = usage(tree, &blank);
    let Percentages { of_level, of_tree } = Percentages::new(tree, &blank);
    let effective = tree_usages(tree, &usage, &of_level);
    let mut ratios = Vec::with_capacity(usage.len());
    for (&usage, &percentage) in usage.iter().zip(&of_tree) {
        ratios.push(usage_over_perc(usage, percentage));
    }
    // Neither needs the other.
    let threads = cores::for_nodes(usage.len());
    let (factors, walk_ranks) = cores::both(
        threads,
        || factors(&effective, &of_tree),
        || rank::walk_ranks(tree, &blank, &of_tree, &ratios),
    );
    // A part of a sum that is too large for a double is unknown. To PBS itself it is no number.
    let is_known = |used: &f32| !used.is_nan();
    let known = if tree.kinds_follow_shape() || effective.iter().all(is_known) {
        Presence::Everywhere
    } else {
        Presence::marked(effective.iter().map(is_known))
    };
    let columns = vec![
        ColumnId::Usage.doubles(usage),
        ColumnId::GroupPercentage.singles(of_level),
        ColumnId::FairsharePerc.singles(of_tree),
        ColumnId::FairshareTreeUsage
            .singles(effective)
            .at(known.clone()),
        ColumnId::FairshareFactor.doubles(factors).at(known),
        ColumnId::UsageOverPerc.doubles(ratios),
        ColumnId::WalkRank.ranks(walk_ranks),
    ];
    Evaluation::new(tree, columns, blank)
}
