//! The job usage factor as flux-accounting's notes of 2021 define it.
//!
//! No release computes it: none divides by the usage of siblings, and none multiplies the sum of nodes by the sum of
//! seconds. It is kept because readers of the notes ask why the numbers differ.

use super::update::total;
use crate::model::FinishedJob;

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
    pub fn of<'a>(jobs: impl IntoIterator<Item = &'a FinishedJob>) -> Self {
        jobs.into_iter().fold(Self::default(), |totals, job| Self {
            nodes: totals.nodes.saturating_add(job.nnodes),
            seconds: totals.seconds + job.elapsed(),
        })
    }

    /// Returns usage by the notes: all nodes times all seconds.
    pub fn product(self) -> f64 {
        self.nodes as f64 * self.seconds
    }
}

/// The factor of a user and its terms.
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
    pub fn of(own: Totals, bins: &[f64], decay_factor: f64, siblings: Totals) -> Self {
        let mut power = 1.0;
        let decayed: Vec<f64> = bins
            .iter()
            .map(|&usage| {
                power *= decay_factor;
                usage * power
            })
            .collect();
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
