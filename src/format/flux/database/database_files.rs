//! The files of a database, whether they are of one time, and why it could not be read.

use crate::base::save::Fingerprint;
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence};
use crate::format::input;
use crate::format::{LoadError, LoadResult, Refusal};
use rusqlite::ErrorCode;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The first bytes of a rollback journal while it is needed. The writer clears them when it is done.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The length of the header of a write-ahead log.
const LOG_HEADER: u64 = 32;

/// The state of a database and the files beside it at one time.
pub(super) struct DatabaseFiles {
    /// The path with all links followed.
    pub(super) path: PathBuf,
    pub(super) database: Fingerprint,
    /// The write-ahead log.
    pub(super) log: Option<Fingerprint>,
    /// The header of the log, which changes when a writer begins it anew; empty without a log.
    log_start: Vec<u8>,
    /// The rollback journal, if a writer did not finish.
    pub(super) journal: Option<Fingerprint>,
}

impl DatabaseFiles {
    pub(super) fn of(path: &Path) -> LoadResult<Self> {
        // SQLite looks for a log beside the file itself, not beside a link to it.
        let path = fs::canonicalize(path).map_err(|error| not_opened(path, error))?;
        let Some(database) = stamp(&path)? else {
            return Err(not_opened(&path, ErrorKind::NotFound.into()));
        };
        let journal = input::beside(&path, "-journal");
        let is_needed =
            || input::open(&journal).is_ok_and(|file| begins_with(file, &JOURNAL_MAGIC));
        let stamped = stamp(&journal)?.filter(|stamp| stamp.length > 0);
        let log_path = input::beside(&path, "-wal");
        let log = stamp(&log_path)?;
        let mut log_start = Vec::new();
        if log.is_some() {
            let file = input::open(&log_path)?;
            let read = file.take(LOG_HEADER).read_to_end(&mut log_start);
            read.map_err(|error| not_opened(&log_path, error))?;
        }
        Ok(Self {
            log,
            log_start,
            journal: stamped.filter(|_| is_needed()),
            database,
            path,
        })
    }

    /// Returns whether a writer changed the files since. A log that has only grown is no change: what was added begins
    /// after the last transaction that a copy of it holds.
    pub(super) fn have_changed(&self) -> LoadResult<bool> {
        let now = Self::of(&self.path)?;
        let is_same = now.database == self.database
            && now.journal == self.journal
            && now.log_start == self.log_start;
        Ok(!is_same)
    }

    /// Returns when the newest of the files was changed, in Unix seconds.
    pub(super) fn changed(&self) -> i64 {
        let log = self.log.filter(|log| log.length > 0);
        let log = log.map_or(i64::MIN, |log| log.modified.0);
        self.database.modified.0.max(log)
    }

    /// Explains that a database is shorter than its header says, which SQLite fills up with zeros; or returns `None`.
    fn cut_off(&self) -> Option<String> {
        let mut header = [0; 100];
        let mut file = input::open(&self.path).ok()?;
        file.read_exact(&mut header).ok()?;
        let number = |at: usize| {
            let bytes = header[at..].first_chunk();
            bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
        };
        let page = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            size => u64::from(size),
        };
        // Programs older than the page count do not update it when they write.
        let is_counted = page.is_power_of_two() && number(24) == number(92);
        let expected = page * u64::from(number(28));
        let name = input::name(&self.path);
        let word = word(&self.path, "FILE");
        let length = self.database.length;
        (is_counted && length < expected).then(|| {
            format!(
                "{name} is cut off: it has {length} of {expected} bytes; copy it again when no program writes to it, \
                 with sqlite3 {word} '.backup COPY'"
            )
        })
    }

    /// Checks that a file begins as a database does. SQLite accepts files that are empty or something else.
    pub(super) fn check_start(&self) -> LoadResult<()> {
        let mut start = Vec::new();
        let file = input::open(&self.path)?;
        let read = file.take(100).read_to_end(&mut start);
        read.map_err(|error| not_opened(&self.path, error))?;
        let name = input::name(&self.path);
        if !start.starts_with(MAGIC) {
            let what = match &start[..] {
                [] => "it is empty",
                _ => "it begins with other bytes, or is encrypted",
            };
            return Err(LoadError::Refused(sentence!(
                "{name} is not an SQLite database: {what}; open flux-accounting's own, usually \
                 /var/lib/flux/FluxAccounting.db"
            )));
        }
        if start.len() < 100 {
            return Err(LoadError::Refused(sentence!(
                "{name} is cut off: it has {} bytes, and an SQLite database has at least 512; copy it again when no \
                 program writes to it",
                start.len()
            )));
        }
        // With a log or a journal the newest pages, and their number, may be there.
        let lies_alone = self.log.is_none() && self.journal.is_none();
        match self.cut_off().filter(|_| lies_alone) {
            Some(cut_off) => Err(LoadError::Refused(Shown::again(cut_off))),
            None => Ok(()),
        }
    }
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

/// Why a database could not be read.
#[derive(Debug)]
pub(super) enum Failure {
    /// An error that is already in words.
    Explained(LoadError),
    Sqlite(rusqlite::Error),
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::Explained(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Failure {
    pub(super) fn into_load_error(self, database_files: &DatabaseFiles) -> LoadError {
        let error = match self {
            Self::Explained(error) => return error,
            Self::Sqlite(error) => error,
        };
        let name = input::name(&database_files.path);
        let word = word(&database_files.path, "FILE");
        let sentence = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => format!(
                "{name} is an SQLite database that cannot be read: its first page is encrypted or overwritten; open a \
                 copy from a backup"
            ),
            Some(ErrorCode::DatabaseCorrupt) => match database_files.cut_off() {
                Some(cut_off) => cut_off,
                None => format!(
                    "{name} is damaged ({error}); look at it with sqlite3 {word} 'PRAGMA integrity_check', or open \
                     a copy from a backup"
                ),
            },
            Some(ErrorCode::OperationInterrupted) => format!(
                "{name} keeps SQLite busy without returning a row, so it is not a database of flux-accounting; open \
                 FluxAccounting.db itself"
            ),
            Some(ErrorCode::TooBig) => format!(
                "{name} holds a row or text of more than 1 MiB where a name was expected; open FluxAccounting.db \
                 itself"
            ),
            Some(ErrorCode::OutOfMemory) => format!(
                "{name} needs more memory than there is; close other programs, or open it on another machine"
            ),
            _ => format!(
                "{name} could not be read by SQLite: {error}; look at it with sqlite3 {word} 'PRAGMA \
                 integrity_check'"
            ),
        };
        LoadError::Refused(Shown::again(sentence))
    }
}
