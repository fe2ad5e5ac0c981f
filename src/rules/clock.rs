//! The scheduler's clock: as time passes, usage decays and is charged.
//!
//! Each scheduler has its own rule, followed to the bit where it is known. PBS multiplies usage once per whole
//! interval, Slurm at every calculation. The usage of a tree of our own decays smoothly. Time advances in cycles on a
//! grid that begins at the snapshot. So the result does not depend on how many steps the time is split into.

mod assumption;
mod charges;
pub mod flux;
pub mod pbs;
mod plain;
mod slurm;

use crate::base::extended::Extended;
use crate::model::{Amounts, NodeId, Pace, Scheduler, Settings, Tree, Usage, UsageState};
pub use assumption::Assumption;
use charges::{Charge, Charges, Running, Sums};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Called with the seconds that have passed. Returning `Break` stops the clock early.
pub type OnSeconds<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// How many products are computed between two calls of [`OnSeconds`]: some hundredths of a second of work.
const AT_A_TIME: u64 = 1 << 25;

/// A tree's usage at a moment, which can be moved forward in time.
#[derive(Clone, Debug)]
pub struct Clock {
    tree: Tree,
    settings: Settings,
    epoch: i64,
    /// Up to when what ended is charged, in seconds since the snapshot.
    settled: u64,
    state: State,
}

/// What is charged while time passes.
struct Charging {
    charges: Charges,
    pbs: Running<f64>,
    slurm: Running<Extended>,
}

impl Charging {
    fn of(pace: &Pace) -> Self {
        Self {
            charges: Charges::of(pace),
            pbs: Running::default(),
            slurm: Running::default(),
        }
    }
}

#[derive(Clone, Debug)]
enum State {
    Pbs(pbs::PbsMemory),
    Slurm(slurm::SlurmMemory),
    Flux(flux::FluxMemory),
    Plain(plain::PlainMemory),
}

/// Returns the moment of the snapshot in Unix seconds, or its substitute if the source does not tell.
fn epoch(settings: &Settings) -> i64 {
    let known = settings.time.epoch.or(settings.time.taken);
    known.unwrap_or_else(|| match settings.scheduler {
        Some(Scheduler::Flux) => flux::moment(&settings.flux),
        _ => settings.pbs.last_decay,
    })
}

/// Returns when Slurm resets all usage next after a moment, both in seconds since the snapshot.
fn next_reset(settings: &Settings, epoch: i64, after: u64) -> u64 {
    // If the source does not tell its date, midnight is not known either.
    let moment = settings.time.taken.and_then(|_| {
        let after = epoch.saturating_add_unsigned(after);
        let zone = settings.time.local_zone();
        slurm::next_reset(settings.slurm.usage_reset_period, after, &zone)
    });
    moment.map_or(u64::MAX, |moment| {
        u64::try_from(moment.saturating_sub(epoch)).unwrap_or(0)
    })
}

/// Returns when Flux shifts the bins next, or `None` if that is beyond the end of time.
pub fn next_shift(settings: &Settings) -> Option<flux::Shift> {
    let (mut flux, epoch) = (settings.flux.clone(), epoch(settings));
    flux::begin(&mut flux, epoch);
    flux::next_shift(&flux, epoch, settings.time.passed)
}

/// Returns the missed decays that PBS's next cycle makes up for, or `None` if there is at most the one due.
pub fn overdue_decays(settings: &Settings) -> Option<pbs::Overdue> {
    if !pbs::is_decaying(settings) {
        return None;
    }
    let next = (settings.time.passed / pbs::CYCLE + 1).saturating_mul(pbs::CYCLE);
    let now = epoch(settings).saturating_add_unsigned(next);
    pbs::overdue(&settings.pbs, now).filter(|overdue| overdue.times > 1)
}

impl Clock {
    /// Returns the clock of a tree, at the time in `settings.time`.
    pub fn of(tree: &Tree, settings: &Settings) -> Self {
        let state = match settings.scheduler {
            Some(Scheduler::Pbs) => State::Pbs(pbs::PbsMemory::of(tree)),
            Some(Scheduler::Slurm) => State::Slurm(slurm::SlurmMemory::of(tree)),
            Some(Scheduler::Flux) => State::Flux(flux::FluxMemory::of(tree, &settings.flux)),
            None => State::Plain(plain::PlainMemory::of(tree, settings)),
        };
        let mut settings = settings.clone();
        let epoch = epoch(&settings);
        settings.time.epoch = Some(epoch);
        let passed = settings.time.passed;
        if let State::Flux(_) = state {
            flux::begin(&mut settings.flux, epoch);
        }
        Self {
            tree: tree.clone(),
            settings,
            epoch,
            settled: passed,
            state,
        }
    }

    /// Returns the seconds that have passed since the snapshot.
    pub fn passed(&self) -> u64 {
        self.settings.time.passed
    }

    /// Replaces the assumed usage rates of the time to come.
    pub fn set_pace(&mut self, pace: Arc<Pace>) {
        self.settings.time.pace = pace;
    }

