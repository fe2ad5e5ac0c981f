//! Finished jobs, as flux-accounting sees them.

/// A finished job: its resources, and how long it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FinishedJob {
    /// How many nodes it had.
    pub nnodes: u64,
    /// How many cores it had.
    pub ncores: u64,
    /// How many GPUs it had.
    pub ngpus: u64,
    /// When it began to run, in Unix seconds.
    pub t_run: f64,
    /// When it ended, in Unix seconds.
    pub t_inactive: f64,
}

impl FinishedJob {
    /// Returns how long it ran, in seconds.
    pub fn elapsed(&self) -> f64 {
        self.t_inactive - self.t_run
    }
}
