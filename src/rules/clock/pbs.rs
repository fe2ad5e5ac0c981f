//! PBS's clock: whole intervals, a 32-bit factor, and never below 1.
//!
//! At the start of a cycle the scheduler decays once for each interval that has passed since the last decay, and then
//! notes the end of the last whole interval as the time of the last decay (`decay_fairshare_tree`,
//! `update_last_running`). The usage since the last cycle is added to the entity and to everything above it, summed
//! over entities. Every node has its own number, the root and `unknown` included. A number below 1 becomes 1.
//!
//! Usage decays while `fair_share` is on or a `job_sort_formula` is set, and is charged while `fair_share` is on
//! (`init_scheduling_cycle`, `end_cycle_tasks`). All time is assumed to be time in which `fair_share` is on.

use super::charges::{Charge, Running, Sums};
use super::{Assumption, SchedulerClock, Step};
use crate::model::{FairShare, NodeId, Pbs, Settings, Tree, Usage};
use crate::rules::policy::pbs::{INITIAL_USAGE, usage_in_memory};

/// Seconds between cycles: the default of `scheduler_iteration`.
pub(super) const CYCLE: u64 = 600;

/// Returns whether a cycle decays usage at all: while `fair_share` is on, or a `job_sort_formula` is set.
pub fn is_decaying(settings: &Settings) -> bool {
    settings.pbs.fair_share.is_on() || settings.formula.set.is_some()
}

/// Returns whether a cycle charges usage: while `fair_share` is on.
fn is_charging(settings: &Settings) -> bool {
    settings.pbs.fair_share.is_on()
}

/// Returns what is assumed of `fair_share` in the time to come.
fn fair_share_assumption(fair_share: FairShare) -> Option<Assumption> {
    match fair_share {
        FairShare::Always => None,
        FairShare::Never => Some(Assumption::NothingCharged),
        FairShare::Assumed => Some(Assumption::FairShareOn),
        FairShare::Prime => Some(Assumption::AlwaysPrime),
        FairShare::NonPrime => Some(Assumption::NeverPrime),
    }
}

/// Usage as the scheduler has it in memory, by node id.
#[derive(Clone, Debug)]
pub(super) struct PbsClock {
    usage: Vec<f64>,
    /// What is charged in each cycle.
    running: Running<f64>,
}

impl PbsClock {
    /// Returns the clock of a tree, with the usage in memory as after reading the files or as another clock left it.
    pub(super) fn new(tree: &Tree) -> Self {
        let usage = match tree.usage_state() {
            None => usage_in_memory(tree),
            Some(state) => {
                let mut usage = vec![INITIAL_USAGE; tree.id_count()];
                for &node in tree.nodes() {
                    usage[node.index()] = state.amount(node);
                }
                usage
            }
        };
        Self {
            usage,
            running: Running::default(),
        }
    }

    /// Adds what is charged in a cycle, so many times.
    fn charge_cycles(&mut self, amounts: &Sums<f64>, times: u64) {
        match amounts {
            Sums::OfAll(amounts) => self.charge_all(amounts, times),
            Sums::OfFew(amounts) => {
                for &(node, amount) in amounts {
                    let usage = &mut self.usage[node.index()];
                    for _ in 0..times {
                        *usage += amount;
                    }
                }
            }
        }
    }

    /// Adds amounts by node id, so many times.
    fn charge_all(&mut self, amounts: &[f64], times: u64) {
        /// How many nodes are summed side by side, because each sum waits for the one before it.
        const SIDE_BY_SIDE: usize = 16;
        let usage = self.usage.chunks_mut(SIDE_BY_SIDE);
        for (usage, amounts) in usage.zip(amounts.chunks(SIDE_BY_SIDE)) {
            if amounts.iter().all(|&amount| amount == 0.0) {
                continue;
            }
            let mut sums = [0.0; SIDE_BY_SIDE];
            let mut more = [0.0; SIDE_BY_SIDE];
            sums[..usage.len()].copy_from_slice(usage);
            more[..amounts.len()].copy_from_slice(amounts);
            for _ in 0..times {
                for (sum, more) in sums.iter_mut().zip(&more) {
                    *sum += more;
                }
            }
            usage.copy_from_slice(&sums[..usage.len()]);
        }
    }

    /// Multiplies all usage once (`decay_fairshare_tree`).
    fn decay(&mut self, factor: f32) {
        let factor = f64::from(factor);
        for usage in &mut self.usage {
            let decayed = *usage * factor;
            *usage = if decayed < INITIAL_USAGE {
                INITIAL_USAGE
            } else {
                decayed
            };
        }
    }

