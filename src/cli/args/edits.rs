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
    /// Which of the file's scenarios, by name; else the one that was in front
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A CSV file of new shares with the header path,shares
    #[arg(long = "edits", value_name = "FILE")]
    pub table: Option<PathBuf>,
}
