//! What came of it: what was delivered in each window, against what should have been.

use super::Machine;
use crate::model::{Kind, NodeId, Scheduler, Settings, Tree};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use std::ops::Range;

/// What happens how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Seconds between cycles, in which cores are handed out.
    pub cycle: u64,
    /// Seconds between the moments at which usage is counted, and ranks change.
    pub counted: u64,
    /// Seconds of a window over which what was delivered is added up; the last one may be shorter.
    pub window: u64,
    /// The part of usage that is forgotten in a second, on the average; 0 where none ever is.
    pub lost_per_second: f64,
}

/// What a machine delivered, window after window.
#[derive(Clone, Debug, PartialEq)]
pub struct Contention {
    /// The rule by which cores were handed out.
    pub policy: Policy,
    /// The machine.
    pub machine: Machine,
    /// What happens how often.
    pub timing: Timing,
    /// The seconds that had passed since the snapshot when it began.
    pub begin: u64,
    /// Jobs that were started.
    pub started: u64,
    /// How long it was watched, in seconds: whole cycles.
    pub watched: u64,
    /// The portions of all that is delivered that everybody should get, by node id.
    targets: Vec<Option<f64>>,
    /// By window, then by node id, in core-seconds.
    delivered: Vec<Vec<u64>>,
}

/// How a few nodes came to what they should get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetFit {
    /// When all of them had come to their targets and stayed there, in seconds since the beginning; nothing if they
    /// did not before it was over.
    pub converged: Option<u64>,
    /// By how much the portion of a window lay from its mean at most, after that or in the second half.
    pub amplitude: f64,
    /// The largest distance from a target, as a part of the target, over the same time.
    pub distance: f64,
    /// Whose distance that is.
    pub furthest: Option<NodeId>,
}