    /// Returns the seconds between the moments at which the scheduler updates usage. Nothing changes in between.
    pub fn cycle(&self) -> u64 {
        match self.state {
            State::Pbs(_) => pbs::CYCLE,
            State::Slurm(_) => slurm::period(&self.settings.slurm),
            State::Flux(_) => flux::CYCLE,
            State::Plain(_) => 1,
        }
    }

    /// Returns whether usage decays continuously instead of in cycles.
    pub fn is_smooth(&self) -> bool {
        matches!(self.state, State::Plain(_))
    }

    /// Returns the number of seconds after which everything repeats if all usage rates stay as they are: one PBS decay
    /// interval, or as long as Flux remembers.
    pub fn round(&self) -> u64 {
        let round = match self.state {
            State::Pbs(_) => u64::try_from(self.settings.pbs.fairshare_decay_time).unwrap_or(0),
            State::Flux(_) => flux::memory(&self.settings.flux),
            State::Slurm(_) | State::Plain(_) => 0,
        };
        round.max(self.cycle())
    }

    /// Returns the moments at which much usage is dropped at once, in seconds since the snapshot: Slurm resets all of
    /// it to 0, Flux drops the oldest bins. They are in order, from now until the first one past `until`, and at most
    /// 1000.
    pub fn turns(&self, until: u64) -> Vec<u64> {
        /// Three years of days.
        const MOST: usize = 1000;
        let passed = self.passed();
        let next = |after: u64| match self.state {
            State::Slurm(_) => Some(next_reset(&self.settings, self.epoch, after))
                .filter(|&reset| reset < u64::MAX),
            State::Flux(_) => {
                flux::next_shift(&self.settings.flux, self.epoch, after).map(|shift| shift.due)
            }
            State::Pbs(_) | State::Plain(_) => None,
        };
        let moments = std::iter::successors(next(passed), |&moment| {
            next(moment).filter(|_| moment <= until)
        });
        moments.take(MOST).collect()
    }

    /// Lets time pass: usage decays and is charged. If `progress` breaks off, the clock stays at the moment it reached.
    pub fn advance(&mut self, seconds: u64, progress: OnSeconds<'_>) -> ControlFlow<()> {
        let begin = self.passed();
        let end = begin.saturating_add(seconds);
        let mut charging = Charging::of(&self.settings.time.pace);
        while self.passed() < end {
            let next = self.step(&mut charging, end);
            self.settings.time.passed = next.min(end);
            progress(self.passed() - begin)?;
        }
        ControlFlow::Continue(())
    }

    /// Computes one or more cycles in which the same users use something, none of which ends after `end`, and returns
    /// the moment after them. Computing them does not take long.
    fn step(&mut self, charging: &mut Charging, end: u64) -> u64 {
        let charges = &charging.charges;
        let cycle = self.cycle();
        let begin = self.passed() / cycle * cycle;
        let next = begin.saturating_add(cycle);
        let [from, now] = [begin, next].map(|passed| self.epoch.saturating_add_unsigned(passed));
        if let State::Slurm(memory) = &mut self.state {
            let settled = std::mem::replace(&mut self.settled, next.min(end));
            let ended = charges.ended(begin, settled, next.min(end));
            memory.end(&self.tree, &self.settings.slurm, ended);
        }
        if next > end {
            return end;
        }
        let quiet = end.min(charges.next_change(begin));
        let alike = |until: u64, numbers: usize| {
            let most = (AT_A_TIME / numbers.max(1) as u64).max(1);
            (quiet.min(until).saturating_sub(begin) / cycle).clamp(1, most)
        };
        let nodes = self.tree.id_count();
        let cycles = match &mut self.state {
            State::Pbs(memory) => {
                memory.cycle(&mut self.settings, now);
                let without_decay = pbs::cycles_without_decay(&self.settings, now);
                let cycles = alike(end, nodes).min(without_decay.max(1));
                if pbs::is_charging(&self.settings) {
                    // Usage of a cycle is added when the next one begins, after the decay.
                    let amount = |charge: Charge| charge.rate * charge.seconds as f64;
                    let running = &mut charging.pbs;
                    let charged = running.within(charges, [begin, next], begin, amount);
                    let amounts = Sums::of(&self.tree, &charged);
                    memory.charge_cycles(&amounts, cycles);
                }
                cycles
            }
            State::Slurm(memory) => {
                let reset = next_reset(&self.settings, self.epoch, begin);
                let until_reset = if reset <= next {
                    memory.reset();
                    next
                } else {
                    reset - 1
                };
                // What ends in the second of a calculation ends before it.
                let until_change = charges.next_change(begin).saturating_sub(1);
                let cycles = alike(until_reset.min(until_change), nodes);
                let amount = slurm::charged(&self.settings.slurm, cycle);
                let running = &mut charging.slurm;
                let charged = running.within(charges, [begin, next], next, amount);
                memory.pass(&self.tree, &self.settings.slurm, &charged, cycles);
                cycles
            }
            State::Flux(memory) => {
                let settings = &mut self.settings.flux;
                let running: Vec<_> = charges.between(begin, next).collect();
                let runs = alike(end, running.len());
                match flux::FluxMemory::runs_before_shift(settings, from, runs) {
                    0 => {
                        memory.late_run(&self.tree, settings, now, &running);
                        1
                    }
                    runs => {
                        memory.run(&self.tree, &running, runs);
                        runs
                    }
                }
            }
            State::Plain(memory) => {
                memory.pass(&self.tree, &self.settings, charges, end);
                return end;
            }
        };
        begin + cycles * cycle
    }