    /// Starts a cycle: decays, and notes the time of the last decay as PBS does.
    fn begin_cycle(&mut self, settings: &mut Settings, now: i64) {
        if !is_decaying(settings) {
            return;
        }
        let settings = &mut settings.pbs;
        if settings.last_decay == 0 {
            // Without a noted time PBS takes the present for the last decay.
            settings.last_decay = now;
        }
        let Some(overdue) = overdue(settings, now) else {
            return;
        };
        for _ in 0..overdue.times {
            // A usage of 1 stays 1: the rest of a long pause needs no counting.
            if self.usage.iter().all(|&usage| usage == INITIAL_USAGE) {
                break;
            }
            self.decay(settings.fairshare_decay_factor);
        }
        settings.last_decay = now.saturating_sub_unsigned(overdue.since % overdue.interval);
    }
}

impl SchedulerClock for PbsClock {
    fn copied(&self) -> Box<dyn SchedulerClock> {
        Box::new(self.clone())
    }

    fn cycle(&self, _settings: &Settings) -> u64 {
        CYCLE
    }

    fn round(&self, settings: &Settings) -> u64 {
        u64::try_from(settings.pbs.fairshare_decay_time).unwrap_or(0)
    }

    fn is_charging(&self, settings: &Settings) -> bool {
        is_charging(settings)
    }

    /// The mean of an interval.
    fn lost_per_second(&self, settings: &Settings) -> f64 {
        if !is_decaying(settings) {
            return 0.0;
        }
        let settings = &settings.pbs;
        match u64::try_from(settings.fairshare_decay_time) {
            Ok(interval @ 1..) => {
                (1.0 - f64::from(settings.fairshare_decay_factor)) / interval as f64
            }
            _ => 0.0,
        }
    }

    fn assumptions(&self, settings: &Settings) -> Vec<Assumption> {
        let mut assumptions = Vec::new();
        assumptions.extend(fair_share_assumption(settings.pbs.fair_share));
        assumptions.extend(settings.time.copied.map(Assumption::FromLastDecay));
        assumptions
    }

    fn pass(&mut self, step: Step<'_>) -> u64 {
        let now = step.in_unix_seconds(step.next);
        self.begin_cycle(step.settings, now);
        let without_decay = cycles_without_decay(step.settings, now).max(1);
        let alike = step.cycles_alike(step.end, step.tree.id_count());
        let cycles = alike.min(without_decay);
        if is_charging(step.settings) {
            // Usage of a cycle is added when the next one begins, after the decay.
            let period = step.first_cycle(step.begin);
            let amount = |charge: Charge| charge.rate * charge.seconds as f64;
            let charged = self.running.within(step.charges, period, amount);
            let sums = Sums::new(step.tree, &charged);
            self.charge_cycles(&sums, cycles);
        }
        step.after(cycles)
    }

    fn forget_charges(&mut self) {
        self.running = Running::default();
    }

    /// PBS writes to its usage file only nodes without children, and no usage of 1.
    fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        let amount = self.usage[node.index()];
        if tree.is_account(node) || amount == INITIAL_USAGE {
            return Usage::NONE;
        }
        Usage::new(amount)
    }

    fn amount(&self, node: NodeId) -> f64 {
        self.usage[node.index()]
    }
}

/// Missed decays that a cycle makes up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overdue {
    /// How many there are.
    pub times: u64,
    /// The seconds since the last decay.
    pub since: u64,
    /// The seconds between two decays.
    interval: u64,
}

/// Returns the missed decays that a cycle at this moment makes up for, or `None` if there are none.
pub(super) fn overdue(settings: &Pbs, now: i64) -> Option<Overdue> {
    let interval = u64::try_from(settings.fairshare_decay_time).ok()?;
    if settings.last_decay == 0 {
        return None;
    }
    let since = u64::try_from(now.saturating_sub(settings.last_decay)).unwrap_or(0);
    let times = since.saturating_sub(1).checked_div(interval)?;
    (times > 0).then_some(Overdue {
        times,
        since,
        interval,
    })
}

/// Returns how many cycles from this moment on do not decay: 0 if the cycle at this moment does.
fn cycles_without_decay(settings: &Settings, now: i64) -> u64 {
    if !is_decaying(settings) {
        return u64::MAX;
    }
    let settings = &settings.pbs;
    let Ok(interval @ 1..) = u64::try_from(settings.fairshare_decay_time) else {
        return u64::MAX;
    };
    if settings.last_decay == 0 {
        return 0;
    }
    let end = settings.last_decay.saturating_add_unsigned(interval);
    match u64::try_from(end.checked_sub(now).unwrap_or(-1)) {
        Ok(left) => left / CYCLE + 1,
        Err(_) => 0,
    }
}
