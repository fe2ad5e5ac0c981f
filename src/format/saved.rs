//! A directory of outputs that were saved together: what `fairscope snapshot` writes, or an admin by hand.

use std::path::{Path, PathBuf};

/// What a directory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outputs {
    /// Outputs of Slurm's commands, the one with the tree first.
    Slurm(Vec<PathBuf>),
    /// A flux-accounting database.
    Flux(PathBuf),
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
pub(super) const FLUX_FILE: &str = "FluxAccounting.db";

/// Looks for saved outputs by their names; nothing where there are none, or the directory may not be looked at.
pub(super) fn outputs(directory: &Path) -> Option<Outputs> {
    let database = directory.join(FLUX_FILE);
    if database.is_file() {
        return Some(Outputs::Flux(database));
    }
    let paths = SLURM_FILES.iter().map(|name| directory.join(name));
    let present: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    (!present.is_empty()).then_some(Outputs::Slurm(present))
}
