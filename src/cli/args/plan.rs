//! The arguments of `fairscope plan`.

use super::values::{plan_forms, schedulers};
use super::{EditArgs, SourceArgs};
use crate::model::Scheduler;
use crate::report::ProseForm;
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
    /// Whose commands to write, if not those of the source's scheduler
    #[arg(long = "for", value_name = "SCHEDULER", value_parser = schedulers())]
    pub scheduler: Option<Scheduler>,
    /// A later dump: say for each change whether it is applied there; exit 1 if one is not, or if the dump cannot tell.
    /// Without DUMP, --live SCHEDULER is asked for the later state
    #[arg(
        long,
        value_name = "DUMP",
        conflicts_with = "out",
        num_args = 0..=1,
        default_missing_value = LIVE
    )]
    pub verify: Option<PathBuf>,
    /// The directory to write the files of the plan to whole, each with .new behind its name; none that is there is
    /// replaced
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How to write it
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = plan_forms())]
    pub format_out: ProseForm,
}
