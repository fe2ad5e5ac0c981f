//! Where no command can be run, no scheduler is asked: files are opened, and a live source is refused.

use super::refused;
use crate::format::slurm::companions::Companions;
use crate::format::{LoadResult, Loaded, OnProgress, Problems, Request};
use crate::open::load_asking;

/// Opens the source of a request: files, or a scenario of files.
pub fn load(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    load_asking(request, report, ask)
}

/// Opens a source as [`load`] does.
pub(crate) fn load_or_end(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    load(request, report)
}

/// Adds nothing: the outputs about waiting jobs of a live Slurm cannot be asked for.
#[expect(
    clippy::unnecessary_wraps,
    reason = "where a scheduler is asked, it may fail"
)]
pub(crate) fn add_jobs(
    _request: &Request,
    _found: &mut Companions,
    _report: OnProgress<'_>,
) -> LoadResult<Problems> {
    Ok(Problems::default())
}

/// Refuses to ask a scheduler.
fn ask(_request: &Request, _report: OnProgress<'_>) -> LoadResult<Loaded> {
    refused(
        "a page cannot ask a scheduler; save its outputs with fairscope snapshot, and open those files",
    )
}
