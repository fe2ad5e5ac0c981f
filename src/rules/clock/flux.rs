//! Flux's clock: usage is kept in bins, and a run of `flux account-update-usage` every hour moves them.
//!
//! Between two shifts nothing decays. At a shift every bin is multiplied and moves one period back, and the content of
//! the oldest is dropped. `end_half_life_period` moves by one period a run, so after a pause it takes several runs to
//! catch up. See [`Period`] for the four branches that a run can take for an association.
//!
//! The usage of a pace is modelled as one job an hour that ends before the run. Only a job that runs while the bins
//! shift ends after the shift, and the next run counts it. If a job ends between the end of the period and the run,
//! Flux puts past usage into the first bin a second time. With a run every hour a site seldom sees that.

mod update;

pub use update::{Branch, JobUsageFactor, NewJobs, Period, Totals, usage_of};
use update::{add, rounded, sum};

use super::charges::Charge;
use super::{Assumption, SchedulerClock, Step};
use crate::model::{Amounts, Bins, Flux, NodeId, Settings, Tree, Usage, UsageState};
use std::sync::Arc;

/// Seconds between two runs: what sites commonly tell cron.
pub(super) const CYCLE: u64 = 60 * 60;

/// Usage by node id, and the bins that hold it.
#[derive(Clone, Debug)]
pub(super) struct FluxClock {
    /// `job_usage` of the associations. For an account the sum below it, if the tree states its usage.
    usage: Vec<f64>,
    bins: Bins,
    /// Whether the source had bins; otherwise all usage is assumed to belong to the current period.
    has_bins: bool,
    /// Whether any user has a job that is still running.
    anyone_waits: bool,
    /// Whether the tree states usage of accounts, which must then be kept up to date.
    states_accounts: bool,
}

/// Returns how many bins a new association gets.
pub fn bin_count(settings: &Flux) -> usize {
    /// The number that flux-accounting uses if the settings give none.
    const USUAL: usize = 4;
    /// Each bin is a column of a table. SQLite allows 2000 columns, and four hold other things.
    const MOST: usize = 1996;
    match settings.usage_reset_period / settings.decay_half_life.max(1) {
        0 => USUAL,
        count => (count as usize).min(MOST),
    }
}

/// Returns how many bins an association has that has so many in the source. flux-accounting rounds the number down when it
/// adds an association, and up when its settings are edited; settings that give neither are not those of the source.
pub fn bins_held(settings: &Flux, known: usize) -> usize {
    let half_life = settings.decay_half_life.max(1);
    let up = settings.usage_reset_period.div_ceil(half_life) as usize;
    if known > 0 && known == up {
        known
    } else {
        bin_count(settings)
    }
}

/// Returns the moment of the snapshot if the source does not tell it: when the current period was to end, or 1970.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a moment beyond the years of an i64 is the last there is"
)]
pub(super) fn moment(settings: &Flux) -> i64 {
    settings.end_half_life_period as i64
}

/// Returns the clock's own `end_half_life_period`. Without one in the source, the period begins with the snapshot.
pub(super) fn period_end(settings: &Flux, epoch: i64) -> f64 {
    let recorded = settings.end_half_life_period;
    match settings.period_end {
        Some(end) => end,
        None if recorded == 0.0 => epoch as f64,
        None => recorded,
    }
}

/// When the bins shift next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// When it is due, in seconds after the snapshot.
    pub due: u64,
    /// How many earlier shifts are overdue. Each run makes up for one.
    pub overdue: u64,
}

/// Returns the first shift due after a moment, in seconds after `epoch`. `None` if that is beyond the end of time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of what is below 0 gives 0, and of what is too large the largest"
)]
pub(super) fn next_shift(settings: &Flux, epoch: i64, after: u64) -> Option<Shift> {
    let half_life = u64::from(settings.decay_half_life.max(1));
    // A period ends one half-life after its noted end, and the run that sees this comes later.
    let first = period_end(settings, epoch) - epoch as f64 + half_life as f64 + 1.0;
    let since = after as f64 - first;
    let overdue = if since < 0.0 {
        0
    } else {
        (since as u64 / half_life).checked_add(1)?
    };
    let due = first + overdue as f64 * half_life as f64;
    (due < u64::MAX as f64).then_some(Shift {
        due: (due as u64).max(after.checked_add(1)?),
        overdue,
    })
}

