//! The scheduler's clock: as time passes, usage decays and is charged.
//!
//! Each scheduler has its own rule, followed to the bit where it is known. PBS multiplies usage once per whole
//! interval, Slurm at every calculation. The usage of a tree of our own decays smoothly. Time advances in cycles on a
//! grid that begins at the snapshot. So the result does not depend on how many steps the time is split into.
//!
//! [`Clock`] moves time on; the rule of each scheduler is a `SchedulerClock` in a file of its own.

mod assumption;
mod charges;
pub mod flux;
mod half_life;
pub mod pbs;
mod plain;
mod slurm;

use crate::base::extended::Extended;
use crate::model::{Amounts, NodeId, Pace, Scheduler, Settings, Tree, Usage, UsageState};
pub use assumption::Assumption;
use charges::{ChargedPeriod, Charges};
pub(crate) use half_life::{USUAL_HALF_LIVES, half_life, span_ahead, usual_span};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Called with the seconds that have passed. Returning `Break` stops the clock early.
pub type OnSeconds<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// How many products are computed between two calls of [`OnSeconds`]: some hundredths of a second of work.
const AT_A_TIME: u64 = 1 << 25;

/// How a scheduler's usage changes as time passes, and the usage as the scheduler holds it.
trait SchedulerClock: Debug + Send + Sync {
    /// Returns a copy.
    fn copied(&self) -> Box<dyn SchedulerClock>;

    /// Returns the seconds between the moments at which the scheduler updates usage.
    fn cycle(&self, settings: &Settings) -> u64;

    /// Returns the seconds after which everything repeats if all usage rates stay as they are, or 0 if one cycle tells all.
    fn round(&self, _settings: &Settings) -> u64 {
        0
    }

    /// Returns whether usage decays continuously instead of in cycles.
    fn is_smooth(&self) -> bool {
        false
    }

    /// Returns whether the scheduler charges usage.
    fn is_charging(&self, _settings: &Settings) -> bool {
        true
    }

    /// Returns the fraction of usage that decays per second, on average.
    fn lost_per_second(&self, settings: &Settings) -> f64;

    /// Returns what part of usage is left after seconds of whole cycles, if each of them decays usage; otherwise 1.
    fn left_after(&self, _settings: &Settings, _seconds: u64) -> f64 {
        1.0
    }

    /// Returns the next moment at which much usage is dropped at once, in seconds since the snapshot, which was at `epoch`.
    /// `None` if there is none.
    fn next_turn(&self, _settings: &Settings, _epoch: i64, _after: u64) -> Option<u64> {
        None
    }

    /// Returns what is assumed beyond the scheduler's own rule.
    fn assumptions(&self, _settings: &Settings) -> Vec<Assumption> {
        Vec::new()
    }

    /// Charges what ended since the cycle before.
    fn charge_ended(&mut self, _step: &Step<'_>) {}

    /// Computes one or more cycles in which the same users use something, and returns the moment after them.
    fn pass(&mut self, step: Step<'_>) -> u64;

    /// Forgets what was charged under a pace, which may change before time goes on.
    fn forget_charges(&mut self) {}

    /// Returns the usage of a node as its scheduler would show or write it.
    fn usage(&self, tree: &Tree, node: NodeId) -> Usage;

    /// Returns the usage of a node in memory, rounded to a double.
    fn amount(&self, node: NodeId) -> f64;

    /// Returns the usage of a node in memory.
    fn held(&self, node: NodeId) -> Extended {
        Extended::finite_or_zero(self.amount(node))
    }

    /// Returns what the tree needs for time to go on from this moment.
    fn usage_state(&self, tree: &Tree) -> UsageState {
        let mut amounts = Vec::with_capacity(tree.id_count());
        for node in tree.all_ids() {
            amounts.push(self.amount(node));
        }
        UsageState::of(tree, Amounts::Doubles(amounts))
    }
}

/// A step of the clock: from the beginning of a cycle to the end of one. Moments are in seconds since the snapshot.
struct Step<'a> {
    tree: &'a Tree,
    settings: &'a mut Settings,
    charges: &'a Charges,
    /// The moment of the snapshot in Unix seconds.
    epoch: i64,
    /// The length of a cycle.
    cycle: u64,
    /// When the first cycle begins.
    begin: u64,
    /// When the first cycle ends.
    next: u64,
    /// The moment up to which time passes. No cycle ends after it.
    end: u64,
}

impl Step<'_> {
    /// Returns a moment in Unix seconds.
    fn in_unix_seconds(&self, moment: u64) -> i64 {
        self.epoch.saturating_add_unsigned(moment)
    }

