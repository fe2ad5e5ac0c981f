//! Scripts that are played: the keys of `fairscope screenshot`, and the recording of `fairscope --replay FILE`, in the
//! terminal, as a cast, or its last screen as text.

use super::edits::DesiredArgs;
use super::files::save_new;
use super::open::ExplorerArgs;
use super::source::{self, ReadArgs, read_own_file};
use super::values::{row_of, themes};
use super::{FINE, Outcome, output};
use crate::base::shown::{Shown, sentence};
use crate::format::{Request, input};
use crate::tui::picture::PictureForm;
use crate::tui::script::{Recording, Script, size};
use crate::tui::{self, Cast, Headless, Message, Options, Replay, Startup};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail, eyre};
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `fairscope screenshot`
#[derive(Arguments, Debug)]
pub struct ScreenshotArgs {
    /// What to open; the built-in example if not given
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub desired: DesiredArgs,
    /// The keys to press first, such as 'e "80" enter'
    ///
    /// Blanks separate keys, and text in quotes is typed. `fairscope help recordings` lists all words.
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub keys: Option<String>,
    /// The size of the screen
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "120x40")]
    pub size: String,
    /// The colours
    #[arg(long, value_name = "NAME", default_value = "dark", value_parser = themes())]
    pub theme: String,
    /// Draw with ASCII characters only
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
    /// The new file to write, by its ending .svg, .txt or .html; standard output if not given
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The form of the picture, if not that of the file's ending [default: svg]
    #[arg(long, value_name = "FORM", value_parser = row_of(PictureForm::ALL, PictureForm::name, PictureForm::help))]
    pub format_out: Option<PictureForm>,
}

pub(super) fn screenshot(args: &ScreenshotArgs) -> Outcome {
    let form = match (args.format_out, &args.out) {
        (Some(form), _) => form,
        (None, None) => PictureForm::Svg,
        (None, Some(out)) => PictureForm::of_file(out).map_err(eyre::Report::msg)?,
    };
    let size = size(&args.size).map_err(|reason| eyre!("--size: {reason}"))?;
    let keys = Script::parse(args.keys.as_deref().unwrap_or_default());
    let keys = keys.map_err(|reason| eyre!("--keys: {reason}"))?;
    let request = source::request_if_given(&args.sources, &args.reading)?;
    let files = request.as_ref().map(Request::files).unwrap_or_default();
    // The terminal and the user's own settings change nothing, so that the picture is the same everywhere.
    let options = Options {
        policy: args.reading.policy(),
        is_ascii: args.ascii,
        theme: Some(args.theme.clone()),
        desired: args.desired.read()?.map(Arc::new),
        folder: std::env::current_dir().unwrap_or_default(),
        ..Options::default()
    };
    let mut explorer = Headless::new(options, size);
    explorer.open(request).map_err(eyre::Report::msg)?;
    explorer.play(&keys);
    if explorer.has_quit() {
        bail!("--keys leaves the explorer, so there is no screen; leave out its last keys");
    }
    let picture = explorer.picture(form);
    if let Some(out) = &args.out {
        save_new(out, picture.as_bytes(), &files)?;
        return Ok(FINE);
    }
    output::print_whole(form, picture)
}

/// The size of the largest recording in bytes: hours of keys take a hundredth of it.
const LARGEST_RECORDING: u64 = 16 << 20;

pub(super) fn replay(file: &Path, opening: ExplorerArgs) -> Outcome {
    let name = input::name(file);
    let Some(bytes) = read_own_file(file, LARGEST_RECORDING)? else {
        bail!("{name} is larger than 16 MiB, too large for a recording");
    };
    let recording = Recording::parse(&name, &bytes);
    let recording = recording.map_err(eyre::Report::msg)?;
    let opening = with_source(opening, &recording, &name)?;
    let request = source::request_if_given(&opening.sources, &opening.reading)?;
    let mut files = request.as_ref().map(Request::files).unwrap_or_default();
    files.push(file.to_owned());
    let is_played = std::io::stdout().is_terminal() && opening.recording.cast.is_none();
    let options = options_of(&opening, &recording, is_played)?;
    let mut explorer = Headless::new(options.clone(), recording.size);
    let opened = match &opening.lesson {
        Some(lesson) => explorer.begin(Message::Lesson(Arc::clone(lesson))),
        None => explorer.open(request),
    };
    opened.map_err(eyre::Report::msg)?;
    if let Some(mark) = explorer.tree_mark() {
        recording
            .check_tree(&name, mark)
            .map_err(eyre::Report::msg)?;
    }
    let speed = opening.speed.unwrap_or(1.0);
    if let Some(out) = &opening.recording.cast {
        let cast = Cast::of(explorer, &recording, speed);
        save_new(out, cast.as_bytes(), &files)?;
        return Ok(FINE);
    }
    if is_played {
        let replay = Some(Replay::new(explorer, recording, speed));
        tui::run(Startup {
            options,
            replay,
            ..Startup::default()
        })?;
        return Ok(FINE);
    }
    explorer.play(&recording.script);
    let screen = explorer.picture(PictureForm::Text);
    output::print_whole(PictureForm::Text, screen)
}

/// Returns the arguments with the source of the recording, unless they have their own.
fn with_source(
    opening: ExplorerArgs,
    recording: &Recording,
    name: &Shown,
) -> eyre::Result<ExplorerArgs> {
    if source::is_given(&opening.sources, &opening.reading) {
        return Ok(opening);
    }
    let words = recording.open.iter().map(String::as_str);
    let words = std::iter::once("fairscope").chain(words);
    let words: Vec<OsString> = words.map(OsString::from).collect();
    match super::recorded(&words) {
        Some(recorded) => Ok(ExplorerArgs {
            sources: recorded.sources,
            reading: recorded.reading,
            me: recorded.me,
            desired: recorded.desired,
            lesson: recorded.lesson,
            ..opening
        }),
        _ => Err(eyre!(sentence!(
            "{name}: its line 'open' is not understood; expected a source and how to read it, as after fairscope"
        ))),
    }
}

/// Returns the options of the recording. In a terminal they are suited to it.
fn options_of(
    opening: &ExplorerArgs,
    recording: &Recording,
    is_played: bool,
) -> eyre::Result<Options> {
    let recorded = recording.options.clone();
    let options = Options {
        policy: opening.reading.policy(),
        is_ascii: opening.drawing.ascii || recorded.is_ascii,
        theme: opening.drawing.theme.clone().or(recorded.theme),
        without_mouse: opening.drawing.no_mouse,
        user: opening.me.clone(),
        desired: opening.desired.read()?.map(Arc::new),
        folder: std::env::current_dir().unwrap_or_default(),
        ..recorded
    };
    Ok(if is_played {
        options.suited_to(|name| std::env::var_os(name))
    } else {
        options
    })
}
