//! What opens the explorer, with the settings of the user's own file: `fairscope` without a command, and `fairscope lesson`,
//! which also lists the lessons and prints one.

use super::edits::DesiredArgs;
use super::source::{self, ReadArgs, SourceArgs, read_own_file};
use super::values::{PAGE_FORMS, forms, short_time, themes};
use super::{FINE, FOUND, Outcome, look, output};
use crate::base::nearest::unknown_of;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{LoadError, Request, SourceKind};
use crate::report::lesson::{Lesson, Staged, fill};
use crate::report::{self, Form};
use crate::tui::{self, Config, LEAST_LIVE_PACE};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail, eyre};
use etcetera::BaseStrategy as _;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arguments of the explorer.
#[derive(Arguments, Debug, Default)]
pub struct ExplorerArgs {
    /// A file, a directory, or - for standard input
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub desired: DesiredArgs,
    /// Read the source again at this interval; a scheduler is polled at most once every 10 s
    #[arg(long, value_name = "TIME", value_parser = short_time)]
    pub watch: Option<u32>,
    /// Open the page of this user
    #[arg(long, value_name = "NAME")]
    pub me: Option<OsString>,
    #[command(flatten)]
    pub drawing: DrawingArgs,
    /// The lesson to play in place of a source.
    #[arg(skip)]
    pub lesson: Option<Arc<Lesson>>,
}

/// How the explorer is drawn.
#[derive(Arguments, Clone, Debug, Default)]
pub struct DrawingArgs {
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Leave the mouse to the terminal
    #[arg(long)]
    pub no_mouse: bool,
    /// The colours of the explorer
    #[arg(long, value_name = "NAME", value_parser = themes())]
    pub theme: Option<String>,
}

pub(super) fn explorer(opening: ExplorerArgs) -> Outcome {
    if std::io::stdout().is_terminal() {
        let request = source::request_if_given(&opening.sources, &opening.reading)?;
        check_pace(&opening)?;
        return explore(request, opening);
    }
    check_without_explorer(&opening)?;
    look::show_plainly(&SourceArgs::of(opening.sources, opening.reading))
}

fn check_without_explorer(opening: &ExplorerArgs) -> eyre::Result<()> {
    let option = if opening.watch.is_some() {
        "--watch"
    } else if opening.me.is_some() {
        "--me"
    } else if opening.desired.desired.is_some() {
        "--desired"
    } else {
        return Ok(());
    };
    bail!("{option} needs the explorer, but standard output is not a terminal; leave it out");
}

pub(super) fn explore_series(opening: ExplorerArgs) -> Outcome {
    let request = if source::makes_series(&opening.sources, &opening.reading)? {
        source::series_request(&opening.sources, &opening.reading)?
    } else {
        Request {
            source: SourceKind::Series(opening.sources.clone()),
            ..source::request(&[], &opening.reading)?
        }
    };
    explore(Some(request), opening)
}

fn explore(request: Option<Request>, opening: ExplorerArgs) -> Outcome {
    let (config, config_file) = read_config();
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
        user: opening.me,
        desired: opening.desired.read()?.map(Arc::new),
        config_file,
        ..tui::Options::default()
    };
    let options = config.below(given);
    tui::run(tui::Startup {
        request,
        lesson: opening.lesson,
        options: options.suited_to(|name| std::env::var_os(name)),
    })?;
    Ok(FINE)
}

/// Rejects `--watch` without a source, and intervals that would put load on the controller of a scheduler.
fn check_pace(opening: &ExplorerArgs) -> eyre::Result<()> {
    let is_live = opening.reading.live.is_some();
    match opening.watch {
        Some(seconds) if is_live && seconds < LEAST_LIVE_PACE => bail!(
            "--watch {seconds} would query the scheduler too often; expected {LEAST_LIVE_PACE} or more"
        ),
        Some(_) if opening.sources.is_empty() && !is_live => {
            bail!("--watch needs a source; give one, or --live SCHEDULER")
        }
        _ => Ok(()),
    }
}

/// The size of the largest file that is read. All keys with their documentation take a thousandth of it.
const LARGEST_CONFIG: u64 = 1 << 20;

/// Returns the user's own settings, and the file's name as it may be shown. What cannot be read is refused.
fn read_config() -> (Config, Shown) {
    let Ok(strategy) = etcetera::choose_base_strategy() else {
        return (Config::default(), Shown::default());
    };
    let path = strategy.config_dir().join("fairscope/config.toml");
    let named = match path.strip_prefix(strategy.home_dir()) {
        // It stands for the home directory.
        Ok(rest) => Path::new("~").join(rest),
        Err(_) => path.clone(),
    };
    let name = shown(named.as_os_str().as_bytes());
    let config = match read_own_file(&path, LARGEST_CONFIG) {
        Ok(None) => Config::refusing(sentence!(
            "{name}: larger than 1 MiB, too large for a settings file"
        )),
        Ok(Some(bytes)) => Config::parse(&name, &bytes),
        Err(LoadError::Missing(_)) => Config::default(),
        Err(error) => Config::refusing(sentence!("{name}: {}", error.reason())),
    };
    (config, name)
}

const LARGEST_LESSON: u64 = 4 << 20;

