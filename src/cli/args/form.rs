//! How a report is written, as it is asked for on the command line.

use super::values::{OfferedForm, forms};
use crate::report::Form;
use clap::Args as Arguments;

const JSON: OfferedForm = (Form::Json, "JSON, numbers in full");
const HTML: OfferedForm = (Form::Html, "A page to publish, one HTML file");

/// The forms of a tree; those of other rows are all but the first.
pub(super) const TREE_FORMS: &[OfferedForm] = &[
    (
        Form::Tree,
        "Text with guide lines, accounts above their users",
    ),
    (Form::Table, "Text, one line per node"),
    (
        Form::Csv,
        "Comma-separated values with a header line, numbers in full",
    ),
    JSON,
    (Form::Markdown, "A Markdown table"),
    HTML,
];

/// The forms of a report of sentences.
const PROSE_FORMS: &[OfferedForm] = &[(Form::Text, "Sentences"), JSON, HTML];

/// The forms of a plan.
pub(super) const PLAN_FORMS: &[OfferedForm] = &[
    (Form::Text, "Sections of text"),
    (Form::Markdown, "Markdown, for a ticket"),
    (Form::Json, "JSON"),
    HTML,
];

/// The forms of a lesson.
pub(super) const LESSON_FORMS: &[OfferedForm] = &[
    (Form::Text, "Sentences and tables"),
    (Form::Markdown, "Markdown"),
    (Form::Json, "JSON"),
    HTML,
];

/// The form of a report with rows that has no branches.
#[derive(Arguments, Debug)]
pub struct TableArgs {
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "table", value_parser = forms(&TREE_FORMS[1..]))]
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
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = forms(PROSE_FORMS))]
    pub format_out: Form,
}
