//! Slurm's clock: every calculation multiplies all usage and adds new usage.
//!
//! Follows `_decay_thread`, `_apply_decay` and `_apply_new_usage` of `priority_multifactor.c`. A cycle of
//! `PriorityCalcPeriod` checks whether usage is to be reset, and multiplies the usage of every association by `pow(1 -
//! 0.693 / half-life, seconds)`. Then it adds the usage of a user's jobs, itself multiplied by that power, to the user
//! and to every account above. A job that ends before a cycle is charged at its end in the same way, if limits are
//! enforced, and else is not charged since the cycle before. Usage is a `long double` there, so it is one here. The power is the C library's, as in
//! `slurmctld`: on Linux it is the very same function. The usage of several users below one account is added to it as
//! one sum per cycle.
//!
//! The cycles of many numbers are computed on all cores, because a year of 100,000 users takes ten thousand million
//! products. Each number is independent of the others, so the result does not depend on how many cores there are.

use super::charges::{Charge, Sums};
use crate::base::cores;
use crate::base::extended::{self, Extended};
use crate::model::{Kind, NodeId, Slurm, Tree, Usage, UsageResetPeriod};
use crate::rules::policy::slurm::usage_in_memory;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use std::sync::Arc;

/// ln 2 as Slurm writes it. With it, one half-life leaves 0.50007 of the usage instead of a half.
const LN_2: f64 = 0.693;

/// Usage by node id, as `slurmctld` holds it in memory.
#[derive(Clone, Debug)]
pub(super) struct SlurmMemory {
    usage: Arc<Vec<Extended>>,
}

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

impl SlurmMemory {
    /// Returns the usage as after loading, or as a clock left it.
    pub(super) fn of(tree: &Tree) -> Self {
        Self {
            usage: Arc::new(usage_in_memory(tree)),
        }
    }

    pub(super) fn in_memory(&self, node: NodeId) -> Extended {
        self.usage[node.index()]
    }

    pub(super) fn all(&self) -> Arc<Vec<Extended>> {
        Arc::clone(&self.usage)
    }

    /// Returns the usage as the tree states it: for accounts only if their usage was stated before.
    pub(super) fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        let held = self.usage[node.index()];
        let is_none = tree.kind(node) == Kind::Account || held.is_zero();
        if tree.usage(node).amount().is_none() && is_none {
            return Usage::NONE;
        }
        Usage::new(held.to_f64().min(f64::MAX))
    }

    /// Performs cycles one after another, in each of which the same users use something for the same number of seconds.
    pub(super) fn pass(
        &mut self,
        tree: &Tree,
        settings: &Slurm,
        charged: &[(NodeId, Extended)],
        cycles: u64,
    ) {
        let addends = Sums::of(tree, charged);
        let left = extended(left_after(settings, period(settings)));
        let usage = Arc::make_mut(&mut self.usage);
        match addends {
            Sums::OfAll(addends) => pass(usage, &addends, left, cycles),
            Sums::OfFew(addends) => {
                let (nodes, addends): (Vec<NodeId>, Vec<Extended>) = addends.into_iter().unzip();
                let charged = nodes.iter().map(|node| usage[node.index()]);
                let mut charged: Vec<Extended> = charged.collect();
                extended::pass(&mut charged, &addends, left, cycles);
                pass(usage, &[], left, cycles);
                for (node, charged) in nodes.into_iter().zip(charged) {
                    usage[node.index()] = charged;
                }
            }
        }
    }

    /// Charges jobs that end between two calculations, of which the next one decays that as all other usage. Slurm does so
    /// in `priority_p_job_end`, which is called only where limits are enforced.
    pub(super) fn end(&mut self, tree: &Tree, slurm: &Slurm, ended: impl Iterator<Item = Charge>) {
        let amount = charged(slurm, period(slurm));
        let ended: Vec<_> = ended.map(|charge| (charge.node, amount(charge))).collect();
        if slurm.charges_ends == Some(false) || ended.is_empty() {
            return;
        }
        let usage = Arc::make_mut(&mut self.usage);
        match Sums::of(tree, &ended) {
            Sums::OfAll(addends) => {
                for (usage, addend) in usage.iter_mut().zip(addends) {
                    *usage += addend;
                }
            }
            Sums::OfFew(addends) => {
                for (node, addend) in addends {
                    usage[node.index()] += addend;
                }
            }
        }
    }

    pub(super) fn reset(&mut self) {
        Arc::make_mut(&mut self.usage).fill(Extended::ZERO);
    }
}

/// Returns what a charge adds to usage: `t * pow(factor, t) * rate` of a job that ran for `t` seconds. Most run for a whole
/// period, whose power is computed once.
pub(super) fn charged(settings: &Slurm, period: u64) -> impl Fn(Charge) -> Extended {
    let weight = |seconds: u64| seconds as f64 * left_after(settings, seconds);
    let of_period = weight(period);
    move |charge: Charge| {
        let weighed = if charge.seconds == period {
            of_period
        } else {
            weight(charge.seconds)
        };
        extended(weighed * charge.rate)
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

/// How many numbers a core takes at a time.
const TAKEN_AT_A_TIME: usize = 2048;

/// The least number of products that is worth a thread, some milliseconds of work. So a host with many cores does not
/// start more threads than there is work for, and leaves cores to other users.
const WORTH_A_THREAD: u64 = 1 << 22;

/// Performs `cycles` cycles, as [`extended::pass`] does, on as many cores as there is work for.
fn pass(numbers: &mut [Extended], addends: &[Extended], factor: Extended, cycles: u64) {
    let worthwhile = cycles.saturating_mul(numbers.len() as u64) / WORTH_A_THREAD;
    let threads = usize::try_from(worthwhile).unwrap_or(usize::MAX);
    if threads < 2 {
        return extended::pass(numbers, addends, factor, cycles);
    }
    let starts = (0..).step_by(TAKEN_AT_A_TIME);
    let parts = numbers.chunks_mut(TAKEN_AT_A_TIME).zip(starts);
    cores::share_out(parts, threads.min(cores::count()), |(numbers, start)| {
        let addends = addends.get(start..).unwrap_or_default();
        extended::pass(numbers, addends, factor, cycles);
    });
}

/// Returns the next moment after this one at which usage is reset, in Unix seconds, or `None` if there is none. That is
/// at midnight in the time zone of `slurmctld`.
pub(super) fn next_reset(period: UsageResetPeriod, after: i64, zone: &TimeZone) -> Option<i64> {
    let now = Timestamp::from_second(after).ok()?.to_zoned(zone.clone());
    let today = now.date();
    let next: Option<Date> = match period {
        // NOW resets when the controller starts, which was before the snapshot.
        UsageResetPeriod::None | UsageResetPeriod::Now => None,
        UsageResetPeriod::Daily => today.tomorrow().ok(),
        UsageResetPeriod::Weekly => today.nth_weekday(1, Weekday::Sunday).ok(),
        UsageResetPeriod::Monthly => today.first_of_month().checked_add(1.month()).ok(),
        UsageResetPeriod::Quarterly => {
            let months = i64::from(3 - (today.month() - 1) % 3);
            today.first_of_month().checked_add(months.months()).ok()
        }
        UsageResetPeriod::Yearly => today.first_of_year().checked_add(1.year()).ok(),
    };
    let next = next?.to_zoned(zone.clone()).ok()?;
    Some(next.timestamp().as_second())
}
