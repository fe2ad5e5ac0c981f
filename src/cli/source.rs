//! What is opened, how it is read, and what is said about it on standard error.

use super::output;
use super::values::{PolicyChoice, one_policy, row_of, schedulers, setting, short_time, time};
use crate::base::number::{DAY, counted};
use crate::base::shell;
use crate::base::shown::{Shown, shown};
use crate::format::slurm::config::{FLAGS, policy_of_flags};
use crate::format::{
    Example, FilesBeside, Format, History, LoadError, Progress, Request, Severity, SourceKind,
    input, is_example,
};
use crate::model::{NodeId, Scheduler, Tree, duration_for_people, moment_of, resolve};
use crate::open::live;
pub(super) use crate::open::opened::{Opened, apply_text as apply};
use crate::report::simulate::Moments;
use crate::report::{View, lint, order};
use crate::rules::policy::Policy;
use crate::rules::policy::formula::FORMULA;
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr as _, bail};
use jiff::tz::TimeZone;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to read a source, for every command that opens one.
#[derive(Arguments, Clone, Debug, Default, PartialEq)]
pub struct ReadArgs {
    /// The format of the source, if its content is not enough to recognise it
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = row_of(Format::ALL, Format::name, Format::help))]
    pub format: Option<Format>,
    /// The rule to rank by, if not the source's own
    #[arg(long, value_name = "NAME", value_parser = one_policy())]
    pub policy: Option<PolicyChoice>,
    /// A job_sort_formula of PBS; ranks by it unless --policy names another rule
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    pub formula: Option<String>,
    /// A setting instead of the source's; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// Read from the scheduler itself; nothing is written to it
    #[arg(long, value_name = "SCHEDULER", value_parser = schedulers())]
    pub live: Option<Scheduler>,
    /// The longest time for each command of the scheduler [default: 30s]
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = short_time)]
    pub timeout: Option<u32>,
    /// A further output of Slurm's commands about the same cluster; may be repeated
    #[arg(long = "with", hide_short_help = true, value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// The output of scontrol show config, for the settings of Slurm
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The cluster, if a source holds several
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Whether the command needs the cluster's name even if the source knows none.
    #[arg(skip)]
    pub names_cluster: bool,
    /// The usage file that belongs to a resource_group file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub usage: Option<PathBuf>,
    /// The sched_config that belongs to a resource_group file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub sched_config: Option<PathBuf>,
    /// The jobs that ran, which give the usage: of sacct, of PBS, or CSV of Flux
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub jobs: Option<PathBuf>,
    /// The moment of that usage, such as 2026-11-23T20:51:03
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "jobs")]
    pub at: Option<String>,
    /// The time zone of local times, as Europe/Berlin [default: UTC]
    #[arg(long, hide_short_help = true, value_name = "ZONE")]
    pub timezone: Option<String>,
    /// Charge jobs in addition to the usage of the source, since its date
    #[arg(long, hide_short_help = true, requires = "jobs")]
    pub add_usage: bool,
    /// Refuse jobs of users who are not in the tree
    #[arg(long, hide_short_help = true, requires = "jobs")]
    pub strict: bool,
    /// Where several moments are asked for, their span.
    #[arg(skip)]
    pub span: SpanArgs,
}

/// Several moments at which the usage that jobs gave is asked for.
#[derive(Arguments, Clone, Debug, Default, PartialEq)]
pub struct SpanArgs {
    /// The first moment of the usage that jobs gave
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "jobs")]
    pub from: Option<String>,
    /// The last moment of it [default: the last one of the jobs]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "jobs")]
    pub until: Option<String>,
    /// The time from one moment to the next, as 12h [default: 1d]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "jobs", value_parser = time)]
    pub every: Option<u64>,
}

impl ReadArgs {
    /// Returns the policy asked for; a formula implies one, and so do some of Slurm's flags, unless another is named.
    pub fn policy(&self) -> Option<Policy> {
        if let Some(PolicyChoice::One(policy)) = self.policy {
            return Some(policy);
        }
        if self.formula.is_some() {
            return Some(Policy::Formula);
        }
        let mut settings = self.settings.iter().rev();
        let (_, flags) = settings.find(|(key, _)| key == FLAGS)?;
        policy_of_flags(flags).ok()?
    }

