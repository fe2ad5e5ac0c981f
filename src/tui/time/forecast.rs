//! The lines of the chart, computed on a thread from a copy of the scenario, and when the node reaches its goal.

use super::axis::{self, Quantity, moment};
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
use std::sync::Arc;

/// The moments of a line.
const MOMENTS: u64 = 120;

/// What the lines of the chart are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Several nodes, under the current assumption.
    Nodes,
    /// The selected node, under each of several assumptions.
    Assumptions,
}

/// What lines are asked for. Lines with another key are of another state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForecastKey {
    /// What the ids below mean.
    pub(crate) ids: Ids,
    /// Identifies the edits before the clock was moved.
    pub(crate) mark: u64,
    /// The policy that ranks.
    pub(crate) policy: Policy,
    /// What the lines are.
    pub(crate) lines: Lines,
    /// The nodes of the lines.
    pub(crate) nodes: Vec<NodeId>,
    /// The node that has a goal.
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
    /// What is asked for.
    pub(crate) key: ForecastKey,
    /// The scenario at the start of the lines.
    pub(crate) scenario: Box<Scenario>,
}

/// The lines under one assumption.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// Who uses how much.
    pub(crate) assumption: Preset<'static>,
    /// The lines, in the order of the nodes.
    pub(crate) series: Series,
    /// The same lines under the other half-life; `None` without one.
    pub(crate) other: Option<Series>,
    /// When the selected node reaches its goal, or why the goal does not apply to it; `None` if it has no rank.
    pub(crate) estimate: Option<Result<Estimate, RecoveryError>>,
}

impl Branch {
    /// Returns the name of what is assumed, which legends and sentences share.
    pub(crate) fn name(&self, tree: &Tree) -> Shown {
        match self.assumption {
            Preset::Idle => "all stop".into(),
            Preset::Steady => "all go on".into(),
            Preset::OnlyIdle(node) => sentence!("only {} stops", label(tree, node)),
            Preset::AsPlanned | Preset::Measured(_) => "as planned".into(),
        }
    }
}

/// The lines of the Time screen.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// What was asked for.
    pub(crate) key: ForecastKey,
    /// The lines, assumption by assumption.
    pub(crate) branches: Vec<Branch>,
    /// Why there are no lines under the other half-life; `None` if there are, or none are asked for.
    pub(crate) refused: Option<Shown>,
    /// What the clock assumes in addition to the scheduler's own rule.
    pub(crate) assumptions: Vec<clock::Assumption>,
}

impl Forecast {
    /// Returns whether any line has a number of this quantity.
    pub(crate) fn has(&self, quantity: Quantity) -> bool {
        for branch in &self.branches {
            for line in &branch.series.lines {
                for at in 0..branch.series.times.len() {
                    if quantity.of(line, at).is_some() {
                        return true;
                    }
                }
            }
        }
        false
    }
}

impl ForecastTask {
    /// Returns the lines, or `None` if the job was cancelled.
    pub(crate) fn answer(self, ticket: &Ticket) -> Option<Forecast> {
        let mut changed = None;
        let mut refused = None;
        if let Some(seconds) = self.key.other_half_life {
            let mut other = Scenario::clone(&self.scenario);
            match other.apply(half_life_of(other.settings(), seconds)) {
                Ok(()) => changed = Some(other),
                Err(error) => refused = Some(Shown::error(&error)),
            }
        }
        let mut branches = Vec::new();
        for assumption in self.assumptions()? {
            // Only a pace measured between two snapshots can fail.
            if let Ok(pace) = assumption.pace(&self.scenario) {
                branches.push(self.branch(assumption, pace, changed.as_ref(), ticket)?);
            }
        }
        Some(Forecast {
            key: self.key.clone(),
            branches,
            refused,
            assumptions: Simulation::of(&self.scenario).clock.assumptions(),
        })
    }

