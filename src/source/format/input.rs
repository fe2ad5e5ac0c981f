//! Opening a source: whole files and standard input as bytes, and an error sentence for everything else.
//!
//! Nothing here waits for another process: a pipe or a device given as a path is refused before it is opened. A file
//! that changes while it is read is read again, so that what is shown was true at one moment.

mod foreign;
mod packed;
mod paste;

pub(super) use foreign::{check, check_lines, refuse_recognised, refuse_unknown};
pub(super) use paste::tidy;

use super::{LoadError, OnProgress, Progress, Refusal};
use crate::base::shown::shown;
use rustix::fs::OFlags;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The largest source: a tree of 10 million nodes is a fifth of this.
const LARGEST: u64 = 2 << 30;

/// How much is read between two reports of progress.
const CHUNK: usize = 1 << 20;

/// How often a file that changes meanwhile is read.
const ATTEMPTS: usize = 3;

/// The contents of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The path as given; `-` for standard input.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
    /// When it was last changed, in Unix seconds, if known.
    pub modified: Option<i64>,
}

impl Input {
    /// Returns the path as safe text.
    #[must_use]
    pub fn name(&self) -> String {
        name(&self.path)
    }
}

/// Returns a path as safe text.
#[must_use]
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        shown(path.as_os_str().as_bytes())
    }
}

/// Reports how far a file has been read, once per megabyte.
pub(super) struct Meter<'a> {
    report: OnProgress<'a>,
    progress: Progress,
    next: u64,
}

impl<'a> Meter<'a> {
    /// Starts reporting about a file.
    pub(super) fn new(file: String, total: Option<u64>, report: OnProgress<'a>) -> Self {
        let progress = Progress {
            file,
            total,
            ..Progress::default()
        };
        Self {
            report,
            progress,
            next: CHUNK as u64,
        }
    }

    /// Reports how many bytes are read and how many nodes exist.
    ///
    /// # Errors
    /// If the user cancelled.
    #[inline]
    pub(super) fn at(&mut self, bytes: u64, nodes: usize) -> Result<(), LoadError> {
        if bytes < self.next {
            return Ok(());
        }
        self.tell(bytes, nodes)
    }

    #[cold]
    fn tell(&mut self, bytes: u64, nodes: usize) -> Result<(), LoadError> {
        self.next = bytes + CHUNK as u64;
        self.progress.bytes = bytes;
        self.progress.nodes = nodes;
        if (self.report)(&self.progress).is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }
}

/// The kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file that can be read to its end.
    File,
    /// A directory.
    Directory,
}

/// Returns the kind of a path, without opening it.
///
/// # Errors
/// If it does not exist, may not be looked at, or is neither a file nor a directory.
pub fn look(path: &Path) -> Result<PathKind, LoadError> {
    if path.as_os_str() == "-" {
        return Ok(PathKind::File);
    }
    let metadata = std::fs::metadata(path).map_err(|error| not_opened(path, error))?;
    check_type(path, metadata.file_type())?;
    Ok(if metadata.is_dir() {
        PathKind::Directory
    } else {
        PathKind::File
    })
}

/// Reads a file, or standard input for `-`, and unpacks gzip and zstd.
///
/// # Errors
/// If it cannot be read whole, is packed and damaged, is too large, or the user cancelled. An empty file is no error
/// here.
pub fn read(path: &Path, report: OnProgress<'_>) -> Result<Input, LoadError> {
    let input = read_as_is(path, &mut *report)?;
    let mut meter = Meter::new(input.name(), None, report);
    Ok(Input {
        bytes: packed::unpacked(input.bytes, path, &mut meter)?,
        ..input
    })
}

