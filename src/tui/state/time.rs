//! The state of the Time screen of one tree: its lines and its clock.

use crate::analysis::simulate::Assumptions;
use crate::analysis::solve::Goal;
use crate::base::shown::Shown;
use crate::model::{Ids, NodeId, Settings, Tree};
use crate::rules::clock::usual_span;
use crate::rules::policy::Policy;
use crate::scenario::Scenario;
use crate::tui::job::{Running, Ticket};
use crate::tui::time::axis::{DAY, Quantity};
use crate::tui::time::forecast::{Forecast, ForecastKey, Lines};
use std::ops::ControlFlow;

/// The lengths that the lines may have, in days.
pub(crate) const HORIZONS: &[u64] = &[1, 3, 7, 14, 30, 90, 180, 365, 5 * 365];

/// The length of the lines where nothing halves usage, in seconds.
const WITHOUT_HALF_LIFE: u64 = 30 * DAY;

/// The lengths that a step of the clock may have, in seconds.
pub(crate) const STEPS: &[u64] = &[300, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY];

/// What the nodes whose lines are drawn were chosen for: the selected one, the edits, and the policy.
type LineReason = (Ids, NodeId, u64, Policy);

/// What the Time screen of a tree shows, and what it waits for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Time {
    /// The chosen number; `None` until one is chosen, which is the factor, or usage where no factor changes.
    pub(crate) quantity: Option<Quantity>,
    /// The chosen lines; `None` until one is chosen.
    pub(crate) lines: Option<Lines>,
    /// The chosen length of the lines, by its place among [`HORIZONS`]; `None` until one is chosen.
    pub(crate) chosen_horizon: Option<usize>,
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
    /// Returns the state of a tree that was just opened: some half-lives ahead, in steps of a day.
    pub(crate) fn new() -> Self {
        Self {
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
        match &self.forecast {
            Some(forecast) if forecast.key.ids == *tree.ids() => Some(forecast),
            _ => None,
        }
    }

    /// Returns whether usage is drawn because no number was chosen and no factor changes.
    pub(crate) fn is_usage_drawn_instead(&self) -> bool {
        match &self.forecast {
            Some(forecast) => {
                self.quantity.is_none()
                    && forecast.is_flat(Quantity::Factor)
                    && !forecast.is_flat(Quantity::Usage)
            }
            None => false,
        }
    }

    /// Returns the quantity that is drawn: the chosen one, or the next that has numbers.
    pub(crate) fn drawn(&self) -> Quantity {
        let chosen = match self.quantity {
            Some(quantity) => quantity,
            None => Quantity::Factor,
        };
        let Some(forecast) = &self.forecast else {
            return chosen;
        };
        if self.is_usage_drawn_instead() {
            return Quantity::Usage;
        }
        let mut drawn = chosen;
        for _ in Quantity::ALL {
            if forecast.has(drawn) {
                return drawn;
            }
            drawn = drawn.next();
        }
        chosen
    }

    /// Returns whether lines are computed, or the clock moves.
    pub(crate) fn is_working(&self) -> bool {
        self.asked.about().is_some() || self.clock_run.about().is_some()
    }

    /// Returns whether the length of the lines is a number of half-lives.
    pub(crate) fn follows_half_life(&self, settings: &Settings) -> bool {
        self.chosen_horizon.is_none() && usual_span(settings).is_some()
    }

    /// Returns the length of the lines, in seconds.
    pub(crate) fn horizon(&self, settings: &Settings) -> u64 {
        if let Some(place) = self.chosen_horizon {
            return HORIZONS[place] * DAY;
        }
        match usual_span(settings) {
            Some(span) => span,
            None => WITHOUT_HALF_LIFE,
        }
    }

    /// Gives the lines the next longer of [`HORIZONS`], or the next shorter if `by` is negative.
    pub(crate) fn step_horizon(&mut self, settings: &Settings, by: isize) {
        let length = self.horizon(settings);
        let mut shorter = 0;
        let mut longer = HORIZONS.len() - 1;
        for (place, &days) in HORIZONS.iter().enumerate() {
            if days * DAY < length {
                shorter = place;
            } else if days * DAY > length {
                longer = longer.min(place);
            }
        }
        self.chosen_horizon = Some(if by > 0 { longer } else { shorter });
    }

    /// Returns the length of a step of the clock, in seconds.
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

/// A move of the clock that a thread makes.
#[derive(Clone, Debug)]
pub(crate) struct ClockRun {
    /// The number of changes of the edits when the job began.
    pub(crate) changes: u64,
    /// Its end, in seconds since the snapshot.
    pub(crate) until: u64,
    /// The progress in seconds since the snapshot; `None` before the first report.
    pub(crate) at: Option<u64>,
}