impl FluxClock {
    /// Returns the clock of a tree, with the bins of the source or those in which another clock left it.
    pub(super) fn new(tree: &Tree, settings: &Flux) -> Self {
        let usage_state = tree.shared_usage_state();
        let source = usage_state.as_deref();
        let source_bins = source.and_then(UsageState::bins);
        let mut usage = Vec::with_capacity(tree.id_count());
        let mut counts = Vec::with_capacity(tree.id_count());
        let mut states_accounts = false;
        for node in (0..tree.id_count()).map(NodeId::from_index) {
            let stated = tree.usage(node).amount();
            usage.push(stated.unwrap_or(0.0));
            if tree.is_account(node) {
                states_accounts |= stated.is_some() && tree.contains(node);
                counts.push(0);
            } else {
                let known = source_bins.map_or(0, |bins| bins.get(node).len());
                counts.push(bins_held(settings, known));
            }
        }
        let mut clock = Self {
            bins: Bins::with_counts(counts.into_iter()),
            usage,
            has_bins: source_bins.is_some_and(|bins| !bins.is_empty()),
            anyone_waits: false,
            states_accounts,
        };
        for node in (0..tree.id_count()).map(NodeId::from_index) {
            clock.fill(node, source);
        }
        clock
    }

    /// Fills the bins of an association: as in the source, adjusted to its present usage, or all of it in the first.
    fn fill(&mut self, node: NodeId, source: Option<&UsageState>) {
        let amount = self.usage[node.index()];
        let bins = self.bins.get_mut(node);
        let Some(first) = bins.first_mut() else {
            return;
        };
        *first = amount;
        let Some(source) = source else {
            return;
        };
        let Some(source_bins) = source.bins() else {
            return;
        };
        let known = source_bins.get(node);
        if !known.is_empty() {
            let kept = known.len().min(bins.len());
            bins[..kept].copy_from_slice(&known[..kept]);
            let before = source.usage(node).amount().unwrap_or(0.0);
            adjust(bins, before, amount);
        }
        let waiting = source_bins.waiting(node);
        self.anyone_waits |= waiting != 0.0;
        self.bins.set_waiting(node, waiting);
    }

    /// Performs so many runs before the end of the period, each with the same jobs.
    fn run(&mut self, tree: &Tree, running: &[Charge], runs: u64) {
        let mut runs = runs;
        if self.anyone_waits {
            // Jobs that were still running are counted in the first run only.
            self.wait(running);
            for &node in tree.nodes() {
                self.count(node, 1);
            }
            self.anyone_waits = false;
            runs -= 1;
        }
        if runs > 0 {
            self.wait(running);
            for charge in running {
                self.count(charge.node, runs);
            }
        }
        self.sum_accounts(tree);
    }

    /// Performs a run at or after the end of the period: the bins shift, and running jobs go on.
    fn late_run(&mut self, tree: &Tree, period: Period, jobs: &[Charge]) {
        for &node in tree.nodes() {
            let bins = self.bins.get_mut(node);
            if !bins.is_empty() {
                period.update(bins, &mut self.usage[node.index()], None);
            }
        }
        self.wait(jobs);
        self.anyone_waits |= !jobs.is_empty();
        self.sum_accounts(tree);
    }

    /// Notes the usage until the run, as one job for each user that uses something.
    fn wait(&mut self, running: &[Charge]) {
        for charge in running {
            let used = rounded(charge.rate * charge.seconds as f64);
            let waiting = self.bins.waiting(charge.node) + used;
            self.bins.set_waiting(charge.node, waiting);
        }
    }

    /// Counts the pending usage of an association, as the jobs of `runs` runs.
    fn count(&mut self, node: NodeId, runs: u64) {
        let amount = self.bins.waiting(node);
        if amount != 0.0 {
            self.bins.set_waiting(node, 0.0);
            let bins = self.bins.get_mut(node);
            for _ in 0..runs {
                add(bins, amount);
            }
            self.usage[node.index()] = sum(bins);
        }
    }

    /// Keeps the usage of accounts up to date, if the tree states any.
    fn sum_accounts(&mut self, tree: &Tree) {
        if self.states_accounts {
            sum_banks(tree, &mut self.usage);
        }
    }
}

impl SchedulerClock for FluxClock {
    fn copied(&self) -> Box<dyn SchedulerClock> {
        Box::new(self.clone())
    }

    fn cycle(&self, _settings: &Settings) -> u64 {
        CYCLE
    }

    /// Usage is remembered as long as there are bins.
    fn round(&self, settings: &Settings) -> u64 {
        let bins = bin_count(&settings.flux) as u64;
        u64::from(settings.flux.decay_half_life).saturating_mul(bins)
    }

