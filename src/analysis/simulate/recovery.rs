//! The search for the moment at which a goal is reached.
//!
//! The answer comes from the simulation and never from a formula. It is sampled at every step of the scheduler at
//! first, then at growing intervals: an eighth of the time that has passed, at most a 64th of the horizon, less for
//! small trees, and around campaigns and resets. Between the last sample without the goal and the first with it the
//! search halves the interval until the two are one step apart: a cycle of the scheduler, or a second if usage decays
//! smoothly. A goal that is reached for less than the interval between two samples may be missed, or found later.

use super::Simulation;
use super::outcome::{Recovery, RecoveryOutcome, is_same, shortfall};
use crate::analysis::solve::{Goal, SolveError, Standing, check};
use crate::model::{Campaign, NodeId};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::Target;

/// The interval to the next sample is the passed time divided by this.
const PASSED_PER_INTERVAL: u64 = 8;

/// The interval to the next sample is at most the horizon divided by this, however large the tree.
const INTERVALS_IN_HORIZON: u64 = 64;

/// The number of nodes to evaluate in all before samples are that far apart.
const NODES_TO_EVALUATE: u64 = 1 << 14;

/// Why a search for a goal fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum RecoveryError {
    #[error("the simulation was cancelled; nothing has changed")]
    Cancelled,
    #[error(
        "time does not change a share of the tree; use `fairscope solve`, or a goal such as rank<=3, factor>=0.5 or \
         ahead-of PATH"
    )]
    Share,
    #[error(transparent)]
    Question(#[from] SolveError),
}

/// Nothing, or why a search failed.
type Searched = Result<(), RecoveryError>;

impl Simulation {
    /// Finds when a node reaches a goal, up to `horizon` seconds ahead. `progress` gets the seconds searched.
    pub fn recovery(
        &self,
        node: NodeId,
        goal: Goal,
        horizon: u64,
        progress: OnSeconds<'_>,
    ) -> Result<Recovery, RecoveryError> {
        if matches!(goal, Goal::Share(_)) {
            return Err(RecoveryError::Share);
        }
        let (tree, evaluation) = self.clone().look();
        check(self.policy, &tree, &evaluation, node, goal)?;
        let mut search = RecoverySearch {
            start: self,
            node,
            goal,
            begin: self.clock.passed(),
            step: self.clock.cycle(),
            intervals: (NODES_TO_EVALUATE / tree.node_count().max(1) as u64)
                .max(INTERVALS_IN_HORIZON),
            samples: 0,
            progress,
        };
        let first = search.sample(self, search.begin)?;
        let now = first.standing;
        let mut recovery = Recovery {
            node,
            goal,
            outcome: RecoveryOutcome::Now,
            now,
            almost: None,
            then: now,
            levels: first.levels.clone(),
            shortfall: None,
            samples: 0,
        };
        if !first.is_reached {
            search.search(first, horizon, &mut recovery)?;
        }
        recovery.samples = search.samples;
        Ok(recovery)
    }
}

pub(super) struct Sample {
    /// The moment, in seconds since the snapshot.
    passed: u64,
    is_reached: bool,
    standing: Standing,
    /// The targets on the node's path, if the goal is to be on target.
    levels: Vec<(NodeId, Target)>,
    simulation: Simulation,
}

struct RecoverySearch<'a> {
    start: &'a Simulation,
    node: NodeId,
    goal: Goal,
    begin: u64,
    /// Seconds between two moments at which anything changes.
    step: u64,
    intervals: u64,
    samples: usize,
    progress: OnSeconds<'a>,
}

