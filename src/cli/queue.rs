//! `fairscope queue`: the jobs that wait.

use super::edits::EditArgs;
use super::source::{self, SourceArgs};
use super::values::TableArgs;
use super::{Outcome, output};
use crate::analysis::queue::Queue;
use crate::base::shown::{Shown, sentence};
use crate::format::input;
use crate::format::slurm::sprio;
use crate::model::Scheduler;
use crate::report::emit;
use crate::report::queue::QueueReport;
use clap::Args as Arguments;
use color_eyre::eyre::bail;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// `fairscope queue`
#[derive(Arguments, Debug)]
pub struct QueueArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The output of sprio -l
    #[arg(long, value_name = "FILE")]
    pub sprio: PathBuf,
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
    let scheduler = opened.scenario.settings().scheduler;
    if let Some(other @ (Scheduler::Pbs | Scheduler::Flux)) = scheduler {
        bail!(
            "sprio is a command of Slurm, and the tree is one of {}; open the output of sshare",
            other.title()
        );
    }
    opened.edit(&args.edits)?;
    let input = input::read(&args.sprio, &mut |_| ControlFlow::Continue(()))?;
    let waiting = sprio::read(&input)?;
    opened.mention_problems(&args.source);
    // check reads no jobs, so their problems are told here.
    if !waiting.problems.is_empty() {
        let odd = waiting.problems.list().iter();
        let odd: Vec<Shown> = odd.map(|it| sentence!("{it}")).collect();
        output::complain(&output::listed(&odd, waiting.problems.count()));
    }
    let queue = Queue::of(&opened.scenario, waiting.jobs, waiting.cuts_names);
    opened.problems.append(waiting.problems);
    let report = QueueReport {
        view: opened.view(),
        base: &opened.scenario.base().tree,
        queue: &queue,
        limit: args.limit,
    };
    output::print_rows(&args.form, |out, form| emit(out, &report, form))
}
