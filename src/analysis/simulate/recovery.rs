//! When a goal is reached, as time goes on.
//!
//! The simulation itself is asked, never a formula. It is looked at again and again, first at every step of the
//! scheduler, then at moments ever farther apart (an eighth of what has passed, at most a 64th of the horizon, and less
//! where the tree is small: some 1600 looks at ten nodes), and at the moments at which a campaign begins or ends or
//! usage is forgotten all at once. Between the last moment without the goal and the first that has it
//! the middle is looked at until the two are one step apart: a cycle of the scheduler, or a second where usage decays
//! smoothly. So at the answer the goal is there, and one step before it is not. Who has the goal only for a while
//! shorter than the gap between two looks may be passed over, or be found at a later moment.

use super::Simulation;
use super::outcome::{Recovery, RecoveryOutcome, is_same};
use super::shortfall::shortfall;
use crate::analysis::solve::{Goal, SolveError, Standing, check, check_target};
use crate::model::NodeId;
use crate::rules::clock::OnSeconds;
use crate::rules::policy::Target;
use crate::scenario::Scenario;

/// The gap to the next look, as a part of what has passed.
const PART_OF_PASSED: u64 = 8;

/// The gap to the next look is at most this part of the horizon, however large the tree.
const PART_OF_HORIZON: u64 = 64;

/// At how many nodes it is worth to look in all, before the looks go that far apart.
const NODES_LOOKED_AT: u64 = 1 << 14;

/// Why nobody can say when.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoveryError {
    /// Whoever asked does not want to know any more.
    #[error("the simulation was given up; nothing has changed")]
    Cancelled,
    /// Shares stay what they are.
    #[error(
        "a share of the tree follows from shares alone, and no time changes them; ask `fairscope solve`, or for a rank, \
         a factor or a place ahead of another"
    )]
    Share,
    /// The node cannot be asked so.
    #[error(transparent)]
    Question(#[from] SolveError),
}

/// Finds when a node of a scenario reaches a goal, looking up to `horizon` seconds ahead. `progress` hears how far it
/// has looked.
///
/// # Errors
/// If it is broken off, or the node cannot reach such a goal by waiting.
pub fn recovery(
    scenario: &Scenario,
    node: NodeId,
    goal: Goal,
    horizon: u64,
    progress: OnSeconds<'_>,
) -> Result<Recovery, RecoveryError> {
    Simulation::of(scenario).recovery(node, goal, horizon, progress)
}

impl Simulation {
    /// As [`recovery`], from where this simulation stands.
    ///
    /// # Errors
    /// As [`recovery`].
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
        let mut now = self.clone();
        let policy = self.policy();
        let (tree, evaluation) = now.look();
        check(&tree, node, goal)?;
        check_target(policy, &tree, evaluation, node, goal)?;
        let mut search = RecoverySearch {
            start: self,
            node,
            goal,
            begin: self.clock().passed(),
            step: self.clock().cycle(),
            parts: (NODES_LOOKED_AT / tree.node_count().max(1) as u64).max(PART_OF_HORIZON),
            samples: 0,
            progress,
        };
        let first = search.look(self, search.begin)?;
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
            search.go(first, horizon, &mut recovery)?;
        }
        recovery.samples = search.samples;
        Ok(recovery)
    }
}

/// What was seen at a moment.
pub(super) struct Sample {
    /// The moment, in seconds since the snapshot.
    passed: u64,
    is_reached: bool,
    standing: Standing,
    /// The targets on the node's path, where one is the goal.
    levels: Vec<(NodeId, Target)>,
    /// The simulation at this moment.
    simulation: Simulation,
}

struct RecoverySearch<'a> {
    start: &'a Simulation,
    node: NodeId,
    goal: Goal,
    /// Where the simulation stood, in seconds since the snapshot.
    begin: u64,
    /// Seconds from one moment at which anything changes to the next.
    step: u64,
    /// How many parts the horizon has at least: the gap to the next look is no longer than one.
    parts: u64,
    samples: usize,
    progress: OnSeconds<'a>,
}

