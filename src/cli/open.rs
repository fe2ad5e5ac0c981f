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
    let for_explorer = [
        ("--watch", opening.watch.is_some()),
        ("--me", opening.me.is_some()),
        ("--desired", opening.desired.desired.is_some()),
    ];
    if let Some((option, _)) = for_explorer.into_iter().find(|(_, is_given)| *is_given) {
        bail!("{option} needs the explorer, but standard output is not a terminal; leave it out");
    }
    Ok(())
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
    // `~` stands for the home directory.
    let short = path.strip_prefix(strategy.home_dir());
    let short = short.map(|rest| PathBuf::from("~").join(rest));
    let name = shown(short.as_ref().unwrap_or(&path).as_os_str().as_bytes());
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

/// Tries all steps of a lesson out on its tree, or on another one. `None`, after saying so, if nothing there fits.
pub(super) fn prepare(args: LessonArgs) -> eyre::Result<Option<(ExplorerArgs, Staged)>> {
    let (sources, reading) = (&args.sources, &args.reading);
    let name = args.lesson.as_deref().unwrap_or_else(|| Path::new(""));
    let (file, text) = find_lesson(name)?;
    let folder = name.parent().unwrap_or_else(|| Path::new(""));
    let parse = |text: &str| {
        let parsed = tui::parse_lesson(&file, text, folder);
        parsed.map_err(|refused| eyre!(output::listed(&refused, refused.len())))
    };
    let mut lesson = parse(&text)?;
    let other = source::request_if_given(sources, reading)?;
    let opened = if other.is_some() {
        let Some(pick) = lesson.pick else {
            let fits = |name: &&str| tui::built_in_lesson(name).is_ok_and(|it| it.pick.is_some());
            let fitting: Vec<&str> = Lesson::names().filter(fits).collect();
            let fitting = fitting.join(", ");
            bail!("{file} is about its own tree alone; these lessons fit others: {fitting}");
        };
        let opened = source::open(&SourceArgs::of(sources.clone(), reading.clone()))?;
        lesson = match pick.cast(&opened.scenario) {
            Ok(cast) => parse(&fill(&text, &cast))?,
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
