//! PBS fairshare, to the bit.
//!
//! Follows OpenPBS 23.06 (unchanged since v22.05.11): `src/scheduler/fairshare.cpp` (`calc_fair_share_perc`,
//! `calc_usage_factor`, `read_usage`, `compare_path`, `over_fs_usage`), `formula_evaluate` and `sort_jobs`.
//! PBS holds percentages and tree usage as 32-bit floats and usage as doubles; every step here has the
//! type it has there, because rounding is part of the number.
//!
//! On machines with fused multiply-add (ARM64) the real scheduler's tree usage may differ from x86-64's,
//! and so from ours, in the last bit.

mod rank;

use super::{ColumnId, Evaluation, Numbers};
use crate::model::{Kind, NodeId, Settings, Shares, Tree};
use std::hint::black_box;

/// What every node starts at (`FAIRSHARE_MIN_USAGE`), so that nothing is divided by zero.
const INITIAL_USAGE: f64 = 1.0;

/// The longest entity name a usage record holds.
const LONGEST_ENTITY: usize = 49;

pub(super) const COLUMNS: &[ColumnId] = &[
    ColumnId::GroupPercentage,
    ColumnId::FairsharePerc,
    ColumnId::FairshareTreeUsage,
    ColumnId::FairshareFactor,
    ColumnId::UsageOverPerc,
    ColumnId::WalkRank,
];

pub(super) const SETTINGS: &[&str] = &["unknown_shares"];

/// Whether PBS accepts a usage record of this name when it reads one: letters, digits, `.`, `-`, `_`, `:`
/// and blank, at most 49 bytes. Any other name loses its usage at the next read.
#[must_use]
pub fn is_recordable(name: &[u8]) -> bool {
    let is_valid = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b' ')
    };
    name.len() <= LONGEST_ENTITY && name.iter().all(is_valid)
}

/// The entities in the order in which PBS writes their usage: the siblings in order, then what lies below
/// them from the last sibling to the first; only leaves, never one whose usage is exactly 1, never `unknown`.
#[must_use]
pub fn write_order(tree: &Tree) -> Vec<(NodeId, f64)> {
    let mut records = Vec::new();
    let mut pending = vec![NodeId::ROOT];
    while let Some(parent) = pending.pop() {
        for child in tree.children(parent) {
            if tree.has_children(child) {
                pending.push(child);
            } else if let Some(amount) = tree.usage(child).amount()
                && amount != INITIAL_USAGE
                && tree.name(child) != b"unknown"
            {
                records.push((child, amount));
            }
        }
    }
    records
}

/// Usage as PBS holds it after loading: each node begins at 1, a record replaces a node's usage, and a
/// leaf's record is added to all its ancestors.
///
/// Untouched, the records are replayed as the file gives them. Once a usage differs from its record the
/// file has been rewritten, so what PBS would write is replayed instead (`pbsfs -s` and the next load).
fn usage(tree: &Tree, blank: Option<&[bool]>) -> Vec<f64> {
    let mut usage = vec![INITIAL_USAGE; tree.id_count()];
    let mut replay = |node: NodeId, amount: f64, adds_to_ancestors: bool| {
        if blank.is_some_and(|blank| blank[node.index()]) || !tree.contains(node) {
            return;
        }
        usage[node.index()] = amount;
        let mut above = tree.parent(node).filter(|_| adds_to_ancestors);
        while let Some(node) = above {
            usage[node.index()] += amount;
            above = tree.parent(node);
        }
    };
    if is_as_recorded(tree) {
        for record in tree.records() {
            replay(record.node, record.amount, record.adds_to_ancestors);
        }
    } else if tree.kinds_follow_shape() {
        for (node, amount) in write_order(tree) {
            // PBS writes the bare minimum or a negative amount, but refuses it when it reads it back.
            if is_recordable(tree.name(node)) && amount >= 0.0 {
                replay(node, amount, true);
            }
        }
    } else {
        for index in 0..tree.id_count() {
            let node = NodeId::from_index(index);
            if let Some(amount) = tree.usage(node).amount()
                && tree.kind(node) == Kind::User
            {
                replay(node, amount, true);
            }
        }
    }
    if !tree.kinds_follow_shape() {
        // Outside PBS a source may state an account's usage: it is taken as given.
        for &node in tree.nodes() {
            if let Some(amount) = tree.usage(node).amount()
                && tree.kind(node) == Kind::Account
                && !blank.is_some_and(|blank| blank[node.index()])
            {
                usage[node.index()] = amount;
            }
        }
    }
    usage
}

/// Whether every node's usage is what the last record of it says: no edit touched it.
#[must_use]
pub fn is_as_recorded(tree: &Tree) -> bool {
    let mut recorded = 0;
    for record in tree.records().iter().filter(|record| !record.superseded) {
        if !tree.contains(record.node)
            || tree.usage(record.node).amount().map(f64::to_bits) != Some(record.amount.to_bits())
        {
            return false;
        }
        recorded += 1;
    }
    let counts = |node: &&NodeId| {
        tree.usage(**node).amount().is_some()
            && (tree.kinds_follow_shape() || tree.kind(**node) == Kind::User)
    };
    tree.nodes().iter().filter(counts).count() == recorded
}

