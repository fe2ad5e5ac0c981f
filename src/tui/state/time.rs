//! The state of the Time screen of one tree: its lines and its clock, and what it asks of the tree: the lines to draw, and
//! how long its clock takes.

use crate::analysis::simulate::Assumptions;
use crate::analysis::solve::Goal;
use crate::base::shown::Shown;
use crate::model::{Ids, NodeId, Tree};
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use crate::tui::job::{Running, Ticket};
use crate::tui::state::Session;
use crate::tui::time::axis::{DAY, Quantity};
use crate::tui::time::forecast::{Forecast, ForecastKey, Lines};
use std::ops::ControlFlow;

/// The lengths that the lines may have, in days.
pub(crate) const HORIZONS: [u64; 9] = [1, 3, 7, 14, 30, 90, 180, 365, 5 * 365];

pub(crate) const STEPS: [u64; 6] = [300, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY];

const MOST_LINES: usize = 8;

/// How many users ranked directly before the selected one, and behind it, are drawn if nothing is marked.
const RIVALS: u32 = 2;

/// The seconds that the shortest cycle of a scheduler takes, roughly.
const CYCLE: u64 = 300;

/// The product of nodes and cycles up to which the clock is moved at once.
const AT_ONCE: u64 = 4_000_000;

/// What the nodes whose lines are drawn were chosen for: the selected one, the edits, and the policy.
type LineReason = (Ids, NodeId, u64, Policy);

#[derive(Clone, Debug, Default)]
pub(crate) struct Time {
    pub(crate) quantity: Quantity,
    /// The chosen lines; `None` until one is chosen.
    pub(crate) lines: Option<Lines>,
    /// Its place among [`HORIZONS`].
    pub(crate) horizon: usize,
    /// Its place among [`STEPS`].
    pub(crate) step: usize,
    /// The goal of the estimate; `None` is being on target.
    pub(crate) goal: Option<Goal>,
    /// Another half-life in seconds under which the lines are drawn too.
    pub(crate) other_half_life: Option<u64>,
    /// The number of the next beat while the clock plays.
    pub(crate) beat: Option<u64>,
    /// The nodes whose lines are drawn without marks, which stay while the clock moves, though their ranks change.
    pub(crate) chosen: Option<(LineReason, Vec<NodeId>)>,
    pub(crate) forecast: Option<Box<Forecast>>,
    pub(crate) assumed: Option<Assumptions>,
    pub(crate) asked: Running<ForecastKey>,
    pub(crate) abandoned: Option<ForecastKey>,
    pub(crate) clock_run: Running<ClockRun>,
}

impl Time {
    pub(crate) fn new() -> Self {
        Self {
            horizon: 4,
            step: 3,
            ..Self::default()
        }
    }

    /// Drops what is known of a tree, and the jobs about it.
    pub(crate) fn forget(&mut self) {
        self.asked.forget();
        self.chosen = None;
        self.forecast = None;
        self.assumed = None;
        self.abandoned = None;
        self.clock_run.forget();
        if matches!(self.goal, Some(Goal::AheadOf(_))) {
            // That node belongs to the old tree.
            self.goal = None;
        }
    }

    /// Returns the newest lines. `None` if they are of a tree with other nodes.
    pub(crate) fn forecast(&self, tree: &Tree) -> Option<&Forecast> {
        let forecast = self.forecast.as_deref();
        forecast.filter(|forecast| forecast.key.ids == *tree.ids())
    }

    /// Returns the quantity that is drawn: the chosen one, or the next that has numbers.
    pub(crate) fn drawn(&self) -> Quantity {
        let forecast = self.forecast.as_ref();
        let has_numbers = |quantity: &Quantity| forecast.is_none_or(|it| it.has(*quantity));
        let quantities = std::iter::successors(Some(self.quantity), |now| Some(now.next()));
        let mut found = quantities.take(Quantity::ALL.len()).filter(has_numbers);
        found.next().unwrap_or(self.quantity)
    }

    pub(crate) fn is_working(&self) -> bool {
        self.asked.about().is_some() || self.clock_run.about().is_some()
    }

    pub(crate) const fn horizon(&self) -> u64 {
        HORIZONS[self.horizon] * DAY
    }

    pub(crate) const fn step(&self) -> u64 {
        STEPS[self.step]
    }
}

/// A move of the clock of a scenario. Clones are cheap because they share every column.
#[derive(Clone, Debug)]
pub struct ClockTask {
    pub(crate) scenario: Box<Scenario>,
    pub(crate) passed: u64,
}

impl ClockTask {
    /// Moves the clock and computes the numbers. Returns `None` if the job was cancelled.
    pub(crate) fn answer(
        mut self,
        ticket: &Ticket,
        tell: &mut dyn FnMut(u64),
    ) -> Result<Option<Box<Scenario>>, Shown> {
        let begin = beginning(&self.scenario, self.passed);
        let went = self.scenario.move_clock(self.passed, &mut |seconds| {
            ticket.go_on()?;
            tell(begin.saturating_add(seconds));
            ControlFlow::Continue(())
        });
        match went {
            Ok(ControlFlow::Continue(())) => {
                let _ = (self.scenario.before(), self.scenario.evaluation());
                Ok(Some(self.scenario))
            }
            Ok(ControlFlow::Break(())) => Ok(None),
            Err(error) => Err(Shown::error(&error)),
        }
    }
}

