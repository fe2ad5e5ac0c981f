//! The files of a database, and how it can be opened.

use crate::base::save::Fingerprint;
use crate::base::shown::sentence;
use crate::format::input;
use crate::format::{LoadError, LoadResult, Refusal};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The first bytes of a rollback journal while it is needed. The writer clears them when it is done.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The state of a database and the files beside it at one time.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct DatabaseFiles {
    /// The path with all links followed.
    pub(super) path: PathBuf,
    pub(super) database: Fingerprint,
    /// The write-ahead log.
    pub(super) log: Option<Fingerprint>,
    /// The index of the log, which SQLite's processes share.
    has_index: bool,
    /// The rollback journal, if a writer did not finish.
    pub(super) journal: Option<Fingerprint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenMode {
    /// As a file that does not change, which is checked afterwards.
    AsItLies,
    /// With its log and the log's index, both read-only.
    WithLog,
    /// As a private copy of all files.
    Copied,
}

impl DatabaseFiles {
    pub(super) fn of(path: &Path) -> LoadResult<Self> {
        // SQLite looks for a log beside the file itself, not beside a link to it.
        let path = fs::canonicalize(path).map_err(|error| not_opened(path, error))?;
        let Some(database) = stamp(&path)? else {
            return Err(not_opened(&path, ErrorKind::NotFound.into()));
        };
        let journal = beside(&path, "-journal");
        let is_needed =
            || input::open(&journal).is_ok_and(|file| begins_with(file, &JOURNAL_MAGIC));
        let stamped = stamp(&journal)?.filter(|stamp| stamp.length > 0);
        Ok(Self {
            log: stamp(&beside(&path, "-wal"))?,
            has_index: stamp(&beside(&path, "-shm"))?.is_some(),
            journal: stamped.filter(|_| is_needed()),
            database,
            path,
        })
    }

    /// Returns the modes in which to open it, the best first.
    pub(super) fn open_modes(&self) -> &'static [OpenMode] {
        match (self.journal, self.log, self.has_index) {
            (Some(_), ..) | (None, Some(_), false) => &[OpenMode::Copied],
            (None, Some(_), true) => &[OpenMode::WithLog, OpenMode::Copied],
            (None, None, _) => &[OpenMode::AsItLies],
        }
    }

    /// Returns whether the newest values may be in the log alone.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some_and(|log| log.length > 0)
    }

    /// Returns when the newest of the files was changed, in Unix seconds.
    pub(super) fn changed(&self) -> i64 {
        let log = self.log.filter(|log| log.length > 0);
        let log = log.map_or(i64::MIN, |log| log.modified.0);
        self.database.modified.0.max(log)
    }
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn stamp(path: &Path) -> LoadResult<Option<Fingerprint>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(not_opened(path, error)),
    };
    if !metadata.is_file() {
        return Err(LoadError::Refused(sentence!(
            "{} is not a file, so SQLite cannot read the files of the database; remove it, or open a copy of the \
             database",
            input::name(path)
        )));
    }
    Ok(Some(Fingerprint::from(&metadata)))
}

/// Returns whether a file can be read and begins with these bytes.
pub(in crate::format::flux) fn begins_with(file: File, magic: &[u8]) -> bool {
    let mut start = Vec::new();
    let read = file.take(magic.len() as u64).read_to_end(&mut start);
    read.is_ok() && start == magic
}

pub(super) fn not_opened(path: &Path, error: std::io::Error) -> LoadError {
    match error.kind() {
        ErrorKind::PermissionDenied => not_readable(path),
        _ => input::not_opened(path, error),
    }
}

pub(in crate::format::flux) fn not_readable(path: &Path) -> LoadError {
    let what = "cannot be read: permission denied";
    let advice = "flux-accounting keeps its database for the user flux: use sudo -u flux, or open the output of flux \
                  account view-bank ROOT -t -P, which every user may run";
    Refusal::does(&input::name(path), what, advice).into()
}
