//! How an answer is written: its document as text, Markdown and HTML, and its facts as JSON and CSV.

pub(crate) mod column_widths;
pub(crate) mod document;
pub mod drawing;
mod html;
pub(super) mod json;
pub(crate) mod layout;
pub(crate) mod line;
pub(crate) mod table;
pub(super) mod text;
pub(super) mod tree;

use crate::base::table::table;
use document::{Document, Front};
use std::io::{self, Write};
use table::Table;
use text::Output;

table! {
    /// How a report is written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Form {
        Text, "text", "Sentences, and tables";
        Tree, "tree", "Text with guide lines, accounts above their users";
        Table, "table", "Text, one line per node";
        Csv, "csv", "Comma-separated values with a header line, numbers in full";
        Json, "json", "JSON, numbers in full";
        Markdown, "markdown", "Markdown, for a ticket";
        Html, "html", "A page to publish, one HTML file";
        OpenMetrics, "openmetrics", "OpenMetrics text, for the textfile collector of a node exporter";
    }
}

impl Form {
    /// Returns the ending of a file of the form, without the point.
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::Text | Self::Tree | Self::Table => "txt",
            Self::Markdown => "md",
            Self::OpenMetrics => "prom",
            form => form.name(),
        }
    }

    /// Returns whether people read the form: numbers are rounded, and long tables cut.
    pub(crate) const fn is_for_people(self) -> bool {
        self.is_text() || matches!(self, Self::Html)
    }

    /// Returns whether the form is text as a terminal shows it.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Tree | Self::Table | Self::Markdown)
    }
}

/// A report that can be written in every form.
pub(crate) trait Report {
    /// Returns what stands before a published page.
    fn front(&self) -> Front;

    /// Returns what text, Markdown and pages show.
    fn document(&self) -> Document<'_>;

    /// Writes the report as JSON, with numbers in full.
    fn write_json(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Returns the rows for comma-separated values; `None` for a report that has no such rows.
    fn csv(&self) -> Option<Table<'_>> {
        None
    }

    /// Returns whether what was asked for was found; if not, the command ends with 1.
    fn is_found(&self) -> bool {
        true
    }

    /// Writes the report as `OpenMetrics` text; fails for a report that has no metrics.
    fn write_open_metrics(&self, _out: &mut dyn Write) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Writes a report in a form; trees and tables have the same text unless the report distinguishes them.
pub(crate) fn emit(out: &mut Output<'_>, report: &dyn Report, form: Form) -> io::Result<()> {
    match form {
        Form::Text | Form::Tree | Form::Table => {
            let document = report.document();
            text::write(out, &document)
        }
        Form::Markdown => {
            let document = report.document();
            text::write_markdown(out, &document)
        }
        Form::Html => {
            let document = report.document();
            html::write(out, &report.front(), &document)
        }
        Form::Csv => match report.csv() {
            Some(rows) => rows.write_csv(out),
            None => Err(io::ErrorKind::Unsupported.into()),
        },
        Form::Json => report.write_json(out),
        Form::OpenMetrics => report.write_open_metrics(out),
    }
}
