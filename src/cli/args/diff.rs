//! What can be written after `fairscope diff`.

use super::{ReadArgs, TableArgs};
use clap::Args as Arguments;
use std::ffi::OsString;
use std::path::PathBuf;

/// `fairscope diff`
#[derive(Arguments, Debug)]
pub struct DiffArgs {
    /// The old tree, then the new one unless --live says it: a file, a directory, or - for standard input, of any format
    #[arg(value_names = ["OLD", "NEW"], num_args = 1..=2, required = true)]
    pub sources: Vec<PathBuf>,
    /// How to read both.
    #[command(flatten)]
    pub reading: ReadArgs,
    /// How to write it.
    #[command(flatten)]
    pub form: TableArgs,
    /// Only what lies below this node, by its path or by a name that occurs once
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
    /// How many moves, the largest first, and in text how many nodes [default: 40 in text]; in a tree of more than 2,000
    /// users also how many moves are attributed [default: 40]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with 1 if anything differs
    #[arg(long)]
    pub exit_code: bool,
}
