//! A machine that hands out cores, as it is given after `fairscope simulate`.

use super::values::{Demand, cores_of, policies, time};
use crate::rules::policy::Policy;
use clap::Args as Arguments;
use std::ffi::OsString;

/// What is said of a course without such a machine.
const COURSE: [&str; 7] = [
    "nodes",
    "pace",
    "idle",
    "charges",
    "campaigns",
    "goals",
    "compare",
];

/// The machine, and what is wanted of it.
#[derive(Arguments, Debug)]
pub struct ContentionArgs {
    /// Simulate a busy cluster of this many cores
    ///
    /// They are handed out by rank, the best first; --step is the time over which core-hours are added up.
    #[arg(long, value_name = "N", conflicts_with_all = COURSE)]
    pub cores: Option<u64>,
    /// The most cores of each user, of one user, or of each user of an account; may be repeated, the last one counts
    /// [default: unlimited]
    #[arg(
        long = "demand",
        hide_short_help = true,
        value_name = "[PATH=]CORES",
        requires = "cores",
        conflicts_with_all = COURSE,
        allow_hyphen_values = true
    )]
    pub demands: Vec<OsString>,
    /// The cores of a job
    #[arg(long, hide_short_help = true, value_name = "C", default_value_t = 1, requires = "cores", conflicts_with_all = COURSE)]
    pub job_cores: u64,
    /// How long a job runs
    #[arg(long, hide_short_help = true, value_name = "TIME", default_value = "1h", value_parser = time, requires = "cores",
        conflicts_with_all = COURSE)]
    pub job_time: u64,
    /// The largest deviation from the time of a job, in percent
    #[arg(long, hide_short_help = true, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100),
        requires = "cores", conflicts_with_all = COURSE)]
    pub job_spread: u8,
    /// The interval at which cores are handed out [default: that of the scheduler's ranks, else 5m]
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = time, requires = "cores", conflicts_with_all = COURSE)]
    pub cycle: Option<u64>,
    /// The seed of the lengths of jobs
    #[arg(long, hide_short_help = true, value_name = "S", default_value_t = 1, requires = "cores", conflicts_with_all = COURSE)]
    pub seed: u64,
    /// Another rule to compare with, on the same cluster
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = policies(), requires = "cores", conflicts_with_all = COURSE)]
    pub against: Option<Policy>,
}

impl ContentionArgs {
    /// Returns the demands, in their order: whose, if not everybody's, and how many cores at most.
    pub(in crate::cli) fn demands(&self) -> Result<Vec<Demand>, String> {
        self.demands.iter().map(|text| cores_of(text)).collect()
    }
}
