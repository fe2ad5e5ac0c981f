//! Slurm's clock: every calculation multiplies all usage and adds new usage.
//!
//! Follows `_decay_thread`, `_apply_decay` and `_apply_new_usage` of `priority_multifactor.c`. A cycle of
//! `PriorityCalcPeriod` checks whether usage is to be reset, and multiplies the usage of every association by `pow(1 -
//! 0.693 / half-life, seconds)`. Then it adds the usage of a user's jobs, itself multiplied by that power, to the user
//! and to every account above. A job that ends before a cycle is charged at its end in the same way, if limits are
//! enforced, and else is not charged since the cycle before. Usage is a `long double` there, so it is one here. The
//! power is the C library's, as in `slurmctld`: on Linux it is the very same function. The usage of several users below
//! one account is added to it as one sum per cycle.
//!
//! The cycles of many numbers are computed on all cores, because a year of 100,000 users takes ten thousand million
//! products. Each number is independent of the others, so the result does not depend on how many cores there are.

use super::charges::{Charge, Running, Sums};
use super::{SchedulerClock, Step};
use crate::base::cores;
use crate::base::extended::{self, Extended};
use crate::model::{Amounts, NodeId, Settings, Slurm, Tree, Usage, UsageResetPeriod, UsageState};
use crate::rules::policy::slurm::usage_in_memory;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use std::sync::Arc;

/// ln 2 as Slurm writes it. With it, one half-life leaves 0.50007 of the usage instead of a half.
const LN_2: f64 = 0.693;

/// Usage by node id, as `slurmctld` holds it in memory.
#[derive(Clone, Debug)]
pub(super) struct SlurmClock {
    usage: Arc<Vec<Extended>>,
    /// What is charged in each cycle.
    running: Running<Extended>,
    /// Up to when what ended is charged, in seconds since the snapshot.
    settled: u64,
}

/// Returns the seconds between two calculations.
fn period(settings: &Slurm) -> u64 {
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

/// What charges add to usage: `t * pow(factor, t) * rate` of a job that ran for `t` seconds.
struct Weights<'a> {
    settings: &'a Slurm,
    period: u64,
    /// The seconds of a whole period times their power, computed once because most jobs run for a whole period.
    of_period: f64,
}

impl<'a> Weights<'a> {
    /// Returns the weights of charges between two calculations.
    fn new(settings: &'a Slurm) -> Self {
        let period = period(settings);
        Self {
            settings,
            period,
            of_period: period as f64 * left_after(settings, period),
        }
    }

    /// Returns what a charge adds.
    fn amount(&self, charge: Charge) -> Extended {
        let weight = if charge.seconds == self.period {
            self.of_period
        } else {
            charge.seconds as f64 * left_after(self.settings, charge.seconds)
        };
        Extended::finite_or_zero(weight * charge.rate)
    }
}

impl SlurmClock {
    /// Returns the clock of a tree, with the usage as after loading or as another clock left it.
    pub(super) fn new(tree: &Tree, settings: &Settings) -> Self {
        Self {
            usage: Arc::new(usage_in_memory(tree)),
            running: Running::default(),
            settled: settings.time.passed,
        }
    }

    /// Performs cycles one after another, each of which decays all usage and adds the same sums.
    fn perform(&mut self, sums: Sums<Extended>, left: Extended, cycles: u64) {
        let usage = Arc::make_mut(&mut self.usage);
        match sums {
            Sums::OfAll(addends) => pass(usage, &addends, left, cycles),
            Sums::OfFew(sums) => {
                let mut charged = Vec::with_capacity(sums.len());
                let mut addends = Vec::with_capacity(sums.len());
                for &(node, addend) in &sums {
                    charged.push(usage[node.index()]);
                    addends.push(addend);
                }
                extended::pass(&mut charged, &addends, left, cycles);
                pass(usage, &[], left, cycles);
                for ((node, _), charged) in sums.into_iter().zip(charged) {
                    usage[node.index()] = charged;
                }
            }
        }
    }

