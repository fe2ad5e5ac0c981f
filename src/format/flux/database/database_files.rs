//! The files of a database, whether they are of one time, and why it could not be read.

use super::error::{DatabaseError, Failure};
use crate::base::fingerprint::Fingerprint;
use crate::format::flux::sqlite_file::{MAGIC, begins_with, not_readable};
use crate::format::input;
use crate::format::{LoadError, LoadResult};
use rusqlite::ErrorCode;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// The first bytes of a rollback journal while it is needed. The writer clears them when it is done.
const JOURNAL_MAGIC: &[u8] = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

/// The length of the header of a database.
const HEADER: usize = 100;

/// The length of the header of a write-ahead log.
const LOG_HEADER: usize = 32;

/// The state of a database and the files beside it at one time.
pub(super) struct DatabaseFiles {
    /// The path with all links followed.
    pub(super) path: PathBuf,
    /// The database itself.
    pub(super) database: Fingerprint,
    /// The write-ahead log.
    pub(super) log: Option<Fingerprint>,
    /// The header of the log, which changes when a writer begins it anew; empty without a log.
    log_start: Vec<u8>,
    /// The rollback journal, if a writer did not finish.
    pub(super) journal: Option<Fingerprint>,
}

impl DatabaseFiles {
    /// Looks at the files of a database. Fails if there is none.
    pub(super) fn of(path: &Path) -> LoadResult<Self> {
        // SQLite looks for a log beside the file itself, not beside a link to it.
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(error) => return Err(not_opened(path, error)),
        };
        let Some(database) = stamp(&path)? else {
            let missing = ErrorKind::NotFound.into();
            return Err(not_opened(&path, missing));
        };
        let journal = needed_journal(&path)?;
        let log_path = input::beside(&path, "-wal");
        let log = stamp(&log_path)?;
        let log_start = match log {
            Some(_) => first_bytes(&log_path, LOG_HEADER)?,
            None => Vec::new(),
        };
        Ok(Self {
            path,
            database,
            log,
            log_start,
            journal,
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
        let (database, _) = self.database.modified;
        if let Some(log) = self.log
            && log.length > 0
        {
            let (log, _) = log.modified;
            return database.max(log);
        }
        database
    }

    /// Explains that a database is shorter than its header says, which SQLite fills up with zeros; or returns `None`.
    fn cut_off(&self) -> Option<DatabaseError> {
        let mut header = [0; HEADER];
        let mut file = input::open(&self.path).ok()?;
        file.read_exact(&mut header).ok()?;
        let page_size = [header[16], header[17]];
        let page = match u16::from_be_bytes(page_size) {
            1 => 65_536,
            size => u64::from(size),
        };
        let change_counter = number_at(&header, 24);
        let page_count = number_at(&header, 28);
        let counted_at_change = number_at(&header, 92);
        // Programs older than the page count do not update it when they write.
        let is_counted = page.is_power_of_two() && change_counter == counted_at_change;
        let expected = page * u64::from(page_count);
        let length = self.database.length;
        if !is_counted || length >= expected {
            return None;
        }
        Some(DatabaseError::cut_off(&self.path, length, expected))
    }

    /// Checks that a file begins as a database does. SQLite accepts files that are empty or something else.
    pub(super) fn check_start(&self) -> LoadResult<()> {
        let start = first_bytes(&self.path, HEADER)?;
        match self.fault(&start) {
            Some(fault) => Err(fault.into()),
            None => Ok(()),
        }
    }

    /// Returns what is wrong with the beginning of the database; `None` if nothing is.
    fn fault(&self, start: &[u8]) -> Option<DatabaseError> {
        let file = input::name(&self.path);
        if start.is_empty() {
            let what = "it is empty";
            return Some(DatabaseError::NotSqlite { file, what });
        }
        if !start.starts_with(MAGIC) {
            let what = "it begins with other bytes, or is encrypted";
            return Some(DatabaseError::NotSqlite { file, what });
        }
        let length = start.len();
        if length < HEADER {
            return Some(DatabaseError::Short { file, length });
        }
        // With a log or a journal the newest pages, and their number, may be there.
        if self.log.is_some() || self.journal.is_some() {
            return None;
        }
        self.cut_off()
    }
}

/// Returns the number of 32 bits at a place of a header.
fn number_at(header: &[u8; HEADER], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&header[at..at + 4]);
    u32::from_be_bytes(bytes)
}

/// Returns the rollback journal of a database, if a writer did not finish.
fn needed_journal(path: &Path) -> LoadResult<Option<Fingerprint>> {
    let path = input::beside(path, "-journal");
    let Some(journal) = stamp(&path)? else {
        return Ok(None);
    };
    if journal.length == 0 {
        return Ok(None);
    }
    if let Ok(file) = input::open(&path)
        && begins_with(file, JOURNAL_MAGIC)
    {
        return Ok(Some(journal));
    }
    Ok(None)
}

/// Returns the first bytes of a file, fewer if it is shorter.
fn first_bytes(path: &Path, length: usize) -> LoadResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut start = input::open(path)?.take(length as u64);
    match start.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(not_opened(path, error)),
    }
}

/// Returns the fingerprint of a file; `None` if it does not exist.
fn stamp(path: &Path) -> LoadResult<Option<Fingerprint>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(not_opened(path, error)),
    };
    if !metadata.is_file() {
        let file = input::name(path);
        return Err(DatabaseError::NotAFile { file }.into());
    }
    Ok(Some(Fingerprint::from(&metadata)))
}

/// Returns the error of a file that cannot be opened.
pub(super) fn not_opened(path: &Path, error: io::Error) -> LoadError {
    if error.kind() == ErrorKind::PermissionDenied {
        return not_readable(path);
    }
    input::not_opened(path, error)
}

impl Failure {
    /// Returns the error in words.
    pub(super) fn into_load_error(self, database_files: &DatabaseFiles) -> LoadError {
        let error = match self {
            Self::Explained(error) => return error,
            Self::Sqlite(error) => error,
        };
        if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
            && let Some(cut_off) = database_files.cut_off()
        {
            return cut_off.into();
        }
        DatabaseError::of_sqlite(&error, &database_files.path).into()
    }
}
