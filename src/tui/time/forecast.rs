//! The lines of the chart, computed on a thread from a copy of the scenario, and when the node reaches its goal.

use crate::analysis::simulate::{Preset, RecoveryError, RecoveryOutcome, Series, Simulation};
use crate::analysis::solve::{Goal, Standing, TargetUse};
use crate::base::number::{days_and_clock, fraction};
use crate::base::shown::{Shown, sentence};
use crate::model::{Ids, Kind, NodeId, Pace, Scheduler, Settings, Tree, duration_for_people};
use crate::report::{label, words};
use crate::rules::clock::{self, OnSeconds};
use crate::rules::policy::Policy;
use crate::scenario::{Edit, Scenario};
use crate::tui::job::Ticket;
use crate::tui::time::axis::{Quantity, date, moment};
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
            if matches!(estimate, Err(RecoveryError::Cancelled)) {
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

/// The estimate of when a node reaches a goal. Words that need the tree are made in advance.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    outcome: RecoveryOutcome,
    /// The goal as a noun or state: `rank 3` or `on target`.
    text: Shown,
    /// Whether it is a state, which takes another verb: `is on target`, but `reaches rank 3`.
    is_state: bool,
    /// The word behind a goal that is reached now: `rank 3 already`, but `first to run now`.
    already: &'static str,
    /// Whether it is about the rank of an account, which is that of its best user.
    is_of_best_user: bool,
    /// Why it is not reached, with the rank or usage at the horizon; empty if it is reached.
    reason: Shown,
    brief: Shown,
    /// What the node used against its target at the time of the question; empty for other goals.
    uses: Shown,
    /// The accounts above that are over their targets; empty for other goals.
    above: Shown,
    /// Whether the node was on target at the time of the question, so that the goal is the next rank instead.
    is_on_target: bool,
    /// The time of the question, in seconds since the snapshot.
    begin: u64,
    /// How far the search looked ahead, in seconds.
    horizon: u64,
}

fn text_of(goal: Goal, policy: Policy, tree: &Tree) -> Shown {
    match goal {
        Goal::OnTarget => "on target".into(),
        Goal::Factor(factor) => {
            let factor = fraction(factor);
            let factor = factor.trim_end_matches('0').trim_end_matches('.');
            sentence!("{} {factor}", words::number_word(policy.factor_column()))
        }
        Goal::Rank(rank) => sentence!("rank {rank}"),
        Goal::Share(_) => "its share".into(),
        Goal::AheadOf(other) => sentence!("ahead of {}", label(tree, other)),
    }
}

/// Estimates when a node reaches a goal, from the current moment of the simulation. Without a goal it is being on
/// target, or the next rank if the node is on target already or has no target. `None` for a node without a rank.
pub(crate) fn estimate(
    start: &Simulation,
    node: NodeId,
    asked: Option<Goal>,
    horizon: u64,
    progress: OnSeconds<'_>,
) -> Result<Option<Estimate>, RecoveryError> {
    // Every node is below the root, so it has no rank.
    if node == NodeId::ROOT {
        return Ok(None);
    }
    let mut simulation = start.clone();
    let policy = simulation.policy;
    let (tree, evaluation) = simulation.look();
    let now = Standing::of(policy, &tree, &evaluation, node);
    let goal = match (asked, now.target, now.rank) {
        (Some(goal), ..) => goal,
        (None, Some(target), _) if !target.is_met => Goal::OnTarget,
        (None, _, Some(rank)) => Goal::Rank(rank.max(2) - 1),
        (None, Some(_), None) => Goal::OnTarget,
        (None, None, None) => return Ok(None),
    };
    let is_first = asked.is_none() && goal == Goal::Rank(1) && now.rank == Some(1);
    let recovery = start.recovery(node, goal, horizon, progress)?;
    let target = now.target.filter(|_| goal == Goal::OnTarget);
    let uses_of =
        |node, target| words::solve::uses(&tree, &TargetUse::of(policy, &tree, node, target));
    let uses = target.map(|target| uses_of(node, target));
    let above = recovery.levels.iter();
    let above = above.filter(|(level, target)| *level != node && !target.is_met);
    let above = above.map(|&(level, target)| {
        let uses = uses_of(level, target);
        sentence!("; {} above it {uses}", label(&tree, level))
    });
    let has_factor = evaluation.number(policy.factor_column(), node).is_some();
    let is_met = now.target.is_some_and(|target| target.is_met);
    Ok(Some(Estimate {
        outcome: recovery.outcome,
        text: if is_first {
            "first to run".into()
        } else {
            text_of(goal, policy, &tree)
        },
        is_state: is_first || matches!(goal, Goal::OnTarget | Goal::AheadOf(_)),
        already: if is_first { "now" } else { "already" },
        is_of_best_user: tree.kind(node) == Kind::Account
            && match goal {
                Goal::Rank(_) | Goal::AheadOf(_) => true,
                Goal::Factor(_) => !has_factor,
                Goal::OnTarget | Goal::Share(_) => false,
            },
        reason: words::simulate::full(&tree, &recovery),
        brief: words::simulate::short(&tree, &recovery),
        uses: uses.unwrap_or_default(),
        above: above.collect(),
        is_on_target: asked.is_none() && is_met && goal != Goal::OnTarget,
        begin: start.clock.passed(),
        horizon,
    }))
}

