//! Usage bins: one number per association and half-life period, the current period first.
//!
//! Up to 0.58 they are the columns `usage_factor_period_0`, `usage_factor_period_1` … of `job_usage_factor_table`;
//! since 0.59 the rows of `job_usage_per_association_table`.

use super::failure::Failure;
use super::store::Store;
use super::tables::Table;
use super::{RowCounter, figure, text};
use crate::base::shown::Shown;
use crate::model::{BinRow, Bins, Kind, NameId, NodeId, TreeBuilder};
use hashbrown::HashMap;
use rusqlite::types::ValueRef;

/// The most bins an association can have: a year of hours.
const MOST_BINS: u32 = 24 * 366;

/// The prefix of the bins' columns.
const COLUMN: &str = "usage_factor_period_";

/// Reads the bins of every association in the tree, and when its last counted job ended.
pub(super) fn read(
    store: &Store,
    file: &Shown,
    builder: &TreeBuilder,
    meter: &mut RowCounter<'_>,
) -> Result<Bins, Failure> {
    let of_jobs = Table::find(store, file, "job_usage_factor_table")?;
    let of_associations = Table::find(store, file, "job_usage_per_association_table")?;
    let mut found = Vec::new();
    if of_jobs.is_none() && of_associations.is_none() {
        return Ok(Bins::of(builder.len(), &found));
    }
    let associations = UsersByBank::of(builder);
    if let Some(table) = of_associations {
        of_rows(store, &table, &associations, &mut found, meter)?;
    } else if let Some(table) = &of_jobs {
        of_columns(store, table, &associations, &mut found, meter)?;
    }
    let mut bins = Bins::of(builder.len(), &found);
    if let Some(table) = &of_jobs {
        counted(store, table, &associations, &mut bins, meter)?;
    }
    Ok(bins)
}

/// Reads for each association when the last job in its bins ended.
fn counted(
    store: &Store,
    table: &Table,
    associations: &UsersByBank<'_>,
    bins: &mut Bins,
    meter: &mut RowCounter<'_>,
) -> Result<(), Failure> {
    let columns = ["username", "bank", "last_job_timestamp"];
    if !columns.iter().all(|column| table.has(column)) {
        return Ok(());
    }
    let query = format!(
        "{} WHERE \"last_job_timestamp\" > 0",
        table.query(&columns, None)
    );
    let mut statement = store.connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        store.had_row();
        meter.next()?;
        let node = associations.find(row.get_ref(0)?, row.get_ref(1)?);
        let moment = figure(row.get_ref(2)?).filter(|moment| moment.is_finite());
        if let (Some(node), Some(moment)) = (node, moment) {
            bins.set_counted(node, moment);
        }
    }
    Ok(())
}

fn of_rows(
    store: &Store,
    table: &Table,
    associations: &UsersByBank<'_>,
    found: &mut Vec<BinRow>,
    meter: &mut RowCounter<'_>,
) -> Result<(), Failure> {
    let columns = ["username", "bank", "period", "value"];
    if !columns.iter().all(|column| table.has(column)) {
        return Ok(());
    }
    let mut statement = store.connection.prepare(&table.query(&columns, None))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        store.had_row();
        meter.next()?;
        let node = associations.find(row.get_ref(0)?, row.get_ref(1)?);
        let ValueRef::Integer(period) = row.get_ref(2)? else {
            continue;
        };
        let period = u32::try_from(period)
            .ok()
            .filter(|&period| period < MOST_BINS);
        let usage = figure(row.get_ref(3)?).filter(|usage| usage.is_finite());
        if let (Some(node), Some(period), Some(usage)) = (node, period, usage) {
            found.push(BinRow {
                node,
                period,
                usage,
            });
        }
    }
    Ok(())
}

fn of_columns(
    store: &Store,
    table: &Table,
    associations: &UsersByBank<'_>,
    found: &mut Vec<BinRow>,
    meter: &mut RowCounter<'_>,
) -> Result<(), Failure> {
    let bins: Vec<String> = (0..MOST_BINS)
        .map(|period| format!("{COLUMN}{period}"))
        .take_while(|column| table.has(column))
        .collect();
    if bins.is_empty() || !table.has("username") || !table.has("bank") {
        return Ok(());
    }
    let mut columns = vec!["username", "bank"];
    columns.extend(bins.iter().map(String::as_str));
    let mut statement = store.connection.prepare(&table.query(&columns, None))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        store.had_row();
        meter.next()?;
        let Some(node) = associations.find(row.get_ref(0)?, row.get_ref(1)?) else {
            continue;
        };
        for (period, column) in (0..).zip(2..bins.len() + 2) {
            let usage = figure(row.get_ref(column)?).filter(|usage| usage.is_finite());
            found.push(BinRow {
                node,
                period,
                usage: usage.unwrap_or(0.0),
            });
        }
    }
    Ok(())
}

/// The users of the tree by bank and name. If a bank has several places in the tree, its first place has the bins.
struct UsersByBank<'a> {
    builder: &'a TreeBuilder,
    nodes: HashMap<(NameId, NameId), NodeId>,
}

impl<'a> UsersByBank<'a> {
    fn of(builder: &'a TreeBuilder) -> Self {
        let mut nodes = HashMap::with_capacity(builder.len());
        for index in 1..builder.len() {
            let node = NodeId::from_index(index);
            if builder.kind(node) == Kind::User
                && let Some(bank) = builder.parent(node)
            {
                let key = (builder.name_id(bank), builder.name_id(node));
                nodes.entry(key).or_insert(node);
            }
        }
        Self { builder, nodes }
    }

    fn find(&self, user: ValueRef<'_>, bank: ValueRef<'_>) -> Option<NodeId> {
        let name = |value| self.builder.find_name(text(value)?);
        self.nodes.get(&(name(bank)?, name(user)?)).copied()
    }
}
