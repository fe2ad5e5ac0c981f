//! What a node's rank hangs on: its shares, what others used, and the levels of its way.

use super::goal::Standing;
use super::search::{self, Effort};
use super::trial::{Objective, ShareSteps, Trial};
use super::{SolveError, goal::best_user};
use crate::model::{Kind, NodeId, Shares, Usage};
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, Scenario};
use std::ops::ControlFlow;

/// How many siblings of each level are looked at, those with the most usage.
pub const HEAVIEST: usize = 16;

/// The next count of shares at which the rank is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankChange {
    /// The shares.
    pub shares: i64,
    /// The rank with them.
    pub rank: Option<u32>,
}

/// What a sibling's usage costs a node: where it would stand if nothing below the sibling had been used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RivalCost {
    /// The sibling of the node or of an account above it.
    pub node: NodeId,
    /// The level of the two, 1 below the root.
    pub level: u32,
    /// Its usage as the policy counts it.
    pub usage: f64,
    /// Where the node would stand.
    pub without: Standing,
    /// How many places it would gain; negative where it would lose some.
    pub gained: i64,
}

/// How many of the users ahead part from a node's way at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelCost {
    /// The node of the way at this level: they lie under its siblings.
    pub node: NodeId,
    /// How many users.
    pub users_ahead: usize,
}

/// What a node's rank hangs on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The node.
    pub node: NodeId,
    /// Where it stands.
    pub standing: Standing,
    /// How many users have a rank.
    pub user_count: usize,
    /// Its shares now.
    pub shares: Shares,
    /// With more shares, the next count that changes its rank.
    pub more: Option<RankChange>,
    /// With fewer.
    pub fewer: Option<RankChange>,
    /// The siblings on each level of its way, the [`HEAVIEST`] by usage, those that cost it most first.
    pub rivals: Vec<RivalCost>,
    /// How many siblings with usage were not looked at.
    pub others: usize,
    /// The levels of its way, from the root's child down.
    pub levels: Vec<LevelCost>,
}

