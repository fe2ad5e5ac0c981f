//! The lines of the chart, computed on a thread from a copy of the scenario.

use crate::analysis::simulate::{Preset, RecoveryError, Series, Simulation};
use crate::analysis::solve::Goal;
use crate::base::number::days_and_clock;
use crate::base::shown::Shown;
use crate::model::{Ids, NodeId, Pace, Scheduler, Settings};
use crate::rules::clock;
use crate::rules::policy::Policy;
use crate::scenario::{Edit, Scenario};
use crate::tui::job::Ticket;
use crate::tui::time::axis::Quantity;
use crate::tui::time::recovery::{Estimate, estimate};
use std::sync::Arc;

const MOMENTS: u64 = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Several nodes, under the current assumption.
    Nodes,
    /// The selected node, under each of several assumptions.
    Assumptions,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForecastKey {
    /// What the ids below mean.
    pub(crate) ids: Ids,
    /// Identifies the edits before the clock was moved.
    pub(crate) mark: u64,
    pub(crate) policy: Policy,
    pub(crate) lines: Lines,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) selected: NodeId,
    /// The goal of the estimate; `None` means being on target.
    pub(crate) goal: Option<Goal>,
    /// The length of the lines in seconds.
    pub(crate) until: u64,
    /// A second half-life in seconds for comparison.
    pub(crate) other_half_life: Option<u64>,
}

/// The computation of the lines. Clones are cheap because they share every column.
#[derive(Clone, Debug)]
pub struct ForecastTask {
    pub(crate) key: ForecastKey,
    /// The scenario at the start of the lines.
    pub(crate) scenario: Box<Scenario>,
}

#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) assumption: Preset<'static>,
    /// The lines, in the order of the nodes.
    pub(crate) series: Series,
    pub(crate) other: Option<Series>,
    /// When the selected node reaches its goal, or why the goal does not apply to it; `None` if it has no rank.
    pub(crate) estimate: Option<Result<Estimate, RecoveryError>>,
}

/// The lines of the Time screen.
#[derive(Clone, Debug)]
pub struct Forecast {
    pub(crate) key: ForecastKey,
    pub(crate) branches: Vec<Branch>,
    /// Why there are no lines under the other half-life.
    pub(crate) refused: Option<Shown>,
    /// What the clock assumes in addition to the scheduler's own rule.
    pub(crate) assumptions: Vec<clock::Assumption>,
}

impl Forecast {
    /// Returns whether any line has a number of this quantity.
    pub(crate) fn has(&self, quantity: Quantity) -> bool {
        self.branches.iter().any(|branch| {
            let moments = 0..branch.series.times.len();
            let mut lines = branch.series.lines.iter();
            lines.any(|line| moments.clone().any(|at| quantity.of(line, at).is_some()))
        })
    }
}

impl ForecastTask {
    /// Returns the lines, or `None` if the job was cancelled.
    pub(crate) fn answer(self, ticket: &Ticket) -> Option<Forecast> {
        let assumptions = match self.key.lines {
            Lines::Nodes => vec![Preset::AsPlanned],
            Lines::Assumptions => {
                let node = *self.key.nodes.first()?;
                let is_idle = self.scenario.settings().time.pace.is_idle();
                let planned = (!is_idle).then_some(Preset::AsPlanned);
                let all = [Preset::Idle, Preset::Steady, Preset::OnlyIdle(node)];
                all.into_iter().chain(planned).collect()
            }
        };
        let (mut changed, mut refused) = (None, None);
        if let Some(seconds) = self.key.other_half_life {
            let mut other = Scenario::clone(&self.scenario);
            match other.apply(half_life_of(other.settings(), seconds)) {
                Ok(()) => changed = Some(other),
                Err(error) => refused = Some(Shown::error(&error)),
            }
        }
        let mut branches = Vec::new();
        for assumption in assumptions {
            // Only a pace measured between two snapshots can fail.
            let Ok(pace) = assumption.pace(&self.scenario) else {
                continue;
            };
            let pace = Arc::new(pace);
            let start = Simulation::of(&self.scenario).at_pace(Arc::clone(&pace));
            let series = self.series(&self.scenario, &pace, ticket)?;
            // Both charge the same usage, so that only the half-life differs.
            let other = match &changed {
                Some(changed) => Some(self.series(changed, &pace, ticket)?),
                None => None,
            };
            let key = &self.key;
            let (node, goal) = (key.selected, key.goal);
            let estimate = estimate(&start, node, goal, key.until, &mut |_| ticket.go_on());
            if let Err(RecoveryError::Cancelled) = estimate {
                return None;
            }
            branches.push(Branch {
                assumption,
                series,
                other,
                estimate: estimate.transpose(),
            });
        }
        Some(Forecast {
            key: self.key.clone(),
            branches,
            refused,
            assumptions: Simulation::of(&self.scenario).clock.assumptions(),
        })
    }

    fn series(&self, scenario: &Scenario, pace: &Arc<Pace>, ticket: &Ticket) -> Option<Series> {
        let mut simulation = Simulation::of(scenario).at_pace(Arc::clone(pace));
        let (until, nodes) = (self.key.until, &self.key.nodes);
        let step = until.div_ceil(MOMENTS);
        simulation.series(nodes, until, step, &mut |_| ticket.go_on())
    }
}

fn half_life_of(settings: &Settings, seconds: u64) -> Edit {
    let set = |key: &str, value: String| Edit::SetSetting {
        key: key.to_owned(),
        value,
    };
    match settings.scheduler {
        Some(Scheduler::Pbs) => Edit::Batch(vec![
            set("fairshare_decay_factor", "0.5".into()),
            set("fairshare_decay_time", seconds.to_string()),
        ]),
        Some(Scheduler::Flux) => set("priority_decay_half_life", seconds.to_string()),
        Some(Scheduler::Slurm) | None => {
            set("PriorityDecayHalfLife", days_and_clock(seconds).into())
        }
    }
}
