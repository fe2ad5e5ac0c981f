//! Why a database could not be read, in sentences.

use super::database_files::{DatabaseFiles, MAGIC, OpenMode, not_opened, not_readable};
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence};
use crate::format::input;
use crate::format::{LoadError, LoadResult};
use rusqlite::ErrorCode;
use std::io::Read as _;

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum Failure {
    /// An error that is already in words.
    Explained(#[from] LoadError),
    Sqlite(#[from] rusqlite::Error),
}

impl Failure {
    /// Returns whether opening the database in another mode may succeed.
    pub(super) fn is_of_opening(&self) -> bool {
        let Self::Sqlite(error) = self else {
            return false;
        };
        matches!(
            error.sqlite_error_code(),
            Some(
                ErrorCode::CannotOpen
                    | ErrorCode::ReadOnly
                    | ErrorCode::PermissionDenied
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::FileLockingProtocolFailed
                    | ErrorCode::NoLargeFileSupport
            )
        )
    }

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
            Some(ErrorCode::DatabaseCorrupt) => match cut_off(database_files) {
                Some(cut_off) => cut_off,
                None => format!(
                    "{name} is damaged ({error}); look at it with sqlite3 {word} 'PRAGMA integrity_check', or open \
                     a copy from a backup"
                ),
            },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => format!(
                "{name} is locked by a program that writes to it; open it again when that is done"
            ),
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
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                return not_readable(&database_files.path);
            }
            _ => format!(
                "{name} could not be read by SQLite: {error}; look at it with sqlite3 {word} 'PRAGMA \
                 integrity_check'"
            ),
        };
        LoadError::Refused(Shown::again(sentence))
    }
}

/// Explains that a database is shorter than its header says, which SQLite fills up with zeros; or returns `None`.
fn cut_off(database_files: &DatabaseFiles) -> Option<String> {
    let mut header = [0; 100];
    let mut file = input::open(&database_files.path).ok()?;
    file.read_exact(&mut header).ok()?;
    let number = |at: usize| {
        header[at..]
            .first_chunk()
            .map_or(0, |bytes| u32::from_be_bytes(*bytes))
    };
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    // Programs older than the page count do not update it when they write.
    let is_counted = page.is_power_of_two() && number(24) == number(92);
    let expected = page * u64::from(number(28));
    let name = input::name(&database_files.path);
    let word = word(&database_files.path, "FILE");
    let length = database_files.database.length;
    (is_counted && length < expected).then(|| {
        format!(
            "{name} is cut off: it has {length} of {expected} bytes; copy it again when no program writes to it, with \
             sqlite3 {word} '.backup COPY'"
        )
    })
}

/// Checks that a file begins as a database does. SQLite accepts files that are empty or something else.
pub(super) fn check_start(database_files: &DatabaseFiles) -> LoadResult<()> {
    let mut start = Vec::new();
    let file = input::open(&database_files.path)?;
    let read = file.take(100).read_to_end(&mut start);
    read.map_err(|error| not_opened(&database_files.path, error))?;
    let name = input::name(&database_files.path);
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
    let lies_alone = database_files.open_modes() == [OpenMode::AsItLies];
    match cut_off(database_files).filter(|_| lies_alone) {
        Some(cut_off) => Err(LoadError::Refused(Shown::again(cut_off))),
        None => Ok(()),
    }
}
