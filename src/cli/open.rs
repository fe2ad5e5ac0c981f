//! What opens the explorer, with the settings of the user's own file: `fairscope` without a command, and other commands with
//! what they have read.

use super::edits::DesiredArgs;
use super::source::{self, ReadArgs, SourceArgs, read_own_file};
use super::values::{short_time, themes};
use super::{FINE, Outcome, look, output};
use crate::base::shown::{Shown, sentence};
use crate::format::{LoadError, Request, SourceKind, input};
use crate::report::lesson::Lesson;
use crate::tui::{self, Config, LEAST_LIVE_PACE};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
use etcetera::BaseStrategy as _;
use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
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
    /// The lesson to play instead of a source.
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

/// Opens the explorer; where standard output is no terminal, prints the tree.
pub(super) fn explorer(opening: ExplorerArgs) -> Outcome {
    if std::io::stdout().is_terminal() {
        let request = source::request_if_given(&opening.sources, &opening.reading)?;
        check_pace(&opening)?;
        return explore(request, opening);
    }
    check_without_explorer(&opening)?;
    look::show_plainly(&SourceArgs::of(opening.sources, opening.reading))
}

/// Fails for an option that only the explorer takes.
pub(super) fn check_without_explorer(opening: &ExplorerArgs) -> eyre::Result<()> {
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

/// Opens the explorer on several dumps, or on the moments that jobs make of one tree.
pub(super) fn explore_series(opening: ExplorerArgs) -> Outcome {
    let sources = &opening.sources;
    let reading = &opening.reading;
    let request = if source::makes_series(sources, reading)? {
        source::series_request(sources, reading)?
    } else {
        Request {
            source: SourceKind::Series(sources.clone()),
            ..source::request(&[], reading)?
        }
    };
    explore(Some(request), opening)
}

/// Opens the explorer on what is requested; on its list of sources without a request.
pub(super) fn explore(request: Option<Request>, opening: ExplorerArgs) -> Outcome {
    let (config, config_file) = read_config();
    // The screen of the explorer has room for the first one alone.
    let refused = &config.refused;
    if !refused.is_empty() {
        let lines = output::listed(refused, refused.len());
        output::complain(&lines);
    }
    let given = tui::Options {
        policy: opening.reading.policy(),
        is_ascii: opening.drawing.ascii,
        without_mouse: opening.drawing.no_mouse,
        folder: env::current_dir().unwrap_or_default(),
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
        options: options.suited_to(|name| env::var_os(name)),
    })?;
    Ok(FINE)
}

/// Rejects `--watch` without a source, and intervals that would put load on the controller of a scheduler.
fn check_pace(opening: &ExplorerArgs) -> eyre::Result<()> {
    let Some(seconds) = opening.watch else {
        return Ok(());
    };
    let is_live = opening.reading.live.is_some();
    if is_live && seconds < LEAST_LIVE_PACE {
        bail!(
            "--watch {seconds} would query the scheduler too often; expected {LEAST_LIVE_PACE} or more"
        );
    }
    if opening.sources.is_empty() && !is_live {
        bail!("--watch needs a source; give one, or --live SCHEDULER");
    }
    Ok(())
}

/// The size of the largest file that is read. All keys with their documentation take a thousandth of it.
const LARGEST_CONFIG: u64 = 1 << 20;

/// Returns the user's own settings, and the file's name as it may be shown. What cannot be read is refused.
fn read_config() -> (Config, Shown) {
    let Ok(strategy) = etcetera::choose_base_strategy() else {
        return (Config::default(), Shown::default());
    };
    let folder = strategy.config_dir();
    let path = folder.join("fairscope/config.toml");
    let named = match path.strip_prefix(strategy.home_dir()) {
        // It stands for the home directory.
        Ok(rest) => Path::new("~").join(rest),
        Err(_) => path.clone(),
    };
    let name = input::name(&named);
    let config = match read_own_file(&path, LARGEST_CONFIG) {
        Ok(Some(bytes)) => Config::parse(&name, &bytes),
        Ok(None) => {
            let reason = "larger than 1 MiB, too large for a settings file";
            Config::refusing(sentence!("{name}: {reason}"))
        }
        Err(LoadError::Missing(_)) => Config::default(),
        Err(error) => {
            let reason = error.reason();
            Config::refusing(sentence!("{name}: {reason}"))
        }
    };
    (config, name)
}
