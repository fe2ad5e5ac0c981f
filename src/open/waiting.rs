//! The jobs that wait, from outputs of `sprio` and `squeue` of one time.

use crate::base::shown::sentence;
use crate::format::input;
use crate::format::slurm::companion::{Companion, Companions};
use crate::format::slurm::prices;
use crate::format::slurm::sprio::{self, WaitingJobs};
use crate::format::slurm::squeue::{self, ListedJobs};
use crate::format::{LoadError, LoadResult, OnProgress};
use crate::model::Scheduler;
use std::path::PathBuf;

/// Why no job is known: there is no output of `sprio`, or only its weights.
const NO_SPRIO: &str = "no output of sprio with jobs is known: run sprio -l > sprio.txt and, for exact priorities, sprio -n -l > \
                                   sprio_factors.txt; give the files with --sprio, or save them in the directory of the source";

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
        given => given.to_vec(),
    };
    let (mut waiting, mut listed) = (WaitingJobs::default(), ListedJobs::default());
    for path in paths(of_sprio, Companion::Sprio) {
        waiting.join(sprio::read(&input::read(&path, &mut *report)?)?);
    }
    if waiting.jobs.is_none() {
        return Err(LoadError::Refused(NO_SPRIO.into()));
    }
    for path in paths(of_squeue, Companion::Squeue) {
        listed.join(squeue::read(&input::read(&path, &mut *report)?)?);
    }
    for path in found.of(Companion::Partitions) {
        let totals = prices::totals(&input::read(&path, &mut *report)?);
        waiting.refine(&listed, &totals);
    }
    Ok((waiting, listed))
}
