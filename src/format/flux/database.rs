//! The database of flux-accounting, as `flux account-update-fshare` reads it.
//!
//! Follows flux-accounting 0.60 (`data_reader_db`): which columns it takes from which table, in which order, and what
//! it skips. Flux queries the database once for every bank. Here each table is read once, from its first row to its
//! last, and sorted in memory.

mod associations;
mod bank_tree;
mod banks;
mod bins;
mod configuration;
mod database_files;
mod failure;
mod store;
mod tables;

pub(super) use database_files::MAGIC;

use super::{Inactive, snapshot};
use crate::base::shown::{Shown, sentence};
use crate::format::input::{self, PathKind};
use crate::format::origin::file_name;
use crate::format::{
    Format, LoadError, Loaded, OnProgress, Problem, Problems, Progress, Refusal, Request, Severity,
};
use crate::model::{Amounts, NodeId, Settings, Tree, UsagePrecision, UsageState};
use associations::Associations;
use bank_tree::BankTree;
use banks::Banks;
use database_files::{DatabaseFiles, OpenMode};
use failure::Failure;
use rusqlite::types::ValueRef;
use std::path::Path;
use std::sync::Arc;
use store::Store;

/// The newest schema of flux-accounting whose tables are known.
const NEWEST: i64 = 38;

/// How often a database that changes meanwhile is read.
const ATTEMPTS: usize = 3;

/// How many rows are read between two reports of progress.
const ROWS: usize = 1 << 14;

/// Returns the error for a database that may not be read.
pub(super) fn not_readable(path: &Path) -> LoadError {
    Refusal::does(
        &input::name(path),
        "cannot be read: permission denied",
        "flux-accounting keeps its database for the user flux: use sudo -u flux, or open the output of flux account \
         view-bank ROOT -t -P, which every user may run",
    )
    .into()
}

/// Opens a database and reads it in one consistent transaction.
pub(super) fn open(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    let path = &request.path;
    if path.as_os_str() == "-" {
        return Err(LoadError::Refused(
            "a database cannot be read from standard input, because it has other files next to it; give its path".into(),
        ));
    }
    if input::look(path)? == PathKind::Directory {
        return Err(LoadError::Refused(sentence!(
            "{} is a directory, not a database; give the path of FluxAccounting.db",
            input::name(path)
        )));
    }
    for _ in 0..ATTEMPTS {
        let database_files = DatabaseFiles::of(path)?;
        let outcome = read_as_it_is(&database_files, request, &mut *report);
        if matches!(outcome, Err(LoadError::Cancelled))
            || DatabaseFiles::of(path)? == database_files
        {
            return outcome;
        }
        // With its log a database may change, and what was read is still of one time.
        if outcome.is_ok() && database_files.open_modes()[0] == OpenMode::WithLog {
            return outcome;
        }
    }
    Err(LoadError::Refused(sentence!(
        "{} changed while it was read, {ATTEMPTS} times in a row; open it again when no program writes to it",
        input::name(path)
    )))
}

fn read_as_it_is(
    database_files: &DatabaseFiles,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, LoadError> {
    failure::check_start(database_files)?;
    let open_modes = database_files.open_modes();
    let mut mode = 0;
    loop {
        let outcome = Store::open(database_files, open_modes[mode], &mut *report)
            .and_then(|store| read(&store, database_files, request, &mut *report));
        match outcome {
            Err(failure) if failure.is_of_opening() && mode + 1 < open_modes.len() => mode += 1,
            outcome => return outcome.map_err(|failure| failure.into_load_error(database_files)),
        }
    }
}

/// Reads everything from an open database.
fn read(
    store: &Store,
    database_files: &DatabaseFiles,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, Failure> {
    let file = file_name(request);
    let mut problems = Problems::default();
    let inactive = Inactive::of(request)?;
    let mut meter = RowCounter::new(&file, report);
    let version: i64 = store
        .connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))?;
    // Both are looked up before either is read, because a missing one tells what this is.
    let (of_banks, of_associations) = (
        Banks::table(store, &file)?,
        Associations::table(store, &file)?,
    );
    let banks = Banks::read(store, &of_banks, &mut meter)?;
    let mut tree = BankTree::new(banks, &file, inactive)?;
    let associations = Associations::read(
        store,
        &of_associations,
        &file,
        &tree.banks,
        &mut tree.builder,
        &mut problems,
        &mut meter,
    )?;
    let mut settings = Settings::default();
    configuration::read(store, &file, &mut settings, &mut problems)?;
    if database_files.has_log() {
        problems.push(Problem::about(
            Severity::Note,
            "flux-wal-not-checkpointed",
            &file,
            "the newest values are in the write-ahead log next to the database, the file that ends in -wal, and were \
             read from there",
            "copy both files when you copy the database: the .db alone has older values",
        ));
    }
    if version > NEWEST {
        problems.push(Problem::about(
            Severity::Warning,
            "flux-newer-schema",
            &file,
            sentence!(
                "the database has schema {version}, and {NEWEST} is the newest known; it was read by the names of its \
                 tables and columns"
            ),
            "compare the fair-shares with those that flux account view-bank prints",
        ));
    }
    let (builder, mut recorded) = tree.grow(&associations, &mut problems, &mut meter)?;
    let bins = Arc::new(bins::read(store, &file, &builder, &mut meter)?);
    recorded.set_bins(Arc::clone(&bins));
    recorded.usage_precision = UsagePrecision::Exact;
    let mut snapshot = snapshot(builder, settings, recorded, request, Format::FluxDb);
    snapshot.source.taken = Some(database_files.changed());
    let usage_state = UsageState::of(&snapshot.tree, Amounts::Doubles(amounts(&snapshot.tree)));
    snapshot
        .tree
        .set_usage_state(Some(usage_state.with_bins(bins)));
    snapshot.source.version = match version {
        ..=0 => "schema before 20".to_owned(),
        version => format!("schema {version}"),
    };
    Ok(Loaded::new(snapshot, problems))
}

/// Returns the usage of every node, by id.
fn amounts(tree: &Tree) -> Vec<f64> {
    let ids = (0..tree.id_count()).map(NodeId::from_index);
    ids.map(|node| tree.usage(node).amount().unwrap_or(0.0))
        .collect()
}

/// Counts the rows read and reports them now and then.
struct RowCounter<'a> {
    report: OnProgress<'a>,
    progress: Progress,
    until_report: usize,
}

impl<'a> RowCounter<'a> {
    fn new(file: &Shown, report: OnProgress<'a>) -> Self {
        let progress = Progress {
            file: file.to_owned(),
            ..Progress::default()
        };
        Self {
            report,
            progress,
            until_report: ROWS,
        }
    }

    /// Counts a row.
    fn next(&mut self) -> Result<(), LoadError> {
        self.until_report -= 1;
        if self.until_report > 0 {
            return Ok(());
        }
        self.until_report = ROWS;
        self.progress.nodes += ROWS;
        if (self.report)(&self.progress).is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }
}

/// Returns the text of a value, as SQLite converts it, if it is text or bytes.
fn text(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
    }
}

/// Returns the number in a column, or `None` if it is no number.
fn figure(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => None,
    }
}

/// Returns whether a row is active by its column: any number but 0.
fn is_active(value: ValueRef<'_>, has_column: bool) -> bool {
    match value {
        _ if !has_column => true,
        ValueRef::Null => false,
        ValueRef::Integer(number) => number != 0,
        ValueRef::Real(number) => number.abs() >= 1.0,
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            super::number::leading_count(text).is_ok_and(|(number, _)| number != 0)
        }
    }
}