    /// The mean over a period with as much new usage as before.
    fn lost_per_second(&self, settings: &Settings) -> f64 {
        let settings = &settings.flux;
        let mut left = 1.0;
        let mut past = 0.0;
        for _ in 1..bin_count(settings) {
            left *= settings.decay_factor;
            past += left;
        }
        1.0 / (f64::from(settings.decay_half_life.max(1)) * (0.5 + past))
    }

    fn next_turn(&self, settings: &Settings, epoch: i64, after: u64) -> Option<u64> {
        let shift = next_shift(&settings.flux, epoch, after)?;
        Some(shift.due)
    }

    fn assumptions(&self, _settings: &Settings) -> Vec<Assumption> {
        let mut assumptions = vec![Assumption::HourlyUpdate, Assumption::CountedAtOnce];
        if !self.has_bins {
            assumptions.push(Assumption::NoBins);
        }
        assumptions
    }

    fn pass(&mut self, step: Step<'_>) -> u64 {
        let running: Vec<Charge> = step.charges.between(step.begin, step.next).collect();
        let most = step.cycles_alike(step.end, running.len());
        let from = step.in_unix_seconds(step.begin);
        let period = Period::at(&step.settings.flux, step.epoch, from);
        let runs = runs_before_shift(period, from, most);
        if runs > 0 {
            self.run(step.tree, &running, runs);
            return step.after(runs);
        }
        let period = Period {
            now: step.in_unix_seconds(step.next) as f64,
            ..period
        };
        self.late_run(step.tree, period, &running);
        step.settings.flux.period_end = Some(period.next_end());
        step.after(1)
    }

    /// Returns the usage as the tree states it: for accounts only if their usage was stated before.
    fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        let amount = self.usage[node.index()];
        let is_none = tree.is_account(node) || amount == 0.0;
        if tree.usage(node).amount().is_none() && is_none {
            return Usage::NONE;
        }
        Usage::new(amount)
    }

    fn amount(&self, node: NodeId) -> f64 {
        self.usage[node.index()]
    }

    fn usage_state(&self, tree: &Tree) -> UsageState {
        let amounts = Amounts::Doubles(self.usage.clone());
        UsageState::of(tree, amounts).with_bins(Arc::new(self.bins.clone()))
    }
}

/// Returns how many of the next runs after a moment come before a shift, at most so many; 0 if the next one shifts.
fn runs_before_shift(period: Period, from: i64, most: u64) -> u64 {
    let seconds = period.end + period.half_life - from as f64;
    let room = (seconds / CYCLE as f64).ceil();
    // Casting a number below 0 gives 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is only where to look first"
    )]
    let mut runs = most.min(room as u64);
    while runs > 0 {
        let moment = from.saturating_add_unsigned(runs.saturating_mul(CYCLE));
        let last = Period {
            now: moment as f64,
            ..period
        };
        if last.runs_on() {
            break;
        }
        runs -= 1;
    }
    runs
}

impl Period {
    /// Returns the period as a run at a moment, in Unix seconds, knows it.
    fn at(settings: &Flux, epoch: i64, now: i64) -> Self {
        Self {
            half_life: f64::from(settings.decay_half_life),
            end: period_end(settings, epoch),
            decay_factor: settings.decay_factor,
            now: now as f64,
        }
    }
}

/// Sets the usage of every account, by id, to the sum below it as a run does: users in order, then bank by bank.
pub fn sum_banks(tree: &Tree, usage: &mut [f64]) {
    // The accounts above the current node that are not summed yet.
    let mut open: Vec<NodeId> = Vec::new();
    for &node in tree.nodes() {
        close_banks(&mut open, tree.depth(node) as usize, usage);
        if tree.is_account(node) {
            usage[node.index()] = 0.0;
            open.push(node);
        } else if let Some(bank) = open.last() {
            usage[bank.index()] += usage[node.index()];
        }
    }
    close_banks(&mut open, 0, usage);
}

/// Adds the usage of the innermost open banks to the banks above, until only so many are open.
fn close_banks(open: &mut Vec<NodeId>, depth: usize, usage: &mut [f64]) {
    while open.len() > depth {
        let done = open.pop();
        if let (Some(done), Some(&above)) = (done, open.last()) {
            usage[above.index()] += usage[done.index()];
        }
    }
}

/// Adjusts bins after an edit of usage: more goes into the current period, less is taken from all in proportion.
fn adjust(bins: &mut [f64], before: f64, after: f64) {
    if after > before {
        add(bins, after - before);
    } else if after < before {
        for bin in bins {
            *bin *= after / before;
        }
    }
}