    /// Returns what is assumed of those who use something; `None` without a node.
    fn assumptions(&self) -> Option<Vec<Preset<'static>>> {
        if self.key.lines == Lines::Nodes {
            return Some(vec![Preset::AsPlanned]);
        }
        let node = *self.key.nodes.first()?;
        let mut assumptions = vec![Preset::Idle, Preset::Steady, Preset::OnlyIdle(node)];
        if !self.scenario.settings().time.pace.is_idle() {
            assumptions.push(Preset::AsPlanned);
        }
        Some(assumptions)
    }

    /// Returns the lines under an assumption, with those of a scenario with another half-life. `None` if the job was
    /// cancelled.
    fn branch(
        &self,
        assumption: Preset<'static>,
        pace: Pace,
        changed: Option<&Scenario>,
        ticket: &Ticket,
    ) -> Option<Branch> {
        let key = &self.key;
        let pace = Arc::new(pace);
        let start = Simulation::of(&self.scenario).at_pace(Arc::clone(&pace));
        let series = self.series(&self.scenario, &pace, ticket)?;
        // Both charge the same usage, so that only the half-life differs.
        let other = match changed {
            Some(changed) => Some(self.series(changed, &pace, ticket)?),
            None => None,
        };
        let estimate = estimate(&start, key.selected, key.goal, key.until, &mut |_| {
            ticket.go_on()
        });
        if matches!(estimate, Err(RecoveryError::Cancelled)) {
            return None;
        }
        Some(Branch {
            assumption,
            series,
            other,
            estimate: estimate.transpose(),
        })
    }

    /// Returns the lines of a scenario at a pace; `None` if the job was cancelled.
    fn series(&self, scenario: &Scenario, pace: &Arc<Pace>, ticket: &Ticket) -> Option<Series> {
        let at_pace = Arc::clone(pace);
        let mut simulation = Simulation::of(scenario).at_pace(at_pace);
        let nodes = &self.key.nodes;
        let until = self.key.until;
        let step = until.div_ceil(MOMENTS);
        simulation.series(nodes, until, step, &mut |_| ticket.go_on())
    }
}

/// Returns the edit that gives a setting a value.
fn set(key: &str, value: String) -> Edit {
    Edit::SetSetting {
        key: key.to_owned(),
        value,
    }
}

