//! `fairscope lesson`: lists the lessons, plays one in the explorer, or prints it.

use super::open::{DrawingArgs, explore_lesson};
use super::source::{self, ReadArgs, read_own_file};
use super::values::{LESSON_FORMS, forms};
use super::{Outcome, output};
use crate::base::nearest::unknown_of;
use crate::base::shown::{sentence, shown};
use crate::format::LoadError;
use crate::report::Form;
use crate::report::lesson::{self, Lesson, Staged};
use crate::tui;
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail, eyre};
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LARGEST: u64 = 4 << 20;

/// `fairscope lesson`
#[derive(Arguments, Debug)]
pub struct LessonArgs {
    /// A built-in lesson, or a file; without it, lists the built-in ones
    #[arg(value_name = "NAME")]
    pub lesson: Option<PathBuf>,
    /// Print the lesson in this form, even on a terminal
    #[arg(long, value_name = "FORM", requires = "lesson", value_parser = forms(LESSON_FORMS))]
    pub format_out: Option<Form>,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

pub(super) fn run(args: &LessonArgs) -> Outcome {
    let Some(name) = &args.lesson else {
        return output::print(output::Content::Text, |out| {
            out.write_all(list().as_bytes())
        });
    };
    let lesson = find(name)?;
    let staged = stage(lesson)?;
    if args.format_out.is_none() && std::io::stdout().is_terminal() {
        return explore_lesson(Lesson::clone(&staged.lesson), args.drawing.clone());
    }
    let form = args.format_out.unwrap_or(Form::Text);
    output::print(form, |out| {
        lesson::write(out, &staged, &tui::usual_key, form)
    })
}

fn list() -> String {
    let names = Lesson::names().map(str::len);
    let longest = names.max().unwrap_or(0);
    let lines = Lesson::names().filter_map(|name| {
        let lesson = tui::built_in_lesson(name).ok()?;
        Some(format!("  {name:longest$}  {}\n", lesson.title))
    });
    format!(
        "Lessons: fairscope lesson NAME, or L in the explorer\n\n{}\n\
         fairscope lesson FILE plays a lesson of your own; fairscope help lessons tells how to write one.\n",
        lines.collect::<String>()
    )
}

fn find(name: &Path) -> eyre::Result<Lesson> {
    let word = name.to_str().unwrap_or_default();
    if Lesson::names().any(|known| known == word) {
        return tui::built_in_lesson(word).map_err(|reason| eyre!(reason));
    }
    let is_word = !word.contains(['/', '.']) && !word.is_empty();
    let shown_name = shown(name.as_os_str().as_bytes());
    let file = match read_own_file(name, LARGEST) {
        Err(LoadError::Missing(_)) if is_word => {
            let known: Vec<&str> = Lesson::names().collect();
            let accepted = format!("{}; or the path of a file", known.join(", "));
            bail!(unknown_of("lesson", word, &known, &accepted));
        }
        file => file?,
    };
    let Some(file) = file else {
        bail!("{shown_name}: larger than 4 MiB, too large for a lesson");
    };
    let text = std::str::from_utf8(&file)
        .map_err(|_| eyre!("{shown_name}: this is not UTF-8; a lesson is a file in TOML"))?;
    let folder = name.parent().unwrap_or_else(|| Path::new(""));
    tui::parse_lesson(&shown_name, text, folder)
        .map_err(|refused| eyre!(output::listed(&refused, refused.len())))
}

/// Opens the tree of a lesson and tries all its steps out.
fn stage(lesson: Lesson) -> eyre::Result<Staged> {
    let path = lesson.source.clone();
    let place = sentence!("{}:{}: source", lesson.file, lesson.source_line);
    let opened = source::open_paths(&[path], &ReadArgs::default())
        .map_err(|error| eyre!("{place}: {error:#}"))?;
    Staged::new(Arc::new(lesson), &opened.scenario).map_err(|reason| eyre!(reason))
}
