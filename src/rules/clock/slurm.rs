//! Slurm's clock: every calculation multiplies all usage and adds new usage.
//!
//! Follows `_decay_thread`, `_apply_decay` and `_apply_new_usage` of `priority_multifactor.c`. A cycle of
//! `PriorityCalcPeriod` checks whether usage is to be reset, and multiplies the usage of every association by `pow(1 -
//! 0.693 / half-life, seconds)`. Then it adds the usage of a user's jobs, itself multiplied by that power, to the user
//! and to every account above. Usage is a `long double` there, so it is one here. The power is the C library's, as in
//! `slurmctld`: on Linux it is the very same function. The usage of several users below one account is added to it as
//! one sum per cycle.

mod cores;
mod resets;

use super::charges::{Charge, Sums};
use crate::base::extended::{self, Extended};
use crate::model::{Kind, NodeId, Slurm, Tree, Usage};
use crate::rules::policy::slurm::usage_in_memory;
pub(super) use resets::next_reset;
use std::sync::Arc;

/// ln 2 as Slurm writes it. With it, one half-life leaves 0.50007 of the usage instead of a half.
const LN_2: f64 = 0.693;

/// Usage by node id, as `slurmctld` holds it in memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    usage: Arc<Vec<Extended>>,
}

/// Returns the seconds between calculations.
pub(super) fn period(settings: &Slurm) -> u64 {
    u64::from(settings.calc_period).max(1)
}

/// Returns the fraction of usage that remains after one second.
fn factor(settings: &Slurm) -> f64 {
    if settings.decay_half_life == 0 {
        return 1.0;
    }
    1.0 - LN_2 / f64::from(settings.decay_half_life)
}

/// Returns the fraction of usage that remains after so many seconds, never 0.
fn left_after(settings: &Slurm, seconds: u64) -> f64 {
    factor(settings).powf(seconds as f64).max(f64::MIN_POSITIVE)
}

/// Returns the fraction of usage that remains after so many seconds of whole cycles.
pub(super) fn left_after_cycles(settings: &Slurm, seconds: u64) -> f64 {
    let period = period(settings);
    let cycles = seconds / period;
    left_after(settings, period).powf(cycles as f64)
}

impl Memory {
    /// Returns the usage as after loading, or as a clock left it.
    pub(super) fn of(tree: &Tree) -> Self {
        Self {
            usage: Arc::new(usage_in_memory(tree)),
        }
    }

    /// Returns the usage in memory.
    pub(super) fn in_memory(&self, node: NodeId) -> Extended {
        self.usage[node.index()]
    }

    /// Returns all usage in memory, by node id.
    pub(super) fn all(&self) -> Arc<Vec<Extended>> {
        Arc::clone(&self.usage)
    }

    /// Returns the usage as the tree states it: for accounts only if their usage was stated before.
    pub(super) fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        if tree.usage(node).amount().is_none() && tree.kind(node) == Kind::Account {
            return Usage::NONE;
        }
        if tree.usage(node).amount().is_none() && self.usage[node.index()].is_zero() {
            return Usage::NONE;
        }
        Usage::new(self.usage[node.index()].to_f64().min(f64::MAX))
    }

    /// Adds usage to a user and to every account above it.
    pub(super) fn charge(&mut self, tree: &Tree, node: NodeId, amount: f64) {
        let amount = extended(amount);
        let usage = Arc::make_mut(&mut self.usage);
        let mut here = Some(node);
        while let Some(node) = here {
            usage[node.index()] = usage[node.index()].plus(amount);
            here = tree.parent(node);
        }
    }

    /// Performs cycles one after another, in each of which the same users use something for the same number of seconds.
    pub(super) fn pass(
        &mut self,
        tree: &Tree,
        settings: &Slurm,
        charged: impl Iterator<Item = Charge>,
        cycles: u64,
    ) {
        // A job adds `t * pow(factor, t) * rate`.
        let amounts = charged.map(|charge| {
            let weighed = charge.seconds as f64 * left_after(settings, charge.seconds);
            (charge.node, extended(weighed * charge.rate))
        });
        let addends = Sums::of(tree, amounts, Extended::ZERO, Extended::plus);
        let left = extended(left_after(settings, period(settings)));
        let usage = Arc::make_mut(&mut self.usage);
        match addends {
            Sums::OfAll(addends) => cores::pass(usage, &addends, left, cycles),
            Sums::OfFew(addends) => {
                let (nodes, addends): (Vec<NodeId>, Vec<Extended>) = addends.into_iter().unzip();
                let charged = nodes.iter().map(|node| usage[node.index()]);
                let mut charged: Vec<Extended> = charged.collect();
                extended::pass(&mut charged, &addends, left, cycles);
                cores::decay(usage, left, cycles);
                for (node, charged) in nodes.into_iter().zip(charged) {
                    usage[node.index()] = charged;
                }
            }
        }
    }

    /// Sets all usage to 0.
    pub(super) fn reset(&mut self) {
        Arc::make_mut(&mut self.usage).fill(Extended::ZERO);
    }
}

/// Returns the nearest double of a number and the remainder, which are exact together.
pub(super) fn parts(usage: Extended) -> (f64, f64) {
    let amount = usage.to_f64();
    (amount, usage.minus(extended(amount)).to_f64())
}

/// Returns the fraction of usage that decays per second, as the mean of a calculation's period.
pub(super) fn lost_per_second(settings: &Slurm) -> f64 {
    let period = period(settings);
    let left = left_after(settings, period);
    (1.0 - left) / (period as f64 * left)
}

fn extended(amount: f64) -> Extended {
    Extended::from_f64(amount).unwrap_or(Extended::ZERO)
}
