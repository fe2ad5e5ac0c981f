//! The numbers of some nodes at several moments.

use super::Simulation;
use crate::model::{NodeId, Tree};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::Scenario;
use std::collections::HashMap;

/// The numbers of some nodes at several moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The moments, in seconds since the snapshot.
    pub times: Vec<u64>,
    /// The numbers of each requested node, in the order of the request.
    pub lines: Vec<NodeSeries>,
}

/// The numbers of one node, one per moment.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSeries {
    /// The node.
    pub node: NodeId,
    /// Its usage under the policy, in the source's unit.
    pub usage: Vec<Option<f64>>,
    /// Its factor.
    pub factor: Vec<Option<f64>>,
    /// Its rank; 1 runs first. `None` for accounts.
    pub rank: Vec<Option<u32>>,
    /// Its portion of its level's usage, as the policy counts it. `None` for the root.
    pub usage_share: Vec<Option<f64>>,
}

/// Evaluates some nodes of a scenario at the start, every `step` seconds, and after `until` seconds.
///
/// `progress` is given the seconds that have passed. Returns `None` if it stops the simulation.
pub fn series(
    scenario: &Scenario,
    nodes: &[NodeId],
    until: u64,
    step: u64,
    progress: OnSeconds<'_>,
) -> Option<Series> {
    Simulation::of(scenario).series(nodes, until, step, progress)
}

impl Simulation {
    /// Does the same as [`series`] from the simulation's own time, and advances the simulation.
    pub fn series(
        &mut self,
        nodes: &[NodeId],
        until: u64,
        step: u64,
        progress: OnSeconds<'_>,
    ) -> Option<Series> {
        let begin = self.clock().passed();
        let mut series = Series {
            times: Vec::new(),
            lines: nodes.iter().map(|&node| NodeSeries::of(node)).collect(),
        };
        let mut done = 0;
        loop {
            series.times.push(begin.saturating_add(done));
            let policy = self.policy();
            let (tree, evaluation) = self.look();
            let mut levels = LevelUsage::default();
            for line in &mut series.lines {
                line.push(policy, &tree, &evaluation, &mut levels);
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

/// Usage by level at one moment, so that the usage of a level of many users is added up only once.
#[derive(Default)]
struct LevelUsage {
    sums: HashMap<NodeId, f64>,
}

impl LevelUsage {
    fn sum(&mut self, tree: &Tree, evaluation: &Evaluation, account: NodeId) -> f64 {
        *self.sums.entry(account).or_insert_with(|| {
            let children = tree.children(account);
            let usage = children.filter_map(|child| evaluation.number(ColumnId::Usage, child));
            usage.sum()
        })
    }
}

impl NodeSeries {
    fn of(node: NodeId) -> Self {
        Self {
            node,
            usage: Vec::new(),
            factor: Vec::new(),
            rank: Vec::new(),
            usage_share: Vec::new(),
        }
    }

    fn push(
        &mut self,
        policy: Policy,
        tree: &Tree,
        evaluation: &Evaluation,
        levels: &mut LevelUsage,
    ) {
        let usage = evaluation.number(ColumnId::Usage, self.node);
        let factor = evaluation.number(policy.factor_column(), self.node);
        let share = tree.parent(self.node).and_then(|account| {
            if policy.counts_by_level() {
                return policy.portions(evaluation, self.node).map(|(_, used)| used);
            }
            let sum = levels.sum(tree, evaluation, account);
            usage.map(|usage| if sum > 0.0 { usage / sum } else { 0.0 })
        });
        self.usage_share.push(share);
        self.usage.push(usage);
        self.factor.push(factor);
        self.rank.push(evaluation.rank(self.node));
    }
}
