//! How a node's numbers came about, level by level.

use super::{INITIAL_USAGE, in_32_bits, rank};
use crate::model::{Kind, NodeId, Settings, Tree};
use crate::rules::policy::levels::beyond_common;
use crate::rules::policy::target::exceeds;
use crate::rules::policy::{ColumnId, Evaluation};
use std::collections::HashMap;
use std::sync::Arc;

/// One level on the path from the root to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct PbsLevel {
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
    /// How many siblings rank before it in PBS's comparison without a formula.
    pub siblings_ahead: usize,
    /// How many siblings have the same place.
    pub siblings_tied: usize,
    /// How many siblings there are, without itself.
    pub sibling_count: usize,
    /// The sibling just before it in PBS's comparison without a formula.
    pub sibling_ahead: Option<NodeId>,
    /// The sibling with the most usage, which raises the family's effective usage most.
    pub heaviest_sibling: Option<NodeId>,
    /// Its effective usage by the recorded usage alone, in doubles.
    pub recorded_tree_usage: f64,
}

/// How a node's numbers came about.
#[derive(Clone, Debug, PartialEq)]
pub struct PbsExplanation {
    /// The node explained.
    pub node: NodeId,
    /// The usage of the whole tree.
    pub root_usage: f64,
    /// From the root's child down to the node; empty for the root and for a node without numbers.
    pub levels: Arc<Vec<PbsLevel>>,
    /// Whether PBS never runs its jobs: it has no share, and `fairshare_enforce_no_shares` and `fair_share` are on.
    pub never_runs: bool,
    /// The numbers that would follow from the recorded usage alone; `None` if none was recorded.
    pub without_initial_usage: Option<Documented>,
}

/// The numbers of PBS's design document, which does not have the initial usage of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Documented {
    /// Effective usage.
    pub fairshare_tree_usage: f64,
    /// 2^-(effective usage / target), 0 at 0 %.
    pub fairshare_factor: f64,
}

/// Returns a level's effective usage as the document has it, in doubles: by the recorded usage alone. It follows from
/// that of the level above, and is 0 if nothing was recorded at all.
fn recorded_tree_usage(
    tree: &Tree,
    level: &PbsLevel,
    above: Option<&PbsLevel>,
    root_usage: f64,
) -> f64 {
    let total = root_usage - INITIAL_USAGE;
    if total <= 0.0 {
        return 0.0;
    }
    let is_recorded =
        tree.kind(level.node) == Kind::User && tree.usage(level.node).amount().is_some();
    let own = if is_recorded {
        level.usage
    } else {
        level.usage - INITIAL_USAGE
    } / total;
    above.map_or(own, |above| {
        own + (above.recorded_tree_usage - own) * f64::from(level.group_percentage)
    })
}

/// Returns a node's numbers as the document has them, for comparison with PBS's own.
fn documented(levels: &[PbsLevel], root_usage: f64) -> Option<Documented> {
    let last = levels.last().filter(|_| root_usage - INITIAL_USAGE > 0.0)?;
    let effective = last.recorded_tree_usage;
    let target = f64::from(last.fairshare_perc);
    Some(Documented {
        fairshare_tree_usage: effective,
        fairshare_factor: if target == 0.0 {
            0.0
        } else {
            (-effective / target).exp2()
        },
    })
}

/// What the members of a family have in common, computed in one pass over them.
#[derive(Clone, Debug)]
struct Family {
    shares: i32,
    /// The members by their keys of the order without a formula, smallest first.
    members: Vec<(u64, NodeId)>,
    /// The two members with the most usage, the first one first.
    heaviest: [Option<NodeId>; 2],
}

impl Family {
    fn of(tree: &Tree, evaluation: &Evaluation, parent: NodeId) -> Self {
        let usage = |node: NodeId| evaluation.number(ColumnId::Usage, node).unwrap_or(0.0);
        let mut family = Self {
            shares: 0,
            members: Vec::new(),
            heaviest: [None; 2],
        };
        for node in tree
            .children(parent)
            .filter(|&node| !evaluation.is_blank(node))
        {
            family.shares = family.shares.wrapping_add(in_32_bits(tree.shares(node)));
            family.members.push((key(evaluation, node), node));
            let [first, second] = family.heaviest;
            if first.is_none_or(|first| usage(node) >= usage(first)) {
                family.heaviest = [Some(node), first];
            } else if second.is_none_or(|second| usage(node) >= usage(second)) {
                family.heaviest = [first, Some(node)];
            }
        }
        family.members.sort_unstable();
        family
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS holds percentages in 32 bits"
)]
fn single(evaluation: &Evaluation, column: ColumnId, node: NodeId) -> f32 {
    evaluation.number(column, node).unwrap_or(f64::NAN) as f32
}

