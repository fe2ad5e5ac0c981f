//! Usage that halves smoothly, for trees that no scheduler made: U × 2^(-t / half-life).
//!
//! Usage at a steady rate decays meanwhile as well: rate × half-life / ln 2 × (2^(-b) - 2^(-a)), where a and b are the
//! half-lives since it began and since it ended. Usage is always computed from the beginning of the period in which the
//! half-life and the pace stayed the same. So the last bit does not depend on how often somebody looked.

use super::charges::{Charges, summed_up};
use crate::model::{Amounts, Kind, NodeId, Settings, SteadyPeriod, Tree, Usage, UsageState};
use std::f64::consts::LN_2;
use std::sync::Arc;

/// Usage by node id.
#[derive(Clone, Debug)]
pub(super) struct PlainMemory {
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

pub(super) fn lost_per_second(settings: &Settings) -> f64 {
    match settings.slurm.decay_half_life {
        0 => 0.0,
        half_life => LN_2 / f64::from(half_life),
    }
}

fn period(settings: &Settings) -> SteadyPeriod {
    SteadyPeriod {
        since: settings.time.passed,
        half_life: settings.slurm.decay_half_life,
        pace: Arc::clone(&settings.time.pace),
    }
}

impl PlainMemory {
    pub(super) fn of(tree: &Tree, settings: &Settings) -> Self {
        let usage = tree.shared_usage().as_ref().clone();
        let usage_state = tree.usage_state();
        let known = usage_state.and_then(|state| Some((state.period()?.clone(), state)));
        let (period, begin) = match known {
            Some((period, state)) => {
                let ids = (0..usage.len()).map(NodeId::from_index);
                (period, ids.map(|node| state.amount(node)).collect())
            }
            None => (period(settings), amounts(&usage)),
        };
        Self {
            period,
            begin,
            usage,
        }
    }

    pub(super) fn usage(&self, node: NodeId) -> Usage {
        self.usage[node.index()]
    }

    /// Returns the state from which time continues.
    pub(super) fn usage_state(&self, tree: &Tree) -> UsageState {
        UsageState::of(tree, Amounts::Doubles(self.begin.clone())).at_begin_of(self.period.clone())
    }

    pub(super) fn pass(&mut self, tree: &Tree, settings: &Settings, charges: &Charges, until: u64) {
        let now = period(settings);
        if (now.half_life, &now.pace) != (self.period.half_life, &self.period.pace) {
            self.begin = amounts(&self.usage);
            self.period = now;
        }
        let half_life = self.period.half_life;
        let since = self.period.since;
        let left = (-half_lives(half_life, until.saturating_sub(since))).exp2();
        // The remainder of one unit per second, by how long it lasted and how long ago it ended.
        let kept = |seconds: u64, ended: u64| {
            if half_life == 0 {
                return seconds as f64;
            }
            let half_lives = |seconds| half_lives(half_life, seconds);
            f64::from(half_life) / LN_2
                * (-half_lives(ended)).exp2()
                * -(-half_lives(seconds) * LN_2).exp_m1()
        };
        let mut last = (0, 0, 0.0);
        let charged = charges.between(since, until).map(|charge| {
            let (seconds, ended) = (charge.seconds, until - charge.until);
            if (last.0, last.1) != (seconds, ended) {
                last = (seconds, ended, kept(seconds, ended));
            }
            (charge.node, charge.rate * last.2)
        });
        let added = summed_up(tree, charged);
        for (index, more) in added.into_iter().enumerate() {
            // No usage remains none if nothing was added, and for accounts whose usage is not stated.
            let is_user = tree.kind(NodeId::from_index(index)) == Kind::User;
            if self.usage[index].amount().is_some() || (is_user && more > 0.0) {
                let usage = self.begin[index] * left + more;
                self.usage[index] = Usage::new(usage.min(f64::MAX));
            }
        }
    }
}

fn amounts(usage: &[Usage]) -> Vec<f64> {
    let amounts = usage.iter().map(|usage| usage.amount().unwrap_or(0.0));
    amounts.collect()
}
