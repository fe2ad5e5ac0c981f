//! `fairscope plan`: the commands that make edits true, and what takes them back.

use super::args::{PlanArgs, SourceArgs};
use super::source::{Opened, mention_strangers, open, open_later, open_what_fits};
use super::{FINE, FOUND, Outcome, output};
use crate::format::pbs::sched_priv;
use crate::model::{Scheduler, Snapshot};
use crate::plan::verify::{Verdict, verify};
use crate::plan::{Given, LeftOut, Plan, plan};
use crate::report::plan::{write, write_verdicts};
use crate::save::save;
use crate::shown::shown;
use color_eyre::eyre::{self, WrapErr, bail};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &PlanArgs) -> Outcome {
    // The cluster of a tree that knows none is that of the commands.
    let is_for_cluster =
        args.scheduler == Some(Scheduler::Slurm) && args.source.reading.config.is_none();
    let mut opened = if is_for_cluster {
        open_what_fits(&args.source.sources, &args.source.reading)?
    } else {
        open(&args.source)?
    };
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
        Scheduler::Pbs => originals(&args.source, &opened)?,
        Scheduler::Slurm | Scheduler::Flux => Given::default(),
    };
    given.cluster = args.source.reading.cluster.clone().unwrap_or_default();
    let plan = plan(scenario, scheduler, &given);
    if let Some(dump) = &args.verify {
        return check(args, &opened, dump, &plan.left_out);
    }
    output::print(|out| write(out, &opened.view(), &plan, args.format_out))?;
    if let Some(folder) = &args.out {
        write_files(&plan, folder)?;
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

/// The files that the tree was read from, where they are PBS's and can be read a second time.
fn originals(source: &SourceArgs, opened: &Opened) -> eyre::Result<Given> {
    let Snapshot { source: origin, .. } = opened.scenario.base();
    let request = &opened.reference.request;
    let path = if opened.scenario_path.is_some() {
        &request.path
    } else {
        match &source.sources[..] {
            [path] => path,
            _ => return Ok(Given::default()),
        }
    };
    if origin.format != "pbs" || path.as_os_str() == "-" || !path.exists() {
        return Ok(Given::default());
    }
    let (resource_group, beside) = if path.is_dir() {
        let folder = sched_priv(path)?.unwrap_or_else(|| path.clone());
        (
            folder.join("resource_group"),
            Some(folder.join("sched_config")),
        )
    } else {
        (path.clone(), None)
    };
    let sched_config = source.reading.sched_config.clone();
    let sched_config = sched_config
        .or_else(|| request.sched_config.clone())
        .or(beside);
    Ok(Given {
        resource_group: read(Some(resource_group))?,
        sched_config: read(sched_config)?,
        ..Given::default()
    })
}

fn read(path: Option<PathBuf>) -> eyre::Result<Option<Vec<u8>>> {
    let Some(path) = path.filter(|path| path.exists()) else {
        return Ok(None);
    };
    let bytes = std::fs::read(&path)
        .wrap_err_with(|| format!("{} could not be read", shown(path.as_os_str().as_bytes())))?;
    Ok(Some(bytes))
}

/// Writes the files of a plan; none that is there is replaced.
fn write_files(plan: &Plan, folder: &Path) -> eyre::Result<()> {
    let targets = plan
        .files
        .iter()
        .map(|file| folder.join(format!("{}.new", file.name)));
    // All targets are looked at before any is written.
    for path in targets {
        if path.symlink_metadata().is_ok() {
            bail!(
                "{} is already there and is not replaced; name another directory with --out",
                shown(path.as_os_str().as_bytes())
            );
        }
    }
    std::fs::create_dir_all(folder).wrap_err_with(|| {
        format!(
            "the directory {} could not be made",
            shown(folder.as_os_str().as_bytes())
        )
    })?;
    for file in &plan.files {
        save(
            &folder.join(format!("{}.new", file.name)),
            &file.bytes,
            false,
        )?;
    }
    Ok(())
}

/// Says of each change whether a later dump has it.
fn check(args: &PlanArgs, opened: &Opened, dump: &Path, left_out: &BTreeSet<LeftOut>) -> Outcome {
    let later = open_later(dump, &args.source.reading)?;
    let verdicts = verify(&opened.scenario, later.scenario.base(), left_out);
    mention_strangers(opened, &later);
    output::print(|out| write_verdicts(out, &opened.view(), &verdicts, args.format_out))?;
    let is_done = verdicts.iter().all(Verdict::is_fine);
    Ok(if is_done { FINE } else { FOUND })
}
