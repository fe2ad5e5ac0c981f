//! `fairscope queue`: the jobs that wait.

use super::ask::ask;
use super::edits::{EditArgs, ended};
use super::source::{self, Opened, SourceArgs, go_on};
use super::values::TableArgs;
use super::{Outcome, output};
use crate::analysis::queue::Queue;
use crate::format::Problems;
use crate::open::live;
use crate::open::waiting::GivenOutputs;
use crate::report::emit;
use crate::report::question::Question;
use crate::report::queue::BehindReport;
use clap::Args as Arguments;
use color_eyre::eyre;
use std::path::PathBuf;

/// `fairscope queue`
#[derive(Arguments, Debug)]
pub struct QueueArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// An output of sprio: points, factors or weights; may be repeated [default: those beside the source]
    #[arg(long, value_name = "FILE")]
    pub sprio: Vec<PathBuf>,
    /// An output of squeue, for accounts and reasons [default: those beside the source]
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub squeue: Vec<PathBuf>,
    /// Why a job is behind the one just before it
    #[arg(long, value_name = "JOB")]
    pub why: Option<String>,
    /// With --why: the job to compare it with
    #[arg(long, hide_short_help = true, value_name = "JOB", requires = "why")]
    pub behind: Option<String>,
    #[command(flatten)]
    pub edits: EditArgs,
    #[command(flatten)]
    pub form: TableArgs,
    /// The number of jobs, by place [default: 40 in text]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

/// Prints the jobs that wait in the opened tree with its edits.
pub(super) fn run(args: &QueueArgs) -> Outcome {
    let mut opened = source::open(&args.source)?;
    let drift = opened.edit(&args.edits)?;
    let outcome = print(args, opened);
    ended(outcome, drift.as_ref(), false)
}

/// Prints the jobs that wait, or why one is behind another.
fn print(args: &QueueArgs, mut opened: Opened) -> Outcome {
    let queue = read(args, &mut opened)?;
    let form = &args.form;
    let Some(job) = &args.why else {
        let question = Question::Queue(args.limit);
        return ask(&opened, &question, Some(&queue), form);
    };
    let behind = queue.behind(job, args.behind.as_deref())?;
    let report = BehindReport {
        view: opened.view(),
        behind: &behind,
    };
    output::print_rows(form, |out, form| emit(out, &report, form))
}

/// Reads the jobs that wait, and says what is wrong with their outputs: check reads no jobs.
fn read(args: &QueueArgs, opened: &mut Opened) -> eyre::Result<Queue> {
    let source = &opened.source;
    let given = GivenOutputs {
        sprio: &args.sprio,
        squeue: &args.squeue,
    };
    let mut found = source.companions.clone();
    let mut problems = Problems::default();
    if args.sprio.is_empty() {
        let request = &source.reference.request;
        problems = live::add_jobs_or_end(request, &mut found, &mut go_on)?;
    }
    let (queue, of_jobs) = Queue::read(&opened.scenario, given, &found, &mut go_on)?;
    problems.append(of_jobs);
    opened.mention_problems(&args.source);
    if !problems.is_empty() {
        let mut lines = Vec::new();
        for problem in problems.list() {
            lines.push(problem.to_string());
        }
        let listed = output::listed(&lines, problems.count());
        output::complain(&listed);
    }
    opened.source.problems.append(problems);
    Ok(queue)
}
