//! The lines of the chart, computed on a thread from a copy of the scenario, and when the node reaches its goal.

use super::axis::{self, Quantity, moment};
use super::wording::Wording;
use crate::analysis::simulate::{
    NodeSeries, Preset, RecoveryError, RecoveryOutcome, Series, Simulation,
};
use crate::analysis::solve::{Goal, Standing};
use crate::base::number::{days_and_clock, fraction, ordinal};
use crate::base::shown::{Shown, sentence};
use crate::model::{Ids, Kind, NodeId, Pace, Scheduler, Settings, Tree, duration_for_people};
use crate::report::words::outlook::{Outlook, Subject};
use crate::report::{label, words};
use crate::rules::clock::{self, OnSeconds};
use crate::rules::policy::Policy;
use crate::scenario::{Edit, Scenario};
use crate::tui::job::Ticket;
use std::sync::Arc;

/// The moments of a line.
const MOMENTS: u64 = 120;

/// How many times the length of the lines a goal is looked for, up to [`SEARCHED`].
const SEARCHED_LENGTHS: u64 = 4;

/// How far a goal is looked for beyond the lines at most, in seconds.
const SEARCHED: u64 = 30 * axis::DAY;

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
        words::simulate::preset(tree, self.assumption)
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
    /// Returns whether no line of a quantity changes, and each has a number at every moment.
    pub(crate) fn is_flat(&self, quantity: Quantity) -> bool {
        for branch in &self.branches {
            for line in &branch.series.lines {
                if quantity.constant(line).is_none() {
                    return false;
                }
            }
        }
        !self.branches.is_empty()
    }

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
        Some(Preset::around(node, &self.scenario))
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
        let beyond = key.until.saturating_mul(SEARCHED_LENGTHS);
        let asked = EstimatedNode {
            node: key.selected,
            asked: key.goal,
            horizon: key.until.max(beyond.min(SEARCHED)),
            line: series.line_of(key.selected),
        };
        let estimate = asked.estimate(&start, &mut |_| ticket.go_on());
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

/// The estimate of what becomes of a node, and when it reaches a goal. Words that need the tree are made in advance.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    outcome: RecoveryOutcome,
    /// What the node is when it reaches the goal: `32nd`, `4th and on target`.
    reached: Shown,
    /// The goal in words.
    goal: Shown,
    /// Whether the goal was asked for, so that a sentence names it.
    is_asked: bool,
    /// What becomes of the rank until the end of the search: `stays 33rd`. Empty if the reason says it all.
    movement: Shown,
    /// Whether the rank is the same at the end of the search.
    is_kept: bool,
    /// Why the goal is not reached, to follow the movement; empty if it is.
    why: Shown,
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

/// What a node is asked about at the current moment of a simulation.
#[derive(Clone, Copy)]
struct EstimatedNode<'a> {
    /// The node; every node is below the root, so the root has no estimate.
    node: NodeId,
    /// The goal; `None` means being on target, or the next rank if the node is on target already or has no target.
    asked: Option<Goal>,
    /// How far the search looks ahead, in seconds.
    horizon: u64,
    /// Its numbers at the moments of the chart; `None` if it has no line.
    line: Option<&'a NodeSeries>,
}

