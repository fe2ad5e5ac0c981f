//! Edits as they are given on the command line.

use clap::Args as Arguments;
use std::ffi::OsString;
use std::path::PathBuf;

/// Edits of the source's tree.
#[derive(Arguments, Debug)]
pub struct EditArgs {
    /// An edit; may be repeated
    #[arg(long = "edit", value_name = "EDIT")]
    pub edits: Vec<OsString>,
    /// The edits of a saved scenario
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The scenario of the file, by its name [default: the one that was open]
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub name: Option<String>,
    /// A CSV file of new shares with the header path,shares
    #[arg(long = "edits", hide_short_help = true, value_name = "FILE")]
    pub table: Option<PathBuf>,
}