/// Returns the edit that sets the half-life of usage to so many seconds, by the settings of the scheduler.
fn half_life_of(settings: &Settings, seconds: u64) -> Edit {
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
    /// The same in a few words.
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

/// Returns a goal as a noun or a state, as sentences use it.
fn text_of(goal: Goal, policy: Policy, tree: &Tree) -> Shown {
    match goal {
        Goal::OnTarget => "on target".into(),
        Goal::Factor(factor) => {
            let digits = fraction(factor);
            let short = digits.trim_end_matches('0').trim_end_matches('.');
            sentence!("{} {short}", words::number_word(policy.factor_column()))
        }
        Goal::Rank(rank) => sentence!("rank {rank}"),
        Goal::Share(_) => "its share".into(),
        Goal::AheadOf(other) => sentence!("ahead of {}", label(tree, other)),
    }
}

/// Estimates when a node reaches a goal, from the current moment of the simulation. Without a goal it is being on
/// target, or the next rank if the node is on target already or has no target. `None` for a node without a rank.
fn estimate(
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
    let is_met = match now.target {
        Some(target) => target.is_met,
        None => false,
    };
    let goal = match (asked, now.target, now.rank) {
        (Some(goal), ..) => goal,
        (None, Some(_), _) if !is_met => Goal::OnTarget,
        (None, _, Some(rank)) => Goal::Rank(rank.max(2) - 1),
        (None, Some(_), None) => Goal::OnTarget,
        (None, None, None) => return Ok(None),
    };
    let is_first = asked.is_none() && goal == Goal::Rank(1) && now.rank == Some(1);
    let recovery = start.recovery(node, goal, horizon, progress)?;
    let mut uses = Shown::default();
    if let Some(target) = now.target
        && goal == Goal::OnTarget
    {
        let used = TargetUse::of(policy, &tree, node, target);
        uses = words::solve::uses(&tree, &used);
    }
    let mut above = Shown::default();
    for &(level, target) in &recovery.levels {
        if level != node && !target.is_met {
            let used = TargetUse::of(policy, &tree, level, target);
            let over = words::solve::uses(&tree, &used);
            above += &sentence!("; {} above it {over}", label(&tree, level));
        }
    }
    let has_factor = evaluation.number(policy.factor_column(), node).is_some();
    let is_of_users = match goal {
        Goal::Rank(_) | Goal::AheadOf(_) => true,
        Goal::Factor(_) => !has_factor,
        Goal::OnTarget | Goal::Share(_) => false,
    };
    let mut text = text_of(goal, policy, &tree);
    if is_first {
        text = "first to run".into();
    }
    let is_place = matches!(goal, Goal::OnTarget | Goal::AheadOf(_));
    Ok(Some(Estimate {
        outcome: recovery.outcome,
        text,
        is_state: is_first || is_place,
        already: if is_first { "now" } else { "already" },
        is_of_best_user: is_of_users && tree.kind(node) == Kind::Account,
        reason: words::simulate::full(&tree, &recovery),
        brief: words::simulate::short(&tree, &recovery),
        uses,
        above,
        is_on_target: asked.is_none() && is_met && goal != Goal::OnTarget,
        begin: start.clock.passed(),
        horizon,
    }))
}

impl Estimate {
    /// Returns the estimate for a node called `name` with the clock at `now`; with dates if the time is known.
    pub(crate) fn sentence(&self, name: &Shown, now: u64, taken: Option<i64>) -> Shown {
        if !self.is_on_target {
            let subject = if self.is_of_best_user {
                sentence!("the best user of {name}")
            } else {
                name.clone()
            };
            return self.body(&subject, now, taken);
        }
        let subject = if self.is_of_best_user {
            "its best user"
        } else {
            "it"
        };
        let body = self.body(subject, now, taken);
        if self.begin == now {
            sentence!("{name} is on target; {body}")
        } else {
            let begin = moment(self.begin);
            sentence!("{name} was on target on {begin}; {body}")
        }
    }

    /// Returns the estimate in a few words, without the name of the node and without its numbers at the horizon.
    pub(crate) fn in_short(&self, now: u64, taken: Option<i64>) -> Shown {
        let Self { text, brief, .. } = self;
        let begin = self.begin;
        let short = match self.outcome {
            RecoveryOutcome::Now if begin == now => sentence!("{text} {}", self.already),
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

    /// Returns the estimate for a subject, with the accounts above that are over their targets.
    fn body(&self, subject: &str, now: u64, taken: Option<i64>) -> Shown {
        let Self { text, reason, .. } = self;
        let begin = self.begin;
        let is_now = begin == now;
        let verbs = if self.is_state { &OF_STATE } else { &OF_NUMBER };
        let mut body = match self.outcome {
            RecoveryOutcome::Now if is_now => {
                sentence!("{subject} {} {text} {}", verbs.has, verbs.already)
            }
            RecoveryOutcome::Now => {
                sentence!("{subject} {} {text} on {}", verbs.had, moment(begin))
            }
            RecoveryOutcome::After(seconds) => {
                let is_past = begin + seconds <= now && !is_now;
                let verb = if is_past {
                    verbs.reached
                } else {
                    verbs.reaches
                };
                let at = when(begin, now, seconds, taken);
                sentence!("{subject} {verb} {text} {at}")
            }
            RecoveryOutcome::NotYet => {
                let within = within(begin, now, self.horizon);
                let fails = verbs.fails;
                sentence!("{subject} {fails} {text} within {within}. {reason}")
            }
            RecoveryOutcome::Never => {
                let never = verbs.never;
                sentence!("{subject} {never} {text} at this pace. {reason}")
            }
        };
        // The reason why a goal is not reached already contains the usage.
        let is_reached = matches!(
            self.outcome,
            RecoveryOutcome::Now | RecoveryOutcome::After(_)
        );
        if is_reached && !self.uses.is_empty() {
            body += &if is_now {
                sentence!("; now it {}", self.uses)
            } else {
                sentence!("; on {} it {}", moment(begin), self.uses)
            };
        }
        body + &self.above
    }
}

/// The verbs before a goal, which depend on what kind of goal it is.
struct GoalVerbs {
    has: &'static str,
    had: &'static str,
    reaches: &'static str,
    reached: &'static str,
    fails: &'static str,
    never: &'static str,
    /// The word behind a goal that is reached now.
    already: &'static str,
}

/// The verbs of a state: `is on target`.
const OF_STATE: GoalVerbs = GoalVerbs {
    has: "is",
    had: "was",
    reaches: "is",
    reached: "was",
    fails: "is not",
    never: "is never",
    already: "now",
};

/// The verbs of a number: `reaches rank 3`.
const OF_NUMBER: GoalVerbs = GoalVerbs {
    has: "has",
    had: "had",
    reaches: "reaches",
    reached: "reached",
    fails: "does not reach",
    never: "never reaches",
    already: "already",
};

/// Returns the moment `seconds` after `begin`, in words relative to `now`.
fn when(begin: u64, now: u64, seconds: u64, taken: Option<i64>) -> Shown {
    let at = begin + seconds;
    let mut date = Shown::default();
    if let Some(taken) = taken
        && let Some(known) = axis::date(taken, at, true)
    {
        date = sentence!(" ({known} UTC)");
    }
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
