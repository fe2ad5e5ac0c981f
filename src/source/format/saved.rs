//! A directory of outputs that were saved together, by `fairscope snapshot` or by an admin.

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

/// Finds saved outputs by their names. Returns `None` if there are none, or the directory may not be looked at.
pub(super) fn outputs(directory: &Path) -> Option<Outputs> {
    let database = directory.join(FLUX_FILE);
    if database.is_file() {
        return Some(Outputs::Flux(database));
    }
    let paths = SLURM_FILES.iter().map(|name| directory.join(name));
    let present: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    if present.is_empty() {
        let banks = directory.join(VIEW_BANK_FILE);
        return banks.is_file().then_some(Outputs::ViewBank(banks));
    }
    Some(Outputs::Slurm(present))
}
