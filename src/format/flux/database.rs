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

pub(super) use database_files::{MAGIC, not_readable};

use super::{Inactive, snapshot};
use crate::base::number::counted;
use crate::base::shown::sentence;
use crate::format::input::{self, PathKind};
use crate::format::origin::file_name;
use crate::format::problem::{Place, Problems};
use crate::format::{Format, LoadError, Loaded, OnProgress, Request};
use crate::model::{Amounts, NodeId, Settings, Tree, TreeBuilder, UsagePrecision, UsageState};
use associations::Associations;
use bank_tree::BankTree;
use banks::Banks;
use database_files::{DatabaseFiles, OpenMode};
use failure::Failure;
use std::sync::Arc;
use store::Store;
use tables::DatabaseReader;

/// The newest schema of flux-accounting whose tables are known.
const NEWEST: i64 = 38;

/// How often a database that changes meanwhile is read.
const ATTEMPTS: usize = 3;

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

fn read(
    store: &Store,
    database_files: &DatabaseFiles,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, Failure> {
    let file = file_name(request);
    let mut problems = Problems::of(file.clone());
    let inactive = Inactive::of(request)?;
    let mut database = DatabaseReader::new(store, file.clone(), report);
    let version: i64 = store
        .connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))?;
    // Both are looked up before either is read, because a missing one tells what this is.
    let of_banks = Banks::table(&mut database)?;
    let of_associations = Associations::table(&mut database)?;
    let banks = Banks::read(&mut database, &of_banks)?;
    let Some((root, bank)) = banks.roots().next() else {
        return Err(LoadError::Refused(sentence!(
            "{file} has no root bank, which has an empty parent_bank, among {}; Flux refuses it too: add one with flux \
             account add-bank root 1",
            counted(banks.rows.len(), "bank", "banks")
        ))
        .into());
    };
    let mut builder = TreeBuilder::new(banks.name(bank.name));
    let associations = Associations::read(
        &mut database,
        &of_associations,
        &banks,
        &mut builder,
        &mut problems,
    )?;
    let mut settings = Settings::default();
    configuration::read(&mut database, &mut settings, &mut problems)?;
    if database_files.has_log() {
        let message = "the newest values are in the write-ahead log next to the database, the file that ends in -wal, \
                       and were read from there";
        let advice = "copy both files when you copy the database: the .db alone has older values";
        problems.note(Place::WHOLE, "flux-wal-not-checkpointed", message, advice);
    }
    if version > NEWEST {
        let message = sentence!(
            "the database has schema {version}, and {NEWEST} is the newest known; it was read by the names of its \
             tables and columns"
        );
        let advice = "compare the fair-shares with those that flux account view-bank prints";
        problems.warn(Place::WHOLE, "flux-newer-schema", message, advice);
    }
    let tree = BankTree::new(&banks, &associations, builder, root, problems, inactive);
    let (builder, mut recorded, problems) = tree.grow(&mut database)?;
    recorded.usage_precision = UsagePrecision::Exact;
    let mut snapshot = snapshot(builder, settings, recorded, request, Format::FluxDb);
    let bins = Arc::new(bins::read(&mut database, &snapshot.tree)?);
    Arc::make_mut(&mut snapshot.recorded).set_bins(Arc::clone(&bins));
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

fn amounts(tree: &Tree) -> Vec<f64> {
    let ids = (0..tree.id_count()).map(NodeId::from_index);
    ids.map(|node| tree.usage(node).amount().unwrap_or(0.0))
        .collect()
}