impl RecoverySearch<'_> {
    /// Looks at a moment, coming from an earlier one.
    fn look(&mut self, from: &Simulation, passed: u64) -> Result<Sample, RecoveryError> {
        // Usage that decays smoothly is rounded wherever the clock stops, so each look is one way from the beginning.
        let is_smooth = self.start.clock().is_smooth();
        let mut simulation = if is_smooth { self.start } else { from }.clone();
        let came = simulation.clock().passed();
        let (begin, progress) = (self.begin, &mut *self.progress);
        let heard = &mut |seconds: u64| progress(came - begin + seconds);
        let is_over = simulation.advance(passed - came, heard).is_break();
        if is_over || progress(passed - begin).is_break() {
            return Err(RecoveryError::Cancelled);
        }
        self.samples += 1;
        let (policy, node, goal) = (simulation.policy(), self.node, self.goal);
        let (tree, evaluation) = simulation.look();
        let standing = Standing::of(policy, &tree, evaluation, node);
        let is_reached = goal.is_reached(&tree, evaluation, standing);
        let path = if goal == Goal::OnTarget {
            tree.line(node)
        } else {
            Vec::new()
        };
        let level = |node| Some((node, policy.target(&tree, evaluation, node)?));
        let levels = path.into_iter().filter_map(level).collect();
        Ok(Sample {
            passed,
            is_reached,
            standing,
            levels,
            simulation,
        })
    }

    /// Looks ahead from a moment without the goal.
    fn go(
        &mut self,
        first: Sample,
        horizon: u64,
        recovery: &mut Recovery,
    ) -> Result<(), RecoveryError> {
        let end = self.begin.saturating_add(horizon);
        let turns = self.start.clock().turns(end);
        let earlier = self.a_round_earlier(end);
        let edges = self.edges(&turns, earlier, end);
        let mut before = first.standing;
        let mut last = first;
        while last.passed < end {
            let next = self.next(last.passed, end, &edges);
            let look = self.look(&last.simulation, next)?;
            if look.is_reached {
                return self.narrow(last, look, recovery);
            }
            if Some(look.passed) == earlier {
                before = look.standing;
            }
            last = look;
        }
        recovery.then = last.standing;
        recovery.levels = std::mem::take(&mut last.levels);
        recovery.outcome = match earlier {
            Some(earlier)
                if is_same(self.goal, before, last.standing)
                    && self.is_all_over_by(earlier)
                    && turns.first().is_none_or(|&turn| turn <= earlier) =>
            {
                RecoveryOutcome::Never
            }
            _ => RecoveryOutcome::NotYet,
        };
        recovery.shortfall = Some(shortfall(self.start, &mut last.simulation, recovery));
        Ok(())
    }

    /// The moment by half of the time or more before the end, but some whole rounds: where the node stands as at the
    /// end, it does so for ever. Nothing if a round takes too long.
    fn a_round_earlier(&self, end: u64) -> Option<u64> {
        let round = self.start.clock().round();
        let rounds = (end - self.begin) / 2 / round;
        let earlier = self.grid(end).checked_sub(rounds.checked_mul(round)?)?;
        let earlier = self.grid(earlier);
        (rounds > 0 && earlier > self.begin).then_some(earlier)
    }

    /// Whether every campaign is over at a moment.
    fn is_all_over_by(&self, moment: u64) -> bool {
        let pace = &self.start.clock().settings().time.pace;
        pace.campaigns()
            .iter()
            .all(|campaign| campaign.until <= moment)
    }

    /// The steps just before and just after which somebody begins or ends using something, or usage is forgotten, and
    /// another moment to be looked at, in order.
    fn edges(&self, turns: &[u64], earlier: Option<u64>, end: u64) -> Vec<u64> {
        let pace = &self.start.clock().settings().time.pace;
        let campaigns = pace
            .campaigns()
            .iter()
            .flat_map(|campaign| [campaign.from, campaign.until]);
        let moments = campaigns.chain(turns.iter().copied());
        let around = moments.flat_map(|moment| {
            let before = moment / self.step * self.step;
            [before, moment.div_ceil(self.step).saturating_mul(self.step)]
        });
        let mut edges: Vec<u64> = around
            .chain(earlier)
            .filter(|&edge| edge > self.begin && edge < end)
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The next moment to look at.
    fn next(&self, passed: u64, end: u64, edges: &[u64]) -> u64 {
        let gone = passed - self.begin;
        let gap = (gone / PART_OF_PASSED).min((end - self.begin) / self.parts);
        let next = self
            .grid(passed.saturating_add(gap))
            .max(self.after(passed));
        let edge = edges.partition_point(|&edge| edge <= passed);
        let edge = edges.get(edge).copied().unwrap_or(end);
        next.min(edge).min(end)
    }

    /// The last step up to a moment.
    fn grid(&self, moment: u64) -> u64 {
        moment / self.step * self.step
    }

    /// The first step after a moment.
    fn after(&self, moment: u64) -> u64 {
        self.grid(moment).saturating_add(self.step)
    }

    /// Finds the step at which the goal comes, between a moment without it and one with it.
    fn narrow(
        &mut self,
        mut without: Sample,
        mut with: Sample,
        recovery: &mut Recovery,
    ) -> Result<(), RecoveryError> {
        loop {
            let middle = without.passed + (with.passed - without.passed) / 2;
            let middle = self.grid(middle).max(self.after(without.passed));
            if middle >= with.passed {
                break;
            }
            let look = self.look(&without.simulation, middle)?;
            if look.is_reached {
                with = look;
            } else {
                without = look;
            }
        }
        recovery.outcome = RecoveryOutcome::After(with.passed - self.begin);
        recovery.almost = Some(without.standing);
        recovery.then = with.standing;
        recovery.levels = with.levels;
        Ok(())
    }
}
