//! Flux: flux-accounting's database if it may be read, or else the output of `flux account view-bank`.

use super::run::{RunError, is_readable, run, spelled};
use super::{Answer, Output, timeout};
use crate::format::{Format, LoadError, LoadResult, Loaded, OnProgress, Request};
use crate::model::Origin;
use crate::open::directory::VIEW_BANK_FILE;
use crate::open::load;
use std::path::Path;

/// The usual path of flux-accounting's database.
pub(super) const DATABASE: &str = "/var/lib/flux/FluxAccounting.db";

/// The command for users who may not read it.
const VIEW_BANK: &[&str] = &["account", "view-bank", "root", "-t", "-P"];

/// Opens the database if it may be read, or else asks for the banks.
pub(super) fn ask(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    if is_readable(Path::new(DATABASE)) {
        let mut database = request.with_path(DATABASE.into());
        database.format = Some(Format::FluxDb);
        let mut loaded = load(&database, report)?;
        let origins = &mut loaded.snapshot.source.origins;
        origins.insert(0, Origin::Read(vec![DATABASE.to_owned()]));
        return Ok(loaded);
    }
    let answer = collect_banks(request, report)?;
    let mut file = request.with_path(VIEW_BANK_FILE.into());
    file.format = Some(Format::ViewBank);
    answer.open(Vec::new(), &file, report)
}

/// Asks for the banks.
pub(super) fn collect_banks(request: &Request, report: OnProgress<'_>) -> LoadResult<Answer> {
    let printed = run("flux", VIEW_BANK, timeout(request), report).map_err(explained)?;
    let command = spelled("flux", VIEW_BANK);
    Ok(Answer {
        outputs: vec![Output::ran(VIEW_BANK_FILE, command, printed.bytes)],
        ..Answer::default()
    })
}

/// Returns the error of a command of Flux, with advice.
fn explained(error: RunError) -> LoadError {
    let place = match error {
        RunError::Missing { .. } => "run it where Flux is installed",
        RunError::TimedOut { .. } => {
            "check that the flux-accounting service runs, or give it more time with --timeout SECONDS"
        }
        _ => "check that the flux-accounting service runs",
    };
    error.refused(&format!(
        "{place}; {DATABASE} cannot be read either: only its owner may read it"
    ))
}
