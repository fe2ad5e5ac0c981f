//! A scenario as time passes: the clock and the policy together.
//!
//! A [`Simulation`] changes a copy of the scenario's usage. [`Simulation::series`] evaluates nodes at regular moments,
//! [`Simulation::recovery`] finds when a goal is reached, and [`Preset`] lists the assumptions about future usage.

mod decay;
mod outcome;
mod pace;
mod recovery;
mod series;

pub(crate) use decay::{Decay, NextShift, PbsDecay, UsageReset};
pub(crate) use outcome::{HorizonStanding, Shortfall, ShortfallCause};
pub use outcome::{Recovery, RecoveryOutcome};
pub(crate) use pace::UsageAssumption;
pub use pace::{Assumptions, PaceError, Preset, assume, resting};
pub use recovery::RecoveryError;
pub use series::{NodeSeries, Series};

use crate::model::{Pace, Tree};
use crate::rules::clock::{Clock, OnSeconds};
use crate::rules::policy::{Evaluation, Policy};
use crate::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A scenario for which time passes. The scenario itself does not change.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The clock, with the tree at its moment.
    pub clock: Clock,
    /// The policy of the scenario.
    pub policy: Policy,
}

impl Simulation {
    /// Returns the simulation of a scenario, starting at the scenario's own time.
    pub fn of(scenario: &Scenario) -> Self {
        let tree = scenario.tree();
        // The future can only be computed, so the present is computed too, even where printed numbers are shown.
        let computed = tree.shows_printed().then(|| tree.without_printed());
        Self {
            clock: Clock::of(computed.as_ref().unwrap_or(tree), scenario.settings()),
            policy: scenario.policy(),
        }
    }

    /// Returns the simulation with another assumption about future usage.
    pub fn at_pace(mut self, pace: Arc<Pace>) -> Self {
        self.clock.set_pace(pace);
        self
    }

    /// Lets `seconds` pass. `progress` may stop it.
    pub fn advance(&mut self, seconds: u64, progress: OnSeconds<'_>) -> ControlFlow<()> {
        self.clock.advance(seconds, progress)
    }

    /// Returns the tree at this moment and its evaluation.
    pub fn look(&mut self) -> (Tree, Evaluation) {
        let tree = self.clock.tree();
        let evaluation = self.policy.evaluate(&tree, self.clock.settings());
        (tree, evaluation)
    }
}