/// Finds out what a node's rank hangs on; `progress` hears how much was tried and can stop it.
///
/// # Errors
/// If it is the root, or it was stopped.
pub fn sensitivity(
    scenario: &Scenario,
    node: NodeId,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Sensitivity, SolveError> {
    let effort = Effort::for_nodes(scenario.tree().node_count());
    sensitivity_with(scenario, node, effort, progress)
}

/// As [`sensitivity`], with an effort of one's own.
///
/// # Errors
/// As [`sensitivity`].
pub fn sensitivity_with(
    scenario: &Scenario,
    node: NodeId,
    effort: Effort,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Sensitivity, SolveError> {
    if node == NodeId::ROOT {
        return Err(SolveError::Root);
    }
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let standing = Standing::of(scenario.policy(), tree, evaluation, node);
    let mut tries = 0;
    let more = turn(scenario, node, effort, false, &mut tries, progress)?;
    let fewer = turn(scenario, node, effort, true, &mut tries, progress)?;
    let (heaviest, others) = heaviest(scenario, node);
    let mut rivals = Vec::with_capacity(heaviest.len());
    let mut without = scenario.clone();
    for (sibling, usage) in heaviest {
        // PBS counts some usage where there was none.
        let Some(idle) = idle(scenario, sibling) else {
            continue;
        };
        if progress(tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        tries += 1;
        without.try_out(idle)?;
        let then = Standing::of(
            scenario.policy(),
            without.tree(),
            without.evaluation(),
            node,
        );
        let rank = |standing: Standing| standing.rank.map(i64::from);
        rivals.push(RivalCost {
            node: sibling,
            level: tree.depth(sibling),
            usage,
            without: then,
            gained: rank(standing)
                .zip(rank(then))
                .map_or(0, |(now, then)| now - then),
        });
    }
    let factor = |rival: &RivalCost| rival.without.factor.unwrap_or(0.0);
    rivals.sort_by(|a, b| {
        let gained = b.gained.cmp(&a.gained);
        gained.then(factor(b).total_cmp(&factor(a)))
    });
    Ok(Sensitivity {
        node,
        standing,
        user_count: evaluation.user_count(),
        shares: tree.shares(node),
        more,
        fewer,
        rivals,
        others,
        levels: levels(scenario, node),
    })
}

/// The next count of shares, up or down, at which the rank is another.
fn turn(
    scenario: &Scenario,
    node: NodeId,
    effort: Effort,
    falls: bool,
    tries: &mut usize,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<RankChange>, SolveError> {
    let tree = scenario.tree();
    let range = scenario
        .policy()
        .possible_shares(tree, scenario.settings(), node);
    let Some(now) = tree.shares(node).count().filter(|&now| now >= 0) else {
        return Ok(None);
    };
    let (from, to) = if falls {
        (*range.start(), now)
    } else {
        (now, *range.end())
    };
    let Some(last) = (from < to).then(|| to.abs_diff(from)) else {
        return Ok(None);
    };
    let rank = Standing::of(scenario.policy(), tree, scenario.evaluation(), node).rank;
    let mut trial = Trial {
        scenario: scenario.clone(),
        node,
        change: node,
        wanted: Objective::OtherRank(rank),
        scale: ShareSteps {
            first: now,
            falls,
            last,
        },
        tries: *tries,
        progress,
    };
    let found = search::first(&mut trial, effort, None)?;
    *tries = trial.tries;
    Ok(found.map(|found| RankChange {
        shares: trial.scale.shares(found.at.step),
        rank: found.at.standing.rank,
    }))
}

/// The siblings on each level of a node's way with the most usage, and how many more have some.
fn heaviest(scenario: &Scenario, node: NodeId) -> (Vec<(NodeId, f64)>, usize) {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let (mut heaviest, mut others) = (Vec::new(), 0);
    for member in tree.line(node) {
        let parent = tree.parent(member).unwrap_or(NodeId::ROOT);
        let usage = |sibling| {
            let usage = evaluation.number(ColumnId::Usage, sibling)?;
            (usage > 0.0 && sibling != member).then_some((sibling, usage))
        };
        let mut siblings: Vec<_> = tree.children(parent).filter_map(usage).collect();
        siblings.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        others += siblings.len().saturating_sub(HEAVIEST);
        siblings.truncate(HEAVIEST);
        heaviest.append(&mut siblings);
    }
    (heaviest, others)
}

/// The edit after which nothing below a node was ever used: users before the accounts that hold them, whose stated
/// usage falls with theirs; nothing if it was so all along.
fn idle(scenario: &Scenario, node: NodeId) -> Option<Edit> {
    let tree = scenario.tree();
    let inside = tree.order().span(node).rev();
    let is_stated = |&node: &NodeId| {
        // PBS has no usage of accounts.
        let has_own = tree.kind(node) == Kind::User || !tree.kinds_follow_shape();
        has_own && tree.usage(node).amount().is_some_and(|usage| usage > 0.0)
    };
    let stated = inside.map(|place| tree.nodes()[place]).filter(is_stated);
    let edits = stated.map(|node| Edit::SetUsage {
        node,
        usage: Usage::new(0.0),
    });
    let edits: Vec<Edit> = edits.collect();
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

/// How many of the users ahead part from the node's way at each level.
fn levels(scenario: &Scenario, node: NodeId) -> Vec<LevelCost> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let user = best_user(tree, evaluation, node);
    let rank = user.and_then(|user| evaluation.rank(user)).unwrap_or(0);
    let mut ahead = Vec::with_capacity(tree.node_count() + 1);
    let mut count = 0_usize;
    ahead.push(count);
    for &other in evaluation.ranks() {
        count += usize::from(other > 0 && other < rank);
        ahead.push(count);
    }
    let within = |node| {
        let span = tree.order().span(node);
        ahead[span.end] - ahead[span.start]
    };
    let mut above = NodeId::ROOT;
    let cost = |node| {
        let users_ahead = within(above) - within(node);
        above = node;
        LevelCost { node, users_ahead }
    };
    tree.line(node).into_iter().map(cost).collect()
}