    /// Returns when the usage that jobs gave is asked for.
    fn history(&self) -> eyre::Result<History> {
        let zone = self.zone()?;
        let local = match &zone {
            Some(zone) => zone.clone(),
            None => TimeZone::UTC,
        };
        let span = &self.span;
        let from = moment("--from", span.from.as_deref(), &local)?;
        let until = moment("--until", span.until.as_deref(), &local)?;
        let at = moment("--at", self.at.as_deref(), &local)?;
        Ok(History {
            from,
            until: at.or(until),
            every: span.every,
            adds_usage: self.add_usage,
            is_strict: self.strict,
            zone,
            computed: None,
        })
    }

    /// Returns the time zone of local times, if one is named.
    fn zone(&self) -> eyre::Result<Option<TimeZone>> {
        let Some(name) = &self.timezone else {
            return Ok(None);
        };
        let Ok(zone) = TimeZone::get(name) else {
            let name = shown(name.as_bytes());
            bail!("{name} is no time zone; expected a name such as Europe/Berlin or UTC");
        };
        Ok(Some(zone))
    }

    /// Returns the settings asked for, the formula among them.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = self.settings.clone();
        if let Some(formula) = &self.formula {
            settings.push((FORMULA.to_owned(), formula.clone()));
        }
        settings
    }
}

/// Returns the moment of an option in Unix seconds, if it is given.
fn moment(option: &'static str, text: Option<&str>, local: &TimeZone) -> eyre::Result<Option<i64>> {
    let Some(text) = text else {
        return Ok(None);
    };
    match moment_of(text, local) {
        Ok(moment) => Ok(Some(moment.usual())),
        Err(error) => Err(error).wrap_err(option),
    }
}

/// A source and how to read it.
#[derive(Arguments, Debug)]
pub struct SourceArgs {
    /// A file, a directory, or - for standard input
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(value_name = "SOURCE", required_unless_present = "live")]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
}

impl SourceArgs {
    /// Returns these sources, or the scheduler that is read.
    pub(super) const fn of(sources: Vec<PathBuf>, reading: ReadArgs) -> Self {
        Self { sources, reading }
    }
}

/// Takes the nodes out of the operands, so that the sources are left. A node is what is no file, behind the first operand,
/// which is the source unless the scheduler itself is read.
pub(super) fn take_nodes(operands: &mut Vec<PathBuf>, reading: &ReadArgs) -> Vec<OsString> {
    let first = usize::from(reading.live.is_none());
    let mut sources = Vec::new();
    let mut nodes = Vec::new();
    for (place, operand) in std::mem::take(operands).into_iter().enumerate() {
        if place < first || is_source(&operand) {
            sources.push(operand);
        } else {
            nodes.push(operand.into_os_string());
        }
    }
    *operands = sources;
    nodes
}

/// Opens what is named beside nodes. A file that could have been meant as a node is named in the error.
pub(super) fn open_beside_nodes(source: &SourceArgs) -> eyre::Result<Opened> {
    let error = match open(source) {
        Ok(opened) => return Ok(opened),
        Err(error) => error,
    };
    let Some(file) = source.sources.get(1) else {
        return Err(error);
    };
    let name = shell::word(file, "NAME");
    bail!("{error:#}; {name} is a file: to name a node, write --node {name}")
}

/// Returns whether an operand is a source. What cannot be looked at is one: opening it says why not.
fn is_source(operand: &Path) -> bool {
    operand.as_os_str() == "-" || is_example(operand) || !matches!(operand.try_exists(), Ok(false))
}