pub(super) fn key(evaluation: &Evaluation, node: NodeId) -> u64 {
    let ratio = evaluation
        .number(ColumnId::UsageOverPerc, node)
        .unwrap_or(f64::NAN);
    rank::key(single(evaluation, ColumnId::FairsharePerc, node), ratio)
}

/// What was computed before under one evaluation. A family may have a million members, and a path a million levels, and
/// moving the cursor asks about the same ones again and again.
#[derive(Clone, Debug, Default)]
pub struct FamilyCache {
    families: HashMap<NodeId, Family>,
    /// The levels of the path that was explained last.
    levels: Arc<Vec<PbsLevel>>,
}

/// Explains a node's numbers, level by level.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS keeps the quotient of doubles as a 32-bit float"
)]
pub(in crate::rules::policy) fn explain(
    tree: &Tree,
    settings: &Settings,
    evaluation: &Evaluation,
    cache: &mut FamilyCache,
    node: NodeId,
) -> PbsExplanation {
    let double = |column, node| evaluation.number(column, node).unwrap_or(f64::NAN);
    let single = |column, node| single(evaluation, column, node);
    let root_usage = double(ColumnId::Usage, NodeId::ROOT);
    let FamilyCache { families, levels } = cache;
    let path = Arc::make_mut(levels);
    let line = if evaluation.is_blank(node) {
        path.clear();
        Vec::new()
    } else {
        beyond_common(tree, path, |level| level.node, node)
    };
    let mut level = |node: NodeId| {
        let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
        let family = families
            .entry(parent)
            .or_insert_with(|| Family::of(tree, evaluation, parent));
        let usage = double(ColumnId::Usage, node);
        let fairshare_perc = single(ColumnId::FairsharePerc, node);
        let own_key = key(evaluation, node);
        let members = &family.members;
        let siblings_ahead = members.partition_point(|&(key, _)| key < own_key);
        let not_behind = members.partition_point(|&(key, _)| key <= own_key);
        PbsLevel {
            node,
            shares: in_32_bits(tree.shares(node)),
            family_shares: family.shares,
            group_percentage: single(ColumnId::GroupPercentage, node),
            fairshare_perc,
            usage,
            own_usage: (usage / root_usage) as f32,
            parent_tree_usage: single(ColumnId::FairshareTreeUsage, parent),
            fairshare_tree_usage: single(ColumnId::FairshareTreeUsage, node),
            fairshare_factor: double(ColumnId::FairshareFactor, node),
            usage_over_perc: double(ColumnId::UsageOverPerc, node),
            is_over_share: exceeds(usage, fairshare_perc.into(), root_usage),
            siblings_ahead,
            siblings_tied: (not_behind - siblings_ahead).saturating_sub(1),
            sibling_count: members.len().saturating_sub(1),
            sibling_ahead: siblings_ahead.checked_sub(1).map(|place| members[place].1),
            heaviest_sibling: family
                .heaviest
                .into_iter()
                .flatten()
                .find(|&heaviest| heaviest != node),
            recorded_tree_usage: 0.0,
        }
    };
    for node in line {
        let mut level = level(node);
        level.recorded_tree_usage = recorded_tree_usage(tree, &level, path.last(), root_usage);
        path.push(level);
    }
    let has_share = levels
        .last()
        .is_none_or(|level| level.fairshare_perc != 0.0);
    PbsExplanation {
        node,
        root_usage,
        never_runs: tree.kind(node) == Kind::User
            && !has_share
            && settings.pbs.fairshare_enforce_no_shares
            && settings.pbs.fair_share.is_on(),
        without_initial_usage: documented(levels, root_usage),
        levels: Arc::clone(levels),
    }
}
