//! Slurm's clock: at every calculation all usage is multiplied, and what ran is added.
//!
//! Follows `_decay_thread`, `_apply_decay` and `_apply_new_usage` of `priority_multifactor.c`: a cycle of
//! `PriorityCalcPeriod` looks whether usage is to be reset, multiplies the usage of every association by
//! `pow(1 - 0.693 / half-life, seconds)`, and adds to a user and to every account above it what its jobs used, itself
//! weighed by that power. Usage is a `long double` there, so it is one here. The power is the C library's, as in
//! `slurmctld`: on Linux it is the very same function.

mod powers;
mod resets;

use crate::model::{Kind, NodeId, Slurm, Tree, Usage};
use crate::policy::extended::Extended;
pub(super) use resets::next_reset;

/// ln 2 as Slurm writes it, which makes a half-life keep 0.50007 of the usage and not a half.
const LN_2: f64 = 0.693;

/// Usage as `slurmctld` has it in memory, by node id.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    usage: Vec<Extended>,
}

/// What one second leaves of usage.
fn factor(settings: &Slurm) -> f64 {
    if settings.decay_half_life == 0 {
        return 1.0;
    }
    1.0 - LN_2 / f64::from(settings.decay_half_life)
}

/// What so many seconds leave of usage, never nothing.
fn left_after(settings: &Slurm, seconds: u64) -> f64 {
    factor(settings).powf(seconds as f64).max(f64::MIN_POSITIVE)
}

impl Memory {
    pub(super) fn of(tree: &Tree) -> Self {
        let ids = || (0..tree.id_count()).map(NodeId::from_index);
        let usage = match tree.held() {
            Some(held) => ids()
                .map(|node| {
                    let (amount, rest) = held.amount(node);
                    extended(amount).plus(extended(rest))
                })
                .collect(),
            None => Self::loaded(tree),
        };
        Self { usage }
    }

    /// Usage as after loading: that of users is added to all accounts above them; what a source states for an account
    /// is taken as given.
    fn loaded(tree: &Tree) -> Vec<Extended> {
        let mut usage = vec![Extended::ZERO; tree.id_count()];
        for &node in tree.nodes() {
            if tree.kind(node) == Kind::Account {
                continue;
            }
            let amount = extended(tree.usage(node).amount().unwrap_or(0.0));
            if amount.is_zero() {
                continue;
            }
            let mut here = Some(node);
            while let Some(node) = here {
                usage[node.index()] = usage[node.index()].plus(amount);
                here = tree.parent(node);
            }
        }
        for &node in tree.nodes() {
            if let (Kind::Account, Some(amount)) = (tree.kind(node), tree.usage(node).amount()) {
                usage[node.index()] = extended(amount);
            }
        }
        usage
    }

    /// The usage in memory.
    pub(super) fn in_memory(&self, node: NodeId) -> Extended {
        self.usage[node.index()]
    }

    /// The usage as the tree has it: for accounts, where their usage was stated before.
    pub(super) fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        if tree.usage(node).amount().is_none() && tree.kind(node) == Kind::Account {
            return Usage::NONE;
        }
        if tree.usage(node).amount().is_none() && self.usage[node.index()].is_zero() {
            return Usage::NONE;
        }
        Usage::new(self.usage[node.index()].to_f64())
    }

    /// Adds usage to a user and to every account above it.
    pub(super) fn charge(&mut self, tree: &Tree, node: NodeId, amount: f64) {
        let amount = extended(amount);
        let mut here = Some(node);
        while let Some(node) = here {
            self.usage[node.index()] = self.usage[node.index()].plus(amount);
            here = tree.parent(node);
        }
    }

    /// So many cycles one after another, of so many seconds each, in which nobody uses anything.
    pub(super) fn decay(&mut self, settings: &Slurm, seconds: u64, cycles: u64) {
        let left = left_after(settings, seconds);
        if left < 1.0 {
            powers::multiply(&mut self.usage, extended(left), cycles);
        }
    }

    /// What a job that runs for so many seconds of each of some cycles adds: `t * pow(factor, t) * rate` in each, less
    /// what the cycles after it take away.
    pub(super) fn run(
        &mut self,
        tree: &Tree,
        settings: &Slurm,
        node: NodeId,
        rate: f64,
        seconds: u64,
        cycles: u64,
    ) {
        let weighed = seconds as f64 * left_after(settings, seconds);
        let mut amount = weighed * rate;
        if cycles > 1 {
            let left = left_after(settings, u64::from(settings.calc_period));
            let lost = 1.0 - left;
            let all = if lost > 0.0 {
                (1.0 - left.powf(cycles as f64)) / lost
            } else {
                cycles as f64
            };
            amount *= all;
        }
        self.charge(tree, node, amount);
    }

    /// Sets all usage to 0.
    pub(super) fn reset(&mut self) {
        self.usage.fill(Extended::ZERO);
    }
}

/// A number as the nearest double, and what that leaves of it, exactly.
pub(super) fn parts(usage: Extended) -> (f64, f64) {
    let amount = usage.to_f64();
    (amount, usage.minus(extended(amount)).to_f64())
}

/// The part of usage that is lost in a second, as the mean of a calculation's period.
pub(super) fn lost_per_second(settings: &Slurm) -> f64 {
    let period = u64::from(settings.calc_period).max(1);
    let left = left_after(settings, period);
    (1.0 - left) / (period as f64 * left)
}

fn extended(amount: f64) -> Extended {
    Extended::from_f64(amount).unwrap_or(Extended::ZERO)
}