impl Opened {
    /// Returns the tree with its problems and with what is known about the scheduler's numbers.
    pub(super) fn view(&self) -> View<'_> {
        let source = &self.source;
        let view = View::of(&self.scenario, &source.problems);
        view.verified(&source.verification)
    }

    /// Says on standard error what the printed numbers do not show.
    pub(super) fn mention_remarks(&self, source: &SourceArgs) {
        self.mention_problems(source);
        let time = &self.scenario.settings().time;
        if time.passed > 0 {
            let moments = Moments { taken: time.taken };
            let passed = duration_for_people(time.passed);
            let source = spelled(source);
            let moment = moments.text(time.passed);
            output::complain(&format!(
                "the scenario moves the clock forward by {passed} from {source}; the numbers are those of {moment}"
            ));
        }
        self.mention_order();
    }

    /// Writes to standard error that there were problems, for commands that do not list them.
    pub(super) fn mention_problems(&self, source: &SourceArgs) {
        let problems = &self.source.problems;
        let Some(first) = problems.list().first() else {
            return;
        };
        let mut place = &*first.file;
        for problem in problems.list() {
            if problem.file != first.file {
                place = "several files";
            }
        }
        let count = counted(problems.count(), "problem", "problems");
        let words = spelled(source);
        output::complain(&format!(
            "{count} in {place}; see `fairscope check {words}`"
        ));
    }

    /// Writes to standard error why the order may not be that of the scheduler, and which numbers overflow.
    pub(super) fn mention_order(&self) {
        let view = self.view();
        for remark in order::remarks(&view) {
            if remark.severity == Severity::Warning {
                output::complain(&format!("{}; {}", remark.message, remark.advice));
            }
        }
        let mut overflowing = lint::overflowing(&view);
        if let Some(problem) = overflowing.next() {
            output::complain(&format!("{}; {}", problem.message, problem.advice));
        }
    }
}

/// Writes a warning to standard error if two sources look like different clusters; nodes are still matched by path.
pub(super) fn mention_strangers(one: &Opened, other: &Opened) {
    let one = one.scenario.base();
    let other = other.scenario.base();
    let Some((of_one, of_other)) = one.different_clusters(other) else {
        return;
    };
    let path = &one.source.path;
    let other_path = &other.source.path;
    output::complain(&format!(
        "{path} is from {of_one} and {other_path} from {of_other}; nodes with the same path are treated as the same"
    ));
}

/// Returns the source as on the command line, with its file of jobs.
fn spelled(source: &SourceArgs) -> String {
    let SourceArgs { sources, reading } = source;
    let mut words = Vec::new();
    if let Some(scheduler) = reading.live {
        let name = scheduler.name();
        words.push(format!("--live {name}"));
    }
    for path in sources {
        words.push(shell::word(path, "FILE").into());
    }
    if let Some(path) = &reading.jobs {
        let file = shell::word(path, "FILE");
        words.push(format!("--jobs {file}"));
    }
    words.join(" ")
}

/// Returns whether anything to read is named.
pub(super) fn is_given(sources: &[PathBuf], reading: &ReadArgs) -> bool {
    !sources.is_empty() || reading.live.is_some()
}

/// Returns the request to open what is named; `None` if nothing is.
pub(super) fn request_if_given(
    sources: &[PathBuf],
    reading: &ReadArgs,
) -> eyre::Result<Option<Request>> {
    if !is_given(sources, reading) {
        return Ok(None);
    }
    Ok(Some(request(sources, reading)?))
}

/// Returns the request to open paths or a scheduler; without either the built-in example.
pub(super) fn request(sources: &[PathBuf], reading: &ReadArgs) -> eyre::Result<Request> {
    let source = source_kind(sources, reading)?;
    if uses_of_standard_input(sources, reading) > 1 {
        bail!("standard input can be read only once; give the other source as a file");
    }
    Ok(Request {
        source,
        beside: FilesBeside {
            config: reading.config.clone(),
            usage: reading.usage.clone(),
            sched_config: reading.sched_config.clone(),
            jobs: reading.jobs.clone(),
        },
        timeout: timeout_of(reading.timeout),
        cluster: reading.cluster.clone(),
        names_cluster: reading.names_cluster,
        format: reading.format,
        history: Box::new(reading.history()?),
        settings: reading.settings(),
    })
}

/// Returns what is opened: the paths, or a scheduler, with the files of --with.
fn source_kind(sources: &[PathBuf], reading: &ReadArgs) -> eyre::Result<SourceKind> {
    let mut more = Vec::new();
    if let [_, further @ ..] = sources {
        more.extend_from_slice(further);
    }
    more.extend_from_slice(&reading.more);
    let Some(scheduler) = reading.live else {
        let path = match sources.first() {
            Some(path) => path.clone(),
            None => PathBuf::new(),
        };
        return Ok(SourceKind::Path { path, more });
    };
    if let Some(path) = sources.first() {
        let name = scheduler.name();
        let path = shown(path.as_os_str().as_bytes());
        bail!(
            "--live {name} replaces {path}; leave out one of the two, or give the file with --with"
        );
    }
    Ok(SourceKind::Live { scheduler, more })
}

