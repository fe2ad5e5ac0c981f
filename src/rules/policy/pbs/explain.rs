//! How a node's numbers came about, level by level.

use super::{INITIAL_USAGE, in_32_bits, rank};
use crate::model::{NodeId, Settings, Tree};
use crate::rules::policy::levels::{Level, beyond_common};
use crate::rules::policy::target::exceeds;
use crate::rules::policy::{ColumnId, Evaluation};
use std::sync::Arc;

/// One level on the path from the root to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct PbsLevel {
    /// What it competes with.
    pub common: Level,
    /// Its shares, wrapped to 32 bits.
    pub shares: i32,
    /// The sum of its own and its siblings' shares.
    pub family_shares: i32,
    /// Its part of the level's shares, from 0 to 1.
    pub group_percentage: f32,
    /// Its target: its part of the whole tree, from 0 to 1.
    pub fairshare_perc: f32,
    /// Its usage as PBS holds it, which begins at 1.
    pub usage: f64,
    /// Its portion of all usage: usage / root's usage.
    pub own_usage: f32,
    /// The effective usage of the account above.
    pub parent_tree_usage: f32,
    /// Its effective usage.
    pub fairshare_tree_usage: f32,
    /// 2^-(effective usage / target), and 0 without a target.
    pub fairshare_factor: f64,
    /// usage / percentage, or -1.
    pub usage_over_perc: f64,
    /// Whether PBS would call it over its share (`over_fs_usage`).
    pub is_over_share: bool,
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
fn recorded_tree_usage(tree: &Tree, level: &PbsLevel, above: Option<&PbsLevel>, total: f64) -> f64 {
    let total = total - INITIAL_USAGE;
    if total <= 0.0 {
        return 0.0;
    }
    let node = level.common.node;
    let is_recorded = tree.is_user(node) && tree.usage(node).amount().is_some();
    let initial = if is_recorded { 0.0 } else { INITIAL_USAGE };
    let own = (level.usage - initial) / total;
    match above {
        Some(above) => own + (above.recorded_tree_usage - own) * f64::from(level.group_percentage),
        None => own,
    }
}

/// Returns a node's numbers as the document has them, for comparison with PBS's own. `None` if no usage was recorded, and
/// for a node without numbers.
fn documented(levels: &[PbsLevel], root_usage: f64) -> Option<Documented> {
    let last = levels.last()?;
    let recorded = root_usage - INITIAL_USAGE;
    if recorded > 0.0 {
        let effective = last.recorded_tree_usage;
        let target = f64::from(last.fairshare_perc);
        let factor = if target == 0.0 {
            0.0
        } else {
            (-effective / target).exp2()
        };
        return Some(Documented {
            fairshare_tree_usage: effective,
            fairshare_factor: factor,
        });
    }
    None
}

/// Returns a number of a node as PBS's float of 32 bits; NaN if it has none.
#[expect(
    clippy::cast_possible_truncation,
    reason = "PBS holds percentages in 32 bits"
)]
fn single(evaluation: &Evaluation, column: ColumnId, node: NodeId) -> f32 {
    evaluation.number(column, node).unwrap_or(f64::NAN) as f32
}

/// Returns a number of a node; NaN if it has none.
fn double(evaluation: &Evaluation, column: ColumnId, node: NodeId) -> f64 {
    evaluation.number(column, node).unwrap_or(f64::NAN)
}

/// Returns the key of a node in the order without a formula, the smallest first.
pub(crate) fn key(evaluation: &Evaluation, node: NodeId) -> u64 {
    let ratio = double(evaluation, ColumnId::UsageOverPerc, node);
    rank::key(single(evaluation, ColumnId::FairsharePerc, node), ratio)
}

impl PbsLevel {
    /// Returns the numbers of a level, below those of the level above.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "PBS keeps the quotient of doubles as a 32-bit float, and sums of shares in 32 bits"
    )]
    fn new(tree: &Tree, evaluation: &Evaluation, level: &Level, above: Option<&Self>) -> Self {
        let node = level.node;
        let usage = double(evaluation, ColumnId::Usage, node);
        let root_usage = double(evaluation, ColumnId::Usage, NodeId::ROOT);
        let fairshare_perc = single(evaluation, ColumnId::FairsharePerc, node);
        let mut numbers = Self {
            shares: in_32_bits(level.shares),
            family_shares: (level.family_shares as u32).cast_signed(),
            group_percentage: single(evaluation, ColumnId::GroupPercentage, node),
            fairshare_perc,
            usage,
            own_usage: (usage / root_usage) as f32,
            parent_tree_usage: single(evaluation, ColumnId::FairshareTreeUsage, level.account),
            fairshare_tree_usage: single(evaluation, ColumnId::FairshareTreeUsage, node),
            fairshare_factor: double(evaluation, ColumnId::FairshareFactor, node),
            usage_over_perc: double(evaluation, ColumnId::UsageOverPerc, node),
            is_over_share: exceeds(usage, fairshare_perc.into(), root_usage),
            common: level.clone(),
            recorded_tree_usage: 0.0,
        };
        numbers.recorded_tree_usage = recorded_tree_usage(tree, &numbers, above, root_usage);
        numbers
    }
}

/// Explains a node's numbers, level by level. `path` holds those of the path that was explained last.
pub(crate) fn explain(
    tree: &Tree,
    settings: &Settings,
    evaluation: &Evaluation,
    levels: &[Level],
    path: &mut Arc<Vec<PbsLevel>>,
    node: NodeId,
) -> PbsExplanation {
    let numbers = Arc::make_mut(path);
    beyond_common(tree, numbers, |level| level.common.node, node);
    numbers.truncate(levels.len());
    for (known, level) in numbers.iter_mut().zip(levels) {
        known.common.clone_from(level);
    }
    for level in &levels[numbers.len()..] {
        numbers.push(PbsLevel::new(tree, evaluation, level, numbers.last()));
    }
    let root_usage = double(evaluation, ColumnId::Usage, NodeId::ROOT);
    let has_share = match numbers.last() {
        Some(own) => own.fairshare_perc != 0.0,
        None => true,
    };
    let needs_share = settings.pbs.fairshare_enforce_no_shares && settings.pbs.fair_share.is_on();
    PbsExplanation {
        node,
        root_usage,
        never_runs: tree.is_user(node) && needs_share && !has_share,
        without_initial_usage: documented(numbers, root_usage),
        levels: Arc::clone(path),
    }
}
