//! What becomes of a scenario as time goes on: the clock and the policy together.

use crate::clock::{Clock, Progress};
use crate::model::NodeId;
use crate::policy::{Evaluation, Policy};
use crate::scenario::Scenario;
use std::ops::ControlFlow;

/// A scenario that time passes for. The scenario itself stays as it is.
#[derive(Clone, Debug)]
pub struct Simulation {
    clock: Clock,
    policy: Policy,
    last: Option<Evaluation>,
}

impl Simulation {
    /// The simulation of a scenario, from where its clock stands.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            clock: Clock::of(scenario.tree(), scenario.settings()),
            policy: scenario.policy(),
            last: None,
        }
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The clock, to charge usage or to change what is assumed.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Lets time pass.
    pub fn advance(&mut self, seconds: u64, progress: Progress<'_>) -> ControlFlow<()> {
        self.clock.advance(seconds, progress)
    }

    /// The numbers of this moment.
    pub fn evaluate(&mut self) -> &Evaluation {
        let tree = self.clock.tree();
        let settings = self.clock.settings();
        let evaluation = self
            .policy
            .evaluate_after(&tree, settings, self.last.as_ref());
        self.last.insert(evaluation)
    }
}

/// What was seen of some nodes at several moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The moments, in seconds since the snapshot.
    pub times: Vec<u64>,
    /// One line of numbers per node that was asked for, in that order.
    pub lines: Vec<Line>,
}

/// The numbers of one node, one per moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The node.
    pub node: NodeId,
    /// Its usage under the policy, in the source's unit.
    pub usage: Vec<Option<f64>>,
    /// Its factor.
    pub factor: Vec<Option<f64>>,
    /// Its rank, 1 runs first; nothing for accounts.
    pub rank: Vec<Option<u32>>,
    /// Its part of its level's usage.
    pub usage_share: Vec<Option<f64>>,
}

/// Follows some nodes for a while, looking each `step` seconds; nothing if it was broken off.
pub fn series(
    scenario: &Scenario,
    nodes: &[NodeId],
    until: u64,
    step: u64,
    progress: Progress<'_>,
) -> Option<Series> {
    let mut simulation = Simulation::of(scenario);
    let begin = simulation.clock().passed();
    let mut series = Series {
        times: Vec::new(),
        lines: nodes.iter().map(|&node| Line::of(node)).collect(),
    };
    loop {
        let passed = simulation.clock().passed();
        series.times.push(passed);
        let tree = simulation.clock().tree();
        let evaluation = simulation.evaluate();
        for line in &mut series.lines {
            line.push(&tree, evaluation);
        }
        let left = (begin + until).saturating_sub(passed);
        if left == 0 {
            return Some(series);
        }
        if simulation.advance(step.clamp(1, left), progress).is_break() {
            return None;
        }
    }
}

impl Line {
    fn of(node: NodeId) -> Self {
        Self {
            node,
            usage: Vec::new(),
            factor: Vec::new(),
            rank: Vec::new(),
            usage_share: Vec::new(),
        }
    }

    fn push(&mut self, _tree: &crate::model::Tree, evaluation: &Evaluation) {
        use crate::policy::ColumnId;
        self.usage
            .push(evaluation.number(ColumnId::Usage, self.node));
        self.factor
            .push(evaluation.number(ColumnId::Factor, self.node));
        self.rank.push(evaluation.rank(self.node));
        self.usage_share.push(None);
    }
}
