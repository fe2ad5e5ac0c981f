//! What becomes of a scenario as time goes on: the clock and the policy together.
//!
//! A [`Simulation`] moves a copy of the scenario's usage and never the scenario itself. [`series`] looks at some nodes
//! again and again, [`recovery`] asks when a goal is reached, and [`Preset`] is what can be assumed of the usage to
//! come.

mod assumption;
mod decay;
mod measured;
mod outcome;
mod pace;
mod recovery;
mod series;
mod shortfall;

pub use assumption::{Assumptions, UsageAssumption};
pub use decay::{Decay, NextShift, PbsDecay, UsageReset};
pub use measured::PaceError;
pub use outcome::{HorizonStanding, Recovery, RecoveryOutcome, Shortfall, ShortfallCause};
pub use pace::{Preset, assume, resting};
pub use recovery::{RecoveryError, recovery};
pub use series::{NodeSeries, Series, series};

use crate::model::{Pace, Tree};
use crate::rules::clock::{Clock, OnSeconds};
use crate::rules::policy::{Evaluation, Policy};
use crate::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A scenario that time passes for. The scenario itself stays as it is.
#[derive(Clone, Debug)]
pub struct Simulation {
    clock: Clock,
    policy: Policy,
    last: Option<Evaluation>,
}

impl Simulation {
    /// The simulation of a scenario, from where its clock stands.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let tree = scenario.tree();
        // Where nothing but what was printed is shown, what comes can only be worked out, and what is now with it.
        let worked_out = tree.shows_only_printed().then(|| tree.without_printed());
        Self {
            clock: Clock::of(worked_out.as_ref().unwrap_or(tree), scenario.settings()),
            policy: scenario.policy(),
            last: None,
        }
    }

    /// The same with another assumption of who uses how much.
    #[must_use]
    pub fn at_pace(mut self, pace: Arc<Pace>) -> Self {
        self.clock.set_pace(pace);
        self
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The clock, to charge usage or to change what is assumed.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// The rule in force.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Lets time pass.
    pub fn advance(&mut self, seconds: u64, progress: OnSeconds<'_>) -> ControlFlow<()> {
        self.clock.advance(seconds, progress)
    }

    /// The numbers of this moment.
    pub fn evaluate(&mut self) -> &Evaluation {
        self.look().1
    }

    /// The tree of this moment and its numbers.
    pub fn look(&mut self) -> (Tree, &Evaluation) {
        let tree = self.clock.tree();
        let settings = self.clock.settings();
        let evaluation = self
            .policy
            .evaluate_after(&tree, settings, self.last.as_ref());
        (tree, self.last.insert(evaluation))
    }
}
