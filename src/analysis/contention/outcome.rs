//! The result of a simulation: what was delivered in each window, compared with the targets.

use super::Machine;
use crate::analysis::metrics::jain;
use crate::model::{NodeId, Tree};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use std::ops::Range;

/// The intervals of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Seconds between cycles; cores are handed out once per cycle.
    pub cycle: u64,
    /// Seconds between two counts of usage; ranks change only then.
    pub counted: u64,
    /// Length of a window over which deliveries are added up, in seconds; the last one may be shorter.
    pub window: u64,
    /// The mean portion of usage that decays per second; 0 if usage does not decay.
    pub(crate) lost_per_second: f64,
}

/// The deliveries of a machine, window after window.
#[derive(Clone, Debug, PartialEq)]
pub struct Contention {
    pub(crate) policy: Policy,
    pub(crate) machine: Machine,
    /// The intervals of the simulation.
    pub timing: Timing,
    /// The start of the simulation, in seconds since the snapshot.
    pub(crate) begin: u64,
    pub(crate) started: u64,
    /// The length of the simulation in seconds, a whole number of cycles.
    pub(crate) watched: u64,
    /// The portion of all deliveries that each node should get, by node id.
    targets: Vec<Option<f64>>,
    /// The deliveries in core-seconds, by window and then by node id.
    delivered: Vec<Vec<u64>>,
}

/// How well the deliveries of some nodes fit their targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetFit {
    /// When they converged, in seconds since the start. `None` if they did not.
    pub converged: Option<u64>,
    /// The largest distance of a window's portion from the mean, after convergence or else in the second half.
    pub amplitude: f64,
    /// The largest relative distance from a target over the same time: 0.1 is 10% of the target.
    pub(crate) distance: f64,
    pub(crate) furthest: Option<NodeId>,
}

impl Contention {
    /// Returns a simulation that has delivered nothing yet. `targets` are cores by node id.
    pub(super) fn new(
        scenario: &Scenario,
        machine: &Machine,
        timing: Timing,
        mut targets: Vec<Option<f64>>,
    ) -> Self {
        let all = targets[NodeId::ROOT.index()].unwrap_or(0.0);
        for target in targets.iter_mut().flatten() {
            *target /= all;
        }
        let watched = machine.until.next_multiple_of(timing.cycle);
        let mut delivered = Vec::new();
        for _ in 0..watched.div_ceil(timing.window) {
            delivered.push(vec![0; targets.len()]);
        }
        Self {
            policy: scenario.policy(),
            machine: machine.clone(),
            timing,
            begin: scenario.settings().time.passed,
            started: 0,
            watched,
            delivered,
            targets,
        }
    }

    /// Adds what a user got in a window.
    pub(super) fn deliver(&mut self, window: u64, user: NodeId, core_seconds: u64) {
        let window = usize::try_from(window).unwrap_or(usize::MAX);
        self.delivered[window][user.index()] += core_seconds;
    }

    /// Ends the simulation, and adds up what accounts got.
    pub(super) fn end(&mut self, tree: &Tree, started: u64) {
        self.started = started;
        for delivered in &mut self.delivered {
            for &node in tree.nodes().iter().rev() {
                if let Some(parent) = tree.parent(node) {
                    delivered[parent.index()] += delivered[node.index()];
                }
            }
        }
    }

    /// Returns the number of windows.
    pub fn windows(&self) -> usize {
        self.delivered.len()
    }

    /// Returns the end of a window, in seconds since the start.
    pub(crate) fn end_of(&self, window: usize) -> u64 {
        (self.timing.window * (window as u64 + 1)).min(self.watched)
    }

    /// Returns the portion of all deliveries that a node should get. `None` without demand or shares of its own.
    pub fn target(&self, node: NodeId) -> Option<f64> {
        self.targets.get(node.index()).copied().flatten()
    }

    /// Returns what a node and all nodes below it got in a window, in core-seconds.
    pub fn delivered(&self, window: usize, node: NodeId) -> u64 {
        match self.delivered[window].get(node.index()) {
            Some(&delivered) => delivered,
            None => 0,
        }
    }

    /// Returns the portion of a window's core-seconds that a node got. `None` if nothing ran.
    pub(crate) fn portion(&self, window: usize, node: NodeId) -> Option<f64> {
        self.portion_of(window..window + 1, node)
    }

    /// Returns the portion of the core-seconds of several windows that a node got. `None` if nothing ran.
    pub fn portion_of(&self, windows: Range<usize>, node: NodeId) -> Option<f64> {
        let all = self.delivered_in(windows.clone(), NodeId::ROOT);
        if all == 0 {
            return None;
        }
        Some(self.delivered_in(windows, node) as f64 / all as f64)
    }

