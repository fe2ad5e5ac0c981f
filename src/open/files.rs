//! The files of a source, and what the system tells of them, so that a source that did not change need not be read
//! again.

use super::directory;
use super::series::asked_for;
use crate::base::save::Fingerprint;
use crate::format::input::{self, PathKind};
use crate::format::{Request, SourceKind, is_example, pbs};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
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
        let is_path = |path: &Path| path.as_os_str() != "-" && !is_example(path);
        if let Ok(Some((series, _))) = asked_for(self) {
            let dumps = series.dumps().iter();
            files.extend(dumps.flat_map(|dump| files_at(&dump.path)));
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

fn files_at(path: &Path) -> Vec<PathBuf> {
    // What cannot be looked at is spared as a file.
    if !matches!(input::look(path), Ok(PathKind::Directory)) {
        return with_journals(path);
    }
    if let Some(folder) = pbs::sched_priv(path).ok().flatten() {
        return SCHED_PRIV.iter().map(|name| folder.join(name)).collect();
    }
    let mut files: Vec<PathBuf> = SCHED_PRIV.iter().map(|name| path.join(name)).collect();
    for file in directory::files(path).unwrap_or_default() {
        files.extend(with_journals(&file));
    }
    files
}

/// Returns a file, and the files that SQLite would keep beside it: beside the file itself, not beside a link to it.
fn with_journals(path: &Path) -> Vec<PathBuf> {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = BESIDE_DATABASE.iter();
    let beside = beside.map(|added| input::beside(&whole, added));
    std::iter::once(path.to_owned()).chain(beside).collect()
}

/// For how many seconds a file must be unchanged for a later change to show: some file systems note times every 2 s.
const REST: i64 = 2;

/// The states of all files of a source, none of which has just changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStates(Vec<(PathBuf, Option<FileState>)>);

/// The state of one file, following links.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileState {
    fingerprint: Fingerprint,
    device: u64,
    /// When anything about it changed, its name included, in seconds and nanoseconds.
    changed: (i64, i64),
}

impl FileStates {
    /// Returns the states of a source's files at a time in Unix seconds. `None` if they do not show whether the source
    /// changed: it is no file, one of them cannot be looked at, or one changed within the last two seconds.
    pub fn of(request: &Request, now: i64) -> Option<Self> {
        let is_file = request.live().is_none() && !request.is_standard_input();
        let files = if is_file { request.files() } else { Vec::new() };
        let states = files.into_iter().map(|path| {
            let state = match path.metadata() {
                Ok(metadata) => {
                    let newest = metadata.mtime().max(metadata.ctime());
                    let is_at_rest = newest < now.saturating_sub(REST);
                    Some(is_at_rest.then(|| FileState {
                        fingerprint: Fingerprint::from(&metadata),
                        device: metadata.dev(),
                        changed: (metadata.ctime(), metadata.ctime_nsec()),
                    })?)
                }
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(_) => return None,
            };
            Some((path, state))
        });
        let states: Vec<_> = states.collect::<Option<_>>()?;
        let is_any = states.iter().any(|(_, state)| state.is_some());
        is_any.then_some(Self(states))
    }
}
