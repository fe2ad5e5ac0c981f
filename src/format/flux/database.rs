//! The database of flux-accounting, as `flux account-update-fshare` reads it.
//!
//! Follows flux-accounting 0.60 (`data_reader_db`): which columns it takes from which table, in which order, and what
//! it skips. Flux queries the database once for every bank. Here each table is read once, from its first row to its
//! last, and sorted in memory.

mod anonymous;
mod bank_tree;
mod banks;
mod database_files;
mod jobs;
mod store;
mod tables;

pub use anonymous::anonymised;
pub(crate) use database_files::MAGIC;
pub(super) use database_files::{begins_with, not_readable};
pub use jobs::ran_jobs;

use super::{BankBuilder, Inactive, note_sums, snapshot, users_by_bank};
use crate::base::number::counted;
use crate::base::shown::{sentence, shown};
use crate::format::input::{self, PathKind};
use crate::format::jobs::LatestDate;
use crate::format::problem::{Place, Problems};
use crate::format::{Format, LoadError, LoadResult, Loaded, OnProgress, Request};
use crate::model::{
    Amounts, BinRow, Bins, NodeId, Settings, Tree, TreeBuilder, UsagePrecision, UsageState,
};
use bank_tree::BankTree;
use banks::{Associations, Banks, Parent};
use database_files::{DatabaseFiles, Failure};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use std::path::Path;
use std::sync::Arc;
use store::{DatabaseCopy, Store};
use tables::{DatabaseReader, figure, text};

/// The newest schema of flux-accounting whose tables are known.
const NEWEST: i64 = 38;

/// How often a database that changes meanwhile is copied.
const ATTEMPTS: usize = 3;

/// Opens the database of a request, and returns its tree.
pub(crate) fn open_database(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    opened(request.path(), report, &mut |store, files, report| {
        read(store, files, request, report)
    })
}

/// What is read of a database that was opened.
type ReadStore<'a, T> =
    &'a mut dyn FnMut(&Store, &DatabaseFiles, OnProgress<'_>) -> Result<T, Failure>;

/// Copies a database without leaving a trace beside it, and reads the copy, which is of one time.
fn opened<T>(path: &Path, report: OnProgress<'_>, read: ReadStore<'_, T>) -> LoadResult<T> {
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
        let started = files.check_start();
        let copy = started.and_then(|()| DatabaseCopy::of(&files, &mut *report));
        let is_cancelled = matches!(copy, Err(LoadError::Cancelled));
        if !is_cancelled && files.have_changed()? {
            continue;
        }
        let outcome = Store::open(copy?).and_then(|store| read(&store, &files, report));
        return outcome.map_err(|failure| failure.into_load_error(&files));
    }
    Err(LoadError::Refused(sentence!(
        "{} changed while it was copied, {ATTEMPTS} times in a row; open it again when no program writes to it",
        input::name(path)
    )))
}

