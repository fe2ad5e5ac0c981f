//! What can be written after `fairscope lesson`.

use super::DrawingArgs;
use crate::report::ProseForm;
use clap::{Args as Arguments, ValueEnum};
use std::path::PathBuf;

/// `fairscope lesson`
#[derive(Arguments, Debug)]
pub struct LessonArgs {
    /// A built-in lesson, or a file; without it, lists the built-in ones
    #[arg(value_name = "NAME")]
    pub lesson: Option<PathBuf>,
    /// Print the lesson in this form, even on a terminal
    #[arg(long, value_name = "FORM", requires = "lesson")]
    pub format_out: Option<Printed>,
    /// How the explorer is drawn.
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

/// How a lesson is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Printed {
    /// Sentences and tables
    Text,
    /// Markdown
    #[value(alias = "md")]
    Markdown,
    /// JSON
    Json,
    /// A page to publish, one HTML file
    Html,
}

impl From<Printed> for ProseForm {
    fn from(printed: Printed) -> Self {
        match printed {
            Printed::Text => Self::Text,
            Printed::Markdown => Self::Markdown,
            Printed::Json => Self::Json,
            Printed::Html => Self::Html,
        }
    }
}
