//! Saves files: whatever fails, a file is the old one or the new one, never a part of either, and of files that belong
//! together all are there or none. What cannot be removed after a failure is named in the error.
//!
//! **One file.** The new contents are written under a hidden name in the same directory, flushed to the disk, and
//! renamed last, by one call. A symbolic link stays: the file it leads to is replaced.
//!
//! **Several files** are always new. A directory that does not exist is filled under a hidden name beside its place,
//! and one rename gives it its own. In a directory that exists all files are written and flushed first, then named one
//! after the other; if one cannot be named, the others lose their names again.
//!
//! **A process that is killed** leaves hidden names, `.fairscope-*.tmp`, and may leave the first of several files. A
//! save holds a lock on its own hidden names, and removes those in its directory that nobody holds.
//!
//! **A file that grows**, as a recording, is new and is written line by line: it is for what must be there after a
//! crash.

#![expect(
    clippy::disallowed_methods,
    reason = "what is opened and looked at are the files that are written, and their directories"
)]

mod fresh;
mod several;
mod target;

pub use fresh::remove_leftovers;
pub use several::{Contents, save_folder, save_several};
pub use target::{spare, spare_folder};

use crate::base::fingerprint::Fingerprint;
use crate::base::shown::{Shown, shown};
use fresh::{Fresh, Leftover};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use target::{Existing, SaveTarget};

/// Why a file was not saved. Unless the variant says otherwise the old file is unchanged.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum SaveError {
    #[error("{0} already exists and was not replaced; choose another name")]
    Exists(Shown),
    #[error("{0} is the source, which fairscope never writes to; choose another name")]
    Source(Shown),
    #[error(
        "{0} changed on the disk since it was read and was not replaced; read it again, or save under another name"
    )]
    Changed(Shown),
    #[error("{path} is a {kind}, not a file; choose the name of a file")]
    NotAFile {
        /// The path as it was given.
        path: Shown,
        /// What is there.
        kind: &'static str,
    },
    #[error(
        "{0} is read-only and was not replaced; make it writable with chmod u+w, or save under another name"
    )]
    ReadOnly(Shown),
    #[error(
        "{0} is another user's link in a world-writable directory and may point anywhere; choose another name or \
         directory"
    )]
    ForeignLink(Shown),
    #[error("{0}: too many levels of symbolic links; choose the name of a file")]
    LinkLoop(Shown),
    #[error(
        "{0} cannot be created, because its directory does not exist; create the directory first, or choose another"
    )]
    NoDirectory(Shown),
    #[error("{path} could not be saved: {error}; {advice}")]
    System {
        /// The path as it was given.
        path: Shown,
        /// The system's own words.
        error: Shown,
        /// What to do about it.
        advice: &'static str,
    },
    #[error("{0} is a file, not a directory; choose the name of a directory")]
    NotADirectory(Shown),
    #[error("{0} holds files of the source; choose the name of another directory")]
    AmongSource(Shown),
    #[error("{0}")]
    Unwritten(Shown),
    #[error("{error}; {left} could not be removed either: {reason}; remove it by hand")]
    LeftBehind {
        /// Why nothing was saved.
        error: Box<Self>,
        /// The paths that are left.
        left: Shown,
        /// Why the first of them could not be removed.
        reason: Shown,
    },
    #[error(
        "{path} is written, but the disk did not confirm it: {error}; save again, or check the disk"
    )]
    Unconfirmed {
        /// The path as it was given.
        path: Shown,
        /// The system's own words.
        error: Shown,
    },
}

impl SaveError {
    /// Returns the error with what could not be removed after it.
    fn leaving(self, left: impl IntoIterator<Item = Leftover>) -> Self {
        let mut names = Vec::new();
        let mut first_reason = None;
        for leftover in left {
            names.push(name_of(&leftover.path));
            first_reason.get_or_insert(leftover.reason);
        }
        match first_reason {
            Some(reason) => Self::LeftBehind {
                error: Box::new(self),
                left: Shown::joined(names, ", "),
                reason: Shown::error(&reason),
            },
            None => self,
        }
    }
}

/// What a save gives, or why nothing was saved.
pub type SaveResult<T> = Result<T, SaveError>;

/// Saves a file, whole or not at all. An existing file is replaced only if `replace` says so.
///
/// An existing file keeps its permissions and, if the system allows it, its owner and group.
///
/// Returns the fingerprint of what was written. The file at the path has another one as soon as somebody else changes
/// it.
pub fn save(path: &Path, contents: &[u8], replace: bool) -> SaveResult<Fingerprint> {
    let existing = if replace {
        Existing::Replace
    } else {
        Existing::Keep
    };
    write(path, contents, existing, fresh::USUAL, TO_DISK)
}

/// Saves over a file that was read before, unless somebody changed it since. Returns the fingerprint of what was
/// written.
pub fn save_unchanged(path: &Path, contents: &[u8], seen: Fingerprint) -> SaveResult<Fingerprint> {
    let existing = Existing::ReplaceIf(seen);
    write(path, contents, existing, fresh::USUAL, TO_DISK)
}

/// Saves a file that only we may read, whether it exists or not.
pub fn save_private(path: &Path, contents: &[u8]) -> SaveResult<()> {
    save_private_with(path, contents, TO_DISK)
}