    /// Returns the core-seconds that a node got in several windows.
    fn delivered_in(&self, windows: Range<usize>, node: NodeId) -> u64 {
        let mut delivered = 0;
        for window in windows {
            delivered += self.delivered(window, node);
        }
        delivered
    }

    /// Returns the core-seconds that a node got in all windows.
    pub fn delivered_in_all(&self, node: NodeId) -> u64 {
        self.delivered_in(0..self.windows(), node)
    }

    /// Returns the portion of the machine's core-seconds in which a job ran.
    pub fn utilization(&self) -> f64 {
        let there = self.machine.cores as f64 * self.watched as f64;
        self.delivered_in_all(NodeId::ROOT) as f64 / there
    }

    /// Returns the windows of the second half, where the initial usage matters little.
    pub(crate) fn second_half(&self) -> Range<usize> {
        self.windows() / 2..self.windows()
    }

    /// Returns Jain's index of a window: 1/n if one of n users got all, 1 if by the targets. `None` if nothing ran.
    pub(crate) fn jain(&self, tree: &Tree, window: usize) -> Option<f64> {
        let mut parts = Vec::new();
        for user in tree.users() {
            if let Some(target) = self.target(user)
                && target > 0.0
            {
                parts.push(self.portion(window, user)? / target);
            }
        }
        jain(&parts)
    }

    /// Returns how much the first user may be given before its rank changes, as a portion of all remembered usage: all
    /// cores until usage is counted again, or until its jobs end. A share may be missed by that portion of the machine.
    pub fn at_once(&self) -> f64 {
        self.timing.counted.max(self.machine.job_time) as f64 * self.timing.lost_per_second
    }

    /// Returns how many windows are judged together: a tenth of the time, so that random job lengths even out.
    pub(crate) fn stretch(&self) -> usize {
        self.windows().div_ceil(10)
    }

    /// Returns what a node and all nodes below it got before each window, and finally in all, in core-seconds.
    fn delivered_before(&self, node: NodeId) -> Vec<u64> {
        let mut before = vec![0];
        let mut sum = 0;
        for window in 0..self.windows() {
            sum += self.delivered(window, node);
            before.push(sum);
        }
        before
    }

    /// Returns the first window from which on the node is on target in every stretch that begins before `starts`:
    /// within `tolerance`, relative to the target, plus what two cycles hand out. `all` is what all nodes got before
    /// each window.
    fn settled(&self, node: NodeId, starts: usize, all: &[u64], tolerance: f64) -> Option<usize> {
        let Some(target) = self.target(node) else {
            return (starts > 0).then_some(0);
        };
        let stretch = self.stretch();
        let seconds = self.timing.window * stretch as u64;
        let slack = 2.0 * self.timing.cycle as f64 / seconds as f64;
        let own = self.delivered_before(node);
        let mut settled = None;
        for from in (0..starts).rev() {
            let own_part = own[from + stretch] - own[from];
            let all_parts = all[from + stretch] - all[from];
            let distance = (own_part as f64 / all_parts as f64 - target).abs();
            if all_parts == 0 || distance > tolerance * target + slack {
                break;
            }
            settled = Some(from);
        }
        settled
    }

    /// Returns the first window from which on all nodes are on target in every stretch that begins before `starts`. `None`
    /// if there is none.
    fn all_settled(&self, nodes: &[NodeId], starts: usize, tolerance: f64) -> Option<usize> {
        if starts == 0 {
            return None;
        }
        let all = self.delivered_before(NodeId::ROOT);
        let mut last = 0;
        for &node in nodes {
            last = last.max(self.settled(node, starts, &all, tolerance)?);
        }
        Some(last)
    }

    /// Returns how well nodes fit their targets: they converge with the first stretch from which on all are on target.
    pub fn fit(&self, nodes: &[NodeId], tolerance: f64) -> TargetFit {
        let whole = usize::try_from(self.watched / self.timing.window).unwrap_or(usize::MAX);
        let stretch = self.stretch();
        let starts = (whole + 1).saturating_sub(stretch);
        let first = self.all_settled(nodes, starts, tolerance);
        let from = first.unwrap_or(whole / 2);
        let mut fit = TargetFit {
            converged: first.map(|window| self.end_of(window + stretch - 1)),
            amplitude: 0.0,
            distance: 0.0,
            furthest: None,
        };
        for &node in nodes {
            let Some(target) = self.target(node) else {
                continue;
            };
            let Some(mean) = self.portion_of(from..whole, node) else {
                continue;
            };
            let distance = (mean - target).abs() / target;
            if target > 0.0 && distance > fit.distance {
                fit.distance = distance;
                fit.furthest = Some(node);
            }
            for window in from..whole {
                if let Some(portion) = self.portion(window, node) {
                    fit.amplitude = fit.amplitude.max((portion - mean).abs());
                }
            }
        }
        fit
    }
}