/// Reads a file as its scheduler does, without unpacking.
///
/// # Errors
/// As for [`read`].
pub(super) fn read_as_is(path: &Path, report: OnProgress<'_>) -> Result<Input, LoadError> {
    let name = name(path);
    if path.as_os_str() == "-" {
        let mut meter = Meter::new(name, None, report);
        let bytes = read_all(&mut io::stdin().lock(), path, LARGEST, None, &mut meter)?;
        return Ok(Input {
            path: path.to_owned(),
            bytes,
            modified: None,
        });
    }
    if look(path)? == PathKind::Directory {
        let what = "a directory where a file was expected";
        return Err(Refusal::is(&name, what, "give the path of the file").into());
    }
    for _ in 0..ATTEMPTS {
        let mut file = open(path)?;
        let before = inspect(&file, path)?;
        check_type(path, before.file_type())?;
        if before.len() > LARGEST {
            return Err(too_large(path));
        }
        // Files of the system, as in /proc, have no length before they are read.
        let expected = Some(before.len()).filter(|&length| length > 0);
        let mut meter = Meter::new(name.clone(), expected, &mut *report);
        // Reading one byte more than expected detects a file that grows.
        let limit = expected.map_or(LARGEST, |length| length + 1);
        let bytes = read_all(&mut file, path, limit, expected, &mut meter)?;
        let after = inspect(&file, path)?;
        let is_whole = expected.is_none_or(|length| {
            bytes.len() as u64 == length
                && after.len() == length
                && before.modified().ok() == after.modified().ok()
        });
        if is_whole {
            return Ok(Input {
                path: path.to_owned(),
                bytes,
                modified: seconds(&before),
            });
        }
    }
    Err(Refusal::does(
        &name,
        &format!("changes while it is read, {ATTEMPTS} times in a row"),
        "open it again when nobody writes to it, or open a copy",
    )
    .into())
}

/// Reads the beginning of a file, unpacked, with the time of the file: enough to detect its format.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_start(path: &Path, length: usize) -> Result<Input, LoadError> {
    look(path)?;
    let mut file = open(path)?;
    let modified = seconds(&inspect(&file, path)?);
    let mut bytes = Vec::new();
    Read::take(&mut file, length as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| not_opened(path, error))?;
    Ok(Input {
        path: path.to_owned(),
        bytes: packed::start(bytes, length),
        modified,
    })
}

/// Opens a file for reading, without waiting for another process.
pub(super) fn open(path: &Path) -> Result<File, LoadError> {
    // If the file has become a pipe meanwhile, opening it must not wait for a writer.
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits())
        .expect("the flags of open(2) are an int");
    OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(|error| not_opened(path, error))
}

fn inspect(file: &File, path: &Path) -> Result<Metadata, LoadError> {
    file.metadata().map_err(|error| not_opened(path, error))
}

fn read_all(
    source: &mut dyn Read,
    path: &Path,
    limit: u64,
    expected: Option<u64>,
    meter: &mut Meter<'_>,
) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let room = usize::try_from(expected.unwrap_or(0)).unwrap_or(0);
    bytes
        .try_reserve_exact(room + 1)
        .map_err(|_| too_large(path))?;
    loop {
        let wanted = (limit - bytes.len() as u64).min(CHUNK as u64);
        let count = Read::take(&mut *source, wanted)
            .read_to_end(&mut bytes)
            .map_err(|error| not_opened(path, error))?;
        meter.at(bytes.len() as u64, 0)?;
        if (count as u64) < wanted || wanted == 0 {
            break;
        }
    }
    if bytes.len() as u64 >= LARGEST {
        return Err(too_large(path));
    }
    Ok(bytes)
}

fn seconds(metadata: &Metadata) -> Option<i64> {
    let modified = metadata.modified().ok()?;
    match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).ok(),
        Err(before) => i64::try_from(before.duration().as_secs())
            .ok()
            .map(|seconds| -seconds),
    }
}

fn too_large(path: &Path) -> LoadError {
    Refusal::does(
        &name(path),
        "holds more than 2 GiB, which no fairshare tree does",
        "open the scheduler's own file",
    )
    .into()
}

fn check_type(path: &Path, file_type: FileType) -> Result<(), LoadError> {
    let (kind, remedy) = if file_type.is_fifo() {
        (
            "a named pipe",
            "give its content on standard input: fairscope - < PIPE",
        )
    } else if file_type.is_socket() {
        ("a socket", "open a file or a sched_priv directory")
    } else if file_type.is_char_device() || file_type.is_block_device() {
        ("a device", "open a file or a sched_priv directory")
    } else {
        return Ok(());
    };
    let what = format!("{kind}, which is not opened because reading it may never end");
    Err(Refusal::is(&name(path), &what, remedy).into())
}

/// Explains why a path could not be opened or read.
fn not_opened(path: &Path, error: io::Error) -> LoadError {
    let name = name(path);
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => LoadError::Missing(name),
        ErrorKind::PermissionDenied => Refusal::does(
            &name,
            "may not be read by you",
            "PBS keeps sched_priv for root: use sudo, or open a copy",
        )
        .into(),
        _ => LoadError::Read { path: name, error },
    }
}
