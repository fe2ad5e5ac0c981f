//! What a tree tells about one user: where each association stands, what holds it back, and when it recovers.
//!
//! Of a source that lists only some of the associations nothing is computed: only what follows from the printed numbers
//! of one row is given. Under Fair Tree the printed factor is the part of users at or below it.

use super::simulate::{Preset, Recovery, RecoveryError, Simulation, resting};
use super::solve::{Goal, TargetUse};
use crate::base::number::DAY;
use crate::model::{Fact, Incomplete, NodeId, Pace, PrintedNumbers};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::classic::can_be_factor;
use crate::rules::policy::{ColumnId, Detail, Explanation, Level, Policy, Target, most_ahead};
use crate::scenario::{Scenario, check_wait};
use std::collections::HashMap;
use std::sync::Arc;

/// How far ahead recovery is looked for, in seconds: the longest of these that the settings allow.
const HORIZONS: [u64; 3] = [365 * DAY as u64, 28 * DAY as u64, DAY as u64];

/// What a tree tells about a user.
#[derive(Clone, Debug)]
pub struct UserStanding {
    /// How many users have a rank; `None` if some of them are not in the source.
    pub users: Option<usize>,
    /// Why the source is only a part of the tree, if it is.
    pub incomplete: Option<Incomplete>,
    /// The associations, the best first.
    pub associations: Vec<AssociationStanding>,
    /// How far ahead recovery was looked for, in seconds.
    pub(crate) horizon: u64,
}

/// What a tree tells about one association of a user.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct AssociationStanding {
    pub node: NodeId,
    pub rank: Option<u32>,
    /// How many other users have the same rank.
    pub tied: usize,
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
    /// The sibling that ranks just before it, under a policy that ranks level by level.
    pub sibling_ahead: Option<NodeId>,
    /// How many users rank before it because of that level, if the policy counts them.
    pub users_ahead: Option<usize>,
}

/// The users of a scenario, with what was computed for all of them.
#[derive(Debug)]
pub struct UserStandings<'a> {
    scenario: &'a Scenario,
    users: Option<usize>,
    incomplete: Option<Incomplete>,
    /// The least and the greatest rank below accounts.
    segments: HashMap<NodeId, Option<[u32; 2]>>,
    /// The future in which everybody keeps their usage.
    steady: Option<Pace>,
    horizon: u64,
}

impl<'a> UserStandings<'a> {
    /// Prepares for the users of a scenario.
    pub fn new(scenario: &'a Scenario) -> Self {
        let incomplete = scenario.base().recorded.incomplete;
        let is_possible = |&seconds: &u64| check_wait(scenario.settings(), seconds).is_ok();
        Self {
            scenario,
            users: incomplete
                .is_none()
                .then(|| scenario.evaluation().user_count()),
            incomplete,
            segments: HashMap::new(),
            steady: None,
            horizon: HORIZONS.into_iter().find(is_possible).unwrap_or(0),
        }
    }

    /// Returns what the tree tells about a user with these associations. The search for recoveries takes a hundred
    /// evaluations of the tree; without it they are `None`.
    pub fn of(
        &mut self,
        nodes: &[NodeId],
        with_recovery: bool,
        progress: OnSeconds<'_>,
    ) -> Result<UserStanding, RecoveryError> {
        let associations = nodes.iter().map(|&node| self.association(nodes, node));
        let mut associations: Vec<_> = associations.collect();
        associations.sort_by(|one, other| {
            let rank = |it: &AssociationStanding| it.rank.unwrap_or(u32::MAX);
            let part = |it: &AssociationStanding| it.percentile.unwrap_or(-1.0);
            let by_rank = rank(one).cmp(&rank(other));
            by_rank.then(part(other).total_cmp(&part(one)))
        });
        let first = associations.first();
        let is_known = first.is_some_and(|it| it.rank.is_some() || it.percentile.is_some());
        if is_known || nodes.len() == 1 {
            for (place, association) in associations.iter_mut().enumerate() {
                association.is_best = Some(place == 0);
            }
        }
        if with_recovery && self.incomplete.is_none() && self.horizon > 0 {
            self.add_recoveries(nodes, &mut associations, progress)?;
        }
        Ok(UserStanding {
            users: self.users,
            incomplete: self.incomplete,
            associations,
            horizon: self.horizon,
        })
    }

    fn association(&mut self, nodes: &[NodeId], node: NodeId) -> AssociationStanding {
        let scenario = self.scenario;
        let (policy, tree) = (scenario.policy(), scenario.tree());
        let mut standing = AssociationStanding {
            node,
            rank: None,
            tied: 0,
            percentile: None,
            segment: None,
            is_block: false,
            target: None,
            held_back: None,
            is_best: None,
            recovery: None,
        };
        let Some(users) = self.users else {
            if self.shows_only_printed() && policy == Policy::FairTree {
                let factor = scenario.evaluation().number(ColumnId::Factor, node);
                standing.percentile = factor.filter(|_| self.is_fair_tree(nodes));
                let target = self.printed_target(node);
                standing.target = target.map(|target| TargetUse::of(policy, tree, node, target));
            }
            return standing;
        };
        let explanation = scenario.explain(node);
        standing.rank = explanation.rank;
        standing.tied = explanation.tied;
        standing.percentile = explanation.rank.and_then(|rank| match policy {
            // A printed factor may be of another moment than the ranks.
            Policy::FairTree | Policy::FairTreeDocumented => {
                scenario.evaluation().number(ColumnId::Factor, node)
            }
            _ => Some((users + 1).saturating_sub(rank as usize) as f64 / users as f64),
        });
        if policy.orders_by_level() {
            standing.segment = self.segment(node);
            standing.is_block = is_block(&explanation, self.scenario);
        }
        standing.target = self.target(node);
        standing.held_back = self.held_back(&explanation);
        standing
    }

