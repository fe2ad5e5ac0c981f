//! `fairscope simulate --cores`: a machine that hands out cores.

use super::args::{ContentionArgs, TableArgs};
use super::source::{Opened, node};
use super::{FINE, Outcome, output};
use crate::analysis::contention::{Machine, contend};
use crate::base::shown::shown;
use crate::report::contention::{Runs, TOLERANCE, write};
use crate::report::words::contention as words;
use color_eyre::eyre::{WrapErr, bail, eyre};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

/// Runs the machine of `args` for `until` seconds, adds up what is delivered in each `window`, in seconds, and prints
/// the result.
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
    let demands = args.demands().map_err(|sentence| eyre!(sentence))?;
    for ((path, cores), text) in demands.into_iter().zip(&args.demands) {
        match path {
            Some(path) => {
                let whose = node(scenario.tree(), &path)
                    .wrap_err_with(|| format!("--demand '{}'", shown(text.as_bytes())))?;
                machine.demands.push((whose, cores));
            }
            None => machine.demand = cores,
        }
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
    let progress = &mut |_| ControlFlow::Continue(());
    let mut runs = vec![contend(scenario, &machine, progress)?];
    if let Some(policy) = args.against {
        let mut other = scenario.clone();
        other.set_policy(policy);
        runs.push(contend(&other, &machine, progress)?);
    }
    let runs = Runs {
        view: &opened.view(),
        runs: &runs,
        tolerance: TOLERANCE,
    };
    output::print_rows(form.format_out, form.csv, |out| {
        write(out, &runs, form.format_out)
    })?;
    Ok(FINE)
}
