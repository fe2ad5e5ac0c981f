//! A database opened so that reading leaves no trace beside it, and so that nothing in it can do harm.
//!
//! By default SQLite creates an index beside a write-ahead log, moves the log into the database when the last reader
//! leaves, and rolls back what a crashed writer left. A reader must do none of that, so a database is read from a private
//! copy of its files.

use super::database_files::{DatabaseFiles, not_opened};
use super::error::{DatabaseError, Failure};
use crate::base::shown::Shown;
use crate::format::input::{self, Meter};
use crate::format::{LoadError, LoadResult, OnProgress};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::fs::{OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// How many steps SQLite takes between two checks of the count.
const STRIDE: i32 = 1000;

/// How many strides may pass without a row: far more than any real table needs, and done in about a second.
const MOST_STRIDES: u32 = 50_000;

/// The largest name, text or row.
const LONGEST: i32 = 1 << 20;

/// How many bytes are copied at once.
const CHUNK: usize = 1 << 20;

/// The limits of what a database can make SQLite do.
const LIMITS: &[(Limit, i32)] = &[
    (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST),
    (Limit::SQLITE_LIMIT_COLUMN, 500),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 50),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 10),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// The settings of the connection: SQLite runs nothing that the file defines and does not change it.
const CONFIGURATION: &[(DbConfig, bool)] = &[
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
];

/// An open copy of a database.
pub(super) struct Store {
    /// Closed before the copy is removed.
    pub(super) connection: Connection,
    /// Strides without a row; see [`Store::had_row`].
    strides: Arc<AtomicU32>,
    /// The directory of the copy.
    _folder: TempDir,
}

/// A private copy of the files of a database.
pub(super) struct DatabaseCopy {
    /// A directory that goes with its files.
    folder: TempDir,
    /// The database in it.
    path: PathBuf,
}

impl Store {
    /// Opens a copy.
    #[expect(
        clippy::disallowed_methods,
        reason = "SQLite opens a database itself; it is a private copy"
    )]
    pub(super) fn open(copy: DatabaseCopy) -> Result<Self, Failure> {
        // SQLite may create its index and roll back in the copy.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Self {
            connection: Connection::open_with_flags(copy.path, flags)?,
            strides: Arc::default(),
            _folder: copy.folder,
        };
        store.restrict()?;
        Ok(store)
    }

    /// Restricts the database to holding rows.
    fn restrict(&mut self) -> Result<(), Failure> {
        let connection = &mut self.connection;
        for &(limit, value) in LIMITS {
            connection.set_limit(limit, value)?;
        }
        for &(key, value) in CONFIGURATION {
            connection.set_db_config(key, value)?;
        }
        let strides = Arc::clone(&self.strides);
        connection.progress_handler(
            STRIDE,
            Some(move || strides.fetch_add(1, Ordering::Relaxed) > MOST_STRIDES),
        )?;
        connection.execute_batch(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; \
             PRAGMA temp_store = MEMORY;",
        )?;
        Ok(())
    }

    /// Returns the schema of the database; 0 before there were numbers.
    pub(super) fn version(&self) -> rusqlite::Result<i64> {
        let query = "PRAGMA user_version";
        self.connection.query_row(query, [], |row| row.get(0))
    }

    /// Notes that SQLite has returned a row, and counts steps from here.
    pub(super) fn had_row(&self) {
        self.strides.store(0, Ordering::Relaxed);
    }
}

impl DatabaseCopy {
    /// Copies a database, and the log or the journal beside it.
    pub(super) fn of(files: &DatabaseFiles, report: OnProgress) -> LoadResult<Self> {
        let mut private = tempfile::Builder::new();
        private.prefix("fairscope-");
        let permissions = Permissions::from_mode(0o700);
        let folder = match private.permissions(permissions).tempdir() {
            Ok(folder) => folder,
            Err(error) => return Err(no_room(files, &error)),
        };
        let path = folder.path().join("copy.db");
        let name = input::name(&files.path);
        let length = files.database.length;
        let mut meter = Meter::new(name, Some(length), report);
        copy(files, "", &path, &mut meter)?;
        if files.log.is_some() {
            copy(files, "-wal", &path, &mut meter)?;
        }
        if files.journal.is_some() {
            copy(files, "-journal", &path, &mut meter)?;
        }
        Ok(Self { folder, path })
    }
}

/// Copies the file with this end of its name.
#[expect(clippy::disallowed_methods, reason = "writes a private copy")]
fn copy(files: &DatabaseFiles, suffix: &str, path: &Path, meter: &mut Meter) -> LoadResult<()> {
    let from = input::beside(&files.path, suffix);
    let mut source = input::open(&from)?;
    let to = input::beside(path, suffix);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut target = match options.open(to) {
        Ok(target) => target,
        Err(error) => return Err(no_room(files, &error)),
    };
    let mut chunk = vec![0; CHUNK];
    let mut done = 0;
    loop {
        let count = match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(not_opened(&from, error)),
        };
        if let Err(error) = target.write_all(&chunk[..count]) {
            return Err(no_room(files, &error));
        }
        done += count as u64;
        meter.at(done, 0)?;
    }
}

/// Returns the error of a copy that cannot be written.
fn no_room(files: &DatabaseFiles, error: &io::Error) -> LoadError {
    let file = input::name(&files.path);
    let error = Shown::error(error);
    DatabaseError::NoRoom { file, error }.into()
}
