//! What came of it: what was delivered in each window, against what should have been.

use super::Machine;
use crate::model::{Kind, NodeId, Tree};
use crate::policy::Policy;
use crate::scenario::Scenario;

/// What a machine delivered, window after window.
#[derive(Clone, Debug, PartialEq)]
pub struct Contention {
    /// The rule by which cores were handed out.
    pub policy: Policy,
    /// The machine.
    pub machine: Machine,
    /// Seconds between cycles.
    pub cycle: u64,
    /// Seconds of a window; the last one may be shorter.
    pub window: u64,
    /// The seconds that had passed since the snapshot when it began.
    pub begin: u64,
    /// Jobs that were started.
    pub started: u64,
    /// How long it was watched, in seconds: whole cycles.
    pub watched: u64,
    /// What is wanted by whom follows from these: portions of what is delivered, by node id.
    targets: Vec<Option<f64>>,
    /// By window, then by node id, in core-seconds.
    delivered: Vec<Vec<u64>>,
}

/// How a few nodes came to what they should get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
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
        cycle: u64,
        window: u64,
        mut targets: Vec<Option<f64>>,
    ) -> Self {
        let all = targets[NodeId::ROOT.index()].unwrap_or(0.0);
        for target in targets.iter_mut().flatten() {
            *target /= all;
        }
        Self {
            policy: scenario.policy(),
            machine: machine.clone(),
            cycle,
            window,
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
        let windows = usize::try_from(watched.div_ceil(self.window)).unwrap_or(usize::MAX);
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
        (self.window * (window as u64 + 1)).min(self.watched)
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
        self.portion_since(window, window + 1, node)
    }

    /// The portion of what several windows delivered.
    #[must_use]
    pub fn portion_since(&self, first: usize, end: usize, node: NodeId) -> Option<f64> {
        let sum = |node| -> u64 {
            (first..end.min(self.windows()))
                .map(|window| self.delivered(window, node))
                .sum()
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

    /// The first window of the second half.
    #[must_use]
    pub fn second_half(&self) -> usize {
        self.windows() / 2
    }

    /// What a cycle hands out, as a portion of a window: nobody can be served in smaller pieces.
    #[must_use]
    pub fn grain(&self) -> f64 {
        self.cycle as f64 / self.window as f64
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

    /// How some nodes came to what they should get. A node is there within a part of its target, give or take what one
    /// cycle hands out.
    #[must_use]
    pub fn course(&self, nodes: impl Iterator<Item = NodeId> + Clone, tolerance: f64) -> Course {
        let whole = usize::try_from(self.watched / self.window).unwrap_or(usize::MAX);
        let slack = self.grain();
        let targeted = nodes.filter_map(|node| Some((node, self.target(node)?)));
        let is_there = |window: usize| {
            targeted.clone().all(|(node, target)| {
                let portion = self.portion(window, node);
                portion.is_some_and(|it| (it - target).abs() <= tolerance * target + slack)
            })
        };
        let first = (0..whole)
            .rev()
            .take_while(|&window| is_there(window))
            .last();
        let from = first.unwrap_or(whole / 2);
        let mut course = Course {
            converged: first.map(|window| self.end_of(window)),
            amplitude: 0.0,
            distance: 0.0,
            furthest: None,
        };
        for (node, target) in targeted {
            let Some(mean) = self.portion_since(from, whole, node) else {
                continue;
            };
            let distance = (mean - target).abs() / target;
            if target > 0.0 && distance > course.distance {
                course.distance = distance;
                course.furthest = Some(node);
            }
            for portion in (from..whole).filter_map(|window| self.portion(window, node)) {
                course.amplitude = course.amplitude.max((portion - mean).abs());
            }
        }
        course
    }
}
