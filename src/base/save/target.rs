//! The place that a file gets: where links lead, what is there, and whether it may be replaced.

use super::{SaveError, SaveResult, name_of, our_user, refused};
use crate::base::fingerprint::Fingerprint;
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
    /// Nothing is saved.
    Keep,
    /// It is replaced, whatever it is.
    Replace,
    /// It is replaced if it still has this fingerprint.
    ReplaceIf(Fingerprint),
}

/// The place of a file that is saved.
pub(super) struct SaveTarget {
    /// The path as it was given, as safe text.
    pub(super) name: Shown,
    /// The file, at the end of all links.
    pub(super) path: PathBuf,
    /// The file that is replaced, if there is one.
    pub(super) old: Option<Metadata>,
}

impl SaveTarget {
    /// Follows the links of a path, and refuses what may not be replaced.
    pub(super) fn of(path: &Path, existing: Existing) -> SaveResult<Self> {
        let name = name_of(path);
        let target = follow_links(path, &name)?;
        let old = match target.symlink_metadata() {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(refused(name, &error)),
        };
        if let Some(found) = &old {
            if let Some(kind) = special_kind(found) {
                return Err(SaveError::NotAFile { path: name, kind });
            }
            match existing {
                Existing::Keep => return Err(SaveError::Exists(name)),
                Existing::ReplaceIf(seen) if seen != Fingerprint::from(found) => {
                    return Err(SaveError::Changed(name));
                }
                _ => {}
            }
            // A rename needs no permission for the old file, so its protection would go unnoticed.
            if access(&target, Access::WRITE_OK) == Err(Errno::ACCESS) {
                return Err(SaveError::ReadOnly(name));
            }
        } else if matches!(existing, Existing::ReplaceIf(_)) {
            // A file that is gone was moved or removed.
            return Err(SaveError::Changed(name));
        }
        Ok(Self {
            name,
            path: target,
            old,
        })
    }

    /// Returns the directory of the file.
    pub(super) fn directory(&self) -> &Path {
        folder_of(&self.path)
    }
}

/// Refuses a path that leads to one of the files of a source, however both are written: through links, by another name
/// of the same file, or to a file of the source that does not exist yet.
pub fn spare(path: &Path, sources: &[PathBuf]) -> SaveResult<()> {
    let name = name_of(path);
    let target = follow_links(path, &name)?;
    let folder = folder_of(&target);
    for source in sources {
        // A file that does not exist has no inode, only a name in a directory that has one.
        let has_its_name = source.file_name() == target.file_name();
        let has_its_path = has_its_name && is_same(folder_of(source), folder);
        if has_its_path || is_same(source, &target) {
            return Err(SaveError::Source(name));
        }
    }
    Ok(())
}

/// Refuses a directory that directly holds files of a source.
pub fn spare_folder(folder: &Path, sources: &[PathBuf]) -> SaveResult<()> {
    for source in sources {
        if is_same(folder_of(source), folder) {
            return Err(SaveError::AmongSource(name_of(folder)));
        }
    }
    Ok(())
}

/// Returns whether two paths lead to the same existing file or directory.
fn is_same(one: &Path, other: &Path) -> bool {
    if let Ok(found) = one.metadata()
        && let Ok(other_found) = other.metadata()
    {
        return is_one_file(&found, &other_found);
    }
    false
}

/// Returns whether two states are those of the same file or directory.
pub(super) fn is_one_file(one: &Metadata, other: &Metadata) -> bool {
    let are_on_one_device = one.dev() == other.dev();
    are_on_one_device && one.ino() == other.ino()
}

/// Returns the directory in which a path ends.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns the file at the end of a chain of symbolic links, which may not exist.
fn follow_links(path: &Path, name: &Shown) -> SaveResult<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let link = match target.symlink_metadata() {
            Ok(found) if found.is_symlink() => found,
            _ => return Ok(target),
        };
        if is_foreign_link(folder_of(&target), &link) {
            return Err(SaveError::ForeignLink(name.clone()));
        }
        match target.read_link() {
            Ok(next) => target.set_file_name(next),
            Err(error) => return Err(refused(name.clone(), &error)),
        }
    }
    Err(SaveError::LinkLoop(name.clone()))
}

/// Returns whether neither we nor its owner put a link into a directory that everybody may write.
fn is_foreign_link(parent: &Path, link: &Metadata) -> bool {
    const STICKY: u32 = 0o1000;
    const WORLD_WRITABLE: u32 = 0o002;
    let Ok(directory) = parent.metadata() else {
        return false;
    };
    let mode = directory.mode();
    let is_open_to_all = mode & STICKY != 0 && mode & WORLD_WRITABLE != 0;
    let owner = link.uid();
    let is_foreign = owner != our_user() && owner != directory.uid();
    is_open_to_all && is_foreign
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