/// The nodes without numbers: those with Slurm's `parent` shares, which PBS does not know, and all below.
fn blank(tree: &Tree) -> Option<Vec<bool>> {
    let is_parent = |node: &NodeId| tree.shares(*node) == Shares::PARENT && *node != NodeId::ROOT;
    if !tree.nodes().iter().any(&is_parent) {
        return None;
    }
    let mut blank = vec![false; tree.id_count()];
    for &node in tree.nodes() {
        blank[node.index()] = is_parent(&node)
            || tree
                .parent(node)
                .is_some_and(|parent| blank[parent.index()]);
    }
    Some(blank)
}

/// Raw shares as PBS holds them: 32 bits, wrapping.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS wraps shares to 32 bits without a word"
)]
fn shares(tree: &Tree, node: NodeId) -> i32 {
    tree.shares(node).count().unwrap_or(0) as i32
}

/// The sum of the children's shares: a wrapping 32-bit sum, as in C in practice.
fn family_shares(tree: &Tree, blank: Option<&[bool]>) -> Vec<i32> {
    let mut totals = vec![0_i32; tree.id_count()];
    for &node in &tree.nodes()[1..] {
        let is_blank = blank.is_some_and(|blank| blank[node.index()]);
        if let Some(parent) = tree.parent(node)
            && !is_blank
        {
            let total = &mut totals[parent.index()];
            *total = total.wrapping_add(shares(tree, node));
        }
    }
    totals
}

/// `group_percentage` and `tree_percentage` (`calc_fair_share_perc`).
#[expect(
    clippy::cast_precision_loss,
    reason = "PBS divides shares as 32-bit floats"
)]
fn percentages(tree: &Tree, blank: Option<&[bool]>) -> (Vec<f32>, Vec<f32>) {
    let totals = family_shares(tree, blank);
    let mut of_level = vec![0.0_f32; tree.id_count()];
    let mut of_tree = vec![0.0_f32; tree.id_count()];
    of_tree[NodeId::ROOT.index()] = 1.0;
    for &node in &tree.nodes()[1..] {
        let Some(parent) = tree.parent(node) else {
            continue;
        };
        let total = totals[parent.index()] as f32;
        let above = of_tree[parent.index()];
        if total * above != 0.0 {
            let portion = shares(tree, node) as f32 / total;
            of_level[node.index()] = portion;
            of_tree[node.index()] = portion * above;
        }
    }
    (of_level, of_tree)
}

/// `fairshare_tree_usage` (`calc_usage_factor`): the root's children have their own usage, deeper nodes get
/// some of their parent's.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS keeps the quotient of doubles as a 32-bit float"
)]
fn tree_usages(tree: &Tree, usage: &[f64], of_level: &[f32]) -> Vec<f32> {
    let total = usage[NodeId::ROOT.index()];
    let mut effective = vec![0.0_f32; tree.id_count()];
    for &node in &tree.nodes()[1..] {
        let Some(parent) = tree.parent(node) else {
            continue;
        };
        let own = (usage[node.index()] / total) as f32;
        effective[node.index()] = if parent == NodeId::ROOT {
            own
        } else {
            own + (effective[parent.index()] - own) * of_level[node.index()]
        };
    }
    effective
}

/// `fairshare_factor`: 2^-(tree usage / percentage), 0 at 0 %.
///
/// The base is hidden from the optimiser: PBS calls the C library's `pow`, and a literal 2 would become
/// `exp2` in release builds, which differs in the last bit.
fn factor(tree_usage: f32, percentage: f32) -> f64 {
    if percentage == 0.0 {
        0.0
    } else {
        black_box(2.0_f64).powf(-f64::from(tree_usage / percentage))
    }
}

/// What PBS compares level by level, and prints as usage/perc; -1 at 0 %.
fn usage_over_perc(usage: f64, percentage: f32) -> f64 {
    if percentage == 0.0 {
        -1.0
    } else {
        usage / f64::from(percentage)
    }
}

/// Computes every column of [`COLUMNS`], usage, factor and rank.
pub(super) fn evaluate(tree: &Tree) -> Evaluation {
    let blank = blank(tree);
    let usage = usage(tree, blank.as_deref());
    let (of_level, of_tree) = percentages(tree, blank.as_deref());
    let effective = tree_usages(tree, &usage, &of_level);
    let factors: Vec<f64> = effective
        .iter()
        .zip(&of_tree)
        .map(|(&effective, &of_tree)| factor(effective, of_tree))
        .collect();
    let ratios: Vec<f64> = usage
        .iter()
        .zip(&of_tree)
        .map(|(&usage, &of_tree)| usage_over_perc(usage, of_tree))
        .collect();
    let walk_ranks = rank::walk_ranks(tree, blank.as_deref(), &of_tree, &ratios);
    let ranks = rank::ranks(tree, &factors, &walk_ranks);
    let columns = vec![
        (ColumnId::Usage, Numbers::Double(usage)),
        (ColumnId::GroupPercentage, Numbers::Single(of_level)),
        (ColumnId::FairsharePerc, Numbers::Single(of_tree)),
        (ColumnId::FairshareTreeUsage, Numbers::Single(effective)),
        (ColumnId::FairshareFactor, Numbers::Double(factors)),
        (ColumnId::UsageOverPerc, Numbers::Double(ratios)),
        (ColumnId::WalkRank, Numbers::Rank(walk_ranks)),
        (ColumnId::Rank, Numbers::Rank(ranks)),
    ];
    Evaluation::new(columns, blank)
}

