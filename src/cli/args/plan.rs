//! The arguments of `fairscope plan`.

use super::form::PLAN_FORMS;
use super::values::{forms, schedulers};
use super::{EditArgs, SourceArgs};
use crate::model::Scheduler;
use crate::report::Form;
use clap::Args as Arguments;
use std::path::PathBuf;

/// What stands for the dump where `--live` is to be asked: no path that anybody can give, for it is an option.
pub const LIVE: &str = "--live";

/// `fairscope plan`
#[derive(Arguments, Debug)]
pub struct PlanArgs {
    /// What to edit.
    #[command(flatten)]
    pub source: SourceArgs,
    /// The edits.
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
    /// The directory for the files of the plan
    ///
    /// Each has .new after its name; existing files are not replaced.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = forms(PLAN_FORMS))]
    pub format_out: Form,
}
