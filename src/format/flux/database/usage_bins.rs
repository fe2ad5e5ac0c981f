//! The usage bins of associations: one number for each half-life period.
//!
//! Up to 0.58 they are the columns `usage_factor_period_0`, `usage_factor_period_1` … of `job_usage_factor_table`;
//! since 0.59 the rows of `job_usage_per_association_table`.

use super::error::Failure;
use super::tables::{DatabaseReader, Table, finite, text};
use crate::format::flux::users_by_bank;
use crate::model::{BinRow, Bins, NodeId, Tree};
use hashbrown::HashMap;
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The table of old releases, in which newer ones note when the last counted job of an association ended.
pub(super) const OLD_TABLE: &str = "job_usage_factor_table";

/// The table since 0.59.
const NEW_TABLE: &str = "job_usage_per_association_table";

/// The most bins an association can have: a year of hours.
const MOST_BINS: u32 = 24 * 366;

/// Returns the names of the columns of bins in a table of old releases.
pub(super) fn bin_columns(has: impl Fn(&str) -> bool) -> Vec<String> {
    let mut columns = Vec::new();
    for period in 0..MOST_BINS {
        let column = format!("usage_factor_period_{period}");
        if !has(&column) {
            break;
        }
        columns.push(column);
    }
    columns
}

/// Reads the bins of every association in the tree, the current one first; and when its last counted job ended.
pub(super) fn read(database: &mut DatabaseReader, tree: &Tree) -> Result<Bins, Failure> {
    let reader = BinReader {
        users: users_by_bank(tree),
    };
    let old_table = database.table(OLD_TABLE)?;
    let rows = if database.table(NEW_TABLE)?.is_some() {
        reader.new_rows(database)?
    } else if let Some(table) = old_table {
        reader.old_rows(database, &table)?
    } else {
        Vec::new()
    };
    let mut bins = Bins::of(tree.id_count(), &rows);
    reader.read_counted(database, &mut bins)?;
    Ok(bins)
}

/// Reads the tables of bins.
struct BinReader<'a> {
    /// The associations, by the names of their bank and user.
    users: HashMap<(&'a [u8], &'a [u8]), NodeId>,
}

impl BinReader<'_> {
    /// Returns the association of a row that begins with the names of its user and bank.
    fn node(&self, row: &Row) -> rusqlite::Result<Option<NodeId>> {
        let user = text(row.get_ref(0)?);
        let bank = text(row.get_ref(1)?);
        let (Some(user), Some(bank)) = (user, bank) else {
            return Ok(None);
        };
        Ok(self.users.get(&(bank, user)).copied())
    }

    /// Reads the rows of the table since 0.59.
    fn new_rows(&self, database: &mut DatabaseReader) -> Result<Vec<BinRow>, Failure> {
        let mut found = Vec::new();
        let columns = ["username", "bank", "period", "value"];
        let Some(mut statement) = database.select(NEW_TABLE, &columns)? else {
            return Ok(found);
        };
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            let ValueRef::Integer(period) = row.get_ref(2)? else {
                continue;
            };
            if let Ok(period @ 0..MOST_BINS) = u32::try_from(period)
                && let Some(node) = self.node(row)?
                && let Some(usage) = finite(row.get_ref(3)?)
            {
                found.push(BinRow {
                    node,
                    period,
                    usage,
                });
            }
        }
        Ok(found)
    }

    /// Reads the columns of the table of old releases.
    fn old_rows(
        &self,
        database: &mut DatabaseReader,
        table: &Table,
    ) -> Result<Vec<BinRow>, Failure> {
        let mut found = Vec::new();
        let bins = bin_columns(|column| table.has(column));
        let mut columns = vec!["username", "bank"];
        columns.extend(bins.iter().map(String::as_str));
        let Some(mut statement) = database.select(OLD_TABLE, &columns)? else {
            return Ok(found);
        };
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            let Some(node) = self.node(row)? else {
                continue;
            };
            for (period, column) in (0..).zip(2..columns.len()) {
                found.push(BinRow {
                    node,
                    period,
                    usage: finite(row.get_ref(column)?).unwrap_or(0.0),
                });
            }
        }
        Ok(found)
    }

    /// Reads when the last counted job of each association ended.
    fn read_counted(&self, database: &mut DatabaseReader, bins: &mut Bins) -> Result<(), Failure> {
        let columns = ["username", "bank", "last_job_timestamp"];
        let Some(mut statement) = database.select(OLD_TABLE, &columns)? else {
            return Ok(());
        };
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            if let Some(moment) = finite(row.get_ref(2)?)
                && moment > 0.0
                && let Some(node) = self.node(row)?
            {
                bins.set_counted(node, moment);
            }
        }
        Ok(())
    }
}
