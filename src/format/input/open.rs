//! The one place that opens files for reading: what is no plain file is refused, and nothing waits for another process.

use super::{LoadError, LoadResult, Refusal, name};
use rustix::fs::OFlags;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

/// The file systems of the kernel, by the numbers that statfs(2) gives. Their files say that they are empty, and
/// reading some of them waits or never ends: proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, bpf, efivarfs,
/// configfs, pstore.
const KERNEL: &[u64] = &[
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
    0xcafe_4a11,
    0xde5e_81e4,
    0x6265_6570,
    0x6165_676c,
];

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
    let metadata = match fs::metadata(path) {
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
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) => match not_opened(path, error) {
            LoadError::Missing(_) => Ok(false),
            error => Err(error),
        },
    }
}

/// Opens a file for reading, without waiting. Pipes, devices, directories and files of the kernel are refused.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(crate) fn open(path: &Path) -> LoadResult<File> {
    // Opening a device may already do something, so the path is looked at first.
    if look(path)? == PathKind::Directory {
        return Err(a_directory(path));
    }
    // If the path has become a pipe meanwhile, opening it must not wait for a writer.
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits())
        .expect("the flags of open(2) are an int");
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags);
    let file = match options.open(path) {
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
    if is_of_kernel(&file) {
        let remedy = "open a copy of it, or another file";
        return Err(refuse(path, "a file of the kernel", remedy));
    }
    Ok(file)
}

/// Returns whether an open file is one of the kernel.
fn is_of_kernel(file: &File) -> bool {
    let Ok(system) = rustix::fs::fstatfs(file) else {
        return false;
    };
    match u64::try_from(system.f_type) {
        Ok(kind) => KERNEL.contains(&kind),
        Err(_) => false,
    }
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
