//! The search for the moment at which a goal is reached.
//!
//! The answer comes from the simulation and never from a formula. It is sampled at every step of the scheduler at
//! first, then at growing intervals: an eighth of the time that has passed, at most a 64th of the horizon, less for
//! small trees, and around campaigns and resets. Between the last sample without the goal and the first with it the
//! search halves the interval until the two are one step apart: a cycle of the scheduler, or a second if usage decays
//! smoothly. A goal that is reached for less than the interval between two samples may be missed, or found later.

use super::Simulation;
use super::outcome::{Horizon, Recovery, RecoveryOutcome, is_same};
use crate::analysis::solve::{Goal, SolveError, Standing, check};
use crate::model::{Campaign, NodeId, Tree};
use crate::rules::clock::OnSeconds;
use crate::rules::policy::{Evaluation, Policy, Target};

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

impl Simulation {
    /// Finds when a node reaches a goal, up to `horizon` seconds ahead. `progress` gets the seconds searched.
    pub fn recovery(
        &self,
        node: NodeId,
        goal: Goal,
        horizon: u64,
        progress: OnSeconds<'_>,
    ) -> Result<Recovery, RecoveryError> {
        let mut found = self.recoveries(&[node], goal, horizon, progress)?;
        let found = found.pop().expect("one node was asked about");
        Ok(found?)
    }

    /// Finds when each of some nodes reaches a goal, as [`Simulation::recovery`] does for one. Each moment is evaluated
    /// once for all of them.
    pub fn recoveries(
        &self,
        nodes: &[NodeId],
        goal: Goal,
        horizon: u64,
        progress: OnSeconds<'_>,
    ) -> Result<Vec<Result<Recovery, SolveError>>, RecoveryError> {
        let mut sought = Vec::new();
        for &node in nodes {
            sought.push(NodeGoal { node, goal });
        }
        self.recoveries_of(&sought, horizon, progress)
    }

    /// Finds when each of some nodes reaches a goal of its own, as [`Simulation::recoveries`] does for one goal.
    pub(crate) fn recoveries_of(
        &self,
        sought: &[NodeGoal],
        horizon: u64,
        progress: OnSeconds<'_>,
    ) -> Result<Vec<Result<Recovery, SolveError>>, RecoveryError> {
        let (tree, evaluation) = self.clone().look();
        let mut found = Vec::new();
        let mut searched = Vec::new();
        for (place, &NodeGoal { node, goal }) in sought.iter().enumerate() {
            if matches!(goal, Goal::Share(_)) {
                return Err(RecoveryError::Share);
            }
            match check(self.policy, &tree, &evaluation, node, goal) {
                Ok(()) => {
                    let standing = Standing::of(self.policy, &tree, &evaluation, node);
                    searched.push(SearchedNode::new(place, node, goal, standing));
                }
                Err(error) => found.push((place, Err(error))),
            }
        }
        if !searched.is_empty() {
            let nodes_in_tree = tree.node_count().max(1) as u64;
            let mut search = RecoverySearch {
                start: self,
                begin: self.clock.passed(),
                step: self.clock.cycle(),
                intervals: INTERVALS_IN_HORIZON.max(NODES_TO_EVALUATE / nodes_in_tree),
                progress,
                found: Vec::new(),
            };
            search.search(searched, horizon)?;
            for node in search.found {
                found.push((node.place, Ok(node.recovery)));
            }
        }
        found.sort_by_key(|&(place, _)| place);
        Ok(found.into_iter().map(|(_, recovery)| recovery).collect())
    }
}

/// A node and its goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeGoal {
    /// The node.
    pub(crate) node: NodeId,
    /// What it is to reach.
    pub(crate) goal: Goal,
}

/// A node, and what is known of when it reaches its goal.
struct SearchedNode {
    /// Its place among the nodes that were asked about.
    place: usize,
    recovery: Recovery,
    /// Its standing at the last moment without the goal.
    without: Standing,
    /// Its standing a round before the end.
    earlier: Standing,
}

