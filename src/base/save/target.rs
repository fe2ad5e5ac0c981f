//! The place that a file gets: where links lead, what is there, and whether it may be replaced.

use super::{Fingerprint, SaveError, name_of, refused};
use crate::base::shown::Shown;
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// How many symbolic links are followed before they count as a loop: the kernel's own limit.
const MOST_LINKS: usize = 40;

/// How to treat an existing file.
#[derive(Clone, Copy)]
pub(super) enum Existing {
    Keep,
    Replace,
    ReplaceIf(Fingerprint),
}

pub(super) struct SaveTarget {
    /// The path as it was given, as safe text.
    pub(super) name: Shown,
    /// The file, at the end of all links.
    pub(super) path: PathBuf,
    pub(super) old: Option<Metadata>,
}

impl SaveTarget {
    pub(super) fn of(path: &Path, existing: Existing) -> Result<Self, SaveError> {
        let name = name_of(path);
        let path = follow_links(path, &name)?;
        let old = match path.symlink_metadata() {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(refused(name, &error)),
        };
        if let Some(kind) = old.as_ref().and_then(special_kind) {
            return Err(SaveError::NotAFile { path: name, kind });
        }
        match (&old, existing) {
            (Some(_), Existing::Keep) => Err(SaveError::Exists(name)),
            // A file that is gone was moved or removed.
            (old, Existing::ReplaceIf(seen))
                if old.as_ref().map(Fingerprint::from) != Some(seen) =>
            {
                Err(SaveError::Changed(name))
            }
            // A rename needs no permission for the old file, so its protection would go unnoticed.
            (Some(_), _) if access(&path, Access::WRITE_OK) == Err(Errno::ACCESS) => {
                Err(SaveError::ReadOnly(name))
            }
            _ => Ok(Self { name, path, old }),
        }
    }

    pub(super) fn directory(&self) -> &Path {
        folder_of(&self.path)
    }
}

/// Refuses a path that leads to one of the files of a source, however both are written: through links, by another name
/// of the same file, or to a file of the source that does not exist yet.
pub fn spare(path: &Path, sources: &[PathBuf]) -> Result<(), SaveError> {
    let name = name_of(path);
    let target = follow_links(path, &name)?;
    // A file that does not exist has no inode, only a name in a directory that has one.
    let is_target = |source: &PathBuf| {
        let is_called_so = source.file_name() == target.file_name();
        is_same(source, &target) || (is_called_so && is_same(folder_of(source), folder_of(&target)))
    };
    if sources.iter().any(is_target) {
        return Err(SaveError::Source(name));
    }
    Ok(())
}

/// Refuses a directory that directly holds files of a source.
pub fn spare_folder(folder: &Path, sources: &[PathBuf]) -> Result<(), SaveError> {
    if sources
        .iter()
        .any(|source| is_same(folder_of(source), folder))
    {
        return Err(SaveError::AmongSource(name_of(folder)));
    }
    Ok(())
}

/// Returns whether two paths lead to the same existing file or directory.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    place(one).is_some_and(|one| place(other) == Some(one))
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns the file at the end of a chain of symbolic links, which may not exist.
fn follow_links(path: &Path, name: &Shown) -> Result<PathBuf, SaveError> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let found = target.symlink_metadata().ok();
        let Some(link) = found.filter(Metadata::is_symlink) else {
            return Ok(target);
        };
        if is_foreign_link(folder_of(&target), &link) {
            return Err(SaveError::ForeignLink(name.to_owned()));
        }
        let next = target.read_link();
        target.set_file_name(next.map_err(|error| refused(name.to_owned(), &error))?);
    }
    Err(SaveError::LinkLoop(name.to_owned()))
}

/// Returns whether neither we nor its owner put a link into a directory that everybody may write.
fn is_foreign_link(parent: &Path, link: &Metadata) -> bool {
    const STICKY: u32 = 0o1000;
    const WORLD_WRITABLE: u32 = 0o002;
    parent.metadata().is_ok_and(|directory| {
        directory.mode() & STICKY != 0
            && directory.mode() & WORLD_WRITABLE != 0
            && link.uid() != rustix::process::geteuid().as_raw()
            && link.uid() != directory.uid()
    })
}

/// Returns what stands in the place of a file, or `None` for a file.
fn special_kind(old: &Metadata) -> Option<&'static str> {
    Some(match old.file_type() {
        kind if kind.is_file() => return None,
        kind if kind.is_dir() => "directory",
        kind if kind.is_fifo() => "pipe",
        kind if kind.is_socket() => "socket",
        _ => "device",
    })
}
