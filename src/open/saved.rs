//! A directory of outputs that were saved together, by `fairscope snapshot` or by an admin.

use crate::base::shown::Shown;
use crate::format::input::{self, PathKind};
use crate::format::{LoadError, LoadResult};
use crate::model::Scheduler;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The names under which outputs of Slurm's commands are saved, best source first.
const SLURM_FILES: &[&str] = &[
    "sshare.json",
    "sshare.txt",
    "assoc_mgr.txt",
    "sacctmgr_assoc.txt",
    "sacctmgr_dump.cfg",
    "scontrol_config.txt",
];

/// The name of a flux-accounting database.
pub(crate) const FLUX_FILE: &str = "FluxAccounting.db";

/// The name under which Flux's printed banks are saved.
pub(crate) const VIEW_BANK_FILE: &str = "view_bank.txt";

/// Returns the scheduler whose outputs are saved in a directory, by their names; `None` if there are none.
pub(super) fn scheduler(directory: &Path) -> LoadResult<Option<Scheduler>> {
    if is_file(&directory.join(FLUX_FILE))? {
        return Ok(Some(Scheduler::Flux));
    }
    let mut is_of_slurm = false;
    for name in SLURM_FILES {
        is_of_slurm |= is_file(&directory.join(name))?;
    }
    if is_of_slurm {
        return Ok(Some(Scheduler::Slurm));
    }
    let is_of_flux = is_file(&directory.join(VIEW_BANK_FILE))?;
    Ok(is_of_flux.then_some(Scheduler::Flux))
}

/// Returns whether a path is a file; `false` if it is a directory, or nothing is there.
pub(super) fn is_file(path: &Path) -> LoadResult<bool> {
    Ok(input::find(path)? == Some(PathKind::File))
}

/// Returns the entries of a directory by name, without hidden ones.
pub(super) fn entries(folder: &Path) -> LoadResult<Vec<PathBuf>> {
    let failed = |error| LoadError::Read {
        path: input::name(folder),
        error: Shown::error(&error),
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_hidden = |name: &OsStr| name.as_bytes().starts_with(b".");
        if !path.file_name().is_none_or(is_hidden) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
