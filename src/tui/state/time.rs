//! The Time screen of one tree: what is asked of it, and what is known.

use crate::analysis::simulate::Assumptions;
use crate::analysis::solve::Goal;
use crate::model::NodeId;
use crate::rules::policy::Policy;
use crate::tui::job::Ticket;
use crate::tui::time::axis::DAY;
use crate::tui::time::clock::ClockRun;
use crate::tui::time::forecast::{Forecast, ForecastKey, Lines};
use crate::tui::time::quantity::Quantity;

/// How far ahead one can look: a day, a week, a month and so on up to five years.
pub(crate) const HORIZONS: [u64; 9] = [
    DAY,
    3 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
    5 * 365 * DAY,
];

/// How much time a step can take.
pub(crate) const STEPS: [u64; 6] = [300, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY];

/// Whose lines were chosen, and for what they were.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LineChoice {
    pub(crate) selected: NodeId,
    pub(crate) marked: Vec<NodeId>,
    pub(crate) mark: u64,
    pub(crate) policy: Policy,
    pub(crate) nodes: Vec<NodeId>,
}

/// A key that a thread works on.
#[derive(Clone, Debug)]
pub(crate) struct ForecastRequest {
    pub(crate) ticket: Ticket,
    pub(crate) key: ForecastKey,
}

/// The Time screen of one tree.
#[derive(Clone, Debug)]
pub(crate) struct Time {
    pub(crate) quantity: Quantity,
    pub(crate) lines: Lines,
    /// Its place among the horizons.
    pub(crate) horizon: usize,
    /// Its place among the steps.
    pub(crate) step: usize,
    /// The goal that was set; nothing takes being on target.
    pub(crate) goal: Option<Goal>,
    /// The half-life in seconds that the lines are also drawn under.
    pub(crate) other_half_life: Option<u64>,
    /// The beat that is waited for while time passes by itself.
    pub(crate) beat: Option<u64>,
    pub(crate) chosen: Option<LineChoice>,
    pub(crate) forecast: Option<Box<Forecast>>,
    pub(crate) assumed: Option<KnownAssumptions>,
    pub(crate) asked: Option<ForecastRequest>,
    /// What nobody wants to wait for.
    pub(crate) abandoned: Option<ForecastKey>,
    /// The move of the clock that a thread works on.
    pub(crate) clock_run: Option<ClockRun>,
}

impl Default for Time {
    fn default() -> Self {
        Self {
            quantity: Quantity::Factor,
            lines: Lines::default(),
            horizon: 4,
            step: 3,
            goal: None,
            other_half_life: None,
            beat: None,
            chosen: None,
            forecast: None,
            assumed: None,
            asked: None,
            abandoned: None,
            clock_run: None,
        }
    }
}

impl Time {
    /// Forgets what was drawn of a tree that is gone.
    pub(crate) fn forget(&mut self) {
        self.stop_asking();
        self.chosen = None;
        self.forecast = None;
        self.assumed = None;
        self.abandoned = None;
        self.stop_moving();
        if matches!(self.goal, Some(Goal::AheadOf(_))) {
            // That node was one of the tree that is gone.
            self.goal = None;
        }
    }

    /// What is drawn: what was asked for, or the next of which there are numbers.
    pub(crate) fn drawn(&self) -> Quantity {
        let mut quantity = self.quantity;
        let Some(forecast) = &self.forecast else {
            return quantity;
        };
        for _ in Quantity::ALL {
            if forecast.has(quantity) {
                return quantity;
            }
            quantity = quantity.next();
        }
        self.quantity
    }

    /// Tells the thread at work that nobody waits for it.
    pub(crate) fn stop_asking(&mut self) {
        if let Some(asked) = &self.asked {
            asked.ticket.cancel();
        }
    }

    /// Whether what is on the screen is still being worked out.
    pub(crate) fn is_working(&self) -> bool {
        self.asked.is_some() || self.clock_run.is_some()
    }

    pub(crate) const fn horizon(&self) -> u64 {
        HORIZONS[self.horizon]
    }

    pub(crate) const fn step(&self) -> u64 {
        STEPS[self.step]
    }
}

/// What a scenario assumes of the time to come, worked out when it changes and not for every frame.
#[derive(Clone, Debug)]
pub(crate) struct KnownAssumptions {
    /// The revision of the tree it is of; nothing for one that is only tried out.
    pub(crate) revision: Option<u64>,
    /// What it assumes.
    pub(crate) assumptions: Assumptions,
}

impl Time {
    /// As [`Session::stop_clock`].
    pub(crate) fn stop_moving(&mut self) -> bool {
        let under_way = self.clock_run.take();
        if let Some(under_way) = &under_way {
            under_way.ticket.cancel();
        }
        under_way.is_some()
    }
}
