//! The usage of finished jobs.

use crate::model::{FinishedJob, Flux};

/// The jobs of an association that ended since the previous run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewJobs {
    /// What they used, in the source's unit.
    pub usage: f64,
    /// When the last of them ended, in Unix seconds.
    pub last_end: f64,
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

/// Rounds by way of all decimal digits.
fn in_text(number: f64) -> f64 {
    format!("{number:.5}").parse().unwrap_or(number)
}

impl NewJobs {
    /// Returns the jobs that a run counts for an association: those that ended after the last counted one. `None` if
    /// there are none.
    pub fn of(jobs: &[FinishedJob], counted: f64, settings: &Flux) -> Option<Self> {
        let mut jobs: Vec<&FinishedJob> =
            jobs.iter().filter(|job| job.t_inactive > counted).collect();
        jobs.sort_by(|a, b| a.t_inactive.total_cmp(&b.t_inactive));
        let last = jobs.last()?;
        Some(Self {
            usage: jobs
                .iter()
                .fold(0.0, |sum, job| sum + usage_of(job, settings)),
            last_end: last.t_inactive,
        })
    }
}
