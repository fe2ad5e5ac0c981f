//! `fairscope queue`: the jobs that wait.

use super::ask::ask;
use super::edits::{EditArgs, ended};
use super::source::{self, Opened, ReadArgs, SourceArgs, go_on};
use super::values::TableArgs;
use super::{Outcome, output};
use crate::analysis::queue::Queue;
use crate::base::shown::{Shown, visible};
use crate::format::Problems;
use crate::open::live;
use crate::open::waiting::{GivenOutputs, without_tree};
use crate::report::question::{JobQuestion, Question};
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr as _, bail};
use std::path::PathBuf;

/// `fairscope queue`
#[derive(Arguments, Debug)]
pub struct QueueArgs {
    /// A tree: a file, a directory, or - for standard input [default: no tree, with --sprio]
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE", required_unless_present_any = ["live", "sprio"])]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    /// An output of sprio; may be repeated [default: those beside the source]
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
    if args.sources.is_empty() && args.reading.live.is_none() {
        return run_without_tree(args);
    }
    let source = SourceArgs::of(args.sources.clone(), args.reading.clone());
    let mut opened = source::open(&source)?;
    let drift = opened.edit(&args.edits)?;
    let queue = read(args, &mut opened, Some(&source))?;
    let outcome = print(args, &opened, &queue);
    ended(outcome, drift.as_ref(), false)
}

/// Prints the jobs that wait without a tree, to which only edits of settings apply.
fn run_without_tree(args: &QueueArgs) -> Outcome {
    let reading = &args.reading;
    let is_of_tree = reading.jobs.is_some() || !reading.more.is_empty();
    if is_of_tree || args.edits.desired.desired.is_some() {
        bail!("--jobs, --with and --desired need a tree; give an output of sshare as SOURCE");
    }
    let request = source::request(&args.sprio[..1], reading)?;
    let loaded = without_tree(&request, &mut go_on)?;
    let mut opened = Opened::new(loaded, reading.policy());
    let edited = opened.edit(&args.edits);
    edited.wrap_err(
        "without a tree only settings can be edited; give an output of sshare as SOURCE",
    )?;
    let queue = read(args, &mut opened, None)?;
    print(args, &opened, &queue)
}

/// Prints the jobs that wait, or why one is behind another.
fn print(args: &QueueArgs, opened: &Opened, queue: &Queue) -> Outcome {
    let question = match &args.why {
        None => Question::Queue(args.limit),
        Some(job) => Question::Job(JobQuestion {
            job: visible(job),
            other: other_job(args),
            limit: args.limit,
        }),
    };
    ask(opened, &question, Some(queue), &args.form)
}

/// Returns the name of the job to compare with, if one is given.
fn other_job(args: &QueueArgs) -> Option<Shown> {
    let name = args.behind.as_ref()?;
    Some(visible(name))
}

/// Reads the jobs that wait, and says what is wrong with the tree, if there is one, and with their outputs: check reads no
/// jobs.
fn read(args: &QueueArgs, opened: &mut Opened, tree: Option<&SourceArgs>) -> eyre::Result<Queue> {
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
    if let Some(tree) = tree {
        opened.mention_problems(tree);
    }
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
