//! One run of `flux account-update-usage` for one association, as in flux-accounting 0.56 and newer.
//!
//! A run knows `end_half_life_period`, which is one half-life before the period really ends, and the jobs that ended
//! since the previous run. It takes one of four branches, of which two shift the bins.

use crate::model::{FinishedJob, Flux};

/// The jobs of an association that ended since the previous run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewJobs {
    /// What they used, in the source's unit.
    pub usage: f64,
    /// When the last of them ended, in Unix seconds.
    pub last_end: f64,
}

impl NewJobs {
    /// Returns the jobs that a run counts: those that ended after the last counted one. `None` if there are none.
    pub fn since(counted: f64, jobs: &[FinishedJob], settings: &Flux) -> Option<Self> {
        let mut new = jobs.to_vec();
        new.retain(|job| job.t_inactive > counted);
        new.sort_by(|a, b| a.t_inactive.total_cmp(&b.t_inactive));
        let last = new.last()?;
        let mut usage = 0.0;
        for job in &new {
            usage += usage_of(job, settings);
        }
        Some(Self {
            usage,
            last_end: last.t_inactive,
        })
    }
}

/// Returns the usage of a job: its weighted nodes, cores and GPUs times the seconds it ran, with five decimals.
pub fn usage_of(job: &FinishedJob, settings: &Flux) -> f64 {
    let weighed = job.nnodes as f64 * settings.node_weight
        + job.ncores as f64 * settings.core_weight
        + job.ngpus as f64 * settings.gpu_weight;
    rounded(weighed * job.elapsed())
}

/// Returns a number rounded to five decimals, ties to even.
pub(super) fn rounded(number: f64) -> f64 {
    /// From here up a double has no fractional digits.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let scaled = number * 1e5;
    if !(0.0..WHOLE).contains(&scaled) {
        return in_text(number);
    }
    let from_half = (scaled.fract() - 0.5).abs();
    // The product can be off by half a unit in its last place. Closer to a tie than that, only the exact digits decide.
    if from_half > scaled * f64::EPSILON {
        scaled.round() / 1e5
    } else {
        in_text(number)
    }
}

/// Returns a number rounded by its exact decimal digits.
fn in_text(number: f64) -> f64 {
    format!("{number:.5}").parse().unwrap_or(number)
}

/// The times that a run knows, all in Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// `priority_decay_half_life`.
    pub half_life: f64,
    /// `end_half_life_period`.
    pub end: f64,
    /// `decay_factor`.
    pub decay_factor: f64,
    /// The time of the run.
    pub now: f64,
}

/// The branch that a run takes for an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Branch {
    /// A: no job ended and the period is not over. Nothing is written.
    Unchanged,
    /// B: no job ended and the period is over. The bins shift.
    Shifted,
    /// C: jobs ended, the last of them within the period. They are added to the first bin.
    Added,
    /// D: jobs ended, the last of them after the period. The bins shift, and all usage is also added to the first bin.
    Renewed,
}

impl Period {
    /// Returns whether the period is over: a run then shifts the bins without ended jobs, and begins the next period.
    pub fn is_over(&self) -> bool {
        self.end < self.now - self.half_life
    }

    /// Returns whether the period is not over, so that associations without ended jobs stay unchanged. At the very
    /// moment of its end it is neither running nor over.
    pub fn runs_on(&self) -> bool {
        self.end > self.now - self.half_life
    }

    /// Returns the `end_half_life_period` after a run: one period later, however many have passed.
    pub fn next_end(&self) -> f64 {
        if self.is_over() {
            self.end + self.half_life
        } else {
            self.end
        }
    }

    /// Returns the branch that a run takes.
    pub fn branch(&self, new_jobs: Option<NewJobs>) -> Branch {
        if new_jobs.is_none() && self.runs_on() {
            return Branch::Unchanged;
        }
        if new_jobs.is_none() && self.is_over() {
            return Branch::Shifted;
        }
        // Without a job, its end counts as 0, which is before every period.
        let last_end = new_jobs.map_or(0.0, |new_jobs| new_jobs.last_end);
        if last_end - self.end < self.half_life {
            Branch::Added
        } else {
            Branch::Renewed
        }
    }

