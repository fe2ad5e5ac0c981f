//! The jobs that wait, from outputs of `sprio` and `squeue` of one time.

use super::{refused, settled};
use crate::base::shown::sentence;
use crate::format::slurm::companion::{Companion, JobLabel};
use crate::format::slurm::companions::{CompanionSource, Companions};
use crate::format::slurm::config::{self, Config};
use crate::format::slurm::prices;
use crate::format::slurm::sprio::{self, WaitingJobs};
use crate::format::slurm::squeue::{self, ListedJobs};
use crate::format::{LoadResult, Loaded, OnProgress, Request, input};
use crate::model::{Recorded, Scheduler, Snapshot, Source, TreeBuilder};
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// Why no job is known: there is no output of `sprio`, or only its weights.
const NO_SPRIO: &str = "no output of sprio with jobs is known: run sprio -l > sprio.txt and, for exact priorities, sprio -n -l > \
                                   sprio_factors.txt; give the files with --sprio, or save them in the directory of the source; \
                                   a snapshot or --live slurm has them";

/// The outputs about waiting jobs that the user gave.
#[derive(Clone, Copy, Default)]
pub struct GivenOutputs<'a> {
    /// Outputs of `sprio`; empty for those that were found with the tree.
    pub sprio: &'a [PathBuf],
    /// Outputs of `squeue`; empty for those that were found with the tree.
    pub squeue: &'a [PathBuf],
}

/// The jobs that wait.
pub(crate) struct JobsInQueue {
    /// The jobs as `sprio` lists them.
    pub(crate) waiting: WaitingJobs,
    /// The jobs as `squeue` lists them; empty without it.
    pub(crate) listed: ListedJobs,
}

/// Reads outputs of `sprio` and `squeue`; where none is given, those that were found with a tree of a scheduler. Fails if
/// there are no jobs of `sprio`.
pub(crate) fn read(
    given: GivenOutputs<'_>,
    found: &Companions,
    scheduler: Option<Scheduler>,
    report: OnProgress<'_>,
) -> LoadResult<JobsInQueue> {
    if let Some(other @ (Scheduler::Pbs | Scheduler::Flux)) = scheduler {
        return refused(sentence!(
            "sprio is a command of Slurm, and the tree is one of {}; open the output of sshare",
            other.title()
        ));
    }
    let mut waiting = WaitingJobs::default();
    for source in sources(given.sprio, found, Companion::Sprio) {
        let input = source.read(report)?;
        waiting.join(sprio::read(&input)?);
    }
    if waiting.jobs.is_none() {
        return refused(NO_SPRIO);
    }
    let mut listed = ListedJobs::default();
    for source in sources(given.squeue, found, Companion::Squeue) {
        let input = source.read(report)?;
        listed.join(squeue::read(&input)?);
    }
    for source in found.of(Companion::Partitions) {
        let input = source.read(report)?;
        waiting.refine(&listed, &prices::totals(&input));
    }
    Ok(JobsInQueue { waiting, listed })
}

/// Opens outputs about waiting jobs without a tree: only the settings of a request count, and its configuration.
pub(crate) fn without_tree(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let mut config = Config::default();
    let mut lacks_settings = true;
    if let Some(path) = &request.beside.config {
        let zone = match &request.history.zone {
            Some(zone) => zone.clone(),
            None => TimeZone::UTC,
        };
        let input = input::read(path, report)?;
        config = config::read(&input, &zone)?;
        lacks_settings = false;
    }
    config.settings.scheduler = Some(Scheduler::Slurm);
    let name = input::name(request.path());
    let source = Source {
        path: name.clone(),
        title: name,
        cluster: config.cluster,
        version: config.version,
        lacks_settings,
        lacks_tree: true,
        ..Source::default()
    };
    let tree = TreeBuilder::new(b"root").build();
    let recorded = Recorded::default();
    let settings = config.settings;
    let snapshot = Snapshot::new(tree, settings, source, recorded);
    let mut loaded = Loaded::new(snapshot, config.problems);
    loaded.policy = config.policy;
    settled(loaded, request, report)
}

/// Returns the given files, or if there are none the outputs of a kind that were found with a tree.
fn sources(given: &[PathBuf], found: &Companions, kind: Companion) -> Vec<CompanionSource> {
    if given.is_empty() {
        return found.of(kind);
    }
    let mut sources = Vec::new();
    for path in given {
        let file = CompanionSource::File(path.clone());
        sources.push(file);
    }
    sources
}

/// Returns what the jobs are called that run or wait, by the outputs of `squeue` that were found with a tree. Those that
/// cannot be read tell none.
pub(crate) fn present(found: &Companions, report: OnProgress<'_>) -> Vec<JobLabel> {
    let mut labels = Vec::new();
    for source in found.of(Companion::Squeue) {
        let Ok(input) = source.read(report) else {
            continue;
        };
        if let Ok(listed) = squeue::read(&input) {
            labels.extend(listed.others);
            for job in listed.jobs {
                labels.push(job.label);
            }
        }
    }
    labels
}
