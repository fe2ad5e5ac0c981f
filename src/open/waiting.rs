//! The jobs that wait, from outputs of `sprio` and `squeue` of one time.

use crate::base::shown::sentence;
use crate::format::slurm::companion::{Companion, JobLabel};
use crate::format::slurm::companions::{CompanionSource, Companions};
use crate::format::slurm::prices;
use crate::format::slurm::sprio::{self, WaitingJobs};
use crate::format::slurm::squeue::{self, ListedJobs};
use crate::format::{LoadError, LoadResult, OnProgress};
use crate::model::Scheduler;
use std::path::PathBuf;

/// Why no job is known: there is no output of `sprio`, or only its weights.
const NO_SPRIO: &str = "no output of sprio with jobs is known: run sprio -l > sprio.txt and, for exact priorities, sprio -n -l > \
                                   sprio_factors.txt; give the files with --sprio, or save them in the directory of the source; \
                                   a snapshot or --live slurm has them";

/// Reads outputs of `sprio` and `squeue`; where none is given, those that were found with a tree of a scheduler. Without
/// `squeue` its jobs are empty. Fails if there are no jobs of `sprio`.
pub(crate) fn read(
    [of_sprio, of_squeue]: [&[PathBuf]; 2],
    found: &Companions,
    scheduler: Option<Scheduler>,
    report: OnProgress<'_>,
) -> LoadResult<(WaitingJobs, ListedJobs)> {
    if let Some(other @ (Scheduler::Pbs | Scheduler::Flux)) = scheduler {
        return Err(LoadError::Refused(sentence!(
            "sprio is a command of Slurm, and the tree is one of {}; open the output of sshare",
            other.title()
        )));
    }
    let paths = |given: &[PathBuf], kind| match given {
        [] => found.of(kind),
        given => {
            let files = given.iter().cloned().map(CompanionSource::File);
            files.collect()
        }
    };
    let (mut waiting, mut listed) = (WaitingJobs::default(), ListedJobs::default());
    for source in paths(of_sprio, Companion::Sprio) {
        waiting.join(sprio::read(&*source.read(&mut *report)?)?);
    }
    if waiting.jobs.is_none() {
        return Err(LoadError::Refused(NO_SPRIO.into()));
    }
    for source in paths(of_squeue, Companion::Squeue) {
        listed.join(squeue::read(&*source.read(&mut *report)?)?);
    }
    for source in found.of(Companion::Partitions) {
        let totals = prices::totals(&*source.read(&mut *report)?);
        waiting.refine(&listed, &totals);
    }
    Ok((waiting, listed))
}

/// Returns what the jobs are called that run or wait, by the outputs of `squeue` that were found with a tree. Those that cannot
/// be read tell none.
pub(crate) fn present(found: &Companions, report: OnProgress<'_>) -> Vec<JobLabel> {
    let mut labels = Vec::new();
    for source in found.of(Companion::Squeue) {
        let input = source.read(&mut *report);
        if let Ok(listed) = input.and_then(|input| squeue::read(&input)) {
            labels.extend(listed.others);
            labels.extend(listed.jobs.into_iter().map(|job| job.label));
        }
    }
    labels
}
