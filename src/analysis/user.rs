//! What a tree tells about one user: where each association stands, what holds it back, and when it recovers.
//!
//! Of a source that lists only some of the associations no rank is known. Under Fair Tree the printed factor is the part of
//! users at or below it. The rest is computed if each level is completed by what it lacks; otherwise only what follows from
//! the printed numbers of one row is given.

use super::simulate::{NodeGoal, Preset, Recovery, RecoveryError, Simulation, resting};
use super::solve::{Goal, TargetUse};
use crate::base::number::DAY;
use crate::model::{Fact, NodeId};
use crate::rules::clock::{OnSeconds, half_life};
use crate::rules::policy::{ColumnId, Explanation, Policy, Target, deciding};
use crate::scenario::{Scenario, check_wait};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How far ahead recovery is looked for at most, in seconds.
const HORIZON: u64 = 365 * SHORTEST;

/// The shortest time ahead that recovery is looked for, in seconds: a day.
const SHORTEST: u64 = DAY as u64;

/// After so many half-lives nothing is left of any usage that can be told from nothing, so nobody waits longer.
const HALF_LIVES: f64 = 64.0;

/// Returns how far ahead recovery is looked for, in seconds: a year, or a day at least where usage is gone before.
fn horizon(scenario: &Scenario) -> u64 {
    let Some(seconds) = half_life(scenario.settings()) else {
        return HORIZON;
    };
    let Ok(gone) = Duration::try_from_secs_f64(seconds * HALF_LIVES) else {
        return HORIZON;
    };
    gone.as_secs().clamp(SHORTEST, HORIZON)
}

/// What a tree tells about a user.
#[derive(Clone, Debug)]
pub struct UserStanding {
    /// How many users have a rank; `None` if some of them are not in the source.
    pub users: Option<usize>,
    /// The associations, the best first.
    pub associations: Vec<AssociationStanding>,
    /// How far ahead recovery is looked for, in seconds.
    pub(crate) horizon: u64,
}

/// What a tree tells about one association of a user.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct AssociationStanding {
    pub node: NodeId,
    pub rank: Option<u32>,
    /// Why it has this rank; `None` if the ranks are unknown.
    pub explanation: Option<Explanation>,
    /// The part of all users that rank there or below.
    pub percentile: Option<f64>,
    /// The least and the greatest rank below its account, under a policy that ranks level by level.
    pub segment: Option<[u32; 2]>,
    /// Whether shares inside its account can only change the order of its members: no account of the path ties with a
    /// sibling, or has shares `parent`.
    pub is_block: bool,
    pub target: Option<TargetUse>,
    pub held_back: Option<HoldingLevel>,
    /// Whether it is the best of the associations; `None` if that is unknown.
    pub is_best: Option<bool>,
    /// When it is on target: if the user stops and all others go on, and if everybody stops.
    pub recovery: Option<[Recovery; 2]>,
    /// When its rank is better. `None` but for the best association, and for it too if it is over its target, ranks first or
    /// has no rank.
    pub(crate) rises: Option<Rises>,
}

/// When a user has a better rank.
#[derive(Clone, Debug)]
pub(crate) struct Rises {
    /// If the user stops and all others go on.
    pub(crate) alone: Recovery,
    /// If everybody stops.
    pub(crate) all: Recovery,
}

/// The middle of the users of a tree in each of their numbers: half of those that have it have less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MedianUser {
    /// How many users there are, at least two.
    pub(crate) users: usize,
    /// What they have used under the policy, in the source's unit; `None` if no user has a number.
    pub(crate) usage: Option<f64>,
    /// Usage as a multiple of the target; `None` if no user has a target.
    pub(crate) served: Option<f64>,
    /// The number that enters job priority; `None` if no user has one.
    pub(crate) factor: Option<f64>,
}

