//! `fairscope plan`: the commands that make edits true, and what takes them back.

use super::args::{PlanArgs, Reading};
use super::new_files::save_all;
use super::source::{Opened, mention_strangers, open_paths};
use super::{FINE, FOUND, Outcome, output};
use crate::model::Scheduler;
use crate::opened::originals;
use crate::plan::verify::{Verdict, verify};
use crate::plan::{Given, LeftOut, plan};
use crate::report::plan::{write, write_verdicts};
use color_eyre::eyre::bail;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn run(args: &PlanArgs) -> Outcome {
    let reading = Reading {
        // The commands may need it, whatever the source.
        names_cluster: true,
        ..args.source.reading.clone()
    };
    let mut opened = open_paths(&args.source.sources, &reading)?;
    opened.edit(&args.edits)?;
    if opened.scenario.history().is_untouched() {
        bail!("there is nothing to plan; give an edit, as in --edit 'shares group/user=20'");
    }
    opened.mention_problems(&args.source);
    let scenario = &opened.scenario;
    let scheduler = args.scheduler.or_else(|| scenario.settings().scheduler);
    let Some(scheduler) = scheduler else {
        if let Some(dump) = &args.verify {
            return check(args, &opened, dump, &BTreeSet::new());
        }
        bail!(
            "the source does not say whose tree this is; say whose commands to write with --for pbs, --for slurm or --for flux"
        );
    };
    let mut given = match scheduler {
        Scheduler::Pbs => originals(scenario.base(), &opened.reference.request)?,
        Scheduler::Slurm | Scheduler::Flux => Given::default(),
    };
    given.cluster = args.source.reading.cluster.clone().unwrap_or_default();
    let plan = plan(scenario, scheduler, &given);
    if let Some(dump) = &args.verify {
        return check(args, &opened, dump, &plan.left_out);
    }
    output::print(|out| write(out, &opened.view(), &plan, args.format_out))?;
    if let Some(folder) = &args.out {
        let files = plan.files.iter();
        let files = files.map(|file| (format!("{}.new", file.name), &file.bytes[..]));
        save_all(folder, files, &opened.reference.request.files())?;
    }
    if let Some(first) = plan.cannot.first() {
        let more = match plan.cannot.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        output::complain(&format!(
            "the plan leaves something undone{more}: {}",
            crate::report::visible(first)
        ));
    }
    let is_nothing_told = plan.is_empty() && !plan.cannot.is_empty();
    Ok(if is_nothing_told { FOUND } else { FINE })
}

/// Says of each change whether a later dump has it.
fn check(args: &PlanArgs, opened: &Opened, dump: &Path, left_out: &BTreeSet<LeftOut>) -> Outcome {
    let reading = Reading {
        // What was given with the source is of its time.
        live: None,
        more: Vec::new(),
        config: None,
        usage: None,
        sched_config: None,
        names_cluster: true,
        ..args.source.reading.clone()
    };
    let later = open_paths(&[dump.to_owned()], &reading)?;
    let verdicts = verify(&opened.scenario, later.scenario.base(), left_out);
    mention_strangers(opened, &later);
    output::print(|out| write_verdicts(out, &opened.view(), &verdicts, args.format_out))?;
    let is_done = verdicts.iter().all(Verdict::is_fine);
    Ok(if is_done { FINE } else { FOUND })
}
