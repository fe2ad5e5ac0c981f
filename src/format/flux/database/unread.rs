//! Where there is no SQLite, the database of flux-accounting is refused, with the command that writes what can be read.

use crate::base::shown::Shown;
use crate::format::jobs::RanJobs;
use crate::format::{LoadError, LoadResult, Loaded, OnProgress, Refusal, Request, input};
use crate::model::{Flux, Recorded, Tree};
use std::path::Path;

/// Refuses the database of a request.
pub(crate) fn open_database(request: &Request, _report: OnProgress) -> LoadResult<Loaded> {
    let advice = "fairscope convert FluxAccounting.db --to flux-json > tree.json writes what this page opens";
    Err(refused(&input::name(request.path()), advice))
}

/// Refuses the jobs of a database.
pub fn ran_jobs(
    path: &Path,
    _tree: &Tree,
    _recorded: &Recorded,
    _settings: &Flux,
    _report: OnProgress,
) -> LoadResult<RanJobs> {
    let advice = "give the jobs as CSV";
    Err(refused(&input::name(path), advice))
}

/// Returns the error of a database.
fn refused(file: &Shown, advice: &str) -> LoadError {
    let what = "an SQLite database, which cannot be read without SQLite";
    Refusal::is(file, what, advice).into()
}
