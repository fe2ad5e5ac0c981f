//! A scenario as time passes: the clock and the policy together.
//!
//! A [`Simulation`] changes a copy of the scenario's usage. [`Simulation::series`] evaluates nodes at regular moments,
//! [`Simulation::recovery`] finds when a goal is reached, and [`Preset`] lists the assumptions about future usage.

mod outcome;
mod pace;
mod recovery;

pub(crate) use outcome::{HorizonStanding, Shortfall, ShortfallCause};
pub use outcome::{Recovery, RecoveryOutcome};
pub(crate) use pace::UsageAssumption;
pub use pace::{Assumptions, PaceError, Preset, assume, resting};
pub(crate) use recovery::NodeGoal;
pub use recovery::RecoveryError;

use crate::model::{NodeId, Pace, Scheduler, Settings, Tree, UsageResetPeriod, UsageState};
use crate::rules::clock::flux::{Shift, bins_held};
use crate::rules::clock::pbs::{Overdue, is_decaying};
use crate::rules::clock::{Clock, OnSeconds, next_shift, overdue_decays};
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

impl Series {
    /// Returns the numbers of a node; `None` if it was not requested.
    pub(crate) fn line_of(&self, node: NodeId) -> Option<&NodeSeries> {
        self.lines.iter().find(|line| line.node == node)
    }
}

impl Simulation {
    /// Returns the simulation of a scenario, starting at the scenario's own time.
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            clock: Clock::new(scenario.tree(), scenario.settings()),
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
        // The future can only be computed, so the present is computed too, even where printed numbers are shown.
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
            let sum_of = || tree.children(account).filter_map(usage_of).sum();
            let sum = level_usage.entry(account).or_insert_with(sum_of);
            usage.map(|usage| if *sum > 0.0 { usage / *sum } else { 0.0 })
        });
        self.usage_share.push(share);
        self.usage.push(usage);
        let factor = evaluation.number(policy.factor_column(), self.node);
        self.factor.push(factor);
        self.rank.push(evaluation.rank(self.node));
    }
}

/// The way in which usage decays.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "variants are what their names say")]
pub enum Decay {
    /// Smoothly, in a tree that comes from no scheduler.
    Smooth {
        /// The half-life in seconds; 0 if nothing decays.
        half_life: u32,
    },
    Pbs(PbsDecay),
    Slurm {
        /// The half-life in seconds; 0 if nothing decays.
        half_life: u32,
        /// Seconds between two calculations.
        period: u32,
        /// When usage is set to 0. `None` if that never happens while the controller runs.
        reset: Option<UsageReset>,
    },
    Flux {
        /// Seconds from one shift of the bins to the next.
        half_life: u32,
        /// The portion of a bin's usage that is left after a shift.
        factor: f64,
        /// The number of bins; a shift drops the oldest.
        bins: usize,
        next: NextShift,
    },
}

/// The decay of usage in PBS.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "variants are what their names say")]
pub enum PbsDecay {
    /// None: `fair_share` is off and no `job_sort_formula` is set.
    Off,
    /// None: `fairshare_decay_time` is 0.
    NoInterval,
    /// None: `fairshare_decay_time` is below 0.
    NegativeInterval,
    /// All usage is multiplied by a factor, and never falls below 1.
    Multiplied {
        /// The factor; NaN if the setting is not a number, which sets usage to 1.
        factor: f32,
        interval: u64,
        /// The overdue decays that the next cycle applies. `None` if there is at most one.
        overdue: Option<Overdue>,
    },
}

/// The times at which Slurm sets usage to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReset {
    pub(crate) period: UsageResetPeriod,
    /// Whether the source has a date; without one the reset is ignored.
    pub(crate) has_date: bool,
    /// Whether the time zone of the cluster is known; UTC is assumed otherwise.
    pub(crate) has_zone: bool,
}

/// The time of the next shift of Flux's bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "variants are what their names say")]
pub enum NextShift {
    /// This many shifts are overdue; each run applies one.
    Overdue(u64),
    /// The first shift comes in this many seconds: the first period of a database lasts two half-lives.
    First(u64),
    /// The next shift comes in this many seconds.
    In(u64),
    Never,
}

impl Decay {
    pub(crate) fn of(tree: &Tree, settings: &Settings) -> Self {
        match settings.scheduler {
            Some(Scheduler::Pbs) => Self::Pbs(pbs(settings)),
            Some(Scheduler::Slurm) => slurm(settings),
            Some(Scheduler::Flux) => flux(tree, settings),
            None => Self::Smooth {
                half_life: settings.slurm.decay_half_life,
            },
        }
    }
}

fn pbs(settings: &Settings) -> PbsDecay {
    if !is_decaying(settings) {
        return PbsDecay::Off;
    }
    match u64::try_from(settings.pbs.fairshare_decay_time) {
        Ok(interval @ 1..) => PbsDecay::Multiplied {
            factor: settings.pbs.fairshare_decay_factor,
            interval,
            overdue: overdue_decays(settings),
        },
        Ok(_) => PbsDecay::NoInterval,
        Err(_) => PbsDecay::NegativeInterval,
    }
}

fn slurm(settings: &Settings) -> Decay {
    let reset = match settings.slurm.usage_reset_period {
        // NOW resets usage when the controller starts.
        UsageResetPeriod::None | UsageResetPeriod::Now => None,
        period => Some(UsageReset {
            period,
            has_date: settings.time.taken.is_some(),
            has_zone: settings.time.zone.is_some(),
        }),
    };
    Decay::Slurm {
        half_life: settings.slurm.decay_half_life,
        period: settings.slurm.calc_period,
        reset,
    }
}

fn flux(tree: &Tree, settings: &Settings) -> Decay {
    let half_life = settings.flux.decay_half_life;
    let usage_state = tree.usage_state().and_then(UsageState::bins);
    let counts = usage_state.and_then(|bins| {
        let counts = tree.nodes().iter().map(|&node| bins.get(node).len());
        counts.max()
    });
    let next = match next_shift(settings) {
        None => NextShift::Never,
        Some(Shift { due, overdue: 0 }) => {
            let wait = due.saturating_sub(settings.time.passed);
            // Only when a database is made, the end of its first period is written one half-life too early.
            if wait > u64::from(half_life) + 1 {
                NextShift::First(wait)
            } else {
                NextShift::In(wait)
            }
        }
        Some(Shift { overdue, .. }) => NextShift::Overdue(overdue),
    };
    Decay::Flux {
        half_life,
        factor: settings.flux.decay_factor,
        bins: bins_held(&settings.flux, counts.unwrap_or(0)),
        next,
    }
}
