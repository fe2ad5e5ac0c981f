//! New contents on their way to a place: written to a hidden name and flushed first, placed last; and what a save leaves
//! behind when it is killed, or when even tidying up fails, which the next save in the same directory removes.

use super::target::SaveTarget;
use super::{Flush, SaveError, SaveResult, our_user, refused};
use crate::base::fingerprint::Fingerprint;
use rustix::fs::{Mode, OFlags};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, PersistError};

/// How all hidden names begin.
const PREFIX: &str = ".fairscope-";

/// How all hidden names end.
const SUFFIX: &str = ".tmp";

/// The permissions of a new file, before the umask.
pub(super) const USUAL: u32 = 0o666;

/// The permissions of a file that only we may read.
pub(super) const PRIVATE: u32 = 0o600;

/// A file with a hidden name on its way to its target. It is locked, so that nobody takes it for a leftover.
pub(super) struct Fresh {
    file: NamedTempFile<File>,
    pub(super) target: SaveTarget,
}

impl Fresh {
    /// Creates an empty file in the directory of its target.
    pub(super) fn create(target: SaveTarget, mode: u32) -> SaveResult<Self> {
        // Nobody else reads what replaces a private file.
        let first_mode = match target.old {
            Some(_) => PRIVATE,
            None => mode,
        };
        match hidden_file(target.directory(), first_mode) {
            Ok(file) => Ok(Self { file, target }),
            Err(error) => Err(refused(target.name, &error)),
        }
    }

    /// Writes contents, with the owner and permissions of the file that they replace, or else `mode`. The disk may not
    /// have them yet.
    pub(super) fn write(target: SaveTarget, contents: &[u8], mode: u32) -> SaveResult<Self> {
        let fresh = Self::create(target, mode)?;
        let written = fresh.fill(contents);
        fresh.after(written)
    }

    /// Writes contents, and the owner and permissions of the file that they replace.
    fn fill(&self, contents: &[u8]) -> io::Result<()> {
        let mut file = self.file.as_file();
        file.write_all(contents)?;
        match &self.target.old {
            Some(old) => keep_owner_and_mode(file, old),
            None => Ok(()),
        }
    }

    /// Waits until the disk has the contents.
    pub(super) fn flushed(self, flush: &Flush<'_>) -> SaveResult<Self> {
        let flushed = flush(self.file.as_file());
        self.after(flushed)
    }

    /// Returns the fingerprint of the file, which stays as it is when the file is placed.
    pub(super) fn fingerprint(&self) -> io::Result<Fingerprint> {
        let metadata = self.file.as_file().metadata()?;
        Ok(Fingerprint::from(&metadata))
    }

    /// Goes on after a step, or discards the file if that failed.
    fn after(self, step: io::Result<()>) -> SaveResult<Self> {
        match step {
            Ok(()) => Ok(self),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Discards the file, and returns why.
    pub(super) fn failed(self, error: &io::Error) -> SaveError {
        let name = self.target.name.clone();
        let refusal = refused(name, error);
        refusal.leaving(self.discard())
    }

    /// Returns the path of the hidden file.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Removes the file. Returns it if that fails.
    pub(super) fn discard(self) -> Option<Leftover> {
        match self.file.into_temp_path().keep() {
            Ok(path) => {
                let removed = fs::remove_file(&path);
                Leftover::after(removed, path)
            }
            Err(error) => Some(Leftover {
                path: error.path.to_path_buf(),
                reason: error.error,
            }),
        }
    }

    /// Makes it a new file of its directory. Fails if something is there.
    pub(super) fn place_new(self) -> SaveResult<Placed> {
        let placed = self.file.persist_noclobber(&self.target.path);
        Placed::of(placed, self.target)
    }

    /// Puts it in the place of a file of its directory.
    pub(super) fn replace(self) -> SaveResult<Placed> {
        let placed = self.file.persist(&self.target.path);
        Placed::of(placed, self.target)
    }
}

/// A file that has its name.
pub(super) struct Placed {
    pub(super) file: File,
    pub(super) target: SaveTarget,
}

impl Placed {
    /// Returns the file of a target, or discards the one that could not be placed there.
    fn of(placed: Result<File, PersistError<File>>, target: SaveTarget) -> SaveResult<Self> {
        match placed {
            Ok(file) => Ok(Self { file, target }),
            Err(PersistError { error, file }) => {
                let fresh = Fresh { file, target };
                Err(fresh.failed(&error))
            }
        }
    }
}

/// Creates an empty file with a hidden name, and locks it.
fn hidden_file(directory: &Path, mode: u32) -> io::Result<NamedTempFile<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    options.create_new(true).mode(mode);
    loop {
        let file = names().make_in(directory, |path| options.open(path))?;
        // Where nothing can be locked, no leftover is removed.
        let _ = file.as_file().try_lock();
        // Another save may have taken it for a leftover before it was locked.
        if file.as_file().metadata()?.nlink() > 0 {
            return Ok(file);
        }
    }
}

/// Returns the hidden names of files and directories on their way.
pub(super) fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(PREFIX).suffix(SUFFIX);
    names
}

/// Copies owner, group and permissions. If the group cannot be kept, no other group gets its permissions.
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    const GROUP_AND_SET_ID: u32 = 0o6070;
    let owner = old.uid();
    let group = old.gid();
    let new = file.metadata()?;
    let is_alike = new.uid() == owner && new.gid() == group;
    let mut mode = old.mode() & 0o7777;
    if !is_alike && !gets_group(file, owner, group) {
        mode &= !GROUP_AND_SET_ID;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// Gives a file an owner and a group, or at least the group. Returns whether it has the group.
fn gets_group(file: &File, owner: u32, group: u32) -> bool {
    if fchown(file, Some(owner), Some(group)).is_ok() {
        return true;
    }
    fchown(file, None, Some(group)).is_ok()
}

/// A file or directory that could not be removed.
#[derive(Debug)]
pub(super) struct Leftover {
    pub(super) path: PathBuf,
    pub(super) reason: io::Error,
}

impl Leftover {
    /// Returns what is left of a path after its removal. `None` if nothing is.
    pub(super) fn after(removed: io::Result<()>, path: PathBuf) -> Option<Self> {
        let reason = removed.err()?;
        if reason.kind() == io::ErrorKind::NotFound {
            return None;
        }
        Some(Self { path, reason })
    }
}

/// Removes what killed saves left in a directory. A leftover has a hidden name, is ours, and is locked by nobody: the
/// lock of a save ends with its process, on whatever host that ran.
///
/// A directory is removed only where nobody else could have given one of ours its name.
pub fn remove_leftovers(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let name = file_name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // What cannot be removed now is tried again by the next save.
            let _ = remove_abandoned(directory, &entry.path());
        }
    }
}

/// Removes a file or a directory with a hidden name if its save is over.
fn remove_abandoned(directory: &Path, path: &Path) -> io::Result<()> {
    let found = path.symlink_metadata()?;
    let is_removable = if found.is_dir() {
        is_ours_alone(directory)
    } else {
        found.is_file()
    };
    if found.uid() != our_user() || !is_removable {
        return Ok(());
    }
    // No link is opened, and the other end of a pipe is not waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty())?;
    let lock = File::from(opened);
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
    let Ok(metadata) = directory.metadata() else {
        return false;
    };
    let owner = metadata.uid();
    if owner != ROOT && owner != our_user() {
        return false;
    }
    let is_shared = metadata.mode() & WRITABLE_BY_OTHERS != 0;
    !is_shared || metadata.mode() & STICKY != 0
}