impl Contention {
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
        Self {
            policy: scenario.policy(),
            machine: machine.clone(),
            timing,
            begin: scenario.settings().time.passed,
            started: 0,
            watched: 0,
            targets,
            delivered: Vec::new(),
        }
    }

    /// Notes what a user got.
    pub(super) fn deliver(&mut self, window: u64, user: NodeId, core_seconds: u64) {
        let window = usize::try_from(window).unwrap_or(usize::MAX);
        while self.delivered.len() <= window {
            self.delivered.push(vec![0; self.targets.len()]);
        }
        self.delivered[window][user.index()] += core_seconds;
    }

    /// Adds up what accounts got.
    pub(super) fn end(&mut self, tree: &Tree, watched: u64, started: u64) {
        let windows = usize::try_from(watched.div_ceil(self.timing.window)).unwrap_or(usize::MAX);
        self.delivered
            .resize_with(windows, || vec![0; self.targets.len()]);
        self.watched = watched;
        self.started = started;
        for delivered in &mut self.delivered {
            for &node in tree.nodes().iter().rev() {
                if let Some(parent) = tree.parent(node) {
                    delivered[parent.index()] += delivered[node.index()];
                }
            }
        }
    }

    /// How many windows there are.
    #[must_use]
    pub fn windows(&self) -> usize {
        self.delivered.len()
    }

    /// When a window is over, in seconds since the beginning.
    #[must_use]
    pub fn end_of(&self, window: usize) -> u64 {
        (self.timing.window * (window as u64 + 1)).min(self.watched)
    }

    /// The portion of what is delivered that a node should get; nothing where it wants nothing or has no shares of its
    /// own.
    #[must_use]
    pub fn target(&self, node: NodeId) -> Option<f64> {
        self.targets.get(node.index()).copied().flatten()
    }

    /// What a node and those below it got in a window, in core-seconds.
    #[must_use]
    pub fn delivered(&self, window: usize, node: NodeId) -> u64 {
        self.delivered[window]
            .get(node.index())
            .copied()
            .unwrap_or(0)
    }

    /// The portion of a window's core-seconds that a node got; nothing where nothing ran.
    #[must_use]
    pub fn portion(&self, window: usize, node: NodeId) -> Option<f64> {
        self.portion_of(window..window + 1, node)
    }

    /// The portion of what several windows delivered.
    #[must_use]
    pub fn portion_of(&self, windows: Range<usize>, node: NodeId) -> Option<f64> {
        let sum = |node| -> u64 {
            let windows = windows.clone();
            windows.map(|window| self.delivered(window, node)).sum()
        };
        let all = sum(NodeId::ROOT);
        (all > 0).then(|| sum(node) as f64 / all as f64)
    }

    /// The core-seconds that a node got in all.
    #[must_use]
    pub fn delivered_in_all(&self, node: NodeId) -> u64 {
        (0..self.windows())
            .map(|window| self.delivered(window, node))
            .sum()
    }

    /// The part of the machine that ran something.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        let there = self.machine.cores as f64 * self.watched as f64;
        self.delivered_in_all(NodeId::ROOT) as f64 / there
    }

    /// The windows of the second half, over which what was at the beginning counts for little.
    #[must_use]
    pub fn second_half(&self) -> Range<usize> {
        self.windows() / 2..self.windows()
    }

    /// Jain's index of a window: 1 where all users got the same part of their targets, 1/n where one of n got all.
    #[must_use]
    pub fn jain(&self, tree: &Tree, window: usize) -> Option<f64> {
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for &node in tree.nodes() {
            let is_user = tree.kind(node) == Kind::User;
            let Some(target) = self.target(node).filter(|&target| is_user && target > 0.0) else {
                continue;
            };
            let part = self.portion(window, node)? / target;
            sum += part;
            squares += part * part;
            count += 1.0;
        }
        (squares > 0.0).then(|| sum * sum / (count * squares))
    }

    /// What whoever is first may be given before it shows in the ranks, as a part of all usage that is remembered: all
    /// cores until usage is counted again, and until their jobs end.
    ///
    /// Nobody is served in smaller pieces. So a share may be missed by that much of the machine.
    #[must_use]
    pub fn at_once(&self) -> f64 {
        self.timing.counted.max(self.machine.job_time) as f64 * self.timing.lost_per_second
    }

    /// How many windows are judged together: a tenth of the time, for chance and the size of jobs to even out.
    #[must_use]
    pub fn stretch(&self) -> usize {
        self.windows().div_ceil(10)
    }

    /// What a node and those below it got before each window and in all, in core-seconds.
    fn delivered_before(&self, node: NodeId) -> Vec<u64> {
        let windows = (0..self.windows()).map(|window| self.delivered(window, node));
        let sums = windows.scan(0, |sum, delivered| {
            *sum += delivered;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect()
    }

    /// The first stretch from which on a node has what it should over every stretch of so many windows, up to the last
    /// of `starts`: within a part of its target, give or take what two cycles hand out, for nobody can be served in
    /// smaller pieces. `all` is what everybody got before each window.
    fn settled(&self, node: NodeId, starts: usize, all: &[u64], tolerance: f64) -> Option<usize> {
        let Some(target) = self.target(node) else {
            return (starts > 0).then_some(0);
        };
        let stretch = self.stretch();
        let seconds = self.timing.window * stretch as u64;
        let slack = 2.0 * self.timing.cycle as f64 / seconds as f64;
        let own = self.delivered_before(node);
        let is_there = |&from: &usize| {
            let [own, all] = [&own[..], all].map(|before| before[from + stretch] - before[from]);
            all > 0 && (own as f64 / all as f64 - target).abs() <= tolerance * target + slack
        };
        (0..starts).rev().take_while(is_there).last()
    }

    /// How some nodes came to what they should get, within a part of it. They have come there with the first stretch
    /// from which on all of them have their targets over every stretch.
    #[must_use]
    pub fn fit(&self, nodes: &[NodeId], tolerance: f64) -> TargetFit {
        let whole = usize::try_from(self.watched / self.timing.window).unwrap_or(usize::MAX);
        let stretch = self.stretch();
        let starts = (whole + 1).saturating_sub(stretch);
        let all = self.delivered_before(NodeId::ROOT);
        let mut settled = nodes
            .iter()
            .map(|&node| self.settled(node, starts, &all, tolerance));
        // All of them are there once the last one is.
        let first = settled.try_fold(0, |last, first| first.map(|first| last.max(first)));
        let first = first.filter(|_| starts > 0);
        let from = first.unwrap_or(whole / 2);
        let mut fit = TargetFit {
            converged: first.map(|window| self.end_of(window + stretch - 1)),
            amplitude: 0.0,
            distance: 0.0,
            furthest: None,
        };
        for &node in nodes {
            let Some((target, mean)) = self.target(node).zip(self.portion_of(from..whole, node))
            else {
                continue;
            };
            let distance = (mean - target).abs() / target;
            if target > 0.0 && distance > fit.distance {
                fit.distance = distance;
                fit.furthest = Some(node);
            }
            for portion in (from..whole).filter_map(|window| self.portion(window, node)) {
                fit.amplitude = fit.amplitude.max((portion - mean).abs());
            }
        }
        fit
    }
}

/// After how many seconds half of the usage is forgotten; nothing where none ever is.
#[must_use]
pub fn half_life(settings: &Settings) -> Option<f64> {
    let seconds = match settings.scheduler {
        Some(Scheduler::Pbs) => {
            let factor = f64::from(settings.pbs.fairshare_decay_factor);
            settings.pbs.fairshare_decay_time as f64 * 0.5_f64.ln() / factor.ln()
        }
        Some(Scheduler::Flux) => f64::from(settings.flux.decay_half_life),
        Some(Scheduler::Slurm) | None => f64::from(settings.slurm.decay_half_life),
    };
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}
