//! The numbers of some nodes at several moments.

use super::Simulation;
use crate::model::{NodeId, Tree};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::{ColumnId, Evaluation, Policy};
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
    /// Evaluates nodes now, every `step` seconds and after `until`. `None` if `progress`, given seconds, stops it.
    pub fn series(
        &mut self,
        nodes: &[NodeId],
        until: u64,
        step: u64,
        progress: OnSeconds<'_>,
    ) -> Option<Series> {
        let begin = self.clock.passed();
        let no_numbers = |&node: &NodeId| NodeSeries {
            node,
            usage: Vec::new(),
            factor: Vec::new(),
            rank: Vec::new(),
            usage_share: Vec::new(),
        };
        let mut series = Series {
            times: Vec::new(),
            lines: nodes.iter().map(no_numbers).collect(),
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
