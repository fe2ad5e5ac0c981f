//! The files that `--out` writes, which must not exist yet.

use crate::base::save::{SaveError, save, spare};
use crate::base::shown::shown;
use color_eyre::eyre::{self, WrapErr, bail};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Saves a file, unless one is there or it belongs to a source.
pub(super) fn save_new(path: &Path, bytes: &[u8], sources: &[PathBuf]) -> eyre::Result<()> {
    spare(path, sources)?;
    match save(path, bytes, false) {
        Err(SaveError::Exists(path)) => {
            bail!("{path} is already there and is not replaced; name another file with --out")
        }
        saved => Ok(saved?),
    }
}

/// Saves files in a directory, which is created if needed. All are checked before any is written, because an incomplete
/// `sched_priv` is worse than none.
pub(super) fn save_all<'a>(
    folder: &Path,
    files: impl Iterator<Item = (String, &'a [u8])> + Clone,
    sources: &[PathBuf],
) -> eyre::Result<()> {
    for (name, _) in files.clone() {
        let path = folder.join(name);
        spare(&path, sources)?;
        if path.symlink_metadata().is_ok() {
            bail!(
                "{} is already there and is not replaced; name another directory with --out",
                shown(path.as_os_str().as_bytes())
            );
        }
    }
    std::fs::create_dir_all(folder).wrap_err_with(|| {
        format!(
            "the directory {} could not be made",
            shown(folder.as_os_str().as_bytes())
        )
    })?;
    for (name, bytes) in files {
        save_new(&folder.join(name), bytes, sources)?;
    }
    Ok(())
}