    /// Returns the fraction of usage that decays per second, on average.
    pub fn lost_per_second(&self) -> f64 {
        match &self.state {
            State::Pbs(_) => pbs::lost_per_second(&self.settings),
            State::Slurm(_) => slurm::lost_per_second(&self.settings.slurm),
            State::Flux(_) => flux::lost_per_second(&self.settings.flux),
            State::Plain(_) => plain::lost_per_second(&self.settings),
        }
    }

    /// Returns whether the scheduler charges usage: PBS does so only while `fair_share` is on.
    pub fn is_charging(&self) -> bool {
        match self.state {
            State::Pbs(_) => pbs::is_charging(&self.settings),
            State::Slurm(_) | State::Flux(_) | State::Plain(_) => true,
        }
    }

    /// Returns the rates that keep everybody's usage at its present value, together with the planned campaigns.
    pub fn steady(&self) -> Pace {
        let lost = self.is_charging().then(|| self.lost_per_second());
        let lost = lost.unwrap_or(0.0);
        let mut pace = self.settings.time.pace.plans();
        for node in self.tree.users() {
            let usage = self.usage(node).amount().unwrap_or(0.0);
            if usage * lost > 0.0 {
                pace.set_rate(node, usage * lost);
            }
        }
        pace
    }

    /// Returns the usage of a node at this moment, as its scheduler would show or write it. It is none for accounts
    /// whose usage follows from their members.
    pub fn usage(&self, node: NodeId) -> Usage {
        match &self.state {
            State::Pbs(memory) => memory.usage(&self.tree, node),
            State::Slurm(memory) => memory.usage(&self.tree, node),
            State::Flux(memory) => memory.usage(&self.tree, node),
            State::Plain(memory) => memory.usage(node),
        }
    }

    /// Returns the usage of a node as its scheduler holds it.
    pub(crate) fn held(&self, node: NodeId) -> Extended {
        match &self.state {
            State::Slurm(memory) => memory.in_memory(node),
            _ => Extended::from_f64(self.in_memory(node).0).unwrap_or(Extended::ZERO),
        }
    }

    /// Returns what part of usage is left after seconds of whole cycles, if each of them decays usage; otherwise 1.
    pub fn left_after(&self, seconds: u64) -> f64 {
        match &self.state {
            State::Slurm(_) => slurm::left_after_cycles(&self.settings.slurm, seconds),
            State::Pbs(_) | State::Flux(_) | State::Plain(_) => 1.0,
        }
    }

    /// Returns the usage of a node as its scheduler holds it: the nearest double, and the remainder of a longer number.
    pub fn in_memory(&self, node: NodeId) -> (f64, f64) {
        match &self.state {
            State::Pbs(memory) => (memory.in_memory(node), 0.0),
            State::Slurm(memory) => slurm::parts(memory.in_memory(node)),
            State::Flux(memory) => (memory.in_memory(node), 0.0),
            State::Plain(memory) => (memory.usage(node).amount().unwrap_or(0.0), 0.0),
        }
    }

    /// Returns the tree at this moment, including the scheduler's internal state of usage.
    pub fn tree(&self) -> Tree {
        let mut tree = self.tree.clone();
        let count = tree.id_count();
        let ids = || (0..count).map(NodeId::from_index);
        let doubles = || Amounts::Doubles(ids().map(|node| self.in_memory(node).0).collect());
        tree.set_usages(ids().map(|node| self.usage(node)).collect());
        let usage_state = match &self.state {
            State::Pbs(_) => UsageState::of(&tree, doubles()),
            State::Slurm(memory) => UsageState::of(&tree, Amounts::Long(memory.all())),
            State::Flux(memory) => UsageState::of(&tree, doubles()).with_bins(memory.bins()),
            State::Plain(memory) => memory.usage_state(&tree),
        };
        tree.set_usage_state(Some(usage_state));
        tree
    }

    /// Returns what this clock assumes beyond the scheduler's own rule.
    pub fn assumptions(&self) -> Vec<Assumption> {
        match &self.state {
            State::Flux(memory) => memory.assumptions(),
            State::Pbs(_) => pbs::assumptions(&self.settings).collect(),
            State::Slurm(_) | State::Plain(_) => Vec::new(),
        }
    }

    /// Returns the settings at this moment, with the time that has passed and the scheduler's note of its last decay.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