/// One level on the way from the root to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The node of this level.
    pub node: NodeId,
    /// Its shares, wrapped to 32 bits.
    pub shares: i32,
    /// The sum of its own and its siblings' shares.
    pub family_shares: i32,
    /// Its portion among the siblings.
    pub group_percentage: f32,
    /// Its target.
    pub fairshare_perc: f32,
    /// Its usage.
    pub usage: f64,
    /// Its portion of all usage: usage / root's usage.
    pub own_usage: f32,
    /// The effective usage of its parent.
    pub parent_tree_usage: f32,
    /// Its effective usage.
    pub fairshare_tree_usage: f32,
    /// Its factor.
    pub fairshare_factor: f64,
    /// usage / percentage, or -1.
    pub usage_over_perc: f64,
    /// Whether PBS would call it over its share (`over_fs_usage`).
    pub is_over_share: bool,
    /// How many siblings PBS's comparison without a formula puts before it.
    pub siblings_ahead: usize,
    /// How many siblings there are, itself not counted.
    pub sibling_count: usize,
    /// The sibling with the most usage: what weighs on the family's effective usage.
    pub heaviest_sibling: Option<NodeId>,
}

/// How a node's numbers came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The node explained.
    pub node: NodeId,
    /// The usage of the whole tree.
    pub root_usage: f64,
    /// From the root's child down to the node; empty for the root and for a node without numbers.
    pub levels: Vec<Level>,
    /// Its rank, if it is a user.
    pub rank: Option<u32>,
    /// How many users there are.
    pub user_count: usize,
    /// Whether PBS never runs its jobs: no share, and `fairshare_enforce_no_shares`.
    pub never_runs: bool,
}

/// Explains a node's numbers, level by level.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS keeps the quotient of doubles as a 32-bit float"
)]
pub(super) fn explain(
    tree: &Tree,
    settings: &Settings,
    evaluation: &Evaluation,
    node: NodeId,
) -> Explanation {
    let double = |column, node| evaluation.number(column, node).unwrap_or(f64::NAN);
    let single = |column, node| double(column, node) as f32;
    let root_usage = double(ColumnId::Usage, NodeId::ROOT);
    let line = if evaluation.is_blank(node) {
        Vec::new()
    } else {
        tree.line(node)
    };
    let levels: Vec<Level> = line
        .into_iter()
        .map(|node| {
            let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
            let usage = double(ColumnId::Usage, node);
            let fairshare_perc = single(ColumnId::FairsharePerc, node);
            let family = || {
                tree.children(parent)
                    .filter(|&sibling| !evaluation.is_blank(sibling))
            };
            let siblings = || family().filter(|&sibling| sibling != node);
            let key = |node| {
                rank::key(
                    single(ColumnId::FairsharePerc, node),
                    double(ColumnId::UsageOverPerc, node),
                )
            };
            Level {
                node,
                shares: shares(tree, node),
                family_shares: family()
                    .fold(0, |sum, sibling| sum.wrapping_add(shares(tree, sibling))),
                group_percentage: single(ColumnId::GroupPercentage, node),
                fairshare_perc,
                usage,
                own_usage: (usage / root_usage) as f32,
                parent_tree_usage: single(ColumnId::FairshareTreeUsage, parent),
                fairshare_tree_usage: single(ColumnId::FairshareTreeUsage, node),
                fairshare_factor: double(ColumnId::FairshareFactor, node),
                usage_over_perc: double(ColumnId::UsageOverPerc, node),
                is_over_share: root_usage * f64::from(fairshare_perc) < usage,
                siblings_ahead: siblings()
                    .filter(|&sibling| key(sibling) < key(node))
                    .count(),
                sibling_count: siblings().count(),
                heaviest_sibling: siblings().max_by(|&a, &b| {
                    double(ColumnId::Usage, a).total_cmp(&double(ColumnId::Usage, b))
                }),
            }
        })
        .collect();
    let has_share = levels
        .last()
        .is_none_or(|level| level.fairshare_perc != 0.0);
    Explanation {
        node,
        root_usage,
        rank: evaluation.rank(node),
        user_count: tree.user_count(),
        never_runs: tree.kind(node) == Kind::User
            && !has_share
            && settings.pbs.fairshare_enforce_no_shares,
        levels,
    }
}