impl RecoverySearch<'_> {
    fn sample(&mut self, from: &Simulation, passed: u64) -> Result<Sample, RecoveryError> {
        // Smoothly decaying usage is rounded where the clock stops, so each sample advances from the start.
        let is_smooth = self.start.clock.is_smooth();
        let mut simulation = if is_smooth { self.start } else { from }.clone();
        let came = simulation.clock.passed();
        let (begin, progress) = (self.begin, &mut *self.progress);
        let report = &mut |seconds: u64| progress(came - begin + seconds);
        let is_over = simulation.advance(passed - came, report).is_break();
        if is_over || progress(passed - begin).is_break() {
            return Err(RecoveryError::Cancelled);
        }
        self.samples += 1;
        let (policy, node, goal) = (simulation.policy, self.node, self.goal);
        let (tree, evaluation) = simulation.look();
        let standing = Standing::of(policy, &tree, &evaluation, node);
        let is_reached = goal.is_reached(&evaluation, standing);
        let path = (goal == Goal::OnTarget).then(|| tree.line(node));
        let level = |node| Some((node, policy.target(&tree, &evaluation, node)?));
        let levels = path.into_iter().flatten().filter_map(level).collect();
        Ok(Sample {
            passed,
            is_reached,
            standing,
            levels,
            simulation,
        })
    }

    /// Searches from a moment without the goal up to the horizon.
    fn search(&mut self, first: Sample, horizon: u64, recovery: &mut Recovery) -> Searched {
        let end = self.begin.saturating_add(horizon);
        let turns = self.start.clock.turns(end);
        let earlier = self.a_round_earlier(end);
        let edges = self.edges(&turns, earlier, end);
        let mut before = first.standing;
        let mut last = first;
        while last.passed < end {
            let next = self.next(last.passed, end, &edges);
            let sample = self.sample(&last.simulation, next)?;
            if sample.is_reached {
                return self.narrow(last, sample, recovery);
            }
            if Some(sample.passed) == earlier {
                before = sample.standing;
            }
            last = sample;
        }
        recovery.then = last.standing;
        recovery.levels = std::mem::take(&mut last.levels);
        recovery.outcome = match earlier {
            Some(earlier)
                if is_same(self.goal, before, last.standing)
                    && self.campaigns().iter().all(|own| own.until <= earlier)
                    && turns.first().is_none_or(|&turn| turn <= earlier) =>
            {
                RecoveryOutcome::Never
            }
            _ => RecoveryOutcome::NotYet,
        };
        recovery.shortfall = Some(shortfall(self.start, &mut last.simulation, recovery));
        Ok(())
    }

    /// Returns a moment at least half of the horizon and a whole number of rounds before the end. A node whose standing
    /// is the same at that moment and at the end keeps it for ever. `None` if a round is longer than that.
    fn a_round_earlier(&self, end: u64) -> Option<u64> {
        let round = self.start.clock.round();
        let rounds = (end - self.begin) / 2 / round;
        let earlier = self.grid(end).checked_sub(rounds.checked_mul(round)?)?;
        let earlier = self.grid(earlier);
        (rounds > 0 && earlier > self.begin).then_some(earlier)
    }

    fn campaigns(&self) -> &[Campaign] {
        self.start.clock.settings().time.pace.campaigns()
    }

    /// Returns the steps around the begin and end of campaigns and around resets, and `earlier`, in order.
    fn edges(&self, turns: &[u64], earlier: Option<u64>, end: u64) -> Vec<u64> {
        let campaigns = self.campaigns().iter();
        let campaigns = campaigns.flat_map(|campaign| [campaign.from, campaign.until]);
        let moments = campaigns.chain(turns.iter().copied());
        let around = moments.flat_map(|moment| {
            let before = moment / self.step * self.step;
            [before, moment.div_ceil(self.step).saturating_mul(self.step)]
        });
        let is_between = |edge: &u64| *edge > self.begin && *edge < end;
        let mut edges: Vec<u64> = around.chain(earlier).filter(is_between).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn next(&self, passed: u64, end: u64, edges: &[u64]) -> u64 {
        let gone = passed - self.begin;
        let gap = (gone / PASSED_PER_INTERVAL).min((end - self.begin) / self.intervals);
        let next = self.grid(passed.saturating_add(gap));
        let next = next.max(self.after(passed));
        let edge = edges.partition_point(|&edge| edge <= passed);
        let edge = edges.get(edge).copied().unwrap_or(end);
        next.min(edge).min(end)
    }

    /// Returns the last step up to a moment.
    fn grid(&self, moment: u64) -> u64 {
        moment / self.step * self.step
    }

    /// Returns the first step after a moment.
    fn after(&self, moment: u64) -> u64 {
        self.grid(moment).saturating_add(self.step)
    }

    /// Finds the step at which the goal is reached, between a moment without it and one with it.
    fn narrow(&mut self, mut without: Sample, mut with: Sample, found: &mut Recovery) -> Searched {
        loop {
            let middle = without.passed + (with.passed - without.passed) / 2;
            let middle = self.grid(middle).max(self.after(without.passed));
            if middle >= with.passed {
                break;
            }
            let sample = self.sample(&without.simulation, middle)?;
            if sample.is_reached {
                with = sample;
            } else {
                without = sample;
            }
        }
        found.outcome = RecoveryOutcome::After(with.passed - self.begin);
        found.almost = Some(without.standing);
        found.then = with.standing;
        found.levels = with.levels;
        Ok(())
    }
}
