//! The lines of the chart, worked out on a thread from a copy of the scenario.

use super::Lines;
use super::quantity::Quantity;
use super::recovery::{Estimate, estimate};
use crate::analysis::simulate::{Preset, Series, Simulation};
use crate::analysis::solve::Goal;
use crate::model::{NodeId, Pace, Scheduler, Settings};
use crate::rules::policy::Policy;
use crate::scenario::{Edit, PaceChange, Scenario};
use crate::tui::Message;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many moments there are on a line.
const MOMENTS: u64 = 120;

/// Everything that decides what the lines look like.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::tui) struct Question {
    /// The edits before the time that was let pass.
    pub(super) mark: u64,
    /// The policy in force.
    pub(super) policy: Policy,
    /// Whose lines.
    pub(super) lines: Lines,
    /// The nodes.
    pub(super) nodes: Vec<NodeId>,
    /// Who is to reach the goal.
    pub(super) selected: NodeId,
    /// The goal that was set; nothing takes being on target.
    pub(super) goal: Option<Goal>,
    /// For how long, in seconds from where the lines begin.
    pub(super) until: u64,
    /// The half-life in seconds under which they are drawn once more.
    pub(super) other_half_life: Option<u64>,
}

/// Lines to be worked out. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Following {
    number: u64,
    question: Question,
    /// The scenario where the lines begin.
    scenario: Box<Scenario>,
    is_cancelled: Arc<AtomicBool>,
}

impl PartialEq for Following {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Following {}

/// What is assumed of the time to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumption {
    /// What the scenario says.
    AsPlanned,
    /// Nobody uses anything.
    Idle,
    /// Everybody keeps the usage they have.
    Steady,
    /// Everybody but this one keeps the usage they have.
    Without(NodeId),
}

impl Assumption {
    /// The same, as simulations take it.
    fn preset(self) -> Preset<'static> {
        match self {
            Self::AsPlanned => Preset::AsPlanned,
            Self::Idle => Preset::Idle,
            Self::Steady => Preset::Steady,
            Self::Without(node) => Preset::OnlyIdle(node),
        }
    }

    /// The edits that make it so.
    pub(super) fn edits(self) -> Vec<Edit> {
        match self {
            Self::AsPlanned => Vec::new(),
            Self::Idle => vec![Edit::Pace(PaceChange::Idle)],
            Self::Steady => vec![Edit::Pace(PaceChange::Steady)],
            Self::Without(node) => vec![
                Edit::Pace(PaceChange::Steady),
                Edit::Pace(PaceChange::Rate { node, rate: 0.0 }),
            ],
        }
    }
}

/// Lines under one assumption.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    /// What is assumed.
    pub(super) assumption: Assumption,
    /// The lines, in the order of the nodes.
    pub(super) series: Series,
    /// The same under the other half-life.
    pub(super) other: Option<Series>,
    /// When the selected node reaches its goal; nothing where it has no place among others.
    pub(super) estimate: Option<Estimate>,
}

/// The lines there are.
#[derive(Clone, Debug)]
pub struct Followed {
    pub(in crate::tui) question: Question,
    pub(super) strands: Vec<Strand>,
    /// Why the other half-life has no lines.
    pub(super) refused: Option<String>,
    /// What the clock takes for granted beside the scheduler's own rule, in sentences.
    pub(super) granted: Vec<String>,
}

impl Followed {
    /// Whether there is a number of this kind on any line.
    pub(super) fn has(&self, quantity: Quantity) -> bool {
        let series = self.strands.iter().map(|strand| &strand.series);
        let mut lines = series.flat_map(|series| {
            let moments = 0..series.times.len();
            let lines = series.lines.iter();
            lines.map(move |line| (line, moments.clone()))
        });
        lines.any(|(line, mut moments)| moments.any(|at| quantity.of(line, at).is_some()))
    }
}

impl Following {
    pub(super) const fn new(
        number: u64,
        question: Question,
        scenario: Box<Scenario>,
        is_cancelled: Arc<AtomicBool>,
    ) -> Self {
        Self {
            number,
            question,
            scenario,
            is_cancelled,
        }
    }

    /// Works out the lines, or stops when nobody waits for them.
    #[must_use]
    pub fn perform(self) -> Message {
        Message::Followed {
            number: self.number,
            followed: self.follow().map(Box::new),
        }
    }

    fn follow(&self) -> Option<Followed> {
        let assumptions = match self.question.lines {
            Lines::Nodes => vec![Assumption::AsPlanned],
            Lines::Assumptions => {
                let node = *self.question.nodes.first()?;
                let mut all = vec![
                    Assumption::Idle,
                    Assumption::Steady,
                    Assumption::Without(node),
                ];
                if !self.scenario.settings().time.pace.is_idle() {
                    all.push(Assumption::AsPlanned);
                }
                all
            }
        };
        let mut refused = None;
        let changed = self.with_other_half_life().transpose();
        let changed = changed.unwrap_or_else(|error| {
            refused = Some(error);
            None
        });
        let mut strands = Vec::new();
        for assumption in assumptions {
            // Only a pace that is measured between snapshots can be refused.
            let Ok(pace) = assumption.preset().pace(&self.scenario) else {
                continue;
            };
            let pace = Arc::new(pace);
            let start = Simulation::of(&self.scenario).at_pace(Arc::clone(&pace));
            let series = self.series(&self.scenario, &pace)?;
            // The same usage is charged, so what differs is the half-life alone.
            let other = match &changed {
                Some(changed) => Some(self.series(changed, &pace)?),
                None => None,
            };
            let question = &self.question;
            let (node, goal) = (question.selected, question.goal);
            let estimate = estimate(&start, node, goal, question.until, &mut |_| self.go_on())?;
            strands.push(Strand {
                assumption,
                series,
                other,
                estimate,
            });
        }
        Some(Followed {
            question: self.question.clone(),
            strands,
            refused,
            granted: Simulation::of(&self.scenario).clock().assumptions(),
        })
    }

    /// The scenario under the half-life that it is compared with, if any.
    fn with_other_half_life(&self) -> Option<Result<Scenario, String>> {
        let seconds = self.question.other_half_life?;
        let mut changed = Scenario::clone(&self.scenario);
        let edit = half_life_of(changed.settings(), seconds);
        let changed = changed.apply(edit).map(|()| changed);
        Some(changed.map_err(|error| error.to_string()))
    }

    fn series(&self, scenario: &Scenario, pace: &Arc<Pace>) -> Option<Series> {
        let mut simulation = Simulation::of(scenario).at_pace(Arc::clone(pace));
        let (until, nodes) = (self.question.until, &self.question.nodes);
        let step = until.div_ceil(MOMENTS);
        simulation.series(nodes, until, step, &mut |_| self.go_on())
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The edit that gives the scheduler another half-life, in seconds.
fn half_life_of(settings: &Settings, seconds: u64) -> Edit {
    let set = |key: &str, value: String| Edit::SetSetting {
        key: key.to_owned(),
        value,
    };
    match settings.scheduler {
        Some(Scheduler::Pbs) => Edit::Batch(vec![
            set("fairshare_decay_factor", "0.5".to_owned()),
            set("fairshare_decay_time", seconds.to_string()),
        ]),
        Some(Scheduler::Flux) => set("priority_decay_half_life", seconds.to_string()),
        Some(Scheduler::Slurm) | None => {
            let (days, rest) = (seconds / 86_400, seconds % 86_400);
            let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
            let value = format!("{days}-{hours:02}:{minutes:02}:{seconds:02}");
            set("PriorityDecayHalfLife", value)
        }
    }
}