fn read(
    store: &Store,
    database_files: &DatabaseFiles,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, Failure> {
    let file = request.file_name();
    let mut problems = Problems::of(file.clone());
    let inactive = Inactive::of(request)?;
    let mut database = DatabaseReader::new(store, file.clone(), report);
    let (connection, query) = (&store.connection, "PRAGMA user_version");
    let version: i64 = connection.query_row(query, [], |row| row.get(0))?;
    // Both are looked up before either is read, because a missing one tells what this is.
    let of_banks = database.required("bank_table", &["bank", "parent_bank", "shares"])?;
    let columns = ["username", "bank", "shares", "job_usage"];
    let of_associations = database.required("association_table", &columns)?;
    let banks = Banks::read(&mut database, &of_banks)?;
    let mut rows = (0..).zip(&banks.rows);
    let Some((root, bank)) = rows.find(|(_, bank)| bank.parent == Parent::Nobody) else {
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
    read_settings(&mut database, &mut settings, &mut problems)?;
    if database_files.log.is_some_and(|log| log.length > 0) {
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
    let builder = BankBuilder::new(builder, inactive);
    let (builder, mut problems) = BankTree::grow(
        &banks,
        &associations,
        root,
        builder,
        problems,
        &mut database,
    )?;
    let (tree, mut recorded) = (builder.tree.build(), builder.recorded);
    note_sums(&tree, &recorded, builder.inactive, &mut problems);
    recorded.usage_precision = UsagePrecision::Exact;
    let mut snapshot = snapshot(tree, settings, recorded, request, Format::FluxDb);
    let bins = Arc::new(read_bins(&mut database, &snapshot.tree)?);
    if database.table("config_table")?.is_none() {
        // Before 0.59 nothing but the number of bins tells the reset period.
        let nodes = snapshot.tree.nodes().iter();
        let most = nodes.map(|&node| bins.get(node).len()).max().unwrap_or(0);
        let flux = &mut snapshot.settings.flux;
        if let Ok(most @ 1..) = u32::try_from(most) {
            flux.usage_reset_period = flux.decay_half_life.saturating_mul(most);
        }
    }
    let recorded = Arc::make_mut(&mut snapshot.recorded);
    recorded.set_bins(Arc::clone(&bins));
    let tree = &snapshot.tree;
    let since = jobs::current_since(tree, &bins, &snapshot.settings.flux);
    let is_wanted = |node, end: f64| end >= since || end > bins.counted(node);
    let changed = database_files.changed();
    let latest = LatestDate::of([None, Some(changed)]);
    let jobs = jobs::read(
        &mut database,
        tree,
        recorded,
        &is_wanted,
        latest,
        &mut problems,
    )?;
    for (node, job) in jobs.into_iter().flatten() {
        recorded.push_job(node, job);
    }
    snapshot.source.taken = Some(changed);
    let tree = &snapshot.tree;
    let ids = (0..tree.id_count()).map(NodeId::from_index);
    let amounts = ids.map(|node| tree.usage(node).amount().unwrap_or(0.0));
    let usage_state = UsageState::of(tree, Amounts::Doubles(amounts.collect()));
    let usage_state = usage_state.with_bins(bins);
    snapshot.tree.set_usage_state(Some(usage_state));
    snapshot.source.version = match version {
        ..=0 => "schema before 20".to_owned(),
        version => format!("schema {version}"),
    };
    Ok(Loaded::new(snapshot, problems))
}

/// The keys of `config_table` that are settings here.
const KEYS: &str = "priority_usage_reset_period priority_decay_half_life decay_factor node_weight core_weight \
                    gpu_weight";

/// Reads the settings from the three tables that hold them. Old databases lack these; then Flux's own defaults apply.
fn read_settings(
    database: &mut DatabaseReader<'_>,
    settings: &mut Settings,
    problems: &mut Problems,
) -> Result<(), Failure> {
    database.each_of("config_table", &["key", "value"], |row| {
        let name = text(row.get_ref(0)?);
        let mut keys = KEYS.split(' ');
        let Some(key) = keys.find(|known| name == Some(known.as_bytes())) else {
            return Ok(());
        };
        if let Err(error) = settings.set_as_written(key, written(row.get_ref(1)?).trim()) {
            let value = settings.get(key).unwrap_or_default();
            let message = sentence!("{error}; it is taken as {value}");
            let advice = sentence!("set it with flux account edit-config {key}=VALUE");
            problems.warn(Place::WHOLE, "flux-odd-setting", message, advice);
        }
        Ok(())
    })?;
    let columns = ["factor", "weight"];
    database.each_of("priority_factor_weight_table", &columns, |row| {
        let factor = text(row.get_ref(0)?);
        if let (Some(b"fairshare"), ValueRef::Integer(weight)) = (factor, row.get_ref(1)?) {
            settings.flux.fairshare_weight = Some(weight);
        }
        Ok(())
    })?;
    let columns = ["end_half_life_period", "cluster"];
    database.each_of("t_half_life_period_table", &columns, |row| {
        let end = finite(row.get_ref(0)?).filter(|&end| end >= 0.0);
        settings.flux.end_half_life_period = end.unwrap_or(0.0);
        Ok(())
    })
}

fn written(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => shown(text).into(),
    }
}

/// The most bins an association can have: a year of hours.
const MOST_BINS: u32 = 24 * 366;

const COLUMN: &str = "usage_factor_period_";

/// Reads the usage bins of every association in the tree, one number per half-life period, the current one first; and
/// when its last counted job ended.
///
/// Up to 0.58 they are the columns `usage_factor_period_0`, `usage_factor_period_1` … of `job_usage_factor_table`;
/// since 0.59 the rows of `job_usage_per_association_table`.
fn read_bins(database: &mut DatabaseReader<'_>, tree: &Tree) -> Result<Bins, Failure> {
    let (of_jobs, of_associations) = ("job_usage_factor_table", "job_usage_per_association_table");
    let mut found = Vec::new();
    let users = users_by_bank(tree);
    let find = |row: &Row<'_>| -> rusqlite::Result<Option<NodeId>> {
        let names = text(row.get_ref(1)?).zip(text(row.get_ref(0)?));
        Ok(names.and_then(|names| users.get(&names)).copied())
    };
    let mut add = |node, period, usage| {
        found.push(BinRow {
            node,
            period,
            usage,
        });
    };
    let table = database.table(of_jobs)?;
    if database.table(of_associations)?.is_some() {
        let columns = ["username", "bank", "period", "value"];
        database.each_of(of_associations, &columns, |row| {
            let ValueRef::Integer(period) = row.get_ref(2)? else {
                return Ok(());
            };
            let period = u32::try_from(period).ok();
            let period = period.filter(|&period| period < MOST_BINS);
            let (node, usage) = (find(row)?, finite(row.get_ref(3)?));
            if let (Some(node), Some(period), Some(usage)) = (node, period, usage) {
                add(node, period, usage);
            }
            Ok(())
        })?;
    } else if let Some(table) = table {
        let bins = (0..MOST_BINS).map(|period| format!("{COLUMN}{period}"));
        let bins: Vec<String> = bins.take_while(|column| table.has(column)).collect();
        let mut columns = vec!["username", "bank"];
        columns.extend(bins.iter().map(String::as_str));
        database.each_of(of_jobs, &columns, |row| {
            let Some(node) = find(row)? else {
                return Ok(());
            };
            for (period, column) in (0..).zip(2..columns.len()) {
                add(node, period, finite(row.get_ref(column)?).unwrap_or(0.0));
            }
            Ok(())
        })?;
    }
    let mut bins = Bins::of(tree.id_count(), &found);
    let columns = ["username", "bank", "last_job_timestamp"];
    database.each_of(of_jobs, &columns, |row| {
        let moment = finite(row.get_ref(2)?).filter(|&moment| moment > 0.0);
        if let (Some(node), Some(moment)) = (find(row)?, moment) {
            bins.set_counted(node, moment);
        }
        Ok(())
    })?;
    Ok(bins)
}

fn finite(value: ValueRef<'_>) -> Option<f64> {
    figure(value).filter(|number| number.is_finite())
}
