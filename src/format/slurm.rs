//! Outputs of Slurm's own commands: `sshare`, `scontrol`, `sacctmgr`. Several outputs about one cluster form one tree.
//!
//! Each reader turns one output into [`Rows`]: associations in the order printed, each under the names by which Slurm
//! knows it. [`assemble`] builds the tree. The associations and their shares come from the first output given, and
//! every other column from the output with the most digits of it.

mod anonymous;
pub mod assemble;
pub mod assoc;
pub(crate) mod assoc_mgr;
pub mod companion;
pub mod companions;
pub mod config;
pub mod dump;
mod indentation;
pub mod json;
pub(crate) mod prices;
pub mod rows;
pub(crate) mod sacct;
pub mod sprio;
pub mod squeue;
pub(crate) mod sreport;
pub(crate) mod sshare;
pub(in crate::format) mod table;

pub(in crate::format) use anonymous::anonymised;

use super::input::{Input, check_lines};
use super::{Format, Kind, LoadError, LoadResult, Loaded, OnProgress, Recognized, Request};
use crate::base::shown::sentence;
use companions::{CompanionSource, Companions};
use rows::Rows;
use std::sync::Arc;

/// The account at the top of every Slurm tree.
const ROOT: &[u8] = b"root";

/// Reads outputs of Slurm's commands as one tree. A requested format applies to the first one.
pub(crate) fn load(
    sources: Vec<Recognized>,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<Loaded> {
    let mut parts = Vec::new();
    let mut configs = Vec::new();
    let mut companions = Companions::default();
    let mut requested = request.format;
    for source in sources {
        let format = requested.take().or_else(|| source.format());
        let Recognized { input, kind, .. } = source;
        match (format, kind) {
            (Some(format), _) if format.is_slurm() => {
                let mut part = read(format, &input, &mut *report)?;
                if format == Format::SacctmgrDump {
                    part.dump = Some(Arc::new(input.bytes));
                }
                parts.push(part);
            }
            (_, Some(Kind::Settings)) => {
                configs.push(config::read(&input, &request.history.zone())?);
            }
            (_, Some(Kind::Companion(kind))) => {
                companions.0.push((kind, CompanionSource::File(input.path)));
            }
            _ => {
                let what = format.map_or("of an unknown kind", Format::name);
                return Err(LoadError::Refused(sentence!(
                    "{} is {what}; only other outputs of the same cluster can be added to the output of a Slurm command, \
                     and scontrol show config for the settings",
                    input.name()
                )));
            }
        }
    }
    let mut loaded = assemble::assemble(parts, &configs, request)?;
    loaded.companions = companions;
    Ok(loaded)
}

/// Reads an output. Fails if it is not of that format, or if the user cancelled.
pub(crate) fn read(format: Format, input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    if format != Format::SlurmJson {
        check_lines(input)?;
    }
    match format {
        Format::SlurmJson => json::read(input, report),
        Format::AssocMgr => assoc_mgr::read(input, report),
        Format::SacctmgrDump => dump::read(input, report),
        Format::SacctmgrAssoc => assoc::read(input, report),
        Format::Sreport => sreport::read(input),
        _ => sshare::read(input, report),
    }
}