    /// Returns how many cycles up to a moment have the charges of the first one. They are at most as many as do not take
    /// long if each computes so many numbers, and at least 1.
    fn cycles_alike(&self, until: u64, numbers: usize) -> u64 {
        let most = (AT_A_TIME / numbers.max(1) as u64).max(1);
        let quiet = self.end.min(self.charges.next_change(self.begin));
        let seconds = quiet.min(until).saturating_sub(self.begin);
        (seconds / self.cycle).clamp(1, most)
    }

    /// Returns the first cycle as a period of charges. Campaigns that ended up to `over` are not charged.
    fn first_cycle(&self, over: u64) -> ChargedPeriod {
        ChargedPeriod {
            from: self.begin,
            until: self.next,
            over,
        }
    }

    /// Returns the moment after so many cycles.
    fn after(&self, cycles: u64) -> u64 {
        self.begin + cycles * self.cycle
    }
}

/// A tree's usage at a moment, which can be moved forward in time.
#[derive(Debug)]
pub struct Clock {
    tree: Tree,
    settings: Settings,
    /// The moment of the snapshot in Unix seconds.
    epoch: i64,
    scheduler: Box<dyn SchedulerClock>,
}

impl Clone for Clock {
    fn clone(&self) -> Self {
        Self {
            tree: self.tree.clone(),
            settings: self.settings.clone(),
            epoch: self.epoch,
            scheduler: self.scheduler.copied(),
        }
    }
}

/// Returns the moment of the snapshot in Unix seconds, or its substitute if the source does not tell.
fn epoch(settings: &Settings) -> i64 {
    let known = settings.time.epoch.or(settings.time.taken);
    known.unwrap_or_else(|| match settings.scheduler {
        Some(Scheduler::Flux) => flux::moment(&settings.flux),
        _ => settings.pbs.last_decay,
    })
}

/// Returns when Flux shifts the bins next, or `None` if that is beyond the end of time.
pub fn next_shift(settings: &Settings) -> Option<flux::Shift> {
    flux::next_shift(&settings.flux, epoch(settings), settings.time.passed)
}

/// Returns the missed decays that PBS's next cycle makes up for, or `None` if there is at most the one due.
pub fn overdue_decays(settings: &Settings) -> Option<pbs::Overdue> {
    if !pbs::is_decaying(settings) {
        return None;
    }
    let next = (settings.time.passed / pbs::CYCLE + 1).saturating_mul(pbs::CYCLE);
    let now = epoch(settings).saturating_add_unsigned(next);
    let overdue = pbs::overdue(&settings.pbs, now)?;
    (overdue.times > 1).then_some(overdue)
}

