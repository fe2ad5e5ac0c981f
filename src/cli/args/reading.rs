//! What is opened, and how it is read.

use super::RecordingArgs;
use super::values::{formats, policies, schedulers, setting, themes};
use crate::base::number::DAY;
use crate::format::Format;
use crate::format::slurm::config::{FLAGS, policy_of_flags};
use crate::model::Scheduler;
use crate::rules::policy::Policy;
use crate::rules::policy::formula::FORMULA;
use clap::Args as Arguments;
use std::path::PathBuf;

/// The arguments of the explorer.
#[derive(Arguments, Debug, Default)]
pub struct ExplorerArgs {
    /// A file, a directory, or - for standard input
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadArgs,
    /// Read the source again at this interval; a scheduler is polled at most once every 10 s
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=i64::from(DAY)))]
    pub watch: Option<u32>,
    /// How it is drawn.
    #[command(flatten)]
    pub drawing: DrawingArgs,
    /// What is recorded or played.
    #[command(flatten)]
    pub recording: RecordingArgs,
}

/// How the explorer is drawn.
#[derive(Arguments, Clone, Debug, Default)]
pub struct DrawingArgs {
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Leave the mouse to the terminal
    #[arg(long)]
    pub no_mouse: bool,
    /// The colours of the explorer
    #[arg(long, value_name = "NAME", value_parser = themes())]
    pub theme: Option<String>,
}

/// How to read a source, for every command that opens one.
#[derive(Arguments, Clone, Debug, Default)]
pub struct ReadArgs {
    /// The format of the source, if its content is not enough to recognise it
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = formats())]
    pub format: Option<Format>,
    /// The rule to rank by, if not the source's own
    #[arg(long, value_name = "NAME", value_parser = policies())]
    pub policy: Option<Policy>,
    /// A job_sort_formula of PBS; ranks by it unless --policy names another rule
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    pub formula: Option<String>,
    /// A setting in place of the source's; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// Read from the scheduler itself; nothing is written to it
    #[arg(long, value_name = "SCHEDULER", value_parser = schedulers())]
    pub live: Option<Scheduler>,
    /// The longest time for each command of the scheduler [default: 30]
    #[arg(long, hide_short_help = true, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=u64::from(DAY)))]
    pub timeout: Option<u64>,
    /// A further output of Slurm's commands about the same cluster; may be repeated
    #[arg(long = "with", hide_short_help = true, value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// The output of scontrol show config, for the settings of Slurm
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The cluster, if a source holds several
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Whether the command needs the cluster's name even if the source knows none.
    #[arg(skip)]
    pub names_cluster: bool,
    /// The usage file that belongs to a resource_group file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub usage: Option<PathBuf>,
    /// The sched_config that belongs to a resource_group file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub sched_config: Option<PathBuf>,
    /// A CSV file of finished Flux jobs: user,bank,nnodes,t_run,t_inactive
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub jobs: Option<PathBuf>,
}

impl ReadArgs {
    /// Returns the policy that was asked for; a formula implies one, and so do some of Slurm's flags, unless another is
    /// named.
    pub fn policy(&self) -> Option<Policy> {
        let by_formula = self.formula.as_ref().map(|_| Policy::Formula);
        let by_flags = || {
            let flags = self.settings.iter().rev().find(|(key, _)| key == FLAGS);
            flags.and_then(|(_, flags)| policy_of_flags(flags).ok().flatten())
        };
        self.policy.or(by_formula).or_else(by_flags)
    }

    /// Returns the settings asked for, the formula among them.
    pub fn settings(&self) -> Vec<(String, String)> {
        let formula = self
            .formula
            .iter()
            .map(|text| (FORMULA.to_owned(), text.clone()));
        let settings = self.settings.iter().filter(|(key, _)| key != FLAGS);
        settings.cloned().chain(formula).collect()
    }
}

/// A source and how to read it.
#[derive(Arguments, Debug)]
pub struct SourceArgs {
    /// A file, a directory, or - for standard input
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE", required_unless_present = "live")]
    pub sources: Vec<PathBuf>,
    /// How to read it.
    #[command(flatten)]
    pub reading: ReadArgs,
}