    fn target(&self, node: NodeId) -> Option<TargetUse> {
        let (policy, tree) = (self.scenario.policy(), self.scenario.tree());
        let target = policy.target(tree, self.scenario.evaluation(), node)?;
        Some(TargetUse::of(policy, tree, node, target))
    }

    fn shows_only_printed(&self) -> bool {
        let (policy, settings) = (self.scenario.policy(), self.scenario.settings());
        let printed = self.scenario.tree().printed(policy.name(), &settings.slurm);
        printed.is_some_and(PrintedNumbers::is_all)
    }

    /// Returns whether the printed numbers show that Fair Tree made them.
    fn is_fair_tree(&self, nodes: &[NodeId]) -> bool {
        let recorded = &self.scenario.base().recorded;
        let figure = |fact, node| Some(recorded.figure(fact, node)?.value);
        let is_not_classic = |&node: &NodeId| {
            let of = [Fact::FairShare, Fact::EffectvUsage, Fact::NormShares];
            match of.map(|fact| figure(fact, node)) {
                [Some(factor), Some(effective), Some(target)] => {
                    !can_be_factor(factor, effective, target)
                }
                _ => false,
            }
        };
        recorded.figures(Fact::LevelFs).is_some() || nodes.iter().any(is_not_classic)
    }

    /// Compares the two printed portions of the level.
    fn printed_target(&self, node: NodeId) -> Option<Target> {
        let evaluation = self.scenario.evaluation();
        let (share, used) = self.scenario.policy().portions(evaluation, node)?;
        let tree = self.scenario.tree();
        // A portion may be too small for its six decimals.
        let is_cut = used == 0.0 && tree.usage(node).amount() != Some(0.0);
        (!is_cut && !tree.shares(node).is_parent()).then_some(Target {
            share,
            used,
            is_met: used <= share,
        })
    }

    fn segment(&mut self, node: NodeId) -> Option<[u32; 2]> {
        let tree = self.scenario.tree();
        let account = tree.parent(node)?;
        let evaluation = self.scenario.evaluation();
        *self.segments.entry(account).or_insert_with(|| {
            let ranks = &evaluation.ranks()[tree.order().span(account)];
            let least = ranks.iter().copied().filter(|&rank| rank > 0).min()?;
            Some([least, ranks.iter().copied().max()?])
        })
    }

    /// Returns the level that holds a user back: as its explanation has it, or under a policy that ranks users by a number
    /// of their own, the one that is furthest over its target.
    fn held_back(&self, explanation: &Explanation) -> Option<HoldingLevel> {
        let (policy, tree) = (self.scenario.policy(), self.scenario.tree());
        let level = |node, sibling_ahead, users_ahead| HoldingLevel {
            node,
            target: self.target(node),
            sibling_ahead,
            users_ahead,
        };
        explanation.rank?;
        if policy.orders_by_level() {
            return match &explanation.detail {
                Detail::Levels(levels) => {
                    let is_behind = |it: &&Level| it.siblings_ahead > 0 && it.users_ahead > 0;
                    let held = most_ahead(levels, is_behind)?;
                    Some(level(held.node, held.sibling_ahead, Some(held.users_ahead)))
                }
                Detail::Pbs(pbs) => {
                    let held = pbs.levels.iter().find(|it| it.sibling_ahead.is_some())?;
                    Some(level(held.node, held.sibling_ahead, None))
                }
            };
        }
        let served = |node: NodeId| self.target(node).and_then(|it| it.target.served());
        let line = tree.line(explanation.node).into_iter();
        let over = line.filter_map(|node| Some((node, served(node).filter(|&it| it > 1.0)?)));
        // Of equals the topmost.
        let most = over.reduce(|most, it| if it.1 > most.1 { it } else { most });
        most.map(|(node, _)| level(node, None, None))
    }

    fn add_recoveries(
        &mut self,
        nodes: &[NodeId],
        associations: &mut [AssociationStanding],
        progress: OnSeconds<'_>,
    ) -> Result<(), RecoveryError> {
        let scenario = self.scenario;
        let steady = || Preset::Steady.pace(scenario).unwrap_or_default();
        let mut alone = self.steady.get_or_insert_with(steady).clone();
        for &node in nodes {
            alone = resting(alone, scenario.tree(), node);
        }
        let now = Simulation::of(scenario);
        let futures = [
            now.clone().at_pace(Arc::new(alone)),
            now.at_pace(Arc::default()),
        ];
        for association in associations.iter_mut().filter(|it| it.target.is_some()) {
            let mut recover = |future: &Simulation| match future.recovery(
                association.node,
                Goal::OnTarget,
                self.horizon,
                progress,
            ) {
                Err(RecoveryError::Question(_)) => Ok(None),
                recovery => recovery.map(Some),
            };
            let [alone, all] = &futures;
            association.recovery = recover(alone)?.zip(recover(all)?).map(Into::into);
        }
        Ok(())
    }
}

fn is_block(explanation: &Explanation, scenario: &Scenario) -> bool {
    let own = explanation.node;
    let is_apart = |node: NodeId, tied: usize| {
        node == own || (tied == 0 && !scenario.tree().shares(node).is_parent())
    };
    match &explanation.detail {
        Detail::Levels(levels) => levels.iter().all(|it| is_apart(it.node, it.siblings_tied)),
        Detail::Pbs(pbs) => pbs
            .levels
            .iter()
            .all(|it| is_apart(it.node, it.siblings_tied)),
    }
}
