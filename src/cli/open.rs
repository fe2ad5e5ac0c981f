//! `fairscope` without a command: the explorer, or `show` where there is no terminal.

use super::args::{DrawingArgs, ExplorerArgs, RecordingArgs, ShowArgs};
use super::new_files::new_growing;
use super::{FINE, Outcome, config, output, replay, source};
use crate::format::Request;
use crate::report::lesson::Lesson;
use crate::report::{Form, Options, show};
use crate::tui;
use color_eyre::eyre::{self, bail};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The fewest seconds between two requests to a scheduler.
const FEWEST: u32 = tui::LEAST_LIVE_PACE;

pub(super) fn run(opening: ExplorerArgs) -> Outcome {
    if let Some(file) = opening.recording.replay.clone() {
        return replay::run(&file, opening);
    }
    if std::io::stdout().is_terminal() {
        let reading = &opening.reading;
        let has_source = !opening.sources.is_empty() || reading.live.is_some();
        let request = has_source.then(|| source::request(&opening.sources, reading));
        let request = request.transpose()?;
        check_pace(&opening)?;
        return explore(request, opening);
    }
    let recording = &opening.recording;
    let for_explorer = [
        ("--watch", opening.watch.is_some()),
        ("--record", recording.record.is_some()),
        ("--cast", recording.cast.is_some()),
    ];
    if let Some((option, _)) = for_explorer.into_iter().find(|(_, is_given)| *is_given) {
        bail!("{option} needs the explorer, but standard output is not a terminal; leave it out");
    }
    if opening.sources.is_empty() && opening.reading.live.is_none() {
        let opened = source::open_paths(&[], &opening.reading)?;
        output::print(Form::Tree, |out| {
            show::write(out, &opened.view(), &Options::default(), Form::Tree)
        })?;
        return Ok(FINE);
    }
    super::show::run(&ShowArgs::plain(opening.sources, opening.reading))
}

/// Opens the explorer on the newest of several dumps.
pub(super) fn explore_series(opening: ExplorerArgs) -> Outcome {
    let request = Request {
        series: opening.sources.clone(),
        ..source::request(&[], &opening.reading)?
    };
    explore(Some(request), opening)
}

/// Opens the explorer on a lesson.
pub(super) fn explore_lesson(lesson: Lesson, drawing: DrawingArgs) -> Outcome {
    let opening = ExplorerArgs {
        drawing,
        ..ExplorerArgs::default()
    };
    start(None, Some(lesson), opening)
}

fn explore(request: Option<Request>, opening: ExplorerArgs) -> Outcome {
    start(request, None, opening)
}

fn start(request: Option<Request>, lesson: Option<Lesson>, opening: ExplorerArgs) -> Outcome {
    let (config, config_file) = config::read();
    // The screen of the explorer has room for the first one alone.
    if !config.refused.is_empty() {
        output::complain(&output::listed(&config.refused, config.refused.len()));
    }
    let given = tui::Options {
        policy: opening.reading.policy(),
        is_ascii: opening.drawing.ascii,
        without_mouse: opening.drawing.no_mouse,
        folder: std::env::current_dir().unwrap_or_default(),
        theme: opening.drawing.theme,
        watch: opening.watch,
        config_file,
        ..tui::Options::default()
    };
    let options = config.below(given);
    let files = request.as_ref().map(Request::files).unwrap_or_default();
    let create = |path: &PathBuf, option| new_growing(path, option, &files);
    let RecordingArgs { record, cast, .. } = &opening.recording;
    let record = record.as_ref().map(|path| create(path, "--record"));
    let record = record.transpose()?;
    let cast = cast.as_ref().map(|path| create(path, "--cast"));
    tui::run(tui::Startup {
        request,
        lesson,
        options: options.suited_to(|name| std::env::var_os(name)),
        record: record.map(|file| (file, words(std::env::args_os().skip(1)))),
        cast: cast.transpose()?,
        replay: None,
    })?;
    Ok(FINE)
}

/// Returns the arguments that say what is open and how it is read.
fn words(args: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut words = Vec::new();
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
    while let Some(arg) = args.next() {
        let (name, value) = arg
            .split_once('=')
            .map_or((&*arg, None), |(name, value)| (name, Some(value)));
        match name {
            "--record" | "--cast" | "--theme" | "--watch" if value.is_some() => {}
            "--record" | "--cast" | "--theme" | "--watch" => drop(args.next()),
            "--ascii" | "--no-mouse" => {}
            _ => words.push(arg),
        }
    }
    words
}

/// Rejects `--watch` without a source, and intervals that would put load on the controller of a scheduler.
fn check_pace(opening: &ExplorerArgs) -> eyre::Result<()> {
    let is_live = opening.reading.live.is_some();
    match opening.watch {
        Some(seconds) if is_live && seconds < FEWEST => bail!(
            "--watch {seconds} would query the scheduler too often; expected {FEWEST} or more"
        ),
        Some(_) if opening.sources.is_empty() && !is_live => {
            bail!("--watch needs a source; give one, or --live SCHEDULER")
        }
        _ => Ok(()),
    }
}