impl Estimate {
    /// Returns the estimate for a node called `name` with the clock at `now`; with dates if the time is known.
    pub(crate) fn sentence(&self, name: &Shown, now: u64, taken: Option<i64>) -> Shown {
        let subject = match (self.is_on_target, self.is_of_best_user) {
            (true, true) => "its best user".into(),
            (true, false) => "it".into(),
            (false, true) => sentence!("the best user of {name}"),
            (false, false) => name.clone(),
        };
        let is_now = self.begin == now;
        let begin = moment(self.begin);
        let body = self.body(&subject, now, taken);
        match (self.is_on_target, is_now) {
            (false, _) => body,
            (true, true) => sentence!("{name} is on target; {body}"),
            (true, false) => sentence!("{name} was on target on {begin}; {body}"),
        }
    }

    /// Returns the estimate in a few words, without the name of the node and without its numbers at the horizon.
    pub(crate) fn in_short(&self, now: u64, taken: Option<i64>) -> Shown {
        let Self { text, brief, .. } = self;
        let (begin, already) = (self.begin, self.already);
        let short = match self.outcome {
            RecoveryOutcome::Now if begin == now => sentence!("{text} {already}"),
            RecoveryOutcome::Now => sentence!("{text} on {}", moment(begin)),
            RecoveryOutcome::After(seconds) => {
                sentence!("{text} {}", when(begin, now, seconds, taken))
            }
            RecoveryOutcome::NotYet => {
                let within = within(begin, now, self.horizon);
                sentence!("not {text} within {within}. {brief}")
            }
            RecoveryOutcome::Never => sentence!("never {text}. {brief}"),
        };
        if self.is_on_target {
            sentence!("on target; {short}")
        } else {
            short
        }
    }

    fn body(&self, subject: &str, now: u64, taken: Option<i64>) -> Shown {
        let Self { text, reason, .. } = self;
        let (begin, is_now) = (self.begin, self.begin == now);
        let [has, had, reaches, reached, fails, never] = if self.is_state {
            ["is", "was", "is", "was", "is not", "is never"]
        } else {
            [
                "has",
                "had",
                "reaches",
                "reached",
                "does not reach",
                "never reaches",
            ]
        };
        let body = match self.outcome {
            RecoveryOutcome::Now if is_now => {
                let already = if self.is_state { "now" } else { "already" };
                sentence!("{subject} {has} {text} {already}")
            }
            RecoveryOutcome::Now => sentence!("{subject} {had} {text} on {}", moment(begin)),
            RecoveryOutcome::After(seconds) => {
                let is_past = begin + seconds <= now && !is_now;
                let verb = if is_past { reached } else { reaches };
                let at = when(begin, now, seconds, taken);
                sentence!("{subject} {verb} {text} {at}")
            }
            RecoveryOutcome::NotYet => {
                let within = within(begin, now, self.horizon);
                sentence!("{subject} {fails} {text} within {within}. {reason}")
            }
            RecoveryOutcome::Never => sentence!("{subject} {never} {text} at this pace. {reason}"),
        };
        let uses = &self.uses;
        let uses = match self.outcome {
            // The reason already contains the usage.
            RecoveryOutcome::NotYet | RecoveryOutcome::Never => Shown::default(),
            _ if uses.is_empty() => Shown::default(),
            _ if is_now => sentence!("; now it {uses}"),
            _ => sentence!("; on {} it {uses}", moment(begin)),
        };
        body + &uses + &self.above
    }
}

/// Returns the moment `seconds` after `begin`, in words relative to `now`.
fn when(begin: u64, now: u64, seconds: u64, taken: Option<i64>) -> Shown {
    let at = begin + seconds;
    let date = taken.and_then(|taken| date(taken, at, true));
    let date = date.map_or_else(Shown::default, |date| sentence!(" ({date} UTC)"));
    match at.checked_sub(now) {
        Some(left @ 1..) => sentence!("in {}{date}", duration_for_people(left)),
        _ if begin == now => sentence!("in {}{date}", duration_for_people(seconds)),
        _ => sentence!("on {}{date}", moment(at)),
    }
}

/// Returns the duration of the search, in words relative to `now`.
fn within(begin: u64, now: u64, horizon: u64) -> Shown {
    let horizon = duration_for_people(horizon);
    if begin == now {
        horizon
    } else {
        sentence!("{horizon} from {}", moment(begin))
    }
}
