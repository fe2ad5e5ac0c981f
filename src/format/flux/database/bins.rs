//! Usage bins: one number per association and half-life period, the running one first.
//!
//! Up to 0.58 they are the columns `usage_factor_period_0`, `usage_factor_period_1` … of `job_usage_factor_table`;
//! since 0.59 the rows of `job_usage_per_association_table`.

use super::failure::Failure;
use super::store::Store;
use super::tables::Table;
use super::{Rows, figure, text};
use crate::model::{Kind, NameId, NodeId, Recorded, TreeBuilder};
use hashbrown::HashMap;
use rusqlite::types::ValueRef;

/// The most bins an association can have: a year of hours.
const MOST_BINS: usize = 24 * 366;

/// The names of the bins' columns begin with this.
const COLUMN: &str = "usage_factor_period_";

/// Records the bins of every association in the tree.
pub(super) fn read(
    store: &Store,
    file: &str,
    builder: &TreeBuilder,
    recorded: &mut Recorded,
    meter: &mut Rows<'_>,
) -> Result<(), Failure> {
    let rows = "job_usage_per_association_table";
    if let Some(table) = Table::find(store, file, rows)? {
        return of_rows(store, &table, builder, recorded, meter);
    }
    match Table::find(store, file, "job_usage_factor_table")? {
        Some(table) => of_columns(store, &table, builder, recorded, meter),
        None => Ok(()),
    }
}

fn of_rows(
    store: &Store,
    table: &Table,
    builder: &TreeBuilder,
    recorded: &mut Recorded,
    meter: &mut Rows<'_>,
) -> Result<(), Failure> {
    let columns = ["username", "bank", "period", "value"];
    if !columns.iter().all(|column| table.has(column)) {
        return Ok(());
    }
    let associations = Associations::of(builder);
    // Most bins of most associations are empty.
    let query = format!("{} WHERE \"value\" <> 0", table.query(&columns, None));
    let mut statement = store.connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        store.had_row();
        meter.next()?;
        let node = associations.find(row.get_ref(0)?, row.get_ref(1)?);
        let ValueRef::Integer(period) = row.get_ref(2)? else {
            continue;
        };
        let period = usize::try_from(period)
            .ok()
            .filter(|&period| period < MOST_BINS);
        if let (Some(node), Some(period), Some(value)) = (node, period, figure(row.get_ref(3)?)) {
            recorded.set_bin(node, period, value);
        }
    }
    Ok(())
}

fn of_columns(
    store: &Store,
    table: &Table,
    builder: &TreeBuilder,
    recorded: &mut Recorded,
    meter: &mut Rows<'_>,
) -> Result<(), Failure> {
    let bins: Vec<String> = (0..MOST_BINS)
        .map(|period| format!("{COLUMN}{period}"))
        .take_while(|column| table.has(column))
        .collect();
    if bins.is_empty() || !table.has("username") || !table.has("bank") {
        return Ok(());
    }
    let associations = Associations::of(builder);
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
        for period in 0..bins.len() {
            if let Some(value) = figure(row.get_ref(period + 2)?).filter(|&value| value != 0.0) {
                recorded.set_bin(node, period, value);
            }
        }
    }
    Ok(())
}

/// The users of the tree by bank and name. Where a bank stands in several places, its first place has the bins.
struct Associations<'a> {
    builder: &'a TreeBuilder,
    nodes: HashMap<(NameId, NameId), NodeId>,
}

impl<'a> Associations<'a> {
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
