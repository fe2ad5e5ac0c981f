//! A database opened so that reading leaves no trace beside it, and so that nothing in it can do harm.
//!
//! SQLite likes to help: it makes an index beside a write-ahead log, moves the log into the database when the last
//! reader leaves, and rolls back what a crashed writer left. None of that is a reader's business, so what would
//! need it is read from a private copy.

use super::failure::Failure;
use crate::source::format::input::{self, Meter};
use crate::source::format::{LoadError, Report};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// What an SQLite database begins with.
pub(in crate::source::format::flux) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What a rollback journal begins with while it is needed; it is cleared when the writer is done.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// How long a writer may keep us waiting.
const PATIENCE: Duration = Duration::from_millis(900);

/// How many steps SQLite takes between two looks at the count.
const STRIDE: u16 = 1000;

/// How many strides may pass without a row: far more than any honest table needs, and done in about a second.
const MOST_STRIDES: u32 = 50_000;

/// The largest name, text or row.
const LONGEST: i32 = 1 << 20;

/// How much is copied at a time.
const CHUNK: usize = 1 << 20;

/// What SQLite may be made to do by a database.
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

/// What SQLite is forbidden, or told to keep from.
const CONFIGURATION: &[(DbConfig, bool)] = &[
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
];

/// One file as it was at one time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: (i64, i64),
    inode: u64,
}

/// The database and what lies beside it, as they were at one time.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Sight {
    path: PathBuf,
    database: Stamp,
    /// The write-ahead log.
    log: Option<Stamp>,
    /// The index of the log, which SQLite's processes share.
    has_index: bool,
    /// What a writer has to take back, if it never comes to its end.
    journal: Option<Stamp>,
}

/// How a database is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As a file that nobody changes; whether that was so is looked at afterwards.
    AsItLies,
    /// With its log and the index of it, both only read.
    WithLog,
    /// As a private copy of all files.
    Copied,
}

impl Sight {
    /// Looks at a database and what lies beside it.
    pub(super) fn of(path: &Path) -> Result<Self, LoadError> {
        // SQLite looks for a log beside the file itself, not beside a link to it.
        let path = fs::canonicalize(path).map_err(|error| not_opened(path, error))?;
        let Some(database) = stamp(&path)? else {
            return Err(not_opened(&path, ErrorKind::NotFound.into()));
        };
        let journal = beside(&path, "-journal");
        let is_needed = stamp(&journal)?.is_some_and(|stamp| stamp.length > 0)
            && starts_with(&journal, &JOURNAL_MAGIC);
        Ok(Self {
            log: stamp(&beside(&path, "-wal"))?,
            has_index: stamp(&beside(&path, "-shm"))?.is_some(),
            journal: if is_needed { stamp(&journal)? } else { None },
            database,
            path,
        })
    }

    /// The ways to open it, the best first.
    pub(super) fn ways(&self) -> &'static [Way] {
        match (self.journal, self.log, self.has_index) {
            (Some(_), ..) | (None, Some(_), false) => &[Way::Copied],
            (None, Some(_), true) => &[Way::WithLog, Way::Copied],
            (None, None, _) => &[Way::AsItLies],
        }
    }

    /// Whether the newest values are in the log alone.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some_and(|log| log.length > 0)
    }

    /// When the newest of the files was changed, in Unix seconds.
    pub(super) fn changed(&self) -> i64 {
        let log = self.log.filter(|log| log.length > 0);
        let log = log.map_or(i64::MIN, |log| log.modified.0);
        self.database.modified.0.max(log)
    }

    /// The length of the database itself.
    pub(super) fn length(&self) -> u64 {
        self.database.length
    }

    /// The path with all links followed.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The path of a file beside the database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn stamp(path: &Path) -> Result<Option<Stamp>, LoadError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(not_opened(path, error)),
    };
    if !metadata.is_file() {
        return Err(LoadError::Refused(format!(
            "{} is not a file, so SQLite cannot read what belongs to the database; take it away, or open a copy of \
             the database",
            input::name(path)
        )));
    }
    Ok(Some(Stamp {
        length: metadata.len(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        inode: metadata.ino(),
    }))
}

fn starts_with(path: &Path, magic: &[u8]) -> bool {
    let mut start = Vec::new();
    let length = magic.len() as u64;
    input::open(path)
        .and_then(|file| {
            let read = file.take(length).read_to_end(&mut start);
            read.map_err(|error| not_opened(path, error))
        })
        .is_ok_and(|_| start == magic)
}

