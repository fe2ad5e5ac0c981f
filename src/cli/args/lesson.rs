//! What can be written after `fairscope lesson`.

use super::DrawingArgs;
use super::form::LESSON_FORMS;
use super::values::forms;
use crate::report::Form;
use clap::Args as Arguments;
use std::path::PathBuf;

/// `fairscope lesson`
#[derive(Arguments, Debug)]
pub struct LessonArgs {
    /// A built-in lesson, or a file; without it, lists the built-in ones
    #[arg(value_name = "NAME")]
    pub lesson: Option<PathBuf>,
    /// Print the lesson in this form, even on a terminal
    #[arg(long, value_name = "FORM", requires = "lesson", value_parser = forms(LESSON_FORMS))]
    pub format_out: Option<Form>,
    /// How the explorer is drawn.
    #[command(flatten)]
    pub drawing: DrawingArgs,
}
