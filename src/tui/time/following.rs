//! The lines of the chart, worked out on a thread from a copy of the scenario.

use super::Lines;
use crate::model::{NodeId, Scheduler, Settings};
use crate::policy::Policy;
use crate::scenario::{Edit, PaceChange, Scenario};
use crate::simulate::{self, Series};
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
}

/// The lines there are.
#[derive(Clone, Debug)]
pub struct Followed {
    pub(in crate::tui) question: Question,
    pub(super) strands: Vec<Strand>,
    /// Why the other half-life has no lines.
    pub(super) refused: Option<String>,
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
        let mut strands = Vec::new();
        let mut refused = None;
        for assumption in assumptions {
            let mut scenario = Scenario::clone(&self.scenario);
            if assumption
                .edits()
                .into_iter()
                .any(|edit| scenario.apply(edit).is_err())
            {
                continue;
            }
            let series = self.series(&scenario)?;
            let mut other = None;
            if let Some(seconds) = self.question.other_half_life {
                match scenario.apply(half_life_of(scenario.settings(), seconds)) {
                    Ok(()) => other = Some(self.series(&scenario)?),
                    Err(error) => refused = Some(error.to_string()),
                }
            }
            strands.push(Strand {
                assumption,
                series,
                other,
            });
        }
        Some(Followed {
            question: self.question.clone(),
            strands,
            refused,
        })
    }

    fn series(&self, scenario: &Scenario) -> Option<Series> {
        let (until, nodes) = (self.question.until, &self.question.nodes);
        let step = until.div_ceil(MOMENTS);
        simulate::series(scenario, nodes, until, step, &mut |_| {
            if self.is_cancelled.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
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

/// After how many seconds half of all usage is left; nothing where it never decays.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float that is too large becomes the largest number of seconds, and none is negative"
)]
pub(in crate::tui) fn half_life(settings: &Settings) -> Option<u64> {
    let halved = |interval: f64, factor: f64| {
        let intervals = 0.5_f64.ln() / factor.ln();
        (interval * intervals).round() as u64
    };
    let seconds = match settings.scheduler {
        Some(Scheduler::Pbs) => {
            let interval = settings.pbs.fairshare_decay_time as f64;
            halved(
                interval.max(0.0),
                settings.pbs.fairshare_decay_factor.into(),
            )
        }
        Some(Scheduler::Flux) => halved(
            settings.flux.decay_half_life.into(),
            settings.flux.decay_factor,
        ),
        Some(Scheduler::Slurm) | None => settings.slurm.decay_half_life.into(),
    };
    (seconds > 0).then_some(seconds)
}
