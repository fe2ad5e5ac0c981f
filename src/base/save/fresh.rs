//! New contents on their way to a place: written and flushed first, named last.

use super::leftover::{Leftover, PREFIX, SUFFIX};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::{NamedTempFile, PersistError};

/// The permissions of a new file, before the umask.
pub(super) const USUAL: u32 = 0o666;

/// Only ours.
pub(super) const PRIVATE: u32 = 0o600;

/// New contents of a file, complete on the disk, that are not in their place yet.
#[derive(Debug)]
pub(super) enum Fresh {
    /// A file without a name, which vanishes with the process.
    Nameless(File),
    /// A file with a hidden name, where the file system has no files without one.
    Hidden(NamedTempFile<File>),
}

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

impl From<Errno> for Failure {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl Fresh {
    /// Writes contents to the directory in which they will be placed. They get the owner and the permissions of the
    /// file that they replace, or else `mode`.
    pub(super) fn write(
        directory: &Path,
        contents: &[u8],
        replaced: Option<&Metadata>,
        mode: u32,
    ) -> Result<Self, Failure> {
        // Nobody else reads what replaces a private file.
        let first = if replaced.is_some() { PRIVATE } else { mode };
        let file = match nameless(directory, first)? {
            Some(file) => Self::Nameless(file),
            None => Self::Hidden(hidden(directory, first)?),
        };
        let written = file.fill(contents, replaced);
        file.or_removed(written)
    }

    fn fill(&self, contents: &[u8], replaced: Option<&Metadata>) -> io::Result<()> {
        let mut file = self.file();
        file.write_all(contents)?;
        if let Some(old) = replaced {
            keep_owner_and_mode(file, old)?;
        }
        file.sync_all()
    }

    /// Flushes what something else wrote to the file.
    pub(super) fn flushed(self) -> Result<Self, Failure> {
        let flushed = self.file().sync_all();
        self.or_removed(flushed)
    }

    /// Gives the file back if all went well, and otherwise removes it.
    fn or_removed(self, written: io::Result<()>) -> Result<Self, Failure> {
        match written {
            Ok(()) => Ok(self),
            Err(error) => Err(Failure {
                error,
                left: self.discard(),
            }),
        }
    }

    /// Removes the file.
    pub(super) fn discard(self) -> Option<Leftover> {
        match self {
            Self::Nameless(_) => None,
            Self::Hidden(file) => remove(file),
        }
    }

    fn file(&self) -> &File {
        match self {
            Self::Nameless(file) => file,
            Self::Hidden(file) => file.as_file(),
        }
    }

    /// Makes it a new file of its directory, and returns it. Fails if something is there.
    pub(super) fn place_new(self, directory: &Path, target: &Path) -> Result<File, Failure> {
        let hidden = match self {
            Self::Hidden(file) => file,
            Self::Nameless(file) => match link(&file, target) {
                Ok(()) => return Ok(file),
                Err(error) if is_unlinkable(error) => named_copy(&file, directory)?,
                Err(error) => return Err(error.into()),
            },
        };
        discard_or(hidden.persist_noclobber(target))
    }

    /// Puts it in the place of a file of its directory.
    pub(super) fn replace(self, directory: &Path, target: &Path) -> Result<(), Failure> {
        let hidden = match self {
            Self::Hidden(file) => file,
            Self::Nameless(file) => {
                // A leftover is not locked.
                let _ = file.try_lock();
                // No system call gives a file without a name the place of another. A process that is killed after
                // this one and before the next leaves the hidden name.
                match names().make_in(directory, |path| Ok(link(&file, path)?)) {
                    Ok(hidden) => return discard_or(hidden.persist(target)),
                    Err(error) => match Errno::from_io_error(&error) {
                        Some(number) if is_unlinkable(number) => named_copy(&file, directory)?,
                        _ => return Err(error.into()),
                    },
                }
            }
        };
        discard_or(hidden.persist(target)).map(drop)
    }
}

/// Opens a file without a name. Returns `None` if the file system has none, or none that can be named later.
fn nameless(directory: &Path, mode: u32) -> io::Result<Option<File>> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(mode);
    if !Path::new("/proc/self/fd").exists() {
        return Ok(None);
    }
    match rustix::io::retry_on_intr(|| rustix::fs::open(directory, flags, mode)) {
        Ok(file) => Ok(Some(file.into())),
        // Kernels and file systems without such files answer so. A missing directory answers so too, and the next
        // attempt reports it.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives a file without a name its first one.
fn link(file: &File, name: &Path) -> Result<(), Errno> {
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(CWD, descriptor, CWD, name, AtFlags::SYMLINK_FOLLOW)
}

/// Returns whether a file system refuses to name a file without a name at all.
fn is_unlinkable(error: Errno) -> bool {
    const REFUSALS: [Errno; 6] = [
        Errno::INVAL,
        Errno::NOENT,
        Errno::NOSYS,
        Errno::OPNOTSUPP,
        Errno::PERM,
        Errno::XDEV,
    ];
    REFUSALS.contains(&error)
}

/// Copies a file that cannot be named to one with a hidden name.
fn named_copy(mut file: &File, directory: &Path) -> Result<NamedTempFile<File>, Failure> {
    let mut copy = hidden(directory, PRIVATE)?;
    let written = file
        .rewind()
        .and_then(|()| io::copy(&mut file, copy.as_file_mut()))
        .and_then(|_| keep_owner_and_mode(copy.as_file(), &file.metadata()?))
        .and_then(|()| copy.as_file().sync_all());
    match written {
        Ok(()) => Ok(copy),
        Err(error) => Err(Failure {
            error,
            left: remove(copy),
        }),
    }
}

/// Creates a file with a hidden name, locked, so that nobody takes it for a leftover.
pub(super) fn hidden(directory: &Path, mode: u32) -> io::Result<NamedTempFile<File>> {
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
            return Ok(file);
        }
    }
}

/// Returns the pattern of hidden names.
pub(super) fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(PREFIX).suffix(SUFFIX);
    names
}

/// Removes the hidden name if its file did not get its place.
fn discard_or<F>(placed: Result<F, PersistError<F>>) -> Result<F, Failure> {
    placed.map_err(|PersistError { error, file }| Failure {
        error,
        left: remove(file),
    })
}

/// Removes a file with a hidden name.
fn remove<F>(file: NamedTempFile<F>) -> Option<Leftover> {
    match file.into_temp_path().keep() {
        Ok(path) => Leftover::after(std::fs::remove_file(&path), path),
        Err(error) => Some(Leftover {
            path: error.path.to_path_buf(),
            reason: error.error,
        }),
    }
}

/// Copies owner, group and permissions from the old file. If its group cannot be kept, no other group gets its
/// permissions.
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
