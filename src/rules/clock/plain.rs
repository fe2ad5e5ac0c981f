//! Usage that halves smoothly, for trees that no scheduler made: U × 2^(-t / half-life).
//!
//! Usage at a steady rate decays meanwhile as well: rate × half-life / ln 2 × (2^(-b) - 2^(-a)), where a and b are the
//! half-lives since it began and since it ended. Usage is always computed from the beginning of the period in which the
//! half-life and the pace stayed the same. So the last bit does not depend on how often somebody looked.

use super::charges::summed_up;
use super::{SchedulerClock, Step};
use crate::model::{Amounts, NodeId, Settings, SteadyPeriod, Tree, Usage, UsageState};
use std::f64::consts::LN_2;
use std::sync::Arc;

/// Usage by node id.
#[derive(Clone, Debug)]
pub(super) struct PlainClock {
    period: SteadyPeriod,
    /// At the beginning of the period.
    begin: Vec<f64>,
    /// Now.
    usage: Vec<Usage>,
}

/// Returns seconds in half-lives, or 0 if usage never decays.
fn half_lives(half_life: u32, seconds: u64) -> f64 {
    match half_life {
        0 => 0.0,
        half_life => seconds as f64 / f64::from(half_life),
    }
}

/// Returns the period that begins now.
fn period(settings: &Settings) -> SteadyPeriod {
    SteadyPeriod {
        since: settings.time.passed,
        half_life: settings.slurm.decay_half_life,
        pace: Arc::clone(&settings.time.pace),
    }
}

/// Returns what is left of one unit per second that lasted so many seconds and ended so many seconds ago.
fn left_of_unit(half_life: u32, seconds: u64, ended: u64) -> f64 {
    if half_life == 0 {
        return seconds as f64;
    }
    f64::from(half_life) / LN_2
        * (-half_lives(half_life, ended)).exp2()
        * -(-half_lives(half_life, seconds) * LN_2).exp_m1()
}

/// Returns usage as numbers; 0 where none is stated.
fn amounts(usage: &[Usage]) -> Vec<f64> {
    let mut amounts = Vec::with_capacity(usage.len());
    for usage in usage {
        amounts.push(usage.amount().unwrap_or(0.0));
    }
    amounts
}

impl PlainClock {
    /// Returns the clock of a tree, which goes on with the period in which another clock left it.
    pub(super) fn new(tree: &Tree, settings: &Settings) -> Self {
        let usage = tree.shared_usage().as_ref().clone();
        if let Some(state) = tree.usage_state()
            && let Some(period) = state.period()
        {
            let ids = (0..usage.len()).map(NodeId::from_index);
            return Self {
                period: period.clone(),
                begin: ids.map(|node| state.amount(node)).collect(),
                usage,
            };
        }
        Self {
            period: period(settings),
            begin: amounts(&usage),
            usage,
        }
    }

    /// Returns what was charged since the period began, and is left, by user.
    fn charged(&self, step: &Step<'_>) -> Vec<(NodeId, f64)> {
        let mut charged = Vec::new();
        let mut last_seconds = 0;
        let mut last_ended = 0;
        // Most users have the same seconds, so the powers are computed once.
        let mut left = 0.0;
        for charge in step.charges.between(self.period.since, step.end) {
            let ended = step.end - charge.until;
            if charge.seconds != last_seconds || ended != last_ended {
                last_seconds = charge.seconds;
                last_ended = ended;
                left = left_of_unit(self.period.half_life, charge.seconds, ended);
            }
            charged.push((charge.node, charge.rate * left));
        }
        charged
    }
}

impl SchedulerClock for PlainClock {
    fn copied(&self) -> Box<dyn SchedulerClock> {
        Box::new(self.clone())
    }

    fn cycle(&self, _settings: &Settings) -> u64 {
        1
    }

    fn is_smooth(&self) -> bool {
        true
    }

    fn lost_per_second(&self, settings: &Settings) -> f64 {
        match settings.slurm.decay_half_life {
            0 => 0.0,
            half_life => LN_2 / f64::from(half_life),
        }
    }

    fn pass(&mut self, step: Step<'_>) -> u64 {
        let now = period(step.settings);
        if now.half_life != self.period.half_life || now.pace != self.period.pace {
            self.begin = amounts(&self.usage);
            self.period = now;
        }
        let seconds = step.end.saturating_sub(self.period.since);
        let left = (-half_lives(self.period.half_life, seconds)).exp2();
        let added = summed_up(step.tree, &self.charged(&step));
        for (index, more) in added.into_iter().enumerate() {
            // No usage remains none if nothing was added, and for accounts whose usage is not stated.
            let is_user = step.tree.is_user(NodeId::from_index(index));
            if self.usage[index].amount().is_some() || (is_user && more > 0.0) {
                let usage = self.begin[index] * left + more;
                self.usage[index] = Usage::new(usage.min(f64::MAX));
            }
        }
        step.end
    }

    fn usage(&self, _tree: &Tree, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    fn amount(&self, node: NodeId) -> f64 {
        self.usage[node.index()].amount().unwrap_or(0.0)
    }

    fn usage_state(&self, tree: &Tree) -> UsageState {
        let begin = Amounts::Doubles(self.begin.clone());
        UsageState::of(tree, begin).at_begin_of(self.period.clone())
    }
}
