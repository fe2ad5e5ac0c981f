//! The database of flux-accounting, as `flux account-update-fshare` reads it.
//!
//! Follows flux-accounting 0.60 (`data_reader_db`): which columns it takes from which table, in which order, and what
//! it skips. Flux queries the database once for every bank. Here each table is read once, from its first row to its
//! last, and sorted in memory.

mod anonymous;
mod bank_tree;
mod banks;
mod database_files;
mod error;
mod jobs;
mod problem;
mod settings;
mod store;
mod tables;
mod usage_bins;

pub use anonymous::anonymised;
pub use jobs::ran_jobs;

use super::{BankBuilder, Inactive, note_sums, snapshot};
use crate::base::number::counted;
use crate::base::shown::sentence;
use crate::format::input::{self, PathKind};
use crate::format::jobs::LatestDate;
use crate::format::{Format, LoadError, LoadResult, Loaded, OnProgress, Request};
use crate::model::{
    Amounts, Bins, NodeId, Snapshot, Tree, TreeBuilder, UsagePrecision, UsageState,
};
use bank_tree::BankTree;
use banks::{Associations, Banks};
use database_files::DatabaseFiles;
use error::Failure;
use jobs::{UncountedJobs, WantedJobs};
use problem::DatabaseProblem;
use std::path::Path;
use std::sync::Arc;
use store::{DatabaseCopy, Store};
use tables::DatabaseReader;

/// The newest schema of flux-accounting whose tables are known.
const NEWEST: i64 = 38;

/// How often a database that changes meanwhile is copied.
const ATTEMPTS: usize = 3;

/// Opens the database of a request, and returns its tree.
pub(crate) fn open_database(request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    let database = OpenDatabase::open(request.path(), &mut *report)?;
    match database.load(request, report) {
        Ok(loaded) => Ok(loaded),
        Err(failure) => Err(failure.into_load_error(&database.files)),
    }
}

/// A copy of a database, of one time, which can be read without leaving a trace beside the original.
struct OpenDatabase {
    /// The copy.
    store: Store,
    /// The original.
    files: DatabaseFiles,
}

impl OpenDatabase {
    /// Copies a database and opens the copy. Fails if it is none, or changes all the time.
    fn open(path: &Path, report: OnProgress) -> LoadResult<Self> {
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
            let files = DatabaseFiles::of(path)?;
            let copy = match files.check_start() {
                Ok(()) => DatabaseCopy::of(&files, &mut *report),
                Err(error) => Err(error),
            };
            let is_cancelled = matches!(copy, Err(LoadError::Cancelled));
            if !is_cancelled && files.have_changed()? {
                continue;
            }
            return match Store::open(copy?) {
                Ok(store) => Ok(Self { store, files }),
                Err(failure) => Err(failure.into_load_error(&files)),
            };
        }
        Err(LoadError::Refused(sentence!(
            "{} changed while it was copied, {ATTEMPTS} times in a row; open it again when no program writes to it",
            input::name(path)
        )))
    }

    /// Reads the tree with all that is known of it.
    fn load(&self, request: &Request, report: OnProgress) -> Result<Loaded, Failure> {
        let inactive = Inactive::of(request)?;
        let name = request.file_name();
        let mut database = DatabaseReader::new(&self.store, name, report);
        let version = self.store.version()?;
        let mut snapshot = self.read_tree(&mut database, version, inactive, request)?;
        let bins = Arc::new(usage_bins::read(&mut database, &snapshot.tree)?);
        if database.table("config_table")?.is_none() {
            assume_reset_period(&mut snapshot, &bins);
        }
        let changed = self.files.changed();
        let tree = &snapshot.tree;
        let recorded = Arc::make_mut(&mut snapshot.recorded);
        recorded.set_bins(Arc::clone(&bins));
        let uncounted = UncountedJobs::new(tree, &bins, &snapshot.settings.flux);
        let wanted = WantedJobs {
            tree,
            recorded,
            latest: LatestDate::after(None, Some(changed)),
            uncounted: Some(uncounted),
        };
        let jobs = wanted.read(&mut database)?.unwrap_or_default();
        for (node, job) in jobs {
            recorded.push_job(node, job);
        }
        let usage_state = UsageState::of(tree, amounts(tree)).with_bins(bins);
        snapshot.tree.set_usage_state(Some(usage_state));
        snapshot.source.taken = Some(changed);
        snapshot.source.version = match version {
            ..=0 => "schema before 20".to_owned(),
            version => format!("schema {version}"),
        };
        Ok(Loaded::new(snapshot, database.problems))
    }

    /// Reads banks, associations and settings.
    fn read_tree(
        &self,
        database: &mut DatabaseReader,
        version: i64,
        inactive: Inactive,
        request: &Request,
    ) -> Result<Snapshot, Failure> {
        // Both are looked up before either is read, because a missing one tells what this is.
        let columns = ["bank", "parent_bank", "shares"];
        let bank_table = database.required("bank_table", &columns)?;
        let columns = ["username", "bank", "shares", "job_usage"];
        let association_table = database.required("association_table", &columns)?;
        let banks = Banks::read(database, &bank_table)?;
        let Some(root) = banks.root() else {
            let file = &database.problems.file;
            let count = counted(banks.rows.len(), "bank", "banks");
            let refused = sentence!(
                "{file} has no root bank, which has an empty parent_bank, among {count}; Flux refuses it too: add one with \
                 flux account add-bank root 1"
            );
            return Err(LoadError::Refused(refused).into());
        };
        let mut builder = TreeBuilder::new(banks.name_at(root));
        let associations = Associations::read(database, &association_table, &banks, &mut builder)?;
        let settings = settings::read(database)?;
        if let Some(log) = self.files.log
            && log.length > 0
        {
            database.report(DatabaseProblem::NewestInLog);
        }
        if version > NEWEST {
            let newest = NEWEST;
            database.report(DatabaseProblem::NewerSchema { version, newest });
        }
        let builder = BankBuilder::new(builder, inactive);
        let bank_tree = BankTree::new(&banks, &associations, root, builder, database);
        let grown = bank_tree.grow()?;
        let tree = grown.tree.build();
        let mut recorded = grown.recorded;
        note_sums(&tree, &recorded, grown.inactive, &mut database.problems);
        recorded.usage_precision = UsagePrecision::Exact;
        Ok(snapshot(tree, settings, recorded, request, Format::FluxDb))
    }
}

/// Assumes the reset period of a database before 0.59, of which nothing but the number of bins tells.
fn assume_reset_period(snapshot: &mut Snapshot, bins: &Bins) {
    let mut most = 0;
    for &node in snapshot.tree.nodes() {
        most = most.max(bins.get(node).len());
    }
    let flux = &mut snapshot.settings.flux;
    if let Ok(most @ 1..) = u32::try_from(most) {
        flux.usage_reset_period = flux.decay_half_life.saturating_mul(most);
    }
}

/// Returns the usage of all nodes, by id.
fn amounts(tree: &Tree) -> Amounts {
    let mut amounts = Vec::with_capacity(tree.id_count());
    for id in 0..tree.id_count() {
        let usage = tree.usage(NodeId::from_index(id));
        amounts.push(usage.amount().unwrap_or(0.0));
    }
    Amounts::Doubles(amounts)
}
