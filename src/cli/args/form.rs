//! How a report is written, as it is asked for on the command line.

use super::values::forms;
use crate::report::{Form, ProseForm};
use clap::{Args as Arguments, ValueEnum};

/// The form of a report with rows that has no branches.
#[derive(Arguments, Debug)]
pub struct TableArgs {
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = forms(&Form::ALL[1..]))]
    pub format_out: Form,
    /// How CSV is written.
    #[command(flatten)]
    pub csv: CsvArgs,
}

/// What is special about CSV.
#[derive(Arguments, Clone, Copy, Debug, Default)]
pub struct CsvArgs {
    /// In CSV, put a ' before each name that a spreadsheet would run as a formula: one that begins with = + - @, a tab or
    /// a carriage return
    #[arg(long, hide_short_help = true)]
    pub for_spreadsheets: bool,
}

/// The form of a report of sentences.
#[derive(Arguments, Debug)]
pub struct ProseArgs {
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text")]
    format_out: Prose,
}

impl ProseArgs {
    /// Returns the form of the report.
    #[must_use]
    pub fn form(&self) -> ProseForm {
        match self.format_out {
            Prose::Text => ProseForm::Text,
            Prose::Json => ProseForm::Json,
            Prose::Html => ProseForm::Html,
        }
    }
}

/// How prose is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Prose {
    /// Sentences
    Text,
    /// JSON, numbers in full
    Json,
    /// A page to publish, one HTML file
    Html,
}
