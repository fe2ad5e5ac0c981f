//! The files of a source, and what the system tells of them, so that a source that did not change need not be read
//! again.

use super::directory;
use super::series::asked_for;
use crate::base::disk::{self, Metadata, MetadataExt as _};
use crate::base::fingerprint::Fingerprint;
use crate::format::input::{self, PathKind};
use crate::format::{Request, SourceKind, is_example, pbs};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files of a PBS scheduler's directory, including those that are not read here: the scheduler reads them all.
const SCHED_PRIV: &[&str] = &[
    "resource_group",
    "usage",
    "usage.touch",
    "sched_config",
    "sched_formula",
    "holidays",
    "dedicated_time",
];

/// The files of SQLite beside a database, by their suffixes.
const BESIDE_DATABASE: &[&str] = &["-wal", "-shm", "-journal"];

impl Request {
    /// Returns every file that belongs to the source, even if it may not exist. None of them is ever written.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Ok(Some((series, _))) = asked_for(self) {
            for dump in series.dumps() {
                files.extend(files_at(&dump.path));
            }
        } else if let SourceKind::Path { path, .. } = &self.source
            && is_path(path)
        {
            files.extend(files_at(path));
        }
        for path in self.source.more().iter().chain(self.beside.given()) {
            if is_path(path) {
                files.push(path.clone());
            }
        }
        files
    }
}

/// Returns whether a path names something on the disk, and not standard input or a built-in tree.
fn is_path(path: &Path) -> bool {
    path.as_os_str() != "-" && !is_example(path)
}

/// Returns the files of a source at a path.
fn files_at(path: &Path) -> Vec<PathBuf> {
    // What cannot be looked at is spared as a file.
    if !matches!(input::look(path), Ok(PathKind::Directory)) {
        return with_journals(path);
    }
    let inner = pbs::sched_priv(path).ok().flatten();
    let folder = inner.as_deref().unwrap_or(path);
    let mut files = Vec::new();
    for name in SCHED_PRIV {
        files.push(folder.join(name));
    }
    if inner.is_some() {
        return files;
    }
    for file in directory::files(path).unwrap_or_default() {
        files.extend(with_journals(&file));
    }
    files
}

/// Returns a file, and the files that SQLite would keep beside it: beside the file itself, not beside a link to it.
fn with_journals(path: &Path) -> Vec<PathBuf> {
    let target = disk::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut files = vec![path.to_owned()];
    for suffix in BESIDE_DATABASE {
        files.push(input::beside(&target, suffix));
    }
    files
}

/// For how many seconds a file must be unchanged for a later change to show: some file systems note times every 2 s.
const REST: i64 = 2;

/// The states of all files of a source, none of which has just changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStates(Vec<(PathBuf, Option<FileState>)>);

/// The state of one file, following links.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileState {
    /// Its size, its time and its number.
    fingerprint: Fingerprint,
    /// The number of the file system that it is on.
    device: u64,
    /// When anything about it changed, its name included, in seconds and nanoseconds.
    changed: (i64, i64),
}

impl FileStates {
    /// Returns the states of a source's files at a time in Unix seconds. `None` if they do not show whether the source
    /// changed: it is no file, one of them cannot be looked at, or one changed within the last two seconds.
    pub fn at(request: &Request, now: i64) -> Option<Self> {
        if request.live().is_some() || request.is_standard_input() {
            return None;
        }
        let mut states = Vec::new();
        let mut is_any_there = false;
        for path in request.files() {
            let state = match disk::metadata(&path) {
                Ok(metadata) => Some(FileState::at_rest(&metadata, now)?),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(_) => return None,
            };
            is_any_there |= state.is_some();
            states.push((path, state));
        }
        is_any_there.then_some(Self(states))
    }
}

impl FileState {
    /// Returns the state of a file; `None` if it changed within the last two seconds.
    fn at_rest(metadata: &Metadata, now: i64) -> Option<Self> {
        let newest = metadata.mtime().max(metadata.ctime());
        if newest >= now.saturating_sub(REST) {
            return None;
        }
        Some(Self {
            fingerprint: Fingerprint::from(metadata),
            device: metadata.dev(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}
