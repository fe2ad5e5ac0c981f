//! Usage bins: one number per association and half-life period, the current period first.
//!
//! Up to 0.58 they are the columns `usage_factor_period_0`, `usage_factor_period_1` … of `job_usage_factor_table`;
//! since 0.59 the rows of `job_usage_per_association_table`.

use super::failure::Failure;
use super::tables::{DatabaseReader, figure, text};
use crate::format::flux::users_by_bank;
use crate::model::{BinRow, Bins, NodeId, Tree};
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The most bins an association can have: a year of hours.
const MOST_BINS: u32 = 24 * 366;

const COLUMN: &str = "usage_factor_period_";

/// Reads the bins of every association in the tree, and when its last counted job ended.
pub(super) fn read(database: &mut DatabaseReader<'_>, tree: &Tree) -> Result<Bins, Failure> {
    let of_jobs = database.table("job_usage_factor_table")?;
    let of_associations = database.table("job_usage_per_association_table")?;
    let mut found = Vec::new();
    if of_jobs.is_none() && of_associations.is_none() {
        return Ok(Bins::of(tree.id_count(), &found));
    }
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
    if of_associations.is_some() {
        let columns = ["username", "bank", "period", "value"];
        database.each_of(of_associations.as_ref(), &columns, |row| {
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
    } else if let Some(table) = &of_jobs {
        let bins = (0..MOST_BINS).map(|period| format!("{COLUMN}{period}"));
        let bins: Vec<String> = bins.take_while(|column| table.has(column)).collect();
        let mut columns = vec!["username", "bank"];
        columns.extend(bins.iter().map(String::as_str));
        database.each_of(Some(table), &columns, |row| {
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
    database.each_of(of_jobs.as_ref(), &columns, |row| {
        let moment = finite(row.get_ref(2)?).filter(|&moment| moment > 0.0);
        if let (Some(node), Some(moment)) = (find(row)?, moment) {
            bins.set_counted(node, moment);
        }
        Ok(())
    })?;
    Ok(bins)
}

/// Returns the number in a column, or `None` if it is not a finite one.
fn finite(value: ValueRef<'_>) -> Option<f64> {
    figure(value).filter(|number| number.is_finite())
}
