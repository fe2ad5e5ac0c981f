//! What can be written after `fairscope diff`.

use super::{ReadArgs, TableArgs};
use clap::Args as Arguments;
use std::ffi::OsString;
use std::path::PathBuf;

/// `fairscope diff`
#[derive(Arguments, Debug)]
pub struct DiffArgs {
    /// The old tree, then the new one unless --live is given
    #[arg(value_names = ["OLD", "NEW"], num_args = 1..=2, required = true)]
    pub sources: Vec<PathBuf>,
    /// How to read both.
    #[command(flatten)]
    pub reading: ReadArgs,
    /// How to write it.
    #[command(flatten)]
    pub form: TableArgs,
    /// Only nodes below this one, by its path or a unique name
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
    /// The number of changed ranks and of nodes [default: 40 in text]
    ///
    /// The largest changes come first. With more than 2,000 users it is also the number of attributed changes [default: 40]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with 1 if anything differs
    #[arg(long)]
    pub exit_code: bool,
}
