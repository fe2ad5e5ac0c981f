//! New contents on their way to a place: written to a hidden name and flushed first, placed last; and what a save leaves
//! behind when it is killed, or when even tidying up fails, which the next save in the same directory removes.

use rustix::fs::OFlags;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, PersistError};

const PREFIX: &str = ".fairscope-";

const SUFFIX: &str = ".tmp";

/// The permissions of a new file, before the umask.
pub(super) const USUAL: u32 = 0o666;

pub(super) const PRIVATE: u32 = 0o600;

/// A file with a hidden name that is not in its place yet. It is locked, so that nobody takes it for a leftover.
#[derive(Debug)]
pub(super) struct Fresh(NamedTempFile<File>);

/// Why contents were not written or placed, and the file that could not be removed after that.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: io::Error,
    pub(super) left: Option<Leftover>,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { error, left: None }
    }
}

impl Fresh {
    /// Creates an empty file in the directory in which it will be placed.
    pub(super) fn create(directory: &Path, mode: u32) -> io::Result<Self> {
        let create = |path: &Path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true).mode(mode);
            options.open(path)
        };
        loop {
            let file = names().make_in(directory, create)?;
            // Where nothing can be locked, no leftover is removed.
            let _ = file.as_file().try_lock();
            // Another save may have taken it for a leftover before it was locked.
            if file.as_file().metadata()?.nlink() > 0 {
                return Ok(Self(file));
            }
        }
    }

    /// Writes contents to the directory of their place, with the owner and permissions of `replaced`, or else `mode`.
    pub(super) fn write(
        directory: &Path,
        contents: &[u8],
        replaced: Option<&Metadata>,
        mode: u32,
    ) -> Result<Self, Failure> {
        Self::unflushed(directory, contents, replaced, mode)?.flushed()
    }

    /// As [`Self::write`], but the disk may not have the contents yet.
    pub(super) fn unflushed(
        directory: &Path,
        contents: &[u8],
        replaced: Option<&Metadata>,
        mode: u32,
    ) -> Result<Self, Failure> {
        // Nobody else reads what replaces a private file.
        let first = if replaced.is_some() { PRIVATE } else { mode };
        let fresh = Self::create(directory, first)?;
        let mut file = fresh.0.as_file();
        let written = file.write_all(contents);
        let written = written.and_then(|()| match replaced {
            Some(old) => keep_owner_and_mode(file, old),
            None => Ok(()),
        });
        match written {
            Ok(()) => Ok(fresh),
            Err(error) => Err(fresh.failed(error)),
        }
    }

    pub(super) fn flushed(self) -> Result<Self, Failure> {
        match self.0.as_file().sync_all() {
            Ok(()) => Ok(self),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(self, error: io::Error) -> Failure {
        let left = self.discard();
        Failure { error, left }
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn discard(self) -> Option<Leftover> {
        match self.0.into_temp_path().keep() {
            Ok(path) => Leftover::after(fs::remove_file(&path), path),
            Err(error) => Some(Leftover {
                path: error.path.to_path_buf(),
                reason: error.error,
            }),
        }
    }

    /// Makes it a new file of its directory, and returns it. Fails if something is there.
    pub(super) fn place_new(self, target: &Path) -> Result<File, Failure> {
        Self::placed(self.0.persist_noclobber(target))
    }

    /// Puts it in the place of a file of its directory.
    pub(super) fn replace(self, target: &Path) -> Result<File, Failure> {
        Self::placed(self.0.persist(target))
    }

    fn placed(placed: Result<File, PersistError<File>>) -> Result<File, Failure> {
        placed.map_err(|PersistError { error, file }| Self(file).failed(error))
    }
}

pub(super) fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(PREFIX).suffix(SUFFIX);
    names
}

/// Copies owner, group and permissions. If the group cannot be kept, no other group gets its permissions.
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    const GROUP_AND_SET_ID: u32 = 0o6070;
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let group = Some(rustix::fs::Gid::from_raw(old.gid()));
        let owner = Some(rustix::fs::Uid::from_raw(old.uid()));
        let kept = rustix::fs::fchown(file, owner, group)
            .or_else(|_| rustix::fs::fchown(file, None, group));
        if kept.is_err() {
            mode &= !GROUP_AND_SET_ID;
        }
    }
    file.set_permissions(Permissions::from_mode(mode))
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
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
