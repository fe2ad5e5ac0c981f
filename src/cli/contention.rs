//! `fairscope simulate --cores`: a machine that hands out cores.

use super::ask::ask;
use super::source::Opened;
use super::values::{TableArgs, policies, time};
use super::{Outcome, output};
use crate::analysis::contention::Machine;
use crate::base::shown::shown;
use crate::report::question::{MachineQuestion, Question};
use crate::report::words::contention as words;
use crate::rules::policy::Policy;
use clap::Args as Arguments;
use color_eyre::eyre::{WrapErr, bail};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// What is said of a course without such a machine.
const COURSE: &[&str] = &[
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
    /// A busy cluster of N cores: --demand, --job-time, --cycle, --against
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

/// Runs the machine of `args` for `until` seconds, and adds up what is delivered in each `window`, in seconds.
pub(super) fn run(
    opened: &Opened,
    args: &ContentionArgs,
    until: u64,
    window: Option<u64>,
    form: &TableArgs,
) -> Outcome {
    let usual = Machine::default();
    let mut machine = Machine {
        cores: args.cores.unwrap_or(usual.cores),
        cycle: args.cycle,
        job_cores: args.job_cores,
        job_time: args.job_time,
        spread: args.job_spread,
        seed: args.seed,
        until,
        window,
        ..usual
    };
    let scenario = &opened.scenario;
    for text in &args.demands {
        let added = machine.add_demand(text.as_bytes(), scenario.tree());
        let typed = shown(text.as_bytes());
        added.wrap_err_with(|| format!("--demand '{typed}'"))?;
    }
    if args.against == Some(scenario.policy()) {
        bail!(
            "--against {} is the current policy; name another one to compare it with",
            scenario.policy().name()
        );
    }
    let runs = 1 + u64::from(args.against.is_some());
    if let Some(sentence) = words::long_work(scenario, &machine, runs) {
        output::complain(&format!("{sentence}, or press ^C"));
    }
    let question = Question::Machine(MachineQuestion {
        machine,
        against: args.against,
    });
    ask(opened, &question, None, form)
}