/// Says why a database could not be opened or read.
pub(super) fn not_opened(path: &Path, error: std::io::Error) -> LoadError {
    let name = input::name(path);
    match error.kind() {
        ErrorKind::NotFound => LoadError::Missing(name),
        ErrorKind::PermissionDenied => super::not_readable(path),
        _ => LoadError::Read { path: name, error },
    }
}

/// An open database.
pub(super) struct Store {
    /// Closed before the copy is removed.
    pub(super) connection: Connection,
    /// Strides without a row; see [`Store::had_row`].
    strides: Arc<AtomicU32>,
    /// Where the copy lies, if this is one.
    _copy: Option<TempDir>,
}

impl Store {
    /// Opens a database in one of its ways and begins one consistent look at it.
    pub(super) fn open(sight: &Sight, way: Way, report: Report<'_>) -> Result<Self, Failure> {
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let (copy, address, access) = match way {
            Way::AsItLies => (None, address(&sight.path, "mode=ro&immutable=1"), read_only),
            Way::WithLog => (
                None,
                address(&sight.path, "mode=ro&readonly_shm=1"),
                read_only,
            ),
            Way::Copied => {
                let (folder, path) = copied(sight, report)?;
                // The copy is ours: SQLite may make its index and roll back in it.
                let access = OpenFlags::SQLITE_OPEN_READ_WRITE;
                (Some(folder), address(&path, "mode=rw"), access)
            }
        };
        let flags = access | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Self {
            connection: Connection::open_with_flags(address, flags)?,
            strides: Arc::default(),
            _copy: copy,
        };
        store.tame()?;
        store.connection.execute_batch("BEGIN")?;
        Ok(store)
    }

    /// Takes from the database the power to do more than hold rows.
    fn tame(&mut self) -> Result<(), Failure> {
        let connection = &mut self.connection;
        connection.busy_timeout(PATIENCE)?;
        for &(limit, value) in LIMITS {
            connection.set_limit(limit, value)?;
        }
        for &(key, value) in CONFIGURATION {
            connection.set_db_config(key, value)?;
        }
        let strides = Arc::clone(&self.strides);
        connection.progress_handler(
            i32::from(STRIDE),
            Some(move || strides.fetch_add(1, Ordering::Relaxed) > MOST_STRIDES),
        )?;
        connection.execute_batch(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; \
             PRAGMA temp_store = MEMORY;",
        )?;
        Ok(())
    }

    /// Notes that SQLite has given a row: what it does until the next one is counted from here.
    pub(super) fn had_row(&self) {
        self.strides.store(0, Ordering::Relaxed);
    }
}

/// A path as SQLite reads addresses: every byte that is no letter or digit is escaped.
fn address(path: &Path, parameters: &str) -> String {
    let mut address = "file:".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(byte.into());
            }
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                address.push('%');
                address.push(DIGITS[usize::from(byte >> 4)].into());
                address.push(DIGITS[usize::from(byte & 15)].into());
            }
        }
    }
    address.push('?');
    address + parameters
}

/// Copies a database and what belongs to it to where only we can look.
fn copied(sight: &Sight, report: Report<'_>) -> Result<(TempDir, PathBuf), LoadError> {
    let made = tempfile::Builder::new()
        .prefix("fairscope-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir();
    let folder = made.map_err(|error| no_room(sight, &error))?;
    let path = folder.path().join("copy.db");
    let mut meter = Meter::new(input::name(&sight.path), Some(sight.length()), report);
    copy(sight, &sight.path, &path, &mut meter)?;
    for (stamp, suffix) in [(sight.log, "-wal"), (sight.journal, "-journal")] {
        if stamp.is_some() {
            copy(
                sight,
                &beside(&sight.path, suffix),
                &beside(&path, suffix),
                &mut meter,
            )?;
        }
    }
    Ok((folder, path))
}

fn copy(sight: &Sight, from: &Path, to: &Path, meter: &mut Meter<'_>) -> Result<(), LoadError> {
    let mut source = input::open(from)?;
    let mut target: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)
        .map_err(|error| no_room(sight, &error))?;
    let mut chunk = vec![0; CHUNK];
    let mut done = 0;
    loop {
        let count = match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(not_opened(from, error)),
        };
        target
            .write_all(&chunk[..count])
            .map_err(|error| no_room(sight, &error))?;
        done += count as u64;
        meter.at(done, 0)?;
    }
}

fn no_room(sight: &Sight, error: &std::io::Error) -> LoadError {
    LoadError::Refused(format!(
        "{} has newer values beside it and is read from a copy, which cannot be made ({error}); make room in the \
         folder for temporary files, or set TMPDIR to another one",
        input::name(&sight.path)
    ))
}