impl EstimatedNode<'_> {
    /// Estimates what becomes of the node. `None` without a rank and a target.
    fn estimate(
        self,
        start: &Simulation,
        progress: OnSeconds<'_>,
    ) -> Result<Option<Estimate>, RecoveryError> {
        let node = self.node;
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
        let goal = match (self.asked, now.target, now.rank) {
            (Some(goal), ..) => goal,
            (None, Some(_), _) if !is_met => Goal::OnTarget,
            (None, _, Some(rank)) => Goal::Rank(rank.max(2) - 1),
            (None, Some(_), None) => Goal::OnTarget,
            (None, None, None) => return Ok(None),
        };
        let recovery = start.recovery(node, goal, self.horizon, progress)?;
        let subject = match tree.kind(node) {
            Kind::Account => Subject::BestUser,
            Kind::User | Kind::Others => Subject::Node,
        };
        let outlook = Outlook {
            tree: &tree,
            recovery: &recovery,
            subject,
        };
        let text = text_of(goal, policy, &tree);
        let mut estimate = Estimate {
            outcome: recovery.outcome,
            reached: outlook.reached(&text),
            goal: text,
            is_asked: self.asked.is_some() && goal != Goal::OnTarget,
            movement: outlook.movement(),
            is_kept: outlook.is_kept(),
            why: outlook.why(),
            begin: start.clock.passed(),
            horizon: self.horizon,
        };
        if self.asked.is_none() && goal == Goal::Rank(1) && now.rank == Some(1) {
            self.put_first(&mut estimate);
        }
        Ok(Some(estimate))
    }

    /// Says whether a node that ranks first stays so, as far as the moments of its line tell.
    fn put_first(self, estimate: &mut Estimate) {
        let Some(line) = self.line else {
            return;
        };
        let Some(&Some(last)) = line.rank.last() else {
            return;
        };
        estimate.is_kept = true;
        for &rank in &line.rank {
            estimate.is_kept &= rank == Some(1);
        }
        let place = ordinal(last as usize);
        if estimate.is_kept {
            estimate.outcome = RecoveryOutcome::Never;
            estimate.movement = sentence!("stays {place}");
        } else if last > 1 {
            estimate.outcome = RecoveryOutcome::Never;
            estimate.movement = sentence!("falls to {place}");
        }
    }
}

impl Estimate {
    /// Returns what becomes of the node as a clause without its name, with the clock at `now`; with dates if the time of the
    /// source is known. In short it leaves out why the goal is not reached.
    pub(crate) fn clause(&self, now: u64, taken: Option<i64>) -> Wording {
        let full = self.told(now, taken, &self.why);
        if self.movement.is_empty() {
            return Wording::same(full);
        }
        let short = self.told(now, taken, &Shown::default());
        Wording { full, short }
    }

    /// Returns the clause with these words for why the goal is not reached.
    fn told(&self, now: u64, taken: Option<i64>, why: &Shown) -> Shown {
        let reached = &self.reached;
        let begin = self.begin;
        match self.outcome {
            RecoveryOutcome::Now if begin == now => sentence!("{reached} now"),
            RecoveryOutcome::Now => sentence!("{reached} on {}", moment(begin)),
            RecoveryOutcome::After(seconds) => {
                let at = when(begin, now, seconds, taken);
                sentence!("{reached} {at}")
            }
            RecoveryOutcome::NotYet => {
                let within = within(begin, now, self.horizon);
                self.unreached(&within, why)
            }
            RecoveryOutcome::Never => self.unreached("", why),
        }
    }

    /// Returns what becomes of a node that does not reach its goal within a time, or never where that is empty.
    fn unreached(&self, within: &str, why: &Shown) -> Shown {
        let goal = &self.goal;
        let mut movement = self.movement.clone();
        if !movement.is_empty() && !within.is_empty() && !self.is_asked {
            let preposition = if self.is_kept { "for" } else { "within" };
            movement += &sentence!(" {preposition} {within}");
        }
        let unreached = movement + why;
        if !self.is_asked && !unreached.is_empty() {
            return unreached;
        }
        let not = if within.is_empty() {
            sentence!("never {goal}")
        } else {
            sentence!("not {goal} within {within}")
        };
        if unreached.is_empty() {
            return not;
        }
        sentence!("{not}: {unreached}")
    }
}

/// Returns the moment `seconds` after `begin`, in words relative to `now`: `after 9 min`, `on day 3`.
fn when(begin: u64, now: u64, seconds: u64, taken: Option<i64>) -> Shown {
    let at = begin + seconds;
    let mut date = Shown::default();
    if let Some(taken) = taken
        && let Some(known) = axis::date(taken, at, true)
    {
        date = sentence!(" ({known} UTC)");
    }
    match at.checked_sub(now) {
        Some(left @ 1..) => sentence!("after {}{date}", duration_for_people(left)),
        _ if begin == now => sentence!("after {}{date}", duration_for_people(seconds)),
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
