//! Files in and out: what a scheduler or a person wrote becomes a [`Snapshot`] and a list of [`Problem`]s.
//!
//! A parser does not fail on a bad line: it returns what it understood and says what it made of the rest.
//! [`LoadError`] is for what cannot be read at all. Nothing here prints, and nothing here writes a source.

mod conversion;
pub mod convert;
pub mod csv;
mod detect;
mod directory;
pub mod example;
pub mod flux;
pub mod input;
pub mod native;
mod origin;
pub mod pbs;
pub mod problem;
pub(crate) mod saved;
pub mod series;
pub mod slurm;
mod source;
mod text;

pub use crate::model::Format;
pub use conversion::Conversion;
pub use example::{Example, example, is_example};
pub use problem::{Problem, Problems, Severity};
pub use series::Series;

use crate::model::{Scheduler, SettingError, Settings, Shares, Snapshot};
use crate::rules::policy::Policy;
use crate::rules::policy::formula::{FORMULA, Formula, FormulaError};
use input::{Input, PathKind};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The path; `-` is standard input, `example:NAME` a built-in tree, and so is an empty path.
    pub path: PathBuf,
    /// Further files about the same tree: Slurm's outputs are combined.
    pub more: Vec<PathBuf>,
    /// Dumps of one tree made at different times, or a directory of them, in place of a path; the newest is opened.
    pub series: Vec<PathBuf>,
    /// The scheduler to ask in place of a path.
    pub live: Option<Scheduler>,
    /// How long each of its commands may take; nothing is the usual time.
    pub timeout: Option<Duration>,
    /// A file of `scontrol show config`, for Slurm's settings.
    pub config: Option<PathBuf>,
    /// Which cluster, where a source holds several.
    pub cluster: Option<String>,
    /// Whether the cluster's name is of use beyond the source, so that one without clusters may be given it too.
    pub names_cluster: bool,
    /// The format, where the user said it; else it is found from the content.
    pub format: Option<Format>,
    /// The usage file that goes with a `resource_group` file.
    pub usage: Option<PathBuf>,
    /// The `sched_config` that goes with a `resource_group` file.
    pub sched_config: Option<PathBuf>,
    /// A CSV file of jobs that are over, of the users of a Flux tree.
    pub jobs: Option<PathBuf>,
    /// `--set KEY=VALUE`, in order; they win over what the source says.
    pub settings: Vec<(String, String)>,
}

/// How far loading has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being read.
    pub file: String,
    /// Bytes read so far.
    pub bytes: u64,
    /// Bytes in all, where that is known.
    pub total: Option<u64>,
    /// Nodes made so far.
    pub nodes: usize,
}

/// Called now and then while loading; breaking off cancels.
pub type OnProgress<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// Asks the scheduler that a request names. The formats know how its answers are written, not how to run it.
pub type AskScheduler = fn(&Request, OnProgress<'_>) -> Result<Loaded, LoadError>;

/// One edit of a saved scenario, as text of the edit language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEdit {
    /// What to do: `shares group1/bob=20`.
    pub text: String,
    /// Why, in the user's words; empty if they gave none.
    pub reason: String,
    /// The line of the file it stands in.
    pub line: usize,
}

/// A scenario as it stands in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedScenario {
    /// What tells it from others of the file; empty where it is the only one and nobody gave it a name.
    pub name: String,
    /// The policy it is under; nothing leaves it to the source.
    pub policy: Option<Policy>,
    /// Its edits, still to be applied.
    pub edits: Vec<SavedEdit>,
}

/// What loading gave.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree and its settings.
    pub snapshot: Snapshot,
    /// What was odd or wrong.
    pub problems: Problems,
    /// The policy the file asks for.
    pub policy: Option<Policy>,
    /// The scenarios of a scenario file; empty for anything else.
    pub scenarios: Vec<SavedScenario>,
    /// The place of the scenario that is shown first.
    pub front: usize,
    /// The path of the scenario file, where one was opened: what saving goes back to.
    pub scenario: Option<PathBuf>,
    /// The source as a scenario file refers to it.
    pub reference: native::Reference,
    /// The series it is one of, where it is.
    pub series: Option<Series>,
}

impl Loaded {
    /// Returns a tree and nothing else.
    pub(crate) fn new(snapshot: Snapshot, problems: Problems) -> Self {
        Self {
            snapshot,
            problems,
            policy: None,
            scenarios: Vec::new(),
            front: 0,
            scenario: None,
            reference: native::Reference::default(),
            series: None,
        }
    }
}

/// Why a source could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The source is not there, is of the wrong kind, or holds nothing we know. The sentence says what and how to mend.
    #[error("{0}")]
    Refused(String),
    /// A path leads to nothing. Holds the path as it may be shown, with the words before it.
    #[error("{0}: no such file or directory")]
    Missing(String),
    /// Reading failed.
    #[error("{path}: {error}")]
    Read {
        /// The file, as it may be shown.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A `--set` that does not fit.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A `job_sort_formula` that is none.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The user cancelled.
    #[error("loading was cancelled")]
    Cancelled,
}