    /// Adds sums to usage without a decay.
    fn add(&mut self, sums: Sums<Extended>) {
        let usage = Arc::make_mut(&mut self.usage);
        match sums {
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
}

impl SchedulerClock for SlurmClock {
    fn copied(&self) -> Box<dyn SchedulerClock> {
        Box::new(self.clone())
    }

    fn cycle(&self, settings: &Settings) -> u64 {
        period(&settings.slurm)
    }

    /// The mean of a calculation's period.
    fn lost_per_second(&self, settings: &Settings) -> f64 {
        let period = period(&settings.slurm);
        let left = left_after(&settings.slurm, period);
        (1.0 - left) / (period as f64 * left)
    }

    fn left_after(&self, settings: &Settings, seconds: u64) -> f64 {
        let period = period(&settings.slurm);
        let cycles = seconds / period;
        left_after(&settings.slurm, period).powf(cycles as f64)
    }

    fn next_turn(&self, settings: &Settings, epoch: i64, after: u64) -> Option<u64> {
        // If the source does not tell its date, midnight is not known either.
        settings.time.taken?;
        let after = epoch.saturating_add_unsigned(after);
        let zone = settings.time.local_zone();
        let reset = next_reset(settings.slurm.usage_reset_period, after, &zone)?;
        let seconds = reset.saturating_sub(epoch);
        Some(u64::try_from(seconds).unwrap_or(0))
    }

    /// Charges jobs that end between two calculations, of which the next one decays that as all other usage. Slurm does so
    /// in `priority_p_job_end`, which is called only where limits are enforced.
    fn charge_ended(&mut self, step: &Step<'_>) {
        let until = step.next.min(step.end);
        let settled = std::mem::replace(&mut self.settled, until);
        let slurm = &step.settings.slurm;
        if slurm.charges_ends == Some(false) {
            return;
        }
        let ended = step.charges.ended(step.begin, settled, until);
        if ended.is_empty() {
            return;
        }
        let weights = Weights::new(slurm);
        let mut charged = Vec::with_capacity(ended.len());
        for charge in ended {
            charged.push((charge.node, weights.amount(charge)));
        }
        self.add(Sums::new(step.tree, &charged));
    }

    fn pass(&mut self, step: Step<'_>) -> u64 {
        let reset = self.next_turn(step.settings, step.epoch, step.begin);
        let mut until_reset = reset.map_or(u64::MAX, |reset| reset.saturating_sub(1));
        if until_reset < step.next {
            Arc::make_mut(&mut self.usage).fill(Extended::ZERO);
            until_reset = step.next;
        }
        // What ends in the second of a calculation ends before it.
        let until_change = step.charges.next_change(step.begin).saturating_sub(1);
        let cycles = step.cycles_alike(until_reset.min(until_change), step.tree.id_count());
        let slurm = &step.settings.slurm;
        let weights = Weights::new(slurm);
        let period = step.first_cycle(step.next);
        let charged = self
            .running
            .within(step.charges, period, |charge| weights.amount(charge));
        let left = Extended::finite_or_zero(left_after(slurm, step.cycle));
        self.perform(Sums::new(step.tree, &charged), left, cycles);
        step.after(cycles)
    }

    fn forget_charges(&mut self) {
        self.running = Running::default();
    }

    /// Returns the usage as the tree states it: for accounts only if their usage was stated before.
    fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        let held = self.usage[node.index()];
        let is_none = tree.is_account(node) || held.is_zero();
        if tree.usage(node).amount().is_none() && is_none {
            return Usage::NONE;
        }
        Usage::new(held.to_f64().min(f64::MAX))
    }

    fn amount(&self, node: NodeId) -> f64 {
        self.usage[node.index()].to_f64()
    }

    fn held(&self, node: NodeId) -> Extended {
        self.usage[node.index()]
    }

    fn usage_state(&self, tree: &Tree) -> UsageState {
        UsageState::of(tree, Amounts::Long(Arc::clone(&self.usage)))
    }
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
fn next_reset(period: UsageResetPeriod, after: i64, zone: &TimeZone) -> Option<i64> {
    let now = Timestamp::from_second(after).ok()?.to_zoned(zone.clone());
    let today = now.date();
    let next = match period {
        // NOW resets when the controller starts, which was before the snapshot.
        UsageResetPeriod::None | UsageResetPeriod::Now => return None,
        UsageResetPeriod::Daily => today.tomorrow(),
        UsageResetPeriod::Weekly => today.nth_weekday(1, Weekday::Sunday),
        UsageResetPeriod::Monthly => today.first_of_month().checked_add(1.month()),
        UsageResetPeriod::Quarterly => {
            let months = 3 - (today.month() - 1) % 3;
            let span = i64::from(months).months();
            today.first_of_month().checked_add(span)
        }
        UsageResetPeriod::Yearly => today.first_of_year().checked_add(1.year()),
    };
    let midnight = next.ok()?.to_zoned(zone.clone()).ok()?;
    Some(midnight.timestamp().as_second())
}
