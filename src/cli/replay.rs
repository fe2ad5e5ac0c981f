//! `fairscope --replay FILE`: a recording in the terminal, as a cast, or its last screen as text.

use super::args::Args;
use super::files::save_new;
use super::open::ExplorerArgs;
use super::source::{self, read_own_file};
use super::{FINE, Outcome, output};
use crate::base::shown::{Shown, sentence};
use crate::format::{Request, input};
use crate::tui::picture::PictureForm;
use crate::tui::script::Recording;
use crate::tui::{self, Cast, Headless, Options, Replay, Startup};
use clap::Parser as _;
use color_eyre::eyre::{self, bail, eyre};
use std::io::IsTerminal as _;
use std::path::Path;

/// The size of the largest recording in bytes: hours of keys take a hundredth of it.
const LARGEST: u64 = 16 << 20;

pub(super) fn run(file: &Path, opening: ExplorerArgs) -> Outcome {
    let name = input::name(file);
    let Some(bytes) = read_own_file(file, LARGEST)? else {
        bail!("{name} is larger than 16 MiB, too large for a recording");
    };
    let recording = Recording::parse(&name, &bytes);
    let recording = recording.map_err(eyre::Report::msg)?;
    let opening = with_source(opening, &recording, &name)?;
    let request = source::request_if_given(&opening.sources, &opening.reading)?;
    let mut files = request.as_ref().map(Request::files).unwrap_or_default();
    files.push(file.to_owned());
    let is_played = std::io::stdout().is_terminal() && opening.recording.cast.is_none();
    let options = options(&opening, &recording, is_played);
    let mut explorer = Headless::new(options.clone(), recording.size);
    explorer.open(request).map_err(eyre::Report::msg)?;
    if let Some(mark) = explorer.tree_mark() {
        recording
            .check_tree(&name, mark)
            .map_err(eyre::Report::msg)?;
    }
    let speed = opening.recording.speed.unwrap_or(1.0);
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
    output::print(PictureForm::Text, |out| out.write_all(screen.as_bytes()))
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
    let recorded = Args::try_parse_from(std::iter::once("fairscope").chain(words));
    match recorded {
        Ok(Args {
            command: None,
            opening: recorded,
        }) => Ok(ExplorerArgs {
            sources: recorded.sources,
            reading: recorded.reading,
            ..opening
        }),
        _ => Err(eyre!(sentence!(
            "{name}: its line 'open' is not understood; expected a source and how to read it, as after fairscope"
        ))),
    }
}

/// Returns the options of the recording. In a terminal they are suited to it.
fn options(opening: &ExplorerArgs, recording: &Recording, is_played: bool) -> Options {
    let recorded = recording.options.clone();
    let options = Options {
        policy: opening.reading.policy(),
        is_ascii: opening.drawing.ascii || recorded.is_ascii,
        theme: opening.drawing.theme.clone().or(recorded.theme),
        without_mouse: opening.drawing.no_mouse,
        folder: std::env::current_dir().unwrap_or_default(),
        ..recorded
    };
    if is_played {
        options.suited_to(|name| std::env::var_os(name))
    } else {
        options
    }
}
