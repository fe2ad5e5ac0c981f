//! What can be written after `fairscope timeline`.

use super::form::TREE_FORMS;
use super::values::forms;
use super::{CsvArgs, ReadArgs};
use crate::report::Form;
use clap::Args as Arguments;
use std::ffi::OsString;
use std::path::PathBuf;

/// `fairscope timeline`
#[derive(Arguments, Debug)]
pub struct TimelineArgs {
    /// A directory of dumps, or the dumps themselves, all of one cluster
    #[arg(value_name = "DUMPS", required = true)]
    pub sources: Vec<PathBuf>,
    /// How to read all of them.
    #[command(flatten)]
    pub reading: ReadArgs,
    /// A node to follow, by its path or a unique name; may be repeated
    #[arg(long = "node", value_name = "PATH")]
    pub nodes: Vec<OsString>,
    /// The form of the output [default: the explorer in a terminal, else table]
    #[arg(long, value_name = "FORM", value_parser = forms(&TREE_FORMS[1..]))]
    pub format_out: Option<Form>,
    /// How CSV is written.
    #[command(flatten)]
    pub csv: CsvArgs,
    /// The number of changed shares and of nodes [default: 20 in text]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}
