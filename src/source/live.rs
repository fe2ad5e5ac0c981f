//! The schedulers themselves: their own read-only commands, run once, never through a shell, with a time limit.

mod flux;
mod interrupt;
mod pbs;
pub mod run;
mod slurm;
mod snapshot;

pub use snapshot::{Contents, SavedFiles, SnapshotError, copy_database, save};

use crate::base::shown::shown;
use crate::model::{Origin, Scheduler, Source};
use crate::source::format::{LoadError, Loaded, OnProgress, Problems, Request, load_asking};
use interrupt::ending_first;
use run::RunLimits;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long one command of a scheduler may take, unless the user says otherwise.
pub const USUAL_TIMEOUT: Duration = Duration::from_secs(30);

/// What stands for the path of a request that asks a scheduler.
pub const PATH: &str = "live";

/// Opens what a request asks for: files, or a scheduler, or a scenario of either.
///
/// # Errors
/// If it cannot be opened.
pub fn load(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    load_asking(request, report, ask)
}

/// As [`load`], for who does not catch signals: one that comes while a scheduler is asked ends its command, then the
/// process.
///
/// # Errors
/// If it cannot be opened.
pub fn load_or_end(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    load_asking(request, report, |request, report| {
        ending_first(report, |report| ask(request, report))
    })
}

/// Asks the scheduler of a request.
fn ask(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    let Some(scheduler) = request.live else {
        return Err(LoadError::Refused(
            "there is no scheduler to ask".to_owned(),
        ));
    };
    let beside = [
        ("--with", !request.more.is_empty()),
        ("--config", request.config.is_some()),
        ("--cluster", request.cluster.is_some()),
    ];
    let beside = beside.into_iter().find(|(_, is_given)| *is_given);
    if let Some((option, _)) = beside.filter(|_| scheduler != Scheduler::Slurm) {
        return Err(LoadError::Refused(format!(
            "{option} is for Slurm, and --live {} asks another scheduler; leave it out",
            scheduler.name()
        )));
    }
    let mut loaded = match scheduler {
        Scheduler::Slurm => slurm::ask(request, report),
        Scheduler::Pbs => pbs::ask(request, report),
        Scheduler::Flux => flux::ask(request, report),
    }?;
    let source = &mut loaded.snapshot.source;
    source.title = title(scheduler, source, request);
    source.path = format!("{PATH}:{}", scheduler.name());
    source.taken = source.taken.or_else(now);
    Ok(loaded)
}

/// Returns what the screen calls the tree: the scheduler and its cluster.
fn title(scheduler: Scheduler, source: &Source, request: &Request) -> String {
    let cluster = match &request.cluster {
        Some(asked) if source.cluster.is_empty() => asked,
        _ => &source.cluster,
    };
    if cluster.is_empty() {
        format!("{PATH} {}", scheduler.name())
    } else {
        format!(
            "{PATH} {} ({})",
            scheduler.name(),
            shown(cluster.as_bytes())
        )
    }
}

/// One thing a scheduler said, or one of its files.
#[derive(Clone, Debug)]
struct Output {
    /// The name under which it is known and saved: `sshare.json`.
    name: &'static str,
    /// What was done for it.
    origin: Origin,
    /// All of it.
    bytes: Vec<u8>,
}

/// What a scheduler said.
#[derive(Clone, Debug, Default)]
struct Answer {
    /// What it said, the one with the tree first.
    outputs: Vec<Output>,
    /// What it would not say.
    problems: Problems,
}

impl Answer {
    /// Returns which commands and files gave the outputs.
    fn origins(&self) -> Vec<Origin> {
        let origins = self.outputs.iter();
        origins.map(|output| output.origin.clone()).collect()
    }
}

/// How long the commands of a request may take.
fn run_limits<'a>(request: &Request, report: OnProgress<'a>) -> RunLimits<'a> {
    RunLimits {
        timeout: request.timeout.unwrap_or(USUAL_TIMEOUT),
        report,
    }
}

/// Now, in Unix seconds; nothing on a machine whose clock stands before 1970.
fn now() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Returns a request for the files that a scheduler's answer is in.
fn of_files(request: &Request, path: PathBuf) -> Request {
    Request {
        path,
        live: None,
        ..request.clone()
    }
}