/// Returns the second from which the clock moves to `passed`. A move back starts where the last move began.
pub(crate) fn beginning(scenario: &Scenario, passed: u64) -> u64 {
    let now = scenario.settings().time.passed;
    let back = if passed < now { scenario.waited() } else { 0 };
    now - back
}

#[derive(Clone, Debug)]
pub(crate) struct ClockRun {
    /// The number of changes of the edits when the job began.
    pub(crate) changes: u64,
    /// Its end, in seconds since the snapshot.
    pub(crate) until: u64,
    /// The progress in seconds since the snapshot; `None` before the first report.
    pub(crate) at: Option<u64>,
}

impl Session {
    /// Returns the nodes whose lines are drawn: the marked ones, else the selected one with its nearest rivals.
    fn choose_lines(&mut self) -> Vec<NodeId> {
        let (scenario, selected) = (&self.scenario, self.selected());
        let mut marked = self.marks.nodes(scenario.tree());
        if !marked.is_empty() {
            self.time.chosen = None;
            marked.truncate(MOST_LINES);
            return marked;
        }
        let (ids, mark) = (scenario.tree().ids(), scenario.mark_before_waiting());
        let reason = (ids.clone(), selected, mark, scenario.policy());
        let known = self.time.chosen.take_if(|(known, _)| *known == reason);
        let nodes = known.map_or_else(|| self.rivals(selected), |(_, nodes)| nodes);
        self.time.chosen = Some((reason, nodes.clone()));
        nodes
    }

    /// Returns a node with those that it competes with: users next to it in rank, or siblings of an account.
    fn rivals(&self, node: NodeId) -> Vec<NodeId> {
        let (tree, numbers) = (self.scenario.tree(), self.scenario.evaluation());
        let mut nodes = vec![node];
        let Some(rank) = numbers.rank(node) else {
            let family = tree.parent(node).into_iter();
            let siblings = family.flat_map(|parent| tree.children(parent));
            let others = siblings.filter(|&other| other != node && Some(other) != tree.unknown());
            nodes.extend(others.take(2 * RIVALS as usize));
            return nodes;
        };
        let ranks = numbers.ranks().iter().copied();
        let ranks = ranks.zip(tree.nodes().iter().copied());
        let near = ranks
            .filter(|&(place, other)| place > 0 && other != node && place.abs_diff(rank) <= RIVALS);
        let mut near: Vec<(u32, NodeId)> = near.collect();
        near.sort_unstable();
        nodes.extend(near.into_iter().map(|(_, node)| node));
        nodes.truncate(MOST_LINES);
        nodes
    }

    /// Returns which lines are drawn: the chosen ones, else the marked nodes, else what becomes of the selected one.
    pub(crate) fn drawn_lines(&self) -> Lines {
        match self.time.lines {
            Some(lines) => lines,
            None if self.marked_count() > 0 => Lines::Nodes,
            None => Lines::Assumptions,
        }
    }

    pub(crate) fn forecast_key(&mut self) -> ForecastKey {
        let lines = self.drawn_lines();
        let nodes = match lines {
            Lines::Nodes => self.choose_lines(),
            Lines::Assumptions => vec![self.selected()],
        };
        // The clock stays within the first three quarters of what is drawn.
        let waited = self.scenario.waited();
        let mut until = self.time.horizon();
        while waited > until / 4 * 3 {
            until = until.saturating_mul(2);
        }
        let tree = self.scenario.tree();
        let is_there =
            |goal: &Goal| !matches!(goal, Goal::AheadOf(other) if !tree.contains(*other));
        ForecastKey {
            ids: tree.ids().clone(),
            goal: self.time.goal.filter(is_there),
            mark: self.scenario.mark_before_waiting(),
            policy: self.scenario.policy(),
            lines,
            nodes,
            selected: self.selected(),
            until,
            other_half_life: self.time.other_half_life,
        }
    }

    /// Returns whether moving the clock from one moment to another, in seconds, takes so long that a thread does it.
    pub(crate) fn waits_long(&self, from: u64, until: u64) -> bool {
        let cycles = until.saturating_sub(from) / CYCLE + 1;
        let nodes = self.latest().tree().id_count() as u64;
        nodes.saturating_mul(cycles) > AT_ONCE
    }

    /// Returns how far a thread has moved the clock, in words. `None` if none moves it, or has told nothing yet.
    pub(crate) fn way_of_clock(&self) -> Option<String> {
        let under_way = self.time.clock_run.about()?;
        let (at, until) = (under_way.at? / DAY, under_way.until.div_ceil(DAY));
        Some(format!("moving the clock: day {at} of {until}"))
    }
}
