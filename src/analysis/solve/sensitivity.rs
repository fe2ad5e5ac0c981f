//! What a node's rank depends on: its shares, what others used, and the levels of its path.

use super::SolveError;
use super::goal::Standing;
use super::search::{self, Effort, Objective, ShareSteps, Trial};
use crate::model::{Kind, NodeId, Shares, Usage};
use crate::rules::policy::ColumnId;
use crate::scenario::{Edit, Scenario};
use std::ops::ControlFlow;

/// The most siblings of each level that are tried; those with the most usage are taken.
pub(crate) const HEAVIEST: usize = 16;

/// The next number of shares at which the rank changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankChange {
    pub shares: i64,
    /// The rank with them. `None` if the node has none then.
    pub rank: Option<u32>,
}

/// The cost of a sibling's usage for a node: its standing if the sibling, and all nodes below it, had used nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RivalCost {
    /// The sibling of the node, or of an account above it.
    pub node: NodeId,
    pub(crate) usage: f64,
    /// The node's standing without that usage.
    pub without: Standing,
    /// The ranks that the node would gain; negative if it would lose some.
    pub(crate) gained: i64,
}

/// The users ahead whose path diverges from a node's at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelCost {
    /// The node of the path at this level; those users are below its siblings.
    pub(crate) node: NodeId,
    pub users_ahead: usize,
}

/// What a node's rank depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    pub(crate) node: NodeId,
    /// Its standing now.
    pub standing: Standing,
    pub(crate) user_count: usize,
    /// Its shares now.
    pub shares: Shares,
    /// The next number above its shares that changes its rank. `None` if there is none.
    pub more: Option<RankChange>,
    /// The next number below its shares that changes its rank. `None` if there is none.
    pub fewer: Option<RankChange>,
    /// The siblings with the most usage on each level of its path, those that cost it most first.
    pub rivals: Vec<RivalCost>,
    /// The number of siblings with usage that were not tried.
    pub(crate) others: usize,
    /// The levels of its path, from the top level down.
    pub levels: Vec<LevelCost>,
}

/// Finds what a node's rank depends on. `progress` is given the number of tries and may stop it.
pub fn sensitivity(
    scenario: &Scenario,
    node: NodeId,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Sensitivity, SolveError> {
    if node == NodeId::ROOT {
        return Err(SolveError::Root);
    }
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let standing = Standing::in_scenario(scenario, node);
    let mut tries = 0;
    let more = rank_change(scenario, node, false, &mut tries, progress)?;
    let fewer = rank_change(scenario, node, true, &mut tries, progress)?;
    let (heaviest, others) = heaviest(scenario, node);
    let mut rivals = Vec::with_capacity(heaviest.len());
    let mut without = scenario.clone();
    for (sibling, usage) in heaviest {
        // PBS counts usage 1 for nodes that used nothing, so there may be nothing to remove.
        let Some(removal) = usage_removal(scenario, sibling) else {
            continue;
        };
        if progress(tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        tries += 1;
        without.try_out(removal)?;
        let then = Standing::in_scenario(&without, node);
        let rank = |standing: Standing| standing.rank.map(i64::from);
        let ranks = rank(standing).zip(rank(then));
        rivals.push(RivalCost {
            node: sibling,
            usage,
            without: then,
            gained: ranks.map_or(0, |(now, then)| now - then),
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

/// Returns the next number of shares, above or below the present one, at which the rank changes.
fn rank_change(
    scenario: &Scenario,
    node: NodeId,
    falls: bool,
    tries: &mut usize,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<RankChange>, SolveError> {
    let (policy, tree) = (scenario.policy(), scenario.tree());
    let range = policy.possible_shares(tree, scenario.settings(), node);
    let Some(now) = tree.shares(node).count().filter(|&now| now >= 0) else {
        return Ok(None);
    };
    let (end, has_room) = if falls {
        (*range.start(), *range.start() < now)
    } else {
        (*range.end(), now < *range.end())
    };
    if !has_room {
        return Ok(None);
    }
    let rank = Standing::in_scenario(scenario, node).rank;
    let mut trial = Trial {
        scenario: scenario.clone(),
        node,
        change: node,
        objective: Objective::OtherRank(rank),
        scale: ShareSteps::new(now, end, falls),
        tries: *tries,
        progress,
    };
    let effort = Effort::for_nodes(tree.node_count());
    let found = search::first(&mut trial, effort, None)?;
    *tries = trial.tries;
    Ok(found.map(|found| RankChange {
        shares: trial.scale.shares(found.at.step),
        rank: found.at.standing.rank,
    }))
}

/// Returns the siblings with the most usage on each level of a path, and the number of others with usage.
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

/// Returns the edit that sets the usage of a subtree to 0, if it has any: users before their accounts, because setting
/// a user's usage lowers the stated usage above.
fn usage_removal(scenario: &Scenario, node: NodeId) -> Option<Edit> {
    let tree = scenario.tree();
    let inside = tree.order().span(node).rev();
    let is_stated = |&node: &NodeId| {
        // In PBS accounts have no usage of their own.
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

/// Counts the users ahead whose path diverges from the node's at each level.
fn levels(scenario: &Scenario, node: NodeId) -> Vec<LevelCost> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let user = evaluation.best_user(node);
    let rank = user.and_then(|user| evaluation.rank(user)).unwrap_or(0);
    let ranks = evaluation.ranks().iter();
    let is_ahead: Vec<bool> = ranks.map(|&other| (1..rank).contains(&other)).collect();
    let counts = tree.order().count_within(&is_ahead);
    let within = |node| {
        let position = tree.order().position(node);
        position.map_or(0, |position| counts[position] as usize)
    };
    let mut above = NodeId::ROOT;
    let cost = |node| {
        let users_ahead = within(above) - within(node);
        above = node;
        LevelCost { node, users_ahead }
    };
    tree.line(node).into_iter().map(cost).collect()
}
