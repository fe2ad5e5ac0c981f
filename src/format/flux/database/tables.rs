//! The tables and columns of a database. Only real tables are read, and columns by their names, because each version of
//! flux-accounting has others and in another order.

use super::database_files::Failure;
use super::store::Store;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::flux::leading_count;
use crate::format::{LoadError, LoadResult, OnProgress, Progress};
use crate::model::NameId;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use std::cmp::Ordering;

/// How many rows are read between two reports of progress.
const ROWS: usize = 1 << 14;

pub(super) struct DatabaseReader<'a> {
    store: &'a Store,
    report: OnProgress<'a>,
    progress: Progress,
}

impl<'a> DatabaseReader<'a> {
    pub(super) fn new(store: &'a Store, file: Shown, report: OnProgress<'a>) -> Self {
        let progress = Progress {
            file,
            ..Progress::default()
        };
        Self {
            store,
            report,
            progress,
        }
    }

    /// Counts a row, and reports the rows now and then.
    pub(super) fn count(&mut self) -> LoadResult<()> {
        self.progress.nodes += 1;
        let is_due = self.progress.nodes.is_multiple_of(ROWS);
        if is_due && (self.report)(&self.progress).is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }

    pub(super) fn each(
        &mut self,
        query: &str,
        mut take: impl FnMut(&Row<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut statement = self.store.connection.prepare(query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            self.store.had_row();
            self.count()?;
            take(row)?;
        }
        Ok(())
    }

    /// Gives some columns of each row of a table to a function, if the table exists with all of them.
    pub(super) fn each_of(
        &mut self,
        table: &'static str,
        columns: &[&str],
        take: impl FnMut(&Row<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let table = self.table(table)?;
        match table.filter(|table| columns.iter().all(|column| table.has(column))) {
            Some(table) => self.each(&table.query(columns, None), take),
            None => Ok(()),
        }
    }

    /// Looks up a table; `None` if it does not exist.
    ///
    /// A view could compute anything under the name of a table, for any length of time, so it is refused. So is a
    /// virtual table, which is a program.
    pub(super) fn table(&mut self, name: &'static str) -> Result<Option<Table>, Failure> {
        let mut found = None;
        self.each(&format!("PRAGMA main.table_list({name})"), |row| {
            let (schema, kind): (String, String) = (row.get("schema")?, row.get("type")?);
            if schema == "main" {
                found = Some(kind);
            }
            Ok(())
        })?;
        match found.as_deref() {
            None => return Ok(None),
            Some("table") => {}
            Some(kind) => {
                return Err(LoadError::Refused(sentence!(
                    "{} has a {} in place of the table {name}, which is not read because it may run arbitrary code; \
                     open the database that flux-accounting made",
                    self.progress.file,
                    if kind == "view" { "view" } else { "virtual table" }
                ))
                .into());
            }
        }
        let mut columns = Vec::new();
        self.each(&format!("PRAGMA main.table_info({name})"), |row| {
            columns.push(row.get::<_, String>("name")?.to_ascii_lowercase());
            Ok(())
        })?;
        Ok(Some(Table { name, columns }))
    }

    /// Looks up a table as [`DatabaseReader::table`] does, which must exist to read a tree.
    pub(super) fn required(&mut self, name: &'static str, with: &[&str]) -> Result<Table, Failure> {
        let Some(table) = self.table(name)? else {
            return Err(LoadError::Refused(sentence!(
                "{} is an SQLite database without the table {name}, so it is not flux-accounting's; open \
                 FluxAccounting.db, usually in /var/lib/flux",
                self.progress.file
            ))
            .into());
        };
        if let Some(missing) = with.iter().find(|column| !table.has(column)) {
            let known = table.columns.iter();
            let known: Vec<Shown> = known.map(|column| shown(column.as_bytes())).collect();
            return Err(LoadError::Refused(sentence!(
                "the table {name} of {} has no column {missing}, only {}; open the database of flux-accounting 0.7 or \
                 newer",
                self.progress.file,
                known.join(", ")
            ))
            .into());
        }
        Ok(table)
    }
}

pub(super) struct Table {
    name: &'static str,
    columns: Vec<String>,
}

impl Table {
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known == column)
    }

    /// Returns the query for all rows in the order of their row numbers. Missing columns are null, and without
    /// one of active rows all are. One column may be requested as text, as SQLite converts it.
    pub(super) fn query(&self, columns: &[&str], as_text: Option<&str>) -> String {
        let column = |column: &&str| match (self.has(column), *column) {
            (true, column) if as_text == Some(column) => format!("CAST(\"{column}\" AS TEXT)"),
            (true, column) => format!("\"{column}\""),
            (false, "active") => "1".to_owned(),
            (false, _) => "NULL".to_owned(),
        };
        let columns: Vec<String> = columns.iter().map(column).collect();
        let (columns, name) = (columns.join(", "), self.name);
        format!("SELECT {columns} FROM main.\"{name}\" NOT INDEXED")
    }
}

/// The rows of a table, each behind the name to which it belongs, sorted by names.
#[derive(Default)]
pub(super) struct RowsByName(Vec<(usize, u32)>);

impl RowsByName {
    /// Groups rows, given with their names in the order of the table, and sorts those of each name.
    pub(super) fn new(
        rows: impl Iterator<Item = (usize, u32)>,
        order: impl Fn(u32, u32) -> Ordering,
    ) -> Self {
        let mut rows: Vec<(usize, u32)> = rows.collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| order(a.1, b.1)));
        Self(rows)
    }

    pub(super) fn of(&self, name: NameId) -> &[(usize, u32)] {
        let start = self.0.partition_point(|&(own, _)| own < name.index());
        let end = self.0.partition_point(|&(own, _)| own <= name.index());
        &self.0[start..end]
    }
}

/// Returns the text of a value, as SQLite converts it, if it is text or bytes.
pub(super) fn text(value: ValueRef<'_>) -> Option<&[u8]> {
    value.as_bytes().ok()
}

pub(super) fn figure(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => None,
    }
}

/// Returns whether a row is active by its column: any number but 0.
pub(super) fn is_active(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null => false,
        ValueRef::Integer(number) => number != 0,
        ValueRef::Real(number) => number.abs() >= 1.0,
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            leading_count(text).is_ok_and(|(number, _)| number != 0)
        }
    }
}