impl Clock {
    /// Returns the clock of a tree, at the time in `settings.time`.
    pub fn new(tree: &Tree, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        let epoch = epoch(&settings);
        settings.time.epoch = Some(epoch);
        let scheduler: Box<dyn SchedulerClock> = match settings.scheduler {
            Some(Scheduler::Pbs) => Box::new(pbs::PbsClock::new(tree)),
            Some(Scheduler::Slurm) => Box::new(slurm::SlurmClock::new(tree, &settings)),
            Some(Scheduler::Flux) => {
                let flux = &mut settings.flux;
                flux.period_end = Some(flux::period_end(flux, epoch));
                Box::new(flux::FluxClock::new(tree, flux))
            }
            None => Box::new(plain::PlainClock::new(tree, &settings)),
        };
        Self {
            tree: tree.clone(),
            settings,
            epoch,
            scheduler,
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
        self.scheduler.cycle(&self.settings)
    }

    /// Returns whether usage decays continuously instead of in cycles.
    pub fn is_smooth(&self) -> bool {
        self.scheduler.is_smooth()
    }

    /// Returns the number of seconds after which everything repeats if all usage rates stay as they are: one PBS decay
    /// interval, or as long as Flux remembers.
    pub fn round(&self) -> u64 {
        self.scheduler.round(&self.settings).max(self.cycle())
    }

    /// Returns the moments at which much usage is dropped at once, in seconds since the snapshot: Slurm resets all of
    /// it to 0, Flux drops the oldest bins. They are in order, from now until the first one past `until`, and at most
    /// 1000.
    pub fn turns(&self, until: u64) -> Vec<u64> {
        /// Three years of days.
        const MOST: usize = 1000;
        let mut turns = Vec::new();
        let mut after = self.passed();
        while turns.len() < MOST
            && let Some(turn) = self.scheduler.next_turn(&self.settings, self.epoch, after)
        {
            turns.push(turn);
            if turn > until {
                break;
            }
            after = turn;
        }
        turns
    }

    /// Lets time pass: usage decays and is charged. If `progress` breaks off, the clock stays at the moment it reached.
    pub fn advance(&mut self, seconds: u64, progress: OnSeconds<'_>) -> ControlFlow<()> {
        let begin = self.passed();
        let end = begin.saturating_add(seconds);
        let charges = Charges::new(&self.settings.time.pace);
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue() && self.passed() < end {
            let next = self.step(&charges, end);
            self.settings.time.passed = next.min(end);
            flow = progress(self.passed() - begin);
        }
        self.scheduler.forget_charges();
        flow
    }

    /// Computes one or more cycles in which the same users use something, none of which ends after `end`, and returns
    /// the moment after them. Computing them does not take long.
    fn step(&mut self, charges: &Charges, end: u64) -> u64 {
        let cycle = self.cycle();
        let begin = self.passed() / cycle * cycle;
        let next = begin.saturating_add(cycle);
        let step = Step {
            tree: &self.tree,
            settings: &mut self.settings,
            charges,
            epoch: self.epoch,
            cycle,
            begin,
            next,
            end,
        };
        self.scheduler.charge_ended(&step);
        if next > end {
            return end;
        }
        self.scheduler.pass(step)
    }

    /// Returns the fraction of usage that decays per second, on average.
    pub fn lost_per_second(&self) -> f64 {
        self.scheduler.lost_per_second(&self.settings)
    }

    /// Returns whether the scheduler charges usage: PBS does so only while `fair_share` is on.
    pub fn is_charging(&self) -> bool {
        self.scheduler.is_charging(&self.settings)
    }

    /// Returns the rates that keep everybody's usage at its present value, together with the planned campaigns.
    pub fn steady(&self) -> Pace {
        let mut pace = self.settings.time.pace.plans();
        if !self.is_charging() {
            return pace;
        }
        let lost = self.lost_per_second();
        for node in self.tree.charged() {
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
        self.scheduler.usage(&self.tree, node)
    }

    /// Returns the usage of a node as its scheduler holds it.
    pub fn held(&self, node: NodeId) -> Extended {
        self.scheduler.held(node)
    }

    /// Returns what part of usage is left after seconds of whole cycles, if each of them decays usage; otherwise 1.
    pub fn left_after(&self, seconds: u64) -> f64 {
        self.scheduler.left_after(&self.settings, seconds)
    }

    /// Returns the usage of a node as its scheduler holds it, rounded to a double.
    pub fn in_memory(&self, node: NodeId) -> f64 {
        self.scheduler.amount(node)
    }

    /// Returns the tree at this moment, including the scheduler's internal state of usage.
    pub fn tree(&self) -> Tree {
        let mut tree = self.tree.clone();
        let mut usages = Vec::with_capacity(tree.id_count());
        for node in tree.all_ids() {
            usages.push(self.usage(node));
        }
        tree.set_usages(usages);
        let usage_state = self.scheduler.usage_state(&tree);
        tree.set_usage_state(Some(usage_state));
        tree
    }

    /// Returns what this clock assumes beyond the scheduler's own rule.
    pub fn assumptions(&self) -> Vec<Assumption> {
        self.scheduler.assumptions(&self.settings)
    }

    /// Returns the settings at this moment, with the time that has passed and the scheduler's note of its last decay.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}
