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
    let standing = Standing::in_scenario(scenario, node);
    let mut tries = 0;
    let more = rank_change(scenario, node, false, &mut tries, progress)?;
    let fewer = rank_change(scenario, node, true, &mut tries, progress)?;
    let heaviest = HeaviestSiblings::of(scenario, node);
    let mut rivals = Vec::with_capacity(heaviest.siblings.len());
    let mut without = scenario.clone();
    for sibling in heaviest.siblings {
        // PBS counts usage 1 for nodes that used nothing, so there may be nothing to remove.
        let Some(removal) = usage_removal(scenario, sibling.node) else {
            continue;
        };
        if progress(tries).is_break() {
            return Err(SolveError::Cancelled);
        }
        tries += 1;
        without.try_out(removal)?;
        let then = Standing::in_scenario(&without, node);
        rivals.push(RivalCost {
            node: sibling.node,
            usage: sibling.usage,
            without: then,
            gained: gained_ranks(standing, then),
        });
    }
    rivals.sort_by(|a, b| {
        let by_ranks = b.gained.cmp(&a.gained);
        by_ranks.then(b.factor().total_cmp(&a.factor()))
    });
    Ok(Sensitivity {
        node,
        standing,
        user_count: scenario.evaluation().user_count(),
        shares: scenario.tree().shares(node),
        more,
        fewer,
        rivals,
        others: heaviest.others,
        levels: levels(scenario, node),
    })
}

impl RivalCost {
    /// Returns the node's factor without the usage, 0 if it has none.
    fn factor(&self) -> f64 {
        self.without.factor.unwrap_or(0.0)
    }
}

/// Returns how many ranks are gained from one standing to another, 0 if one of them has no rank.
fn gained_ranks(now: Standing, then: Standing) -> i64 {
    match (now.rank, then.rank) {
        (Some(now), Some(then)) => i64::from(now) - i64::from(then),
        _ => 0,
    }
}

/// Returns the next number of shares, above or below the present one, at which the rank changes.
fn rank_change(
    scenario: &Scenario,
    node: NodeId,
    falls: bool,
    tries: &mut usize,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<RankChange>, SolveError> {
    let tree = scenario.tree();
    let policy = scenario.policy();
    let range = policy.possible_shares(tree, scenario.settings(), node);
    let now = match tree.shares(node).count() {
        Some(now) if now >= 0 => now,
        _ => return Ok(None),
    };
    let end = if falls { *range.start() } else { *range.end() };
    let has_room = if falls { end < now } else { now < end };
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
    let Some(found) = found else {
        return Ok(None);
    };
    Ok(Some(RankChange {
        shares: trial.scale.shares(found.at.step),
        rank: found.at.standing.rank,
    }))
}

/// The siblings on the levels of a path.
#[derive(Default)]
struct HeaviestSiblings {
    /// Those with the most usage on each level, with their usage.
    siblings: Vec<SiblingUsage>,
    /// The number of others with usage.
    others: usize,
}

/// A sibling and its usage.
struct SiblingUsage {
    node: NodeId,
    usage: f64,
}

impl HeaviestSiblings {
    /// Finds those of the path of a node.
    fn of(scenario: &Scenario, node: NodeId) -> Self {
        let tree = scenario.tree();
        let mut heaviest = Self::default();
        for member in tree.line(node) {
            let parent = tree.parent(member).unwrap_or(NodeId::ROOT);
            let mut siblings = Vec::new();
            for sibling in tree.children(parent) {
                let usage = scenario.evaluation().number(ColumnId::Usage, sibling);
                if sibling != member
                    && let Some(usage) = usage
                    && usage > 0.0
                {
                    siblings.push(SiblingUsage {
                        node: sibling,
                        usage,
                    });
                }
            }
            siblings.sort_by(|a, b| b.usage.total_cmp(&a.usage));
            heaviest.others += siblings.len().saturating_sub(HEAVIEST);
            siblings.truncate(HEAVIEST);
            heaviest.siblings.append(&mut siblings);
        }
        heaviest
    }
}

/// Returns the edit that sets the usage of a subtree to 0, if it has any: users before their accounts, because setting
/// a user's usage lowers the stated usage above.
fn usage_removal(scenario: &Scenario, node: NodeId) -> Option<Edit> {
    let tree = scenario.tree();
    let mut edits = Vec::new();
    for &inside in tree.within(node).iter().rev() {
        // In PBS accounts have no usage of their own.
        let has_own = tree.kind(inside) == Kind::User || !tree.kinds_follow_shape();
        if has_own
            && let Some(usage) = tree.usage(inside).amount()
            && usage > 0.0
        {
            edits.push(Edit::SetUsage {
                node: inside,
                usage: Usage::new(0.0),
            });
        }
    }
    if edits.is_empty() {
        return None;
    }
    Some(Edit::Batch(edits))
}

/// Counts the users ahead whose path diverges from the node's at each level.
fn levels(scenario: &Scenario, node: NodeId) -> Vec<LevelCost> {
    let tree = scenario.tree();
    let evaluation = scenario.evaluation();
    let mut rank = 0;
    if let Some(user) = evaluation.best_user(node) {
        rank = evaluation.rank(user).unwrap_or(0);
    }
    let ranks = evaluation.ranks().iter();
    let is_ahead: Vec<bool> = ranks.map(|other| (1..rank).contains(other)).collect();
    let counts = tree.order().count_within(&is_ahead);
    let mut above = counts[0];
    let mut levels = Vec::new();
    for member in tree.line(node) {
        let mut within = 0;
        if let Some(position) = tree.order().position(member) {
            within = counts[position];
        }
        levels.push(LevelCost {
            node: member,
            users_ahead: (above - within) as usize,
        });
        above = within;
    }
    levels
}
