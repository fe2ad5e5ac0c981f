//! `fairscope queue`: the jobs that wait.

use super::ask::ask;
use super::edits::{EditArgs, ended};
use super::source::{self, Opened, SourceArgs};
use super::values::TableArgs;
use super::{Outcome, output};
use crate::analysis::queue::Queue;
use crate::base::shown::sentence;
use crate::format::{Problems, Progress};
use crate::open::live;
use crate::open::waiting::GivenOutputs;
use crate::report::emit;
use crate::report::question::Question;
use crate::report::queue::BehindReport;
use clap::Args as Arguments;
use std::ops::ControlFlow;
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
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

pub(super) fn run(args: &QueueArgs) -> Outcome {
    let mut opened = source::open(&args.source)?;
    let drift = opened.edit(&args.edits)?;
    ended(print(args, opened), drift.as_ref(), false)
}

fn print(args: &QueueArgs, mut opened: Opened) -> Outcome {
    let report = &mut |_: &Progress| ControlFlow::Continue(());
    let given = GivenOutputs {
        sprio: &args.sprio,
        squeue: &args.squeue,
    };
    let mut found = opened.source.companions.clone();
    let mut problems = Problems::default();
    if args.sprio.is_empty() {
        let request = &opened.source.reference.request;
        problems = live::add_jobs_or_end(request, &mut found, report)?;
    }
    let (queue, of_jobs) = Queue::read(&opened.scenario, given, &found, report)?;
    problems.append(of_jobs);
    opened.mention_problems(&args.source);
    // check reads no jobs, so their problems are told here.
    if !problems.is_empty() {
        let mut odd = Vec::new();
        for problem in problems.list() {
            odd.push(sentence!("{problem}"));
        }
        output::complain(&output::listed(&odd, problems.count()));
    }
    opened.source.problems.append(problems);
    if let Some(job) = &args.why {
        let behind = queue.behind(job, args.behind.as_deref())?;
        let report = BehindReport {
            view: opened.view(),
            behind: &behind,
        };
        return output::print_rows(&args.form, |out, form| emit(out, &report, form));
    }
    let question = Question::Queue(args.limit);
    ask(&opened, &question, Some(&queue), &args.form)
}