    /// Updates an association's bins and `job_usage` as a run does, and returns the usage that the run stores.
    pub fn update(&self, bins: &mut [f64], job_usage: &mut f64, new_jobs: Option<NewJobs>) -> f64 {
        let new = new_jobs.map_or(0.0, |new_jobs| new_jobs.usage);
        let usage = match self.branch(new_jobs) {
            Branch::Unchanged => return total(bins),
            Branch::Shifted => shift(bins, self.decay_factor),
            Branch::Added => {
                add(bins, new);
                sum(bins)
            }
            Branch::Renewed => {
                let usage = new + shift(bins, self.decay_factor);
                if let Some(first) = bins.first_mut() {
                    *first = usage;
                }
                usage
            }
        };
        *job_usage = usage;
        usage
    }
}

/// Adds usage to the current period.
pub(super) fn add(bins: &mut [f64], usage: f64) {
    if let Some(first) = bins.first_mut() {
        *first += usage;
    }
}

/// Returns the usage in all bins: that of the current period, and the sum of the earlier ones.
pub(super) fn sum(bins: &[f64]) -> f64 {
    match bins {
        [] => 0.0,
        [first, past @ ..] => first + total(past),
    }
}

/// Moves every bin one period back, decayed, and drops the oldest. Returns the past usage that is left.
pub(super) fn shift(bins: &mut [f64], decay_factor: f64) -> f64 {
    for period in (1..bins.len()).rev() {
        bins[period] = bins[period - 1] * decay_factor;
    }
    match bins {
        [] => 0.0,
        [first, past @ ..] => {
            *first = 0.0;
            total(past)
        }
    }
}

/// Returns the sum from first to last. The sum of an empty list is 0, where the library's would be -0.
pub(super) fn total(usages: &[f64]) -> f64 {
    let mut sum = 0.0;
    for usage in usages {
        sum += usage;
    }
    sum
}

/// The sums over some jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Nodes of all jobs.
    pub nodes: u64,
    /// Seconds of all jobs.
    pub seconds: f64,
}

impl Totals {
    /// Returns the sums over jobs.
    pub fn over<'a>(jobs: impl IntoIterator<Item = &'a FinishedJob>) -> Self {
        let mut totals = Self::default();
        for job in jobs {
            totals.nodes = totals.nodes.saturating_add(job.nnodes);
            totals.seconds += job.elapsed();
        }
        totals
    }

    /// Returns usage by the notes: all nodes times all seconds.
    pub fn product(self) -> f64 {
        self.nodes as f64 * self.seconds
    }
}

/// The job usage factor of a user as flux-accounting's notes of 2021 define it, and its terms.
///
/// No release computes it: none divides by the usage of siblings, and none multiplies the sum of nodes by the sum of
/// seconds. It is kept because readers of the notes ask why the numbers differ.
#[derive(Clone, Debug, PartialEq)]
pub struct JobUsageFactor {
    /// The user's own jobs; their product is `usage_user_current`.
    pub own: Totals,
    /// Each past bin, decayed: the first once, the second twice, and so on.
    pub decayed: Vec<f64>,
    /// Their sum, `usage_user_past`.
    pub past: f64,
    /// The jobs of the user's siblings; their product is `usage_siblings_current`.
    pub siblings: Totals,
}

impl JobUsageFactor {
    /// Returns the factor from the bins before the new period and the jobs of the past period.
    pub fn new(own: Totals, bins: &[f64], decay_factor: f64, siblings: Totals) -> Self {
        let mut power = 1.0;
        let mut decayed = Vec::with_capacity(bins.len());
        for usage in bins {
            power *= decay_factor;
            decayed.push(usage * power);
        }
        Self {
            own,
            past: total(&decayed),
            decayed,
            siblings,
        }
    }

    /// Returns `usage_user_current`.
    pub fn current(&self) -> f64 {
        self.own.product()
    }

    /// Returns `usage_user_historical`: the current usage plus the past.
    pub fn historical(&self) -> f64 {
        self.current() + self.past
    }

    /// Returns the ratio to the usage of the siblings, or `None` if they used nothing.
    pub fn factor(&self) -> Option<f64> {
        let siblings = self.siblings.product();
        (siblings > 0.0).then(|| self.historical() / siblings)
    }
}
