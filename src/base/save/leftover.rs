//! What a save leaves behind when it is killed, or when even tidying up fails: hidden names, found and removed by the
//! next save in the same directory.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The beginning of hidden names.
pub(super) const PREFIX: &str = ".fairscope-";

/// The end of hidden names.
pub(super) const SUFFIX: &str = ".tmp";

/// A file or directory that could not be removed.
#[derive(Debug)]
pub(super) struct Leftover {
    pub(super) path: PathBuf,
    pub(super) reason: io::Error,
}

impl Leftover {
    /// Returns what is left of a path after its removal. `None` if nothing is.
    pub(super) fn after(removed: io::Result<()>, path: PathBuf) -> Option<Self> {
        match removed {
            Err(reason) if reason.kind() != io::ErrorKind::NotFound => Some(Self { path, reason }),
            _ => None,
        }
    }
}

/// Removes what killed saves left in a directory. A leftover has a hidden name, is ours, and is locked by nobody: the
/// lock of a save ends with its process, on whatever host that ran.
///
/// A directory is removed only where nobody else could have given one of ours its name.
pub fn remove_leftovers(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.as_bytes();
        if name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes()) {
            // What cannot be removed now is tried again by the next save.
            let _ = remove_abandoned(directory, &entry.path());
        }
    }
}

/// Removes a file or a directory with a hidden name if its save is over.
fn remove_abandoned(directory: &Path, path: &Path) -> io::Result<()> {
    let found = path.symlink_metadata()?;
    let is_ours = found.uid() == rustix::process::geteuid().as_raw();
    let is_removable = found.is_file() || found.is_dir() && is_ours_alone(directory);
    if !is_ours || !is_removable {
        return Ok(());
    }
    let lock = open_plainly(path)?;
    lock.try_lock()?;
    if found.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Returns whether only we and root may rename our entries of a directory.
fn is_ours_alone(directory: &Path) -> bool {
    const ROOT: u32 = 0;
    const STICKY: u32 = 0o1000;
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    directory.metadata().is_ok_and(|metadata| {
        let owners = [ROOT, rustix::process::geteuid().as_raw()];
        let is_shared = metadata.mode() & WRITABLE_BY_OTHERS != 0;
        owners.contains(&metadata.uid()) && (!is_shared || metadata.mode() & STICKY != 0)
    })
}

/// Opens a file or directory to lock it, but no link, and without waiting for the other end of a pipe.
fn open_plainly(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
