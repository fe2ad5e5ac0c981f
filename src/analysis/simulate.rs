//! A scenario as time passes: the clock and the policy together.
//!
//! A [`Simulation`] changes a copy of the scenario's usage. [`Simulation::series`] evaluates nodes at regular moments,
//! [`Simulation::recovery`] finds when a goal is reached, and [`Preset`] lists the assumptions about future usage.

mod decay;
mod outcome;
mod pace;
mod recovery;

pub(crate) use decay::{Decay, NextShift, PbsDecay, UsageReset};
pub(crate) use outcome::{HorizonStanding, Shortfall, ShortfallCause};
pub use outcome::{Recovery, RecoveryOutcome};
pub(crate) use pace::UsageAssumption;
pub use pace::{Assumptions, PaceError, Preset, assume, resting};
pub use recovery::RecoveryError;

use crate::model::{NodeId, Pace, Tree};
use crate::rules::clock::{Clock, OnSeconds};
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::Scenario;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A scenario for which time passes. The scenario itself does not change.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The clock, with the tree at its moment.
    pub clock: Clock,
    /// The policy of the scenario.
    pub policy: Policy,
}

/// The numbers of some nodes at several moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The moments, in seconds since the snapshot.
    pub times: Vec<u64>,
    /// The numbers of each requested node, in the order of the request.
    pub lines: Vec<NodeSeries>,
}

/// The numbers of one node, one per moment.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct NodeSeries {
    pub node: NodeId,
    /// Its usage under the policy, in the source's unit.
    pub usage: Vec<Option<f64>>,
    pub factor: Vec<Option<f64>>,
    /// Its rank; 1 runs first. `None` for accounts.
    pub rank: Vec<Option<u32>>,
    /// Its portion of its level's usage, as the policy counts it. `None` for the root.
    pub usage_share: Vec<Option<f64>>,
}

impl Simulation {
    /// Returns the simulation of a scenario, starting at the scenario's own time.
    pub fn of(scenario: &Scenario) -> Self {
        let tree = scenario.tree();
        // The future can only be computed, so the present is computed too, even where printed numbers are shown.
        let computed = tree.shows_printed().then(|| tree.without_printed());
        Self {
            clock: Clock::of(computed.as_ref().unwrap_or(tree), scenario.settings()),
            policy: scenario.policy(),
        }
    }

    /// Returns the simulation with another assumption about future usage.
    pub fn at_pace(mut self, pace: Arc<Pace>) -> Self {
        self.clock.set_pace(pace);
        self
    }

    /// Lets `seconds` pass. `progress` may stop it.
    pub fn advance(&mut self, seconds: u64, progress: OnSeconds<'_>) -> ControlFlow<()> {
        self.clock.advance(seconds, progress)
    }

    /// Returns the tree at this moment and its evaluation.
    pub fn look(&mut self) -> (Tree, Evaluation) {
        let tree = self.clock.tree();
        let evaluation = self.policy.evaluate(&tree, self.clock.settings());
        (tree, evaluation)
    }

    /// Evaluates nodes now, every `step` seconds and after `until`. `None` if `progress`, given seconds, stops it.
    pub fn series(
        &mut self,
        nodes: &[NodeId],
        until: u64,
        step: u64,
        progress: OnSeconds<'_>,
    ) -> Option<Series> {
        let begin = self.clock.passed();
        let line = |&node: &NodeId| NodeSeries {
            node,
            ..NodeSeries::default()
        };
        let mut series = Series {
            times: Vec::new(),
            lines: nodes.iter().map(line).collect(),
        };
        let mut done = 0;
        loop {
            series.times.push(begin.saturating_add(done));
            let policy = self.policy;
            let (tree, evaluation) = self.look();
            let mut level_usage = HashMap::new();
            for line in &mut series.lines {
                line.push(policy, &tree, &evaluation, &mut level_usage);
            }
            if done >= until {
                return Some(series);
            }
            let next = step.clamp(1, until - done);
            let report = &mut |passed: u64| progress(done + passed);
            if self.advance(next, report).is_break() {
                return None;
            }
            done += next;
            if progress(done).is_break() {
                return None;
            }
        }
    }
}

impl NodeSeries {
    /// Adds the numbers of a moment. `level_usage` holds the usage of the members of accounts, added up only once.
    fn push(
        &mut self,
        policy: Policy,
        tree: &Tree,
        evaluation: &Evaluation,
        level_usage: &mut HashMap<NodeId, f64>,
    ) {
        let usage_of = |node| evaluation.number(ColumnId::Usage, node);
        let usage = usage_of(self.node);
        let share = tree.parent(self.node).and_then(|account| {
            if policy.counts_by_level() {
                return policy.portions(evaluation, self.node).map(|(_, used)| used);
            }
            let sum = level_usage
                .entry(account)
                .or_insert_with(|| tree.children(account).filter_map(usage_of).sum());
            usage.map(|usage| if *sum > 0.0 { usage / *sum } else { 0.0 })
        });
        self.usage_share.push(share);
        self.usage.push(usage);
        let factor = evaluation.number(policy.factor_column(), self.node);
        self.factor.push(factor);
        self.rank.push(evaluation.rank(self.node));
    }
}
