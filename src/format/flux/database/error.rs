//! Why a database is not read.

use super::problem::argument;
use crate::base::shell::word;
use crate::base::shown::{Shown, shown};
use crate::format::{LoadError, input};
use rusqlite::ErrorCode;
use std::path::Path;

/// Why a database is not read, and what to do or open instead.
#[derive(Debug, thiserror::Error)]
pub(super) enum DatabaseError {
    /// The file begins as no database does.
    #[error(
        "{file} is not an SQLite database: {what}; open flux-accounting's own, usually /var/lib/flux/FluxAccounting.db"
    )]
    NotSqlite {
        /// The file.
        file: Shown,
        /// What it is instead.
        what: &'static str,
    },
    /// The file is shorter than any database.
    #[error(
        "{file} is cut off: it has {length} bytes, and an SQLite database has at least 512; copy it again when no program writes to it"
    )]
    Short {
        /// The file.
        file: Shown,
        /// Its length, in bytes.
        length: usize,
    },
    /// The file is shorter than its header says.
    #[error(
        "{file} is cut off: it has {length} of {expected} bytes; copy it again when no program writes to it, with sqlite3 {word} '.backup COPY'"
    )]
    CutOff {
        /// The file.
        file: Shown,
        /// Its length, in bytes.
        length: u64,
        /// The length that its header tells, in bytes.
        expected: u64,
        /// The file as a word of a command.
        word: Shown,
    },
    /// What is beside the database under the name of one of its files is no file.
    #[error(
        "{file} is not a file, so SQLite cannot read the files of the database; remove it, or open a copy of the database"
    )]
    NotAFile {
        /// The path.
        file: Shown,
    },
    /// The private copy cannot be written.
    #[error(
        "{file} is read from a private copy, which cannot be created ({error}); free some space in the folder for temporary files, or set TMPDIR to another one"
    )]
    NoRoom {
        /// The file that is copied.
        file: Shown,
        /// What the system says.
        error: Shown,
    },
    /// The beginning cannot be read.
    #[error(
        "{file} is an SQLite database that cannot be read: its first page is encrypted or overwritten; open a copy from a backup"
    )]
    Encrypted {
        /// The file.
        file: Shown,
    },
    /// The pages contradict each other.
    #[error(
        "{file} is damaged ({error}); look at it with sqlite3 {word} 'PRAGMA integrity_check', or open a copy from a backup"
    )]
    Damaged {
        /// The file.
        file: Shown,
        /// What SQLite says.
        error: Shown,
        /// The file as a word of a command.
        word: Shown,
    },
    /// A query goes on and on.
    #[error(
        "{file} keeps SQLite busy without returning a row, so it is not a database of flux-accounting; open FluxAccounting.db itself"
    )]
    Busy {
        /// The file.
        file: Shown,
    },
    /// A name is too long.
    #[error(
        "{file} holds a row or text of more than 1 MiB where a name was expected; open FluxAccounting.db itself"
    )]
    TooBig {
        /// The file.
        file: Shown,
    },
    /// There is not enough memory.
    #[error(
        "{file} needs more memory than there is; close other programs, or open it on another machine"
    )]
    OutOfMemory {
        /// The file.
        file: Shown,
    },
    /// SQLite fails in another way.
    #[error(
        "{file} could not be read by SQLite: {error}; look at it with sqlite3 {word} 'PRAGMA integrity_check'"
    )]
    Other {
        /// The file.
        file: Shown,
        /// What SQLite says.
        error: Shown,
        /// The file as a word of a command.
        word: Shown,
    },
    /// A view or a program has the name of a table.
    #[error(
        "{file} has a {kind} instead of the table {table}, which is not read because it may run arbitrary code; open the database that flux-accounting made"
    )]
    NoPlainTable {
        /// The file.
        file: Shown,
        /// What is there instead.
        kind: &'static str,
        /// The name of the table.
        table: &'static str,
    },
    /// A table is missing without which there is no tree.
    #[error(
        "{file} is an SQLite database without the table {table}, so it is not flux-accounting's; open FluxAccounting.db, usually in /var/lib/flux"
    )]
    NoTable {
        /// The file.
        file: Shown,
        /// The name of the table.
        table: &'static str,
    },
    /// A column is missing without which there is no tree.
    #[error(
        "the table {table} of {file} has no column {column}, only {known}; open the database of flux-accounting 0.7 or newer"
    )]
    NoColumn {
        /// The file.
        file: Shown,
        /// The name of the table.
        table: &'static str,
        /// The name of the column.
        column: &'static str,
        /// The columns that there are.
        known: Shown,
    },
    /// The banks make a tree that grows without end.
    #[error(
        "{file} makes a tree of more than {most} nodes out of {rows} rows, because banks with one name are below several others; give each bank a name of its own"
    )]
    TooManyNodes {
        /// The file.
        file: Shown,
        /// How many nodes are the most.
        most: usize,
        /// How many rows the tables have.
        rows: usize,
    },
    /// Flux refuses the shares of a bank, and with them the database.
    #[error(
        "the shares of the bank {bank} in {file} are {shares:?}; expected {expected}; Flux refuses the database too: set them with flux account edit-bank {word} --shares=NUMBER"
    )]
    BankShares {
        /// The bank.
        bank: Shown,
        /// The file.
        file: Shown,
        /// What is in their place.
        shares: Shown,
        /// What would be valid.
        expected: &'static str,
        /// The bank as a word of a command.
        word: Shown,
    },
}

impl DatabaseError {
    /// Returns the error of a file with fewer bytes than its header tells.
    pub(super) fn cut_off(path: &Path, length: u64, expected: u64) -> Self {
        Self::CutOff {
            file: input::name(path),
            length,
            expected,
            word: word(path, "FILE"),
        }
    }

    /// Returns the error of a bank of a file whose shares are another text than the expected one.
    pub(super) fn bank_shares(
        bank: &[u8],
        file: Shown,
        text: &[u8],
        expected: &'static str,
    ) -> Self {
        Self::BankShares {
            bank: shown(bank),
            file,
            shares: shown(text),
            expected,
            word: argument(bank),
        }
    }

    /// Returns what SQLite says of a file.
    pub(super) fn of_sqlite(error: &rusqlite::Error, path: &Path) -> Self {
        let file = input::name(path);
        let word = word(path, "FILE");
        let code = error.sqlite_error_code();
        let error = Shown::error(error);
        match code {
            Some(ErrorCode::NotADatabase) => Self::Encrypted { file },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { file, error, word },
            Some(ErrorCode::OperationInterrupted) => Self::Busy { file },
            Some(ErrorCode::TooBig) => Self::TooBig { file },
            Some(ErrorCode::OutOfMemory) => Self::OutOfMemory { file },
            _ => Self::Other { file, error, word },
        }
    }
}

impl From<DatabaseError> for LoadError {
    fn from(error: DatabaseError) -> Self {
        Self::Refused(Shown::error(&error))
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Explained(error.into())
    }
}

/// Why a database could not be read.
#[derive(Debug)]
pub(super) enum Failure {
    /// An error that is already in words.
    Explained(LoadError),
    /// An error of SQLite.
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