/// Opens a source: finds its format, reads it, and applies the settings of the request. Of several dumps of one tree
/// the newest is opened.
///
/// # Errors
/// If the source cannot be read at all, a setting does not fit, or the user cancelled.
pub fn load(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    load_asking(request, report, refuse_to_ask)
}

/// Opens a source as [`load`] does, and asks the scheduler where the request, or a scenario, is about a live one.
///
/// # Errors
/// As for [`load`], and if the scheduler cannot be asked.
pub fn load_asking(
    request: &Request,
    report: OnProgress<'_>,
    ask: AskScheduler,
) -> Result<Loaded, LoadError> {
    let Some(found) = series::asked_for(request)? else {
        return settled(open(request, report, ask)?, request, report);
    };
    let newest = found.series.request(request);
    let mut loaded = settled(open(&newest, report, ask)?, &newest, report)?;
    loaded.problems.append(found.problems);
    loaded.series = Some(found.series);
    Ok(loaded)
}

/// For those who open files only.
fn refuse_to_ask(_request: &Request, _report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    Err(LoadError::Refused(
        "this is a scenario of a live tree; save the tree with fairscope snapshot, and name that \
         directory as the scenario's path"
            .to_owned(),
    ))
}

/// Opens outputs that were read already, as one source.
///
/// # Errors
/// If they cannot be understood at all, a setting does not fit, or the user cancelled.
pub fn load_inputs(
    inputs: Vec<Input>,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, LoadError> {
    settled(
        open_inputs(inputs, request, report, refuse_to_ask)?,
        request,
        report,
    )
}

/// Returns what was loaded, under the settings that were asked for.
fn settled(
    mut loaded: Loaded,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, LoadError> {
    if loaded.scenario.is_none() {
        loaded.reference = native::Reference::to(request);
    }
    let Snapshot {
        tree,
        settings,
        source,
        recorded: _,
    } = &mut loaded.snapshot;
    if source.taken.is_none() && request.live.is_none() {
        source.taken = series::date_of(&request.path);
    }
    if loaded.scenario.is_none() {
        // A tree in a file of ours is as old as the file; that of a scenario was settled when its source was opened.
        let changed = loaded.reference.state.map(|(_, changed)| changed);
        settings.time.taken = source.taken.or(changed);
    }
    for (key, value) in &request.settings {
        settings.set(key, value)?;
        if key == "unknown_shares"
            && let Some(unknown) = tree.unknown()
        {
            // The shares of `unknown` and the setting are one number to PBS.
            let shares = i64::from(settings.pbs.unknown_shares);
            tree.set_shares(unknown, Shares::new(shares));
        }
        if key == "fairshare_usage_res" && source.format == Format::Pbs {
            source.usage_unit.clone_from(value);
        }
    }
    check_formula(&request.settings, settings)?;
    // Of a scenario the source was settled already, and has the jobs.
    if let (Some(path), None) = (&request.jobs, &loaded.scenario) {
        read_jobs(path, &mut loaded, report)?;
    }
    Ok(loaded)
}

/// Reads the jobs that are over beside a tree of Flux.
fn read_jobs(path: &Path, loaded: &mut Loaded, report: OnProgress<'_>) -> Result<(), LoadError> {
    if loaded.snapshot.settings.scheduler != Some(Scheduler::Flux) {
        return Err(LoadError::Refused(
            "--jobs goes with a tree of Flux only, whose usage is made of jobs; leave it out"
                .to_owned(),
        ));
    }
    let input = input::read(path, report)?;
    let Snapshot { tree, recorded, .. } = &mut loaded.snapshot;
    let recorded = Arc::make_mut(recorded);
    flux::jobs::read(&input, tree, recorded, &mut loaded.problems)
}

/// Whether a formula among the settings asked for is one, under all of them: a resource may be given after it.
///
/// # Errors
/// If it is none.
pub fn check_formula(asked: &[(String, String)], settings: &Settings) -> Result<(), FormulaError> {
    if asked.iter().any(|(key, _)| key == FORMULA) {
        Formula::of(settings)?;
    }
    Ok(())
}

fn open(request: &Request, report: OnProgress<'_>, ask: AskScheduler) -> Result<Loaded, LoadError> {
    if request.live.is_some() {
        return ask(request, report);
    }
    if is_example(&request.path) {
        return example::open(request, report);
    }
    let place = input::look(&request.path)?;
    for path in &request.more {
        input::look(path)?;
    }
    if place == PathKind::Directory {
        return open_directory(request, report, ask);
    }
    let asks_for_flux = request.format == Some(Format::FluxDb);
    if asks_for_flux || (request.format.is_none() && flux::is_database(&request.path)?) {
        alone(request, Format::FluxDb)?;
        return flux::open_database(request, report);
    }
    let mut inputs = vec![input::read(&request.path, &mut *report)?];
    for path in request.more.iter().chain(&request.config) {
        inputs.push(input::read(path, &mut *report)?);
    }
    open_inputs(inputs, request, report, ask)
}

/// Returns a directory is PBS's, or holds outputs that were saved together.
fn open_directory(
    request: &Request,
    report: OnProgress<'_>,
    ask: AskScheduler,
) -> Result<Loaded, LoadError> {
    match request.format {
        None | Some(Format::Pbs) => {}
        Some(format) => {
            return Err(LoadError::Refused(format!(
                "{} is a directory, and {} is read from one file; give the path of the file",
                input::name(&request.path),
                format.name()
            )));
        }
    }
    if request.format.is_none() && pbs::sched_priv(&request.path)?.is_none() {
        let database = request.path.join(saved::FLUX_FILE);
        if database.is_file() {
            alone(request, Format::FluxDb)?;
            let inside = Request {
                path: database,
                ..request.clone()
            };
            return flux::open_database(&inside, report);
        }
        if let Some(loaded) = directory::open(request, &mut *report, ask)? {
            return Ok(loaded);
        }
    }
    alone(request, Format::Pbs)?;
    pbs::open_directory(request, report)
}

/// Says so where several files were given and only one is read, or one cluster of several is wanted and there is one.
fn alone(request: &Request, format: Format) -> Result<(), LoadError> {
    // A scenario hands the cluster on to its source.
    if request.cluster.is_some() && !request.names_cluster && format != Format::Toml {
        return Err(LoadError::Refused(format!(
            "{} is {}, which knows no clusters; leave --cluster out",
            input::name(&request.path),
            format.name()
        )));
    }
    let Some(other) = request.more.first().or(request.config.as_ref()) else {
        return Ok(());
    };
    Err(LoadError::Refused(format!(
        "{} is {}, which is read alone, and {} was given beside it; only outputs of Slurm's commands are combined",
        input::name(&request.path),
        format.name(),
        input::name(other)
    )))
}

/// Returns an output of Slurm without what copying put around it. What is of another format stays as it is, and so do a
/// dump, which is written again byte by byte, and JSON.
fn tidied(input: Input) -> Input {
    let known = detect::detect(&input);
    let is_kept = |format: Format| {
        !format.is_slurm() || matches!(format, Format::SacctmgrDump | Format::SlurmJson)
    };
    if known.is_some_and(is_kept) {
        return input;
    }
    let bytes = match input::tidy(&input.bytes) {
        Cow::Borrowed(bytes) if bytes.len() == input.bytes.len() => return input,
        tidy => tidy.into_owned(),
    };
    let tidy = Input {
        bytes,
        ..input.clone()
    };
    let is_slurm = detect::detect(&tidy).is_some_and(Format::is_slurm);
    if is_slurm || slurm::config::is_config(&tidy.bytes) {
        tidy
    } else {
        input
    }
}

fn open_inputs(
    inputs: Vec<Input>,
    request: &Request,
    report: OnProgress<'_>,
    ask: AskScheduler,
) -> Result<Loaded, LoadError> {
    let mut inputs: Vec<Input> = inputs.into_iter().map(tidied).collect();
    for input in &inputs {
        if input.bytes.is_empty() {
            return Err(LoadError::Refused(format!(
                "{} is empty; expected a tree: check what should have written it",
                input.name()
            )));
        }
        input::check(input)?;
    }
    let Some(first) = inputs.first() else {
        return Err(LoadError::Refused("there is nothing to open".to_owned()));
    };
    let Some(format) = request.format.or_else(|| detect::detect(first)) else {
        if slurm::config::is_config(&first.bytes) {
            // Settings given first are settings all the same.
            return slurm::load(inputs, request, report);
        }
        return Err(input::refuse_unknown(first));
    };
    if format == Format::Pbs
        && let Some(refusal) = detect::not_pbs(first)
    {
        return Err(refusal);
    }
    if format != Format::Pbs && (request.usage.is_some() || request.sched_config.is_some()) {
        return Err(LoadError::Refused(format!(
            "{} is {}; --usage and --sched-config go with a resource_group file of PBS only: leave them out",
            first.name(),
            format.name()
        )));
    }
    if format.is_slurm() {
        return slurm::load(inputs, request, report);
    }
    alone(request, format)?;
    let input = inputs.swap_remove(0);
    match format {
        Format::Pbs => {
            let files = pbs::Files::beside(input, request, &mut *report)?;
            pbs::load(&files, request, report)
        }
        Format::Csv => {
            input::check_lines(&input)?;
            csv::parse(input.bytes, request, report)
        }
        Format::Toml => {
            input::check_lines(&input)?;
            native::parse_asking(input.bytes, request, report, ask)
        }
        Format::FluxJson => flux::json::parse(&input, request, report),
        Format::ViewBank => flux::view_bank::parse(&input, request, report),
        Format::FluxDb => Err(LoadError::Refused(format!(
            "{} is a database, and a database is opened by its path; give the path",
            input.name()
        ))),
        Format::Sshare
        | Format::SlurmJson
        | Format::AssocMgr
        | Format::SacctmgrDump
        | Format::SacctmgrAssoc
        | Format::Sreport => unreachable!("Slurm's formats are combined above"),
    }
}