/// Saves a file that only we may read, whether it exists or not. `flush` waits until the disk has a file or a
/// directory, or decides that this takes too long.
pub(crate) fn save_private_with(path: &Path, contents: &[u8], flush: &Flush<'_>) -> SaveResult<()> {
    write(path, contents, Existing::Replace, fresh::PRIVATE, flush)?;
    Ok(())
}

/// What waits until the disk has a file or a directory.
pub(crate) type Flush<'a> = dyn Fn(&File) -> io::Result<()> + 'a;

/// Waits for as long as it takes.
const TO_DISK: &Flush<'_> = &File::sync_all;

/// Returns the user who owns what we create.
fn our_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns a path as safe text.
fn name_of(path: &Path) -> Shown {
    shown(path.as_os_str().as_encoded_bytes())
}

/// Saves many files in a directory, which is created if needed. Each is the old one or the new one, whatever fails. They
/// are flushed together, many at a time: a disk takes a few thousandths of a second for each flush.
pub fn save_each<E: From<SaveError>>(
    folder: &Path,
    files: impl Iterator<Item = Result<(String, Vec<u8>), E>>,
) -> Result<(), E> {
    const FLUSHED_TOGETHER: usize = 512;
    let directory = create_folder(folder).map_err(refused_at(folder))?;
    remove_leftovers(folder);
    let mut rest = files.peekable();
    while rest.peek().is_some() {
        let mut written = Vec::new();
        for file in rest.by_ref().take(FLUSHED_TOGETHER) {
            let (name, contents) = file?;
            let path = folder.join(name);
            let target = SaveTarget::of(&path, Existing::Replace)?;
            let fresh = Fresh::write(target, &contents, fresh::USUAL)?;
            written.push(fresh);
        }
        let flushed = rustix::fs::syncfs(&directory).map_err(io::Error::from);
        flushed.map_err(refused_at(folder))?;
        for fresh in written {
            fresh.replace()?;
        }
    }
    confirm(folder, folder, TO_DISK)?;
    Ok(())
}

/// Creates a directory unless it exists, with those above it, and opens it.
fn create_folder(folder: &Path) -> io::Result<File> {
    std::fs::create_dir_all(folder)?;
    File::open(folder)
}

/// Saves a file and follows the links of its path. Returns the fingerprint of the new contents.
fn write(
    path: &Path,
    contents: &[u8],
    existing: Existing,
    mode: u32,
    flush: &Flush<'_>,
) -> SaveResult<Fingerprint> {
    let target = SaveTarget::of(path, existing)?;
    remove_leftovers(target.directory());
    let fresh = Fresh::write(target, contents, mode)?.flushed(flush)?;
    if let Existing::ReplaceIf(seen) = existing
        && Fingerprint::of(&fresh.target.path).ok() != Some(seen)
    {
        let error = SaveError::Changed(fresh.target.name.clone());
        return Err(error.leaving(fresh.discard()));
    }
    // What another process put there meanwhile is not replaced either.
    // As soon as the file has its name, others may change it.
    let written = match fresh.fingerprint() {
        Ok(written) => written,
        Err(error) => return Err(fresh.failed(&error)),
    };
    let placed = if fresh.target.old.is_none() {
        fresh.place_new()?
    } else {
        fresh.replace()?
    };
    confirm(placed.target.directory(), path, flush)?;
    Ok(written)
}

/// Flushes the directory in which a file was saved.
fn confirm(directory: &Path, saved: &Path, flush: &Flush<'_>) -> SaveResult<()> {
    match flush_directory(directory, flush) {
        Ok(()) => Ok(()),
        Err(error) => Err(SaveError::Unconfirmed {
            path: name_of(saved),
            error: Shown::error(&error),
        }),
    }
}

/// Flushes a directory, because otherwise the names in it may be lost.
fn flush_directory(directory: &Path, flush: &Flush<'_>) -> io::Result<()> {
    let flushed = match File::open(directory) {
        Ok(opened) => flush(&opened),
        Err(error) => Err(error),
    };
    let Err(error) = flushed else {
        return Ok(());
    };
    match error.kind() {
        // Some file systems cannot flush a directory, and some directories may be written but not read.
        ErrorKind::InvalidInput | ErrorKind::PermissionDenied => Ok(()),
        _ => Err(error),
    }
}

/// Returns what adds the path and the remedy to the system's error.
fn refused_at(path: &Path) -> impl FnOnce(io::Error) -> SaveError {
    move |error| refused(name_of(path), &error)
}

/// Returns the system's error with the remedy.
fn refused(path: Shown, error: &io::Error) -> SaveError {
    let advice = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            return SaveError::NoDirectory(path);
        }
        ErrorKind::AlreadyExists => return SaveError::Exists(path),
        ErrorKind::PermissionDenied => "choose a directory that you can write to, or ask its owner",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space, or choose another disk"
        }
        ErrorKind::FileTooLarge => {
            "raise the limit on file size (ulimit -f), or choose a disk that allows larger files"
        }
        ErrorKind::ReadOnlyFilesystem => "choose a directory on a writable disk",
        ErrorKind::InvalidFilename => "choose a shorter name",
        _ => "check the disk, or choose another directory",
    };
    SaveError::System {
        path,
        error: Shown::error(error),
        advice,
    }
}
