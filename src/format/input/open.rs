//! The one place that opens files for reading: what is no plain file is refused, and nothing waits for another process.

use super::{LoadError, LoadResult, Refusal, name};
use crate::base::disk::{self, File, FileType, FileTypeExt as _};
use std::io::{self, ErrorKind};
use std::path::Path;

const OPEN_A_FILE: &str = "open a file or a sched_priv directory";

/// The kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file that can be read to its end.
    File,
    /// A directory.
    Directory,
}

/// Returns the kind of a path, without opening it.
pub(crate) fn look(path: &Path) -> LoadResult<PathKind> {
    if path.as_os_str() == "-" {
        return Ok(PathKind::File);
    }
    let metadata = match disk::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return Err(not_opened(path, error)),
    };
    check_type(path, metadata.file_type())?;
    if metadata.is_dir() {
        return Ok(PathKind::Directory);
    }
    Ok(PathKind::File)
}

/// Returns the kind of a path as [`look`] does, or `None` if nothing is there.
pub(crate) fn find(path: &Path) -> LoadResult<Option<PathKind>> {
    match look(path) {
        Ok(kind) => Ok(Some(kind)),
        Err(LoadError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether a directory has an entry of that path. A link counts even if it leads nowhere.
pub(crate) fn is_there(path: &Path) -> LoadResult<bool> {
    match disk::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) => match not_opened(path, error) {
            LoadError::Missing(_) => Ok(false),
            error => Err(error),
        },
    }
}

/// Opens a file for reading, without waiting. Pipes, devices, directories and files of the kernel are refused.
pub(crate) fn open(path: &Path) -> LoadResult<File> {
    // Opening a device may already do something, so the path is looked at first.
    if look(path)? == PathKind::Directory {
        return Err(a_directory(path));
    }
    let file = match disk::open(path) {
        Ok(file) => file,
        Err(error) => return Err(not_opened(path, error)),
    };
    let file_type = match file.metadata() {
        Ok(metadata) => metadata.file_type(),
        Err(error) => return Err(not_opened(path, error)),
    };
    check_type(path, file_type)?;
    if file_type.is_dir() {
        return Err(a_directory(path));
    }
    if disk::is_of_kernel(&file) {
        let remedy = "open a copy of it, or another file";
        return Err(refuse(path, "a file of the kernel", remedy));
    }
    Ok(file)
}

/// Returns the error of a directory where a file is expected.
fn a_directory(path: &Path) -> LoadError {
    let what = "a directory, not a file";
    Refusal::is(&name(path), what, "give the path of the file").into()
}

fn check_type(path: &Path, file_type: FileType) -> LoadResult<()> {
    let (kind, remedy) = if file_type.is_fifo() {
        let remedy = "give its content on standard input: fairscope - < PIPE";
        ("a named pipe", remedy)
    } else if file_type.is_socket() {
        ("a socket", OPEN_A_FILE)
    } else if file_type.is_char_device() || file_type.is_block_device() {
        ("a device", OPEN_A_FILE)
    } else {
        return Ok(());
    };
    Err(refuse(path, kind, remedy))
}

fn refuse(path: &Path, kind: &str, remedy: &str) -> LoadError {
    let what = format!("{kind}, which is not opened because reading it may never end");
    Refusal::is(&name(path), &what, remedy).into()
}

/// Explains why a path could not be opened or read.
#[expect(clippy::needless_pass_by_value, reason = "the callers map an error")]
pub(crate) fn not_opened(path: &Path, error: io::Error) -> LoadError {
    let name = name(path);
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => LoadError::Missing(name),
        ErrorKind::PermissionDenied => {
            let advice = "only root can read PBS's sched_priv: use sudo, or open a copy";
            Refusal::does(&name, "cannot be read: permission denied", advice).into()
        }
        _ => LoadError::read(name, &error),
    }
}
