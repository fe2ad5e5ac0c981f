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

use super::Assumption;
use super::charges::Charge;
use crate::model::{Bins, Flux, Kind, NodeId, Tree, Usage};
use std::sync::Arc;

/// Seconds between two runs: what sites commonly tell cron.
pub(super) const CYCLE: u64 = 60 * 60;

/// Usage by node id, and the bins that hold it.
#[derive(Clone, Debug)]
pub(super) struct FluxMemory {
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

/// Sets the clock's own `end_half_life_period`. Without one in the source, the period begins with the snapshot.
pub(super) fn begin(settings: &mut Flux, epoch: i64) {
    let recorded = settings.end_half_life_period;
    settings.period_end.get_or_insert(if recorded == 0.0 {
        epoch as f64
    } else {
        recorded
    });
}

/// Returns for how many seconds usage is remembered: as long as there are bins.
pub(super) fn memory(settings: &Flux) -> u64 {
    u64::from(settings.decay_half_life).saturating_mul(bin_count(settings) as u64)
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
    let first = period_end(settings) - epoch as f64 + half_life as f64 + 1.0;
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

fn period_end(settings: &Flux) -> f64 {
    settings.period_end.unwrap_or(settings.end_half_life_period)
}

impl FluxMemory {
    pub(super) fn of(tree: &Tree, settings: &Flux) -> Self {
        let ids = || (0..tree.id_count()).map(NodeId::from_index);
        let usage_state = tree.shared_usage_state();
        let usage_state = usage_state.as_deref();
        let known = usage_state.and_then(|usage_state| Some((usage_state, usage_state.bins()?)));
        let mut bins = Bins::with_counts(ids().map(|node| match tree.kind(node) {
            Kind::Account => 0,
            Kind::User => bins_held(settings, known.map_or(0, |(_, bins)| bins.get(node).len())),
        }));
        let usage = ids().map(|node| tree.usage(node).amount().unwrap_or(0.0));
        let usage: Vec<f64> = usage.collect();
        let mut anyone_waits = false;
        for node in ids() {
            let amount = usage[node.index()];
            let here = bins.get_mut(node);
            if here.is_empty() {
                continue;
            }
            let before = known.and_then(|(usage_state, known)| {
                let bins = known.get(node);
                let usage = usage_state.usage(node).amount().unwrap_or(0.0);
                (!bins.is_empty()).then_some((bins, usage))
            });
            if let Some((known, before)) = before {
                let kept = known.len().min(here.len());
                here[..kept].copy_from_slice(&known[..kept]);
                edited(here, before, amount);
            } else {
                here[0] = amount;
            }
            let waiting = known.map_or(0.0, |(_, known)| known.waiting(node));
            anyone_waits |= waiting != 0.0;
            bins.set_waiting(node, waiting);
        }
        let is_stated = |&node: &NodeId| {
            tree.kind(node) == Kind::Account && tree.usage(node).amount().is_some()
        };
        Self {
            usage,
            bins,
            has_bins: known.is_some_and(|(_, bins)| !bins.is_empty()),
            anyone_waits,
            states_accounts: tree.nodes().iter().any(is_stated),
        }
    }

    pub(super) fn assumptions(&self) -> Vec<Assumption> {
        let mut assumptions = vec![Assumption::HourlyUpdate, Assumption::CountedAtOnce];
        if !self.has_bins {
            assumptions.push(Assumption::NoBins);
        }
        assumptions
    }

    pub(super) fn bins(&self) -> Arc<Bins> {
        Arc::new(self.bins.clone())
    }

    /// Returns the usage as the tree states it: for accounts only if their usage was stated before.
    pub(super) fn usage(&self, tree: &Tree, node: NodeId) -> Usage {
        let amount = self.usage[node.index()];
        if tree.usage(node).amount().is_none()
            && (tree.kind(node) == Kind::Account || amount == 0.0)
        {
            return Usage::NONE;
        }
        Usage::new(amount)
    }

    pub(super) fn in_memory(&self, node: NodeId) -> f64 {
        self.usage[node.index()]
    }

    /// Returns how many of the next `runs` runs come before a shift, or 0 if the next one shifts.
    pub(super) fn runs_before_shift(settings: &Flux, from: i64, runs: u64) -> u64 {
        let at = |runs: u64| from.saturating_add_unsigned(runs.saturating_mul(CYCLE));
        let room = period_end(settings) + f64::from(settings.decay_half_life);
        let room = ((room - from as f64) / CYCLE as f64).ceil();
        // Casting a number below 0 gives 0.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is only where to look first"
        )]
        let mut runs = runs.min(room as u64);
        while runs > 0 && !period(settings, at(runs)).runs_on() {
            runs -= 1;
        }
        runs
    }

    pub(super) fn run(&mut self, tree: &Tree, running: &[Charge], runs: u64) {
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
    pub(super) fn late_run(&mut self, tree: &Tree, settings: &mut Flux, now: i64, jobs: &[Charge]) {
        let period = period(settings, now);
        for &node in tree.nodes() {
            let bins = self.bins.get_mut(node);
            if !bins.is_empty() {
                period.update(bins, &mut self.usage[node.index()], None);
            }
        }
        settings.period_end = Some(period.next_end());
        self.wait(jobs);
        self.anyone_waits |= !jobs.is_empty();
        self.sum_accounts(tree);
    }

    /// Notes the usage until the run, as one job for each user that uses something.
    fn wait(&mut self, running: &[Charge]) {
        for charge in running {
            let used = update::rounded(charge.rate * charge.seconds as f64);
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
                update::add(bins, amount);
            }
            self.usage[node.index()] = update::sum(bins);
        }
    }

    fn sum_accounts(&mut self, tree: &Tree) {
        if self.states_accounts {
            sum_banks(tree, &mut self.usage);
        }
    }
}

/// Sets the usage of every account, by id, to the sum below it as a run does: users in order, then bank by bank.
pub fn sum_banks(tree: &Tree, usage: &mut [f64]) {
    // The accounts above the current node that are not summed yet.
    let mut open: Vec<NodeId> = Vec::new();
    let close = |open: &mut Vec<NodeId>, depth: usize, usage: &mut [f64]| {
        while open.len() > depth {
            let done = open.pop();
            if let (Some(done), Some(&above)) = (done, open.last()) {
                usage[above.index()] += usage[done.index()];
            }
        }
    };
    for &node in tree.nodes() {
        close(&mut open, tree.depth(node) as usize, usage);
        if tree.kind(node) == Kind::Account {
            usage[node.index()] = 0.0;
            open.push(node);
        } else if let Some(bank) = open.last() {
            usage[bank.index()] += usage[node.index()];
        }
    }
    close(&mut open, 0, usage);
}

fn period(settings: &Flux, now: i64) -> Period {
    Period {
        half_life: f64::from(settings.decay_half_life),
        end: period_end(settings),
        decay_factor: settings.decay_factor,
        now: now as f64,
    }
}

/// Adjusts bins after an edit of usage: more goes into the current period, less is taken from all in proportion.
fn edited(bins: &mut [f64], before: f64, after: f64) {
    if after > before {
        update::add(bins, after - before);
    } else if after < before {
        for bin in bins {
            *bin *= after / before;
        }
    }
}

/// Returns the fraction of usage that decays per second: the mean over a period with as much new usage as before.
pub(super) fn lost_per_second(settings: &Flux) -> f64 {
    let mut left = 1.0;
    let past: f64 = (1..bin_count(settings))
        .map(|_| {
            left *= settings.decay_factor;
            left
        })
        .sum();
    1.0 / (f64::from(settings.decay_half_life.max(1)) * (0.5 + past))
}
