//! `fairscope plan`: the commands to apply the edits, and the rollback.

use super::edits::{EditArgs, ended};
use super::files::save_all;
use super::source::{Opened, ReadArgs, SourceArgs, mention_strangers, open};
use super::values::{PAGE_FORMS, forms, schedulers};
use super::{FINE, FOUND, Outcome, output};
use crate::analysis::plan::slurm::NO_CLUSTER;
use crate::analysis::plan::verify::{ChangeVerdict, verify};
use crate::analysis::plan::{Omission, Plan};
use crate::model::Scheduler;
use crate::report::plan::{PlanReport, Review, scripts};
use crate::report::words::plan::cannot;
use crate::report::{Form, Output, desired, emit, visible};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What stands for the dump where `--live` is to be asked: no path that anybody can give, for it is an option.
const LIVE: &str = "--live";

/// `fairscope plan`
#[derive(Arguments, Debug)]
pub struct PlanArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub edits: EditArgs,
    /// The scheduler to write commands for
    #[arg(long = "for", value_name = "SCHEDULER", value_parser = schedulers())]
    pub scheduler: Option<Scheduler>,
    /// A later dump, to print whether each change took effect
    ///
    /// Exit code 1 means that one did not, or that the dump does not tell. Without DUMP, the scheduler of --live is read.
    #[arg(
        long,
        value_name = "DUMP",
        conflicts_with = "out",
        num_args = 0..=1,
        default_missing_value = LIVE
    )]
    pub verify: Option<PathBuf>,
    /// The directory for the plan: apply.sh, rollback.sh, plan.md, and the new files of PBS
    ///
    /// A new file has .new after its name; existing files are not replaced.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The form of the output
    #[arg(long, short = 'o', value_name = "FORM", default_value = "text", value_parser = forms(PAGE_FORMS))]
    pub format_out: Form,
}

/// Prints the plan, and saves it if that is asked for; with --verify prints whether a later state has the changes.
pub(super) fn run(args: &PlanArgs) -> Outcome {
    let later = later_state(args)?;
    let mut reading = args.source.reading.clone();
    // The commands may need it for every source.
    reading.names_cluster = true;
    if let Some(later) = &later
        && later.reading.live.is_some()
    {
        reading.live = None;
    }
    let sources = args.source.sources.clone();
    let mut opened = open(&SourceArgs::of(sources, reading))?;
    let drift = opened.edit_something(&args.edits)?;
    opened.mention_problems(&args.source);
    let scenario = &opened.scenario;
    let known = scenario.settings().scheduler;
    let Some(scheduler) = args.scheduler.or(known) else {
        if let Some(later) = later {
            let checked = check(args, &opened, &later, &BTreeSet::new());
            return ended(checked, drift.as_ref(), false);
        }
        bail!(
            "the source does not name its scheduler; choose one with --for pbs, --for slurm or --for flux"
        );
    };
    let plan = opened.plan(scheduler)?;
    if let Some(later) = later {
        let checked = check(args, &opened, &later, &plan.omissions);
        return ended(checked, drift.as_ref(), false);
    }
    if plan.lacks_cluster && args.out.is_some() {
        bail!(
            "the source does not name its cluster, and the commands of --out need the name; give it with --cluster NAME"
        );
    }
    let report = PlanReport {
        scenario,
        view: &opened.view(),
        plan: &plan,
        unread: None,
        drift: drift.as_ref(),
    };
    output::print(args.format_out, |out| emit(out, &report, args.format_out))?;
    if let Some(drift) = &drift {
        output::complain(&desired::summary(drift));
    }
    if let Some(folder) = &args.out {
        save_plan(folder, &report, &plan, &opened)?;
    }
    mention_gaps(&plan);
    let is_nothing_told = plan.is_empty() && !plan.omission_reasons.is_empty();
    let code = if is_nothing_told { FOUND } else { FINE };
    ended(Ok(code), drift.as_ref(), args.format_out.is_for_people())
}

/// Says on standard error what a plan does not tell: the name of the cluster, and the edits that it cannot apply.
fn mention_gaps(plan: &Plan) {
    if plan.lacks_cluster {
        output::complain(&format!(
            "the source does not name its cluster, so the commands say {NO_CLUSTER}; give the name with --cluster NAME"
        ));
    }
    if let Some(first) = plan.omission_reasons.first() {
        let mut more = String::new();
        let others = plan.omission_reasons.len() - 1;
        if others > 0 {
            more = format!(" (and {others} more)");
        }
        let reason = visible(&cannot(first));
        output::complain(&format!("the plan cannot apply every edit{more}: {reason}"));
    }
}

/// Saves the scripts of a plan, the plan for people, and the new files of PBS.
fn save_plan(
    folder: &Path,
    report: &PlanReport<'_>,
    plan: &Plan,
    opened: &Opened,
) -> eyre::Result<()> {
    let mut page = Vec::new();
    let out = &mut Output::new(&mut page, None);
    emit(out, report, Form::Markdown)?;
    let mut files = Vec::new();
    for file in &plan.files {
        let name = format!("{}.new", file.name);
        files.push((name, file.bytes.clone()));
    }
    for (name, text) in scripts(plan) {
        files.push((name.to_owned(), text.into_bytes()));
    }
    files.push(("plan.md".to_owned(), page));
    let request = &opened.source.reference.request;
    save_all(folder, &files, &request.files())
}

/// Returns the source that --verify names, or `None` without the option.
fn later_state(args: &PlanArgs) -> eyre::Result<Option<SourceArgs>> {
    let Some(dump) = &args.verify else {
        return Ok(None);
    };
    let mut reading = ReadArgs {
        // The options of the first source belong to its time.
        live: None,
        more: Vec::new(),
        config: None,
        usage: None,
        sched_config: None,
        names_cluster: true,
        ..args.source.reading.clone()
    };
    if dump.as_os_str() != LIVE {
        return Ok(Some(SourceArgs::of(vec![dump.clone()], reading)));
    }
    let Some(scheduler) = args.source.reading.live else {
        bail!(
            "--verify needs the state after the plan: a dump, as in --verify after.txt, or --live SCHEDULER to query \
             the scheduler"
        );
    };
    if args.source.sources.is_empty() {
        let scheduler = scheduler.name();
        bail!(
            "--live {scheduler} gives the state after the plan; give the source of the edits as well, as in fairscope \
             plan before.txt --scenario edits.toml --verify --live {scheduler}"
        );
    }
    reading.live = Some(scheduler);
    Ok(Some(SourceArgs::of(Vec::new(), reading)))
}

/// Prints whether a later state has each of the changes; exits with 1 if it lacks one, or does not tell.
fn check(
    args: &PlanArgs,
    opened: &Opened,
    later: &SourceArgs,
    left_out: &BTreeSet<Omission>,
) -> Outcome {
    let later = open(later)?;
    let state = later.scenario.base();
    let verdicts = verify(&opened.scenario, state, left_out);
    mention_strangers(opened, &later);
    let report = Review {
        view: &opened.view(),
        verdicts: &verdicts,
    };
    output::print(args.format_out, |out| emit(out, &report, args.format_out))?;
    if verdicts.iter().all(ChangeVerdict::is_fine) {
        return Ok(FINE);
    }
    Ok(FOUND)
}
