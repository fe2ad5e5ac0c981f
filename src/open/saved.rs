//! A directory of outputs that were saved together, by `fairscope snapshot` or by an admin.

use crate::format::LoadError;
use crate::format::input::{self, PathKind};
use std::path::{Path, PathBuf};

/// The outputs in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outputs {
    /// Outputs of Slurm's commands, the one with the tree first.
    Slurm(Vec<PathBuf>),
    /// A flux-accounting database.
    Flux(PathBuf),
    /// The banks as Flux prints them, for users who may not read the database.
    ViewBank(PathBuf),
}

/// The names under which outputs of Slurm's commands are saved, best source first.
pub(super) const SLURM_FILES: &[&str] = &[
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

/// Finds saved outputs by their names. Returns `None` if there are none.
///
/// # Errors
/// If one may be there and cannot be looked at.
pub(super) fn outputs(directory: &Path) -> Result<Option<Outputs>, LoadError> {
    let database = directory.join(FLUX_FILE);
    if is_file(&database)? {
        return Ok(Some(Outputs::Flux(database)));
    }
    let mut present = Vec::new();
    for name in SLURM_FILES {
        let path = directory.join(name);
        if is_file(&path)? {
            present.push(path);
        }
    }
    if present.is_empty() {
        let banks = directory.join(VIEW_BANK_FILE);
        return Ok(is_file(&banks)?.then_some(Outputs::ViewBank(banks)));
    }
    Ok(Some(Outputs::Slurm(present)))
}

/// Returns whether a path is a file; `false` if it is a directory, or nothing is there.
///
/// # Errors
/// If something may be there and cannot be looked at, or is neither file nor directory.
pub(super) fn is_file(path: &Path) -> Result<bool, LoadError> {
    Ok(input::find(path)? == Some(PathKind::File))
}