impl SearchedNode {
    /// Returns a node of which only its standing at the start is known.
    fn new(place: usize, node: NodeId, goal: Goal, standing: Standing) -> Self {
        let recovery = Recovery {
            node,
            goal,
            outcome: RecoveryOutcome::Now,
            now: standing,
            almost: None,
            then: standing,
            levels: Vec::new(),
            shortfall: None,
            samples: 0,
        };
        Self {
            place,
            recovery,
            without: standing,
            earlier: standing,
        }
    }
}

/// The nodes that have reached their goals at a moment, and the others.
#[derive(Default)]
struct Parted {
    reached: Vec<SearchedNode>,
    others: Vec<SearchedNode>,
}

/// A search for the moments at which nodes reach their goals.
struct RecoverySearch<'a> {
    start: &'a Simulation,
    /// The start, in seconds since the snapshot.
    begin: u64,
    /// Seconds between two moments at which anything changes.
    step: u64,
    /// The number of intervals into which the horizon is divided at least.
    intervals: u64,
    progress: OnSeconds<'a>,
    /// The nodes of which everything is known.
    found: Vec<SearchedNode>,
}

impl RecoverySearch<'_> {
    /// Returns the simulation at a later moment, in seconds since the snapshot.
    fn advanced(&mut self, from: &Simulation, passed: u64) -> Result<Simulation, RecoveryError> {
        // Smoothly decaying usage is rounded where the clock stops, so each sample advances from the start.
        let mut simulation = if self.start.clock.is_smooth() {
            self.start.clone()
        } else {
            from.clone()
        };
        let came = simulation.clock.passed();
        let searched = came - self.begin;
        let report = &mut |seconds| (self.progress)(searched + seconds);
        let is_over = simulation.advance(passed - came, report).is_break();
        if is_over || (self.progress)(passed - self.begin).is_break() {
            return Err(RecoveryError::Cancelled);
        }
        Ok(simulation)
    }

    /// Takes a sample of some nodes.
    fn sample(simulation: &mut Simulation, nodes: Vec<SearchedNode>) -> Parted {
        let policy = simulation.policy;
        let (tree, evaluation) = simulation.look();
        let mut parted = Parted::default();
        for mut searched in nodes {
            let recovery = &mut searched.recovery;
            recovery.samples += 1;
            let standing = Standing::of(policy, &tree, &evaluation, recovery.node);
            if recovery.goal.is_reached(&evaluation, standing) {
                recovery.then = standing;
                recovery.levels = levels(policy, &tree, &evaluation, recovery);
                parted.reached.push(searched);
            } else {
                searched.without = standing;
                parted.others.push(searched);
            }
        }
        parted
    }

    /// Searches for some nodes, from the start up to the horizon.
    fn search(&mut self, nodes: Vec<SearchedNode>, horizon: u64) -> Result<(), RecoveryError> {
        let mut last = self.advanced(self.start, self.begin)?;
        let Parted { reached, others } = Self::sample(&mut last, nodes);
        self.found = reached;
        let end = self.begin.saturating_add(horizon);
        let turns = self.start.clock.turns(end);
        let earlier = self.a_round_earlier(end);
        let edges = self.edges(&turns, earlier, end);
        let mut without = others;
        while last.clock.passed() < end && !without.is_empty() {
            let next = self.next(last.clock.passed(), end, &edges);
            let mut simulation = self.advanced(&last, next)?;
            let Parted { reached, others } = Self::sample(&mut simulation, without);
            self.narrow(&last, &simulation, reached)?;
            without = others;
            if Some(next) == earlier {
                for searched in &mut without {
                    searched.earlier = searched.without;
                }
            }
            last = simulation;
        }
        if without.is_empty() {
            return Ok(());
        }
        let is_settled = match earlier {
            Some(earlier) => self.is_settled(&turns, earlier),
            None => false,
        };
        let horizon = Horizon::of(self.start, &mut last);
        for mut searched in without {
            let standing = searched.without;
            let is_for_ever =
                is_settled && is_same(searched.recovery.goal, searched.earlier, standing);
            let recovery = &mut searched.recovery;
            recovery.then = standing;
            let evaluation = &horizon.evaluation;
            recovery.levels = levels(last.policy, &horizon.tree, evaluation, recovery);
            recovery.outcome = if is_for_ever {
                RecoveryOutcome::Never
            } else {
                RecoveryOutcome::NotYet
            };
            recovery.shortfall = Some(horizon.shortfall(recovery));
            self.found.push(searched);
        }
        Ok(())
    }

    /// Returns whether all campaigns are over at a moment, and the first of the turns too.
    fn is_settled(&self, turns: &[u64], moment: u64) -> bool {
        for campaign in self.campaigns() {
            if campaign.until > moment {
                return false;
            }
        }
        match turns.first() {
            Some(&turn) => turn <= moment,
            None => true,
        }
    }

    /// Returns a moment at least half of the horizon and a whole number of rounds before the end. A node whose standing
    /// is the same at that moment and at the end keeps it for ever. `None` if a round is longer than that.
    fn a_round_earlier(&self, end: u64) -> Option<u64> {
        let round = self.start.clock.round();
        let rounds = (end - self.begin) / 2 / round;
        let moment = self.grid(end).checked_sub(rounds.checked_mul(round)?)?;
        let earlier = self.grid(moment);
        (rounds > 0 && earlier > self.begin).then_some(earlier)
    }

    /// Returns the campaigns of the pace.
    fn campaigns(&self) -> &[Campaign] {
        self.start.clock.settings().time.pace.campaigns()
    }

    /// Returns the steps around the begin and end of campaigns and around resets, and `earlier`, in order.
    fn edges(&self, turns: &[u64], earlier: Option<u64>, end: u64) -> Vec<u64> {
        let mut moments = turns.to_vec();
        for campaign in self.campaigns() {
            moments.push(campaign.from);
            moments.push(campaign.until);
        }
        let mut edges = Vec::from_iter(earlier);
        for moment in moments {
            edges.push(self.grid(moment));
            edges.push(moment.div_ceil(self.step).saturating_mul(self.step));
        }
        edges.retain(|&edge| edge > self.begin && edge < end);
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the moment of the next sample after one: at most the end or the next of the edges.
    fn next(&self, passed: u64, end: u64, edges: &[u64]) -> u64 {
        let gone = passed - self.begin;
        let gap = (gone / PASSED_PER_INTERVAL).min((end - self.begin) / self.intervals);
        let regular = self.grid(passed.saturating_add(gap));
        let next = regular.max(self.after(passed)).min(end);
        match edges.get(edges.partition_point(|&edge| edge <= passed)) {
            Some(&edge) => next.min(edge),
            None => next,
        }
    }

    /// Returns the last step up to a moment.
    fn grid(&self, moment: u64) -> u64 {
        moment / self.step * self.step
    }

    /// Returns the first step after a moment.
    fn after(&self, moment: u64) -> u64 {
        self.grid(moment).saturating_add(self.step)
    }

    /// Finds the step at which each of some nodes reaches the goal, between a moment at which none of them has and one at
    /// which all have. Those that part at a moment are searched for apart, each half the interval.
    fn narrow(
        &mut self,
        without: &Simulation,
        with: &Simulation,
        nodes: Vec<SearchedNode>,
    ) -> Result<(), RecoveryError> {
        if nodes.is_empty() {
            return Ok(());
        }
        let before = without.clock.passed();
        let after = with.clock.passed();
        let half = before + (after - before) / 2;
        let middle = self.grid(half).max(self.after(before));
        if middle >= after {
            for mut searched in nodes {
                searched.recovery.outcome = RecoveryOutcome::After(after - self.begin);
                searched.recovery.almost = Some(searched.without);
                self.found.push(searched);
            }
            return Ok(());
        }
        let mut simulation = self.advanced(without, middle)?;
        let Parted { reached, others } = Self::sample(&mut simulation, nodes);
        self.narrow(without, &simulation, reached)?;
        self.narrow(&simulation, with, others)
    }
}

/// Returns the targets on a node's path, if its goal is to be on target.
fn levels(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    recovery: &Recovery,
) -> Vec<(NodeId, Target)> {
    let mut levels = Vec::new();
    if recovery.goal != Goal::OnTarget {
        return levels;
    }
    for above in tree.line(recovery.node) {
        if let Some(target) = policy.target(tree, evaluation, above) {
            levels.push((above, target));
        }
    }
    levels
}