impl MedianUser {
    /// Returns the median of all users. `None` of a source that does not list all of them, and of a single user.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let tree = scenario.tree();
        let is_incomplete = scenario.base().recorded.incomplete.is_some();
        if tree.part().is_some() || is_incomplete || tree.user_count() < 2 {
            return None;
        }
        let policy = scenario.policy();
        let evaluation = scenario.evaluation();
        let mut usages = Vec::new();
        let mut served = Vec::new();
        let mut factors = Vec::new();
        for user in tree.users() {
            usages.extend(evaluation.number(ColumnId::Usage, user));
            served.extend(policy.served(tree, evaluation, user));
            factors.extend(evaluation.number(policy.factor_column(), user));
        }
        Some(Self {
            users: tree.user_count(),
            usage: middle(usages),
            served: middle(served),
            factor: middle(factors),
        })
    }
}

/// Returns the middle of some numbers, of an even count the mean of the two in the middle. `None` without numbers.
fn middle(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    if numbers.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = numbers[numbers.len() / 2 - 1];
    Some(lower / 2.0 + upper / 2.0)
}

/// The level of a path that holds a user back.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct HoldingLevel {
    /// The user, or an account above it.
    pub node: NodeId,
    pub target: Option<TargetUse>,
    /// The node that ranks just before it there, under a policy that ranks level by level: a sibling, or where accounts
    /// tie, a member of another account.
    pub ahead: Option<NodeId>,
    /// Whether the two tie, and only the order in which the scheduler visits them decides.
    pub is_tie: bool,
    /// How many users rank before it because of that level, under a policy that ranks level by level.
    pub users_ahead: Option<usize>,
}

impl AssociationStanding {
    /// Returns the place of an association among others: the best rank first, without ranks the highest percentile.
    fn order(&self) -> (u32, Reverse<Option<u64>>) {
        let rank = self.rank.unwrap_or(u32::MAX);
        // Percentiles are from 0 to 1, where the bits have the order of the numbers.
        let percentile = self.percentile.map(f64::to_bits);
        (rank, Reverse(percentile))
    }
}

