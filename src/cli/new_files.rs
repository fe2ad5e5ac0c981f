//! The files that `--out` and `--record` write, which must not exist yet.

use crate::base::save::{Contents, Growing, SaveError, save, save_folder, spare};
use crate::base::shown::shown;
use color_eyre::eyre::{self, bail};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Saves a file, unless one is there or it belongs to a source.
pub(super) fn save_new(path: &Path, bytes: &[u8], sources: &[PathBuf]) -> eyre::Result<()> {
    spare(path, sources)?;
    match save(path, bytes, false) {
        Err(SaveError::Exists(path)) => {
            bail!("{path} already exists and is not replaced; name another file with --out")
        }
        saved => Ok(saved?),
    }
}

/// Creates a file that grows, unless one is there or it belongs to a source. `option` names it on the command line.
pub(super) fn new_growing(
    path: &Path,
    option: &'static str,
    sources: &[PathBuf],
) -> eyre::Result<Growing> {
    spare(path, sources)?;
    match Growing::create(path) {
        Err(SaveError::Exists(path)) => {
            bail!("{path} already exists and is not replaced; name another file with {option}")
        }
        created => Ok(created?),
    }
}

/// Saves files in a directory, which is created if needed: all of them or none, because an incomplete `sched_priv` is
/// worse than none.
pub(super) fn save_all<'a>(
    folder: &Path,
    files: impl Iterator<Item = (String, &'a [u8])>,
    sources: &[PathBuf],
) -> eyre::Result<()> {
    let files: Vec<_> = files.collect();
    for (name, _) in &files {
        let path = folder.join(name);
        spare(&path, sources)?;
        if path.symlink_metadata().is_ok() {
            bail!(
                "{} already exists and is not replaced; name another directory with --out",
                shown(path.as_os_str().as_bytes())
            );
        }
    }
    let files = files.iter();
    let files = files.map(|(name, bytes)| (name.as_str(), Contents::Bytes(bytes)));
    Ok(save_folder(folder, &files.collect::<Vec<_>>())?)
}
