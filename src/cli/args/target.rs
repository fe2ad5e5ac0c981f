//! What can be written after the commands that make files: `convert`, `snapshot` and `generate`.

use super::values::{schedulers, writable};
use super::{CsvArgs, EditArgs, SourceArgs};
use crate::base::number::DAY;
use crate::format::Format;
use crate::model::Scheduler;
use clap::{Args as Arguments, ValueEnum};
use std::path::PathBuf;

/// Where converted files go.
#[derive(Arguments, Debug)]
pub struct Target {
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = writable())]
    pub to: Format,
    /// The file, or for PBS the directory, to write; standard output if not given
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// How CSV is written.
    #[command(flatten)]
    pub csv: CsvArgs,
}

/// `fairscope convert`
#[derive(Arguments, Debug)]
pub struct ConvertArgs {
    /// What to convert.
    #[command(flatten)]
    pub source: SourceArgs,
    /// What to change on the way.
    #[command(flatten)]
    pub edits: EditArgs,
    /// Where to.
    #[command(flatten)]
    pub target: Target,
}

/// `fairscope snapshot`
#[derive(Arguments, Debug)]
pub struct SnapshotArgs {
    /// The scheduler to read from; nothing is written to it
    #[arg(long, value_name = "SCHEDULER", value_parser = schedulers())]
    pub live: Scheduler,
    /// The directory to save in, new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The cluster, if there are several
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// The longest time for each command of the scheduler [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=u64::from(DAY)))]
    pub timeout: Option<u64>,
}

/// How a generated tree is shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// Accounts of equal size
    Balanced,
    /// A few large accounts and many small ones
    Skewed,
    /// All users below the root
    Flat,
    /// Every account holds one other
    Chain,
}

/// `fairscope generate`
#[derive(Arguments, Debug)]
pub struct GenerateArgs {
    /// The number of users
    #[arg(long, value_name = "N")]
    pub users: usize,
    /// The shape of the tree
    #[arg(long, value_name = "SHAPE", default_value = "balanced")]
    pub shape: ShapeName,
    /// The seed of the tree
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Where to.
    #[command(flatten)]
    pub target: Target,
}