/// `fairscope lesson`
#[derive(Arguments, Debug)]
pub struct LessonArgs {
    /// A built-in lesson, or a file; without it, lists the built-in ones
    #[arg(value_name = "NAME")]
    pub lesson: Option<PathBuf>,
    /// Print the lesson in this form, even on a terminal
    #[arg(long, value_name = "FORM", requires = "lesson", value_parser = forms(PAGE_FORMS))]
    pub format_out: Option<Form>,
    /// Play it on this tree, with nodes of it that fit
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(long = "source", value_name = "SOURCE", requires = "lesson")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

pub(super) fn lesson(args: LessonArgs) -> Outcome {
    if args.lesson.is_none() {
        return output::print_whole(output::Content::Text, lessons());
    }
    let format_out = args.format_out;
    let is_played = format_out.is_none() && std::io::stdout().is_terminal();
    if is_played && args.sources.iter().any(|source| source.as_os_str() == "-") {
        bail!(
            "a lesson reads its tree twice, and standard input can be read only once; give a file, or add --format-out text"
        );
    }
    let Some((opening, staged)) = prepare(args)? else {
        return Ok(FOUND);
    };
    if is_played {
        let request = staged.lesson.other.as_deref().cloned();
        return explore(request, opening);
    }
    check_without_explorer(&opening)?;
    let form = format_out.unwrap_or(Form::Text);
    output::print(form, |out| {
        report::lesson::write(out, &staged, &tui::usual_key, form)
    })
}

fn lessons() -> String {
    let mut longest = 0;
    for name in Lesson::names() {
        longest = longest.max(name.len());
    }
    let mut lines = Vec::new();
    for name in Lesson::names() {
        if let Ok(lesson) = tui::built_in_lesson(name) {
            lines.push(format!("  {name:longest$}  {}\n", lesson.title));
        }
    }
    format!(
        "Lessons: fairscope lesson NAME, or L in the explorer\n\n{}\n\
         fairscope lesson FILE plays a lesson of your own; fairscope help lessons tells how to write one.\n",
        lines.concat()
    )
}

/// Returns the name of a lesson in messages, and its text.
fn find_lesson(name: &Path) -> eyre::Result<(Shown, String)> {
    let word = name.to_str().unwrap_or_default();
    if let Ok(text) = Lesson::text_of(word) {
        return Ok((shown(word.as_bytes()), text.to_owned()));
    }
    let is_word = !word.contains(['/', '.']) && !word.is_empty();
    let shown_name = shown(name.as_os_str().as_bytes());
    let file = match read_own_file(name, LARGEST_LESSON) {
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
    let text = String::from_utf8(file)
        .map_err(|_| eyre!("{shown_name}: this is not UTF-8; a lesson is a file in TOML"))?;
    Ok((shown_name, text))
}

/// Reads a lesson. What is wrong with it is reported together.
fn parse_lesson(file: &Shown, text: &str, folder: &Path) -> eyre::Result<Lesson> {
    match tui::parse_lesson(file, text, folder) {
        Ok(lesson) => Ok(lesson),
        Err(refused) => bail!(output::listed(&refused, refused.len())),
    }
}

/// Returns the names of the built-in lessons that pick nodes of any tree.
fn lessons_for_others() -> Vec<&'static str> {
    let mut fitting = Vec::new();
    for name in Lesson::names() {
        if let Ok(lesson) = tui::built_in_lesson(name)
            && lesson.pick.is_some()
        {
            fitting.push(name);
        }
    }
    fitting
}

/// Tries all steps of a lesson out on its tree, or on another one. `None`, after saying so, if nothing there fits.
pub(super) fn prepare(args: LessonArgs) -> eyre::Result<Option<(ExplorerArgs, Staged)>> {
    let sources = &args.sources;
    let reading = &args.reading;
    let nowhere = Path::new("");
    let name = args.lesson.as_deref().unwrap_or(nowhere);
    let (file, text) = find_lesson(name)?;
    let folder = name.parent().unwrap_or(nowhere);
    let mut lesson = parse_lesson(&file, &text, folder)?;
    let other = source::request_if_given(sources, reading)?;
    let opened = if other.is_some() {
        let Some(pick) = lesson.pick else {
            let fitting = lessons_for_others().join(", ");
            bail!("{file} is about its own tree alone; these lessons fit others: {fitting}");
        };
        let opened = source::open(&SourceArgs::of(sources.clone(), reading.clone()))?;
        lesson = match pick.cast(&opened.scenario) {
            Ok(cast) => parse_lesson(&file, &fill(&text, &cast), folder)?,
            Err(reason) => {
                output::complain(&reason);
                return Ok(None);
            }
        };
        lesson.other = other.map(Box::new);
        opened
    } else {
        if *reading != ReadArgs::default() {
            bail!("the options of a source need one; give --source SOURCE too");
        }
        let place = sentence!("{}:{}: source", lesson.file, lesson.source_line);
        let own = SourceArgs::of(vec![lesson.source.clone()], ReadArgs::default());
        source::open(&own).map_err(|error| eyre!("{place}: {error:#}"))?
    };
    let staged = Staged::new(Arc::new(lesson), &opened.scenario).map_err(|reason| eyre!(reason))?;
    let opening = ExplorerArgs {
        reading: args.reading,
        drawing: args.drawing,
        lesson: Some(Arc::clone(&staged.lesson)),
        ..ExplorerArgs::default()
    };
    Ok(Some((opening, staged)))
}