impl UserStanding {
    /// Returns what a tree tells about the user with these associations, without recovery.
    pub fn of(scenario: &Scenario, nodes: &[NodeId]) -> Self {
        let is_of_part = scenario.tree().part().is_some();
        let is_incomplete = scenario.base().recorded.incomplete.is_some();
        let mut associations = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let mut standing = if is_of_part || !is_incomplete {
                ranked(scenario, node)
            } else {
                printed(scenario, node)
            };
            if is_of_part {
                standing.percentile = printed(scenario, node).percentile;
            }
            associations.push(standing);
        }
        associations.sort_by_key(AssociationStanding::order);
        let mut users = None;
        if let Some(best) = associations.first() {
            if !is_of_part && let Some(explanation) = &best.explanation {
                users = Some(explanation.user_count);
            }
            let is_known = best.rank.is_some() || best.percentile.is_some();
            if is_known || nodes.len() == 1 {
                for association in &mut associations {
                    association.is_best = Some(false);
                }
                associations[0].is_best = Some(true);
            }
        }
        Self {
            users,
            associations,
            horizon: horizon(scenario),
        }
    }

    /// Adds when each association with a target recovers, which takes about a hundred evaluations of the tree. `idle` is
    /// of all associations at least.
    pub fn add_recovery(
        &mut self,
        scenario: &Scenario,
        idle: &IdleRecoveries,
        progress: OnSeconds<'_>,
    ) -> Result<(), RecoveryError> {
        if !recovers(scenario) {
            return Ok(());
        }
        let steady = Preset::Steady.pace(scenario).unwrap_or_default();
        let mut own = Vec::with_capacity(self.associations.len());
        let mut pace = steady;
        for association in &self.associations {
            own.push(association.node);
            pace = resting(pace, scenario.tree(), association.node);
        }
        let mut sought = Vec::new();
        for node in own {
            let goal = Goal::OnTarget;
            sought.push(NodeGoal { node, goal });
        }
        let rising = self.rising();
        sought.extend(rising);
        let simulation = Simulation::of(scenario).at_pace(Arc::new(pace));
        let found = simulation.recoveries_of(&sought, self.horizon, progress)?;
        for (place, recovery) in found.into_iter().enumerate() {
            // An association without a target does not recover.
            let Ok(alone) = recovery else {
                continue;
            };
            let node = sought[place].node;
            match self.associations.get_mut(place) {
                Some(association) => {
                    if let Some(all) = idle.on_target.get(&node) {
                        association.recovery = Some([alone, all.clone()]);
                    }
                }
                None => {
                    if let Some(all) = idle.rises.get(&node) {
                        self.associations[0].rises = Some(Rises {
                            alone,
                            all: all.clone(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the next better rank of the best association as its goal. `None` if it is over its target, ranks first or has
    /// no rank.
    fn rising(&self) -> Option<NodeGoal> {
        let best = self.associations.first()?;
        if let Some(used) = &best.target
            && !used.target.is_met
        {
            return None;
        }
        next_rank(best.node, best.rank?)
    }
}

/// Returns the next better rank of a node as its goal; `None` for the first.
fn next_rank(node: NodeId, rank: u32) -> Option<NodeGoal> {
    if rank < 2 {
        return None;
    }
    let goal = Goal::Rank(rank - 1);
    Some(NodeGoal { node, goal })
}

/// When associations are on target and when their ranks are better if everybody stops. It does not depend on who asks.
#[derive(Clone, Debug, Default)]
pub struct IdleRecoveries {
    /// When each of those with a target is on target.
    on_target: HashMap<NodeId, Recovery>,
    /// When each of those that do not rank first has a better rank.
    rises: HashMap<NodeId, Recovery>,
}

impl IdleRecoveries {
    /// Returns when each of some associations recovers.
    pub fn of(
        scenario: &Scenario,
        nodes: &[NodeId],
        progress: OnSeconds<'_>,
    ) -> Result<Self, RecoveryError> {
        let mut recoveries = Self::default();
        if !recovers(scenario) {
            return Ok(recoveries);
        }
        let mut sought = Vec::new();
        for &node in nodes {
            let goal = Goal::OnTarget;
            sought.push(NodeGoal { node, goal });
            if let Some(rank) = scenario.evaluation().rank(node) {
                sought.extend(next_rank(node, rank));
            }
        }
        let idle = Simulation::of(scenario).at_pace(Arc::default());
        let found = idle.recoveries_of(&sought, horizon(scenario), progress)?;
        for (place, recovery) in found.into_iter().enumerate() {
            let NodeGoal { node, goal } = sought[place];
            if let Ok(recovery) = recovery {
                let of_goal = if goal == Goal::OnTarget {
                    &mut recoveries.on_target
                } else {
                    &mut recoveries.rises
                };
                of_goal.insert(node, recovery);
            }
        }
        Ok(recoveries)
    }
}

/// Returns whether recovery can be computed: all associations are known, and so much time can pass.
fn recovers(scenario: &Scenario) -> bool {
    let is_complete = scenario.base().recorded.incomplete.is_none();
    (is_complete || scenario.tree().part().is_some())
        && check_wait(scenario.settings(), HORIZON).is_ok()
}

/// Returns what printed numbers tell of one association.
fn printed(scenario: &Scenario, node: NodeId) -> AssociationStanding {
    let policy = scenario.policy();
    let tree = scenario.tree();
    let evaluation = scenario.evaluation();
    let mut standing = AssociationStanding {
        node,
        ..AssociationStanding::default()
    };
    if policy != Policy::FairTree || !scenario.basis().shows_printed(policy) {
        return standing;
    }
    // Without levels, which only Fair Tree has, 1 may be the classic factor of a user without usage.
    let has_levels = scenario.base().recorded.figures(Fact::LevelFs).is_some();
    if let Some(factor) = evaluation.number(ColumnId::Factor, node) {
        // Fair Tree's lowest factor is 1 / users, so 0 is another rule's or was cut.
        if factor > 0.0 && (has_levels || factor < 1.0) {
            standing.percentile = Some(factor);
        }
    }
    if tree.shares(node).is_parent() {
        return standing;
    }
    if let Some((share, used)) = policy.portions(evaluation, node) {
        let target = Target {
            share,
            used,
            is_met: used <= share,
        };
        // A portion may be too small for its six decimals.
        let is_cut = used == 0.0 && tree.usage(node).amount() != Some(0.0);
        if !is_cut {
            standing.target = Some(TargetUse::of(policy, tree, node, target));
        }
    }
    standing
}

/// Returns what the ranks tell of one association, without whether it is the best and when it recovers.
fn ranked(scenario: &Scenario, node: NodeId) -> AssociationStanding {
    let policy = scenario.policy();
    let evaluation = scenario.evaluation();
    let explanation = scenario.explain(node);
    let mut standing = AssociationStanding {
        node,
        rank: explanation.rank,
        target: target(scenario, node),
        held_back: held_back(scenario, &explanation),
        ..AssociationStanding::default()
    };
    if let Some(rank) = explanation.rank {
        let users = explanation.user_count;
        standing.percentile = Some(percentile(scenario, node, rank, users));
    }
    if policy.orders_by_level() {
        standing.is_block = is_block(scenario, node, &explanation);
        if let Some(account) = scenario.tree().parent(node)
            && let Some(best) = evaluation.best_rank(account)
            && let Some(worst) = evaluation.worst_rank(account)
        {
            standing.segment = Some([best, worst]);
        }
    }
    standing.explanation = Some(explanation);
    standing
}

/// Returns the part of all users that rank at a node's rank or below.
fn percentile(scenario: &Scenario, node: NodeId, rank: u32, users: usize) -> f64 {
    // A printed factor may be of another moment than the ranks. Fair Tree's lowest is 1 / users.
    if scenario.policy() == Policy::FairTree
        && let Some(factor) = scenario.evaluation().number(ColumnId::Factor, node)
        && factor > 0.0
    {
        return factor;
    }
    let from_here = (users + 1).saturating_sub(rank as usize);
    from_here as f64 / users as f64
}

/// Returns whether no account above a node ties with a sibling, or has shares `parent`.
fn is_block(scenario: &Scenario, node: NodeId, explanation: &Explanation) -> bool {
    for level in explanation.levels.iter() {
        let is_apart = level.siblings_tied == 0 && !scenario.tree().shares(level.node).is_parent();
        if level.node != node && !is_apart {
            return false;
        }
    }
    true
}

/// Returns the target of a node and its usage. `None` if it has no target.
fn target(scenario: &Scenario, node: NodeId) -> Option<TargetUse> {
    let policy = scenario.policy();
    let tree = scenario.tree();
    let target = policy.target(tree, scenario.evaluation(), node)?;
    Some(TargetUse::of(policy, tree, node, target))
}

/// Returns the level that holds a user with a rank back: the one that puts the most users ahead of it, or under a policy
/// that ranks users by a number of their own, the one that is furthest over its target. The topmost of equals.
fn held_back(scenario: &Scenario, explanation: &Explanation) -> Option<HoldingLevel> {
    let policy = scenario.policy();
    let tree = scenario.tree();
    let evaluation = scenario.evaluation();
    if tree.part().is_some() && policy.orders_by_level() {
        let level = policy.most_over(tree, evaluation, &explanation.levels)?;
        return Some(HoldingLevel {
            ahead: level.sibling_ahead,
            ..HoldingLevel::of(scenario, level.node)
        });
    }
    explanation.rank?;
    if !policy.orders_by_level() {
        let node = most_over_served(scenario, explanation.node)?;
        return Some(HoldingLevel::of(scenario, node));
    }
    let level = deciding(&explanation.levels)?;
    let last = level.last_ahead?;
    let decision = policy.decision(tree, evaluation, explanation.node, last);
    Some(HoldingLevel {
        ahead: Some(decision.other),
        is_tie: decision.first.is_none(),
        users_ahead: Some(level.users_ahead),
        ..HoldingLevel::of(scenario, level.node)
    })
}

impl HoldingLevel {
    /// Returns the level of a node, without who is ahead there.
    fn of(scenario: &Scenario, node: NodeId) -> Self {
        Self {
            node,
            target: target(scenario, node),
            ahead: None,
            is_tie: false,
            users_ahead: None,
        }
    }
}

/// Returns the node of a path that is furthest over its target, the topmost of equals. `None` if all are within theirs.
fn most_over_served(scenario: &Scenario, node: NodeId) -> Option<NodeId> {
    let mut most_over = None;
    let mut most = 1.0;
    for member in scenario.tree().line(node) {
        let Some(own) = target(scenario, member) else {
            continue;
        };
        if let Some(served) = own.target.served()
            && served > most
        {
            most_over = Some(member);
            most = served;
        }
    }
    most_over
}
