//! What can be written after `fairscope show` and `fairscope rank`: rows and columns.

use super::form::TREE_FORMS;
use super::values::forms;
use super::{CsvArgs, ReadArgs, SourceArgs, TableArgs};
use crate::report::Form;
use clap::Args as Arguments;
use std::ffi::OsString;
use std::path::PathBuf;

/// `fairscope show`
#[derive(Arguments, Debug)]
pub struct ShowArgs {
    /// What to show.
    #[command(flatten)]
    pub source: SourceArgs,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "tree", value_parser = forms(TREE_FORMS))]
    pub format_out: Form,
    /// How CSV is written.
    #[command(flatten)]
    pub csv: CsvArgs,
    /// Which columns.
    #[command(flatten)]
    pub rows: RowArgs,
    /// The number of levels below the topmost node
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
}

impl ShowArgs {
    /// Returns the arguments for `fairscope SOURCE` without a terminal.
    pub fn plain(sources: Vec<PathBuf>, reading: ReadArgs) -> Self {
        Self {
            source: SourceArgs { sources, reading },
            format_out: Form::Tree,
            csv: CsvArgs::default(),
            rows: RowArgs::default(),
            depth: None,
        }
    }
}

/// Which rows and columns to print.
#[derive(Arguments, Debug, Default)]
pub struct RowArgs {
    /// The columns, in order, by their names in JSON
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// The column to sort by; -COLUMN sorts the largest first
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// The topmost node, by its path or a unique name
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
}

/// `fairscope rank`
#[derive(Arguments, Debug)]
pub struct RankArgs {
    /// What to rank.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How to write it.
    #[command(flatten)]
    pub form: TableArgs,
    /// Which rows and columns.
    #[command(flatten)]
    pub rows: RowArgs,
}