/// Returns the longest time for each command of the scheduler, if it is given in seconds.
pub(super) fn timeout_of(seconds: Option<u32>) -> Option<Duration> {
    let seconds = seconds?;
    Some(Duration::from_secs(seconds.into()))
}

/// Returns how many of the files that are named are standard input.
pub(super) fn uses_of_standard_input(sources: &[PathBuf], reading: &ReadArgs) -> usize {
    let mut files = Vec::new();
    files.extend(sources);
    files.extend(&reading.more);
    files.extend(&reading.config);
    files.extend(&reading.usage);
    files.extend(&reading.sched_config);
    files.extend(&reading.jobs);
    files.retain(|path| path.as_os_str() == "-");
    files.len()
}

/// Returns whether jobs make the series that is asked for of one tree: those of a file, or of a built-in tree. Fails for
/// a built-in tree without jobs, and for one among others.
pub(super) fn makes_series(sources: &[PathBuf], reading: &ReadArgs) -> eyre::Result<bool> {
    if reading.jobs.is_some() {
        return Ok(true);
    }
    let Some(path) = built_in(sources) else {
        return Ok(false);
    };
    let is_series = match Example::of(&Request::to_open(path)) {
        Some(example) => example == Example::Month,
        None => true,
    };
    if is_series && sources.len() == 1 {
        return Ok(true);
    }
    let name = input::name(path);
    let month = Example::Month.source();
    bail!("{name} is a tree without a history; give the dumps of one cluster, or {month} alone")
}

/// Returns the first source that names a built-in tree; `None` if none does.
fn built_in(sources: &[PathBuf]) -> Option<&PathBuf> {
    let mut named = sources.iter();
    named.find(|path| !path.as_os_str().is_empty() && is_example(path))
}

/// Returns the request for the series that jobs make of a tree: a moment a day unless another interval is asked for.
pub(super) fn series_request(sources: &[PathBuf], reading: &ReadArgs) -> eyre::Result<Request> {
    let mut request = request(sources, reading)?;
    let history = &mut request.history;
    if history.every.is_none() {
        history.every = Some(DAY.into());
    }
    Ok(request)
}

/// Opens what is named, ranked by the policy that is asked for.
pub(super) fn open(source: &SourceArgs) -> eyre::Result<Opened> {
    let reading = &source.reading;
    let request = request(&source.sources, reading)?;
    let loaded = live::load_or_end(&request, &mut go_on)?;
    Ok(Opened::new(loaded, reading.policy()))
}

/// Lets what is read be read to its end: a command has no key that stops it.
pub(super) const fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Returns the node that a word of the command line means; fails if it means none, or several.
pub(super) fn node(tree: &Tree, name: &OsStr) -> eyre::Result<NodeId> {
    Ok(resolve(tree, name.as_bytes())?)
}

/// Returns the node of an operand, which might have been meant as a file.
pub(super) fn node_of_operand(tree: &Tree, name: &OsStr) -> eyre::Result<NodeId> {
    node(tree, name).wrap_err_with(|| no_file(name))
}

/// Returns the clause before the error for an operand that is no node either.
pub(super) fn no_file(operand: &OsStr) -> String {
    format!("{} is no file", shown(operand.as_bytes()))
}

/// Returns the bytes of a file that people write for fairscope, or `None` if it has more than `largest`.
pub(super) fn read_own_file(path: &Path, largest: u64) -> Result<Option<Vec<u8>>, LoadError> {
    let file = input::open(path)?;
    let mut bytes = Vec::new();
    if let Err(error) = file.take(largest + 1).read_to_end(&mut bytes) {
        return Err(LoadError::Read {
            path: input::name(path),
            error: Shown::error(&error),
        });
    }
    if bytes.len() as u64 > largest {
        return Ok(None);
    }
    Ok(Some(bytes))
}
