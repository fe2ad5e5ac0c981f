//! Live schedulers: their own read-only commands, each run once, never through a shell, with a time limit.

mod flux;
mod interrupt;
mod pbs;
pub mod run;
mod slurm;
mod snapshot;

pub(crate) use snapshot::save;
pub use snapshot::{SavedFiles, SnapshotError, copy_database};

use super::refused;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::{self, Input};
use crate::format::slurm::companion::Companion;
use crate::format::slurm::companions::{CompanionSource, Companions};
use crate::format::{LIVE_PATH, LoadResult, Loaded, OnProgress, Problems, Request};
use crate::model::{Origin, Scheduler, Source};
use crate::open::{load_asking, load_inputs};
use interrupt::ending_first;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The default time limit of one command of a scheduler.
pub const USUAL_TIMEOUT: Duration = Duration::from_secs(30);

/// Opens the source of a request: files, a scheduler, or a scenario of either.
pub fn load(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    load_asking(request, report, ask)
}

/// Opens a source as [`load`] does. A signal while a scheduler is asked ends its command, then the process.
pub(crate) fn load_or_end(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    load_asking(request, report, |request, report| {
        ending_first(report, |report| ask(request, report))
    })
}

/// Adds the outputs about waiting jobs of a live Slurm, unless some are known already, and returns what was not available.
/// Other sources stay as they are.
pub(crate) fn add_jobs(
    request: &Request,
    found: &mut Companions,
    report: OnProgress<'_>,
) -> LoadResult<Problems> {
    let is_known = !found.of(Companion::Sprio).is_empty();
    if is_known || request.live() != Some(Scheduler::Slurm) {
        return Ok(Problems::default());
    }
    let answer = slurm::jobs(request, report)?;
    for output in answer.outputs {
        if let Some(kind) = input::companion(&output.bytes) {
            let input = Input::of(Path::new(output.name), output.bytes, now());
            found
                .0
                .push((kind, CompanionSource::Printed(Arc::new(input))));
        }
    }
    Ok(answer.problems)
}

/// Adds them as [`add_jobs`] does. A signal meanwhile ends the command that is asked, then the process.
pub(crate) fn add_jobs_or_end(
    request: &Request,
    found: &mut Companions,
    report: OnProgress<'_>,
) -> LoadResult<Problems> {
    ending_first(report, |report| add_jobs(request, found, report))
}

/// Asks the scheduler of a request.
fn ask(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let Some(scheduler) = request.live() else {
        return refused("no scheduler given");
    };
    if scheduler != Scheduler::Slurm
        && let Some(option) = option_of_slurm(request)
    {
        return refused(sentence!(
            "{option} is for Slurm only, not for --live {}; leave it out",
            scheduler.name()
        ));
    }
    let mut loaded = match scheduler {
        Scheduler::Slurm => slurm::ask(request, report),
        Scheduler::Pbs => pbs::ask(request, report),
        Scheduler::Flux => flux::ask(request, report),
    }?;
    let source = &mut loaded.snapshot.source;
    source.title = title(scheduler, source, request);
    source.path = sentence!("{LIVE_PATH}:{}", scheduler.name());
    source.taken = source.taken.or_else(now);
    Ok(loaded)
}

/// Returns the first option of a request that only Slurm has a use for.
fn option_of_slurm(request: &Request) -> Option<&'static str> {
    if !request.source.more().is_empty() {
        Some("--with")
    } else if request.beside.config.is_some() {
        Some("--config")
    } else if request.cluster.is_some() {
        Some("--cluster")
    } else {
        None
    }
}

/// Returns the title of the tree: the scheduler and its cluster.
fn title(scheduler: Scheduler, source: &Source, request: &Request) -> Shown {
    let cluster = match &request.cluster {
        Some(asked) if source.cluster.is_empty() => asked,
        _ => &source.cluster,
    };
    let of_cluster = match &cluster[..] {
        "" => String::new(),
        cluster => format!(" ({})", shown(cluster.as_bytes())),
    };
    sentence!("{LIVE_PATH} {}{of_cluster}", scheduler.name())
}

/// One output of a scheduler, or one of its files.
#[derive(Clone, Debug)]
struct Output {
    /// The name under which it is saved: `sshare.json`.
    name: &'static str,
    /// The command or file it is from.
    origin: Origin,
    /// The output as it was printed, byte for byte.
    bytes: Vec<u8>,
}

impl Output {
    /// Returns what a command printed.
    fn ran(name: &'static str, command: Shown, bytes: Vec<u8>) -> Self {
        let origin = Origin::Ran(command.into());
        Self {
            name,
            origin,
            bytes,
        }
    }
}

/// What a scheduler answered.
#[derive(Clone, Debug, Default)]
struct Answer {
    /// The outputs, the one with the tree first.
    outputs: Vec<Output>,
    /// The outputs that were not available.
    problems: Problems,
}

impl Answer {
    /// Opens the outputs as files that were read just now, with others that the user gave.
    fn open(
        self,
        others: Vec<Input>,
        request: &Request,
        report: OnProgress<'_>,
    ) -> LoadResult<Loaded> {
        let taken = now();
        let mut inputs = Vec::new();
        let mut origins = Vec::new();
        for output in self.outputs {
            let path = Path::new(output.name);
            inputs.push(Input::of(path, output.bytes, taken));
            origins.push(output.origin);
        }
        inputs.extend(others);
        let mut loaded = load_inputs(inputs, request, report)?;
        loaded.problems.append(self.problems);
        let source = &mut loaded.snapshot.source;
        source.taken = taken;
        source.origins.splice(0..0, origins);
        Ok(loaded)
    }
}

/// Returns the name of the user who runs this process, as `id -un` prints it; `None` if there is none.
pub(crate) fn login_name() -> Option<OsString> {
    let printed = run::run("id", &["-un"], USUAL_TIMEOUT, &mut |_| {
        ControlFlow::Continue(())
    });
    let name = printed.ok()?.bytes.trim_ascii().to_vec();
    if name.is_empty() {
        return None;
    }
    Some(OsString::from_vec(name))
}

/// Returns how long each command may take.
fn timeout(request: &Request) -> Duration {
    request.timeout.unwrap_or(USUAL_TIMEOUT)
}

/// Returns the time in Unix seconds, or `None` on a machine whose clock is before 1970.
fn now() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}
