//! What a tree tells about one user: where each association stands, what holds it back, and when it recovers.
//!
//! Of a source that lists only some of the associations no rank is known. Under Fair Tree the printed factor is the part of
//! users at or below it. The rest is computed if each level is completed by what it lacks; otherwise only what follows from
//! the printed numbers of one row is given.

use super::simulate::{Preset, Recovery, RecoveryError, Simulation, resting};
use super::solve::{Goal, TargetUse};
use crate::base::number::DAY;
use crate::model::{Fact, NodeId};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::{ColumnId, Explanation, Policy, Target, deciding};
use crate::scenario::{Scenario, check_wait};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// How far ahead recovery is looked for, in seconds.
pub(crate) const HORIZON: u64 = 365 * DAY as u64;

/// What a tree tells about a user.
#[derive(Clone, Debug)]
pub struct UserStanding {
    /// How many users have a rank; `None` if some of them are not in the source.
    pub users: Option<usize>,
    /// The associations, the best first.
    pub associations: Vec<AssociationStanding>,
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

impl UserStanding {
    /// Returns what a tree tells about the user with these associations, without recovery.
    pub fn of(scenario: &Scenario, nodes: &[NodeId]) -> Self {
        let is_of_part = scenario.tree().part().is_some();
        let associations = nodes.iter().map(|&node| {
            if is_of_part {
                AssociationStanding {
                    percentile: printed(scenario, node).percentile,
                    ..ranked(scenario, node)
                }
            } else if scenario.base().recorded.incomplete.is_none() {
                ranked(scenario, node)
            } else {
                printed(scenario, node)
            }
        });
        let mut associations: Vec<_> = associations.collect();
        // Percentiles are from 0 to 1, where the bits have the order of the numbers.
        let part = |it: &AssociationStanding| it.percentile.map(f64::to_bits);
        associations.sort_by_key(|it| (it.rank.unwrap_or(u32::MAX), Reverse(part(it))));
        let is_known = |it: &AssociationStanding| it.rank.is_some() || it.percentile.is_some();
        if nodes.len() == 1 || associations.first().is_some_and(is_known) {
            for (place, association) in associations.iter_mut().enumerate() {
                association.is_best = Some(place == 0);
            }
        }
        let explanation = associations.first().and_then(|it| it.explanation.as_ref());
        Self {
            users: explanation.filter(|_| !is_of_part).map(|it| it.user_count),
            associations,
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
        let own = self.associations.iter().map(|it| it.node);
        let own: Vec<NodeId> = own.collect();
        let mut alone = steady;
        for &node in &own {
            alone = resting(alone, scenario.tree(), node);
        }
        let alone = Simulation::of(scenario).at_pace(Arc::new(alone));
        let alone = alone.recoveries(&own, Goal::OnTarget, HORIZON, progress)?;
        for (it, alone) in self.associations.iter_mut().zip(alone) {
            // An association without a target does not recover.
            let all = idle.0.get(&it.node).cloned();
            it.recovery = alone.ok().zip(all).map(|(alone, all)| [alone, all]);
        }
        Ok(())
    }
}

/// When associations are on target if everybody stops. It does not depend on who asks.
#[derive(Clone, Debug, Default)]
pub struct IdleRecoveries(HashMap<NodeId, Recovery>);

impl IdleRecoveries {
    /// Returns when each of some associations with a target recovers.
    pub fn of(
        scenario: &Scenario,
        nodes: &[NodeId],
        progress: OnSeconds<'_>,
    ) -> Result<Self, RecoveryError> {
        if !recovers(scenario) {
            return Ok(Self::default());
        }
        let idle = Simulation::of(scenario).at_pace(Arc::default());
        let found = idle.recoveries(nodes, Goal::OnTarget, HORIZON, progress)?;
        let found = nodes.iter().copied().zip(found);
        let found = found.filter_map(|(node, recovery)| Some((node, recovery.ok()?)));
        Ok(Self(found.collect()))
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
    let (policy, tree, evaluation) = (scenario.policy(), scenario.tree(), scenario.evaluation());
    let mut standing = AssociationStanding {
        node,
        ..AssociationStanding::default()
    };
    let is_printed = scenario.basis().shows_printed(policy);
    if policy != Policy::FairTree || !is_printed {
        return standing;
    }
    // Without levels, which only Fair Tree has, 1 may be the classic factor of a user without usage.
    let has_levels = scenario.base().recorded.figures(Fact::LevelFs).is_some();
    let factor = evaluation.number(ColumnId::Factor, node);
    // Fair Tree's lowest factor is 1 / users, so 0 is another rule's or was cut.
    standing.percentile = factor.filter(|&factor| factor > 0.0 && (has_levels || factor < 1.0));
    let has_shares = !tree.shares(node).is_parent();
    if let Some((share, used)) = policy.portions(evaluation, node).filter(|_| has_shares) {
        let target = Target {
            share,
            used,
            is_met: used <= share,
        };
        // A portion may be too small for its six decimals.
        let is_cut = used == 0.0 && tree.usage(node).amount() != Some(0.0);
        standing.target = (!is_cut).then(|| TargetUse::of(policy, tree, node, target));
    }
    standing
}

fn ranked(scenario: &Scenario, node: NodeId) -> AssociationStanding {
    let (policy, tree, evaluation) = (scenario.policy(), scenario.tree(), scenario.evaluation());
    let explanation = scenario.explain(node);
    let users = explanation.user_count;
    let percentile = |rank: u32| {
        let printed = match policy {
            // A printed factor may be of another moment than the ranks. Fair Tree's lowest is 1 / users.
            Policy::FairTree => evaluation.number(ColumnId::Factor, node),
            _ => None,
        };
        let printed = printed.filter(|&factor| factor > 0.0);
        printed.unwrap_or_else(|| (users + 1).saturating_sub(rank as usize) as f64 / users as f64)
    };
    let is_apart = |own, tied| own == node || (tied == 0 && !tree.shares(own).is_parent());
    let mut levels = explanation.levels.iter();
    let is_block = levels.all(|it| is_apart(it.node, it.siblings_tied));
    let segment = |account| {
        Some([
            evaluation.best_rank(account)?,
            evaluation.worst_rank(account)?,
        ])
    };
    let is_by_level = policy.orders_by_level();
    let account = tree.parent(node).filter(|_| is_by_level);
    AssociationStanding {
        node,
        rank: explanation.rank,
        percentile: explanation.rank.map(percentile),
        segment: account.and_then(segment),
        is_block: is_by_level && is_block,
        target: target(scenario, node),
        held_back: held_back(scenario, &explanation),
        explanation: Some(explanation),
        ..AssociationStanding::default()
    }
}

fn target(scenario: &Scenario, node: NodeId) -> Option<TargetUse> {
    let (policy, tree) = (scenario.policy(), scenario.tree());
    let target = policy.target(tree, scenario.evaluation(), node)?;
    Some(TargetUse::of(policy, tree, node, target))
}

/// Returns the level that holds a user with a rank back: the one that puts the most users ahead of it, or under a policy
/// that ranks users by a number of their own, the one that is furthest over its target. The topmost of equals.
fn held_back(scenario: &Scenario, explanation: &Explanation) -> Option<HoldingLevel> {
    let (policy, tree) = (scenario.policy(), scenario.tree());
    if tree.part().is_some() && policy.orders_by_level() {
        let level = policy.most_over(tree, scenario.evaluation(), &explanation.levels)?;
        return Some(HoldingLevel {
            node: level.node,
            target: target(scenario, level.node),
            ahead: level.sibling_ahead,
            is_tie: false,
            users_ahead: None,
        });
    }
    explanation.rank?;
    if !policy.orders_by_level() {
        let served = |node| target(scenario, node)?.target.served();
        let line = tree.line(explanation.node).into_iter();
        let over = line.filter_map(|node| Some((node, served(node).filter(|&it| it > 1.0)?)));
        let (node, _) = over.reduce(|most, it| if it.1 > most.1 { it } else { most })?;
        return Some(HoldingLevel {
            node,
            target: target(scenario, node),
            ahead: None,
            is_tie: false,
            users_ahead: None,
        });
    }
    let level = deciding(&explanation.levels)?;
    let last = level.last_ahead?;
    let decision = policy.decision(tree, scenario.evaluation(), explanation.node, last);
    Some(HoldingLevel {
        node: level.node,
        target: target(scenario, level.node),
        ahead: Some(decision.sides[1]),
        is_tie: decision.first.is_none(),
        users_ahead: Some(level.users_ahead),
    })
}
