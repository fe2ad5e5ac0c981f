//! The tables and columns of a database. Only real tables are read, and columns by their names, because each version of
//! flux-accounting has others and in another order.

use super::error::{DatabaseError, Failure};
use super::problem::DatabaseProblem;
use super::store::Store;
use crate::base::shown::{Shown, shown};
use crate::format::flux::leading_count;
use crate::format::problem::{Place, Problems};
use crate::format::{LoadError, LoadResult, OnProgress, Progress};
use crate::model::NameId;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Rows, Statement};
use std::cmp::Ordering;

/// How many rows are read between two reports of progress.
const ROWS: usize = 1 << 14;

/// Reads the tables of a database, and collects what is wrong in them.
pub(super) struct DatabaseReader<'a> {
    /// The database.
    store: &'a Store,
    /// Hears how many rows were read.
    report: OnProgress<'a>,
    /// The rows so far.
    progress: Progress,
    /// What is wrong in the tables so far.
    pub(super) problems: Problems,
}

impl<'a> DatabaseReader<'a> {
    /// Reads a store of a file, which people know by its name.
    pub(super) fn new(store: &'a Store, file: Shown, report: OnProgress<'a>) -> Self {
        Self {
            store,
            report,
            problems: Problems::of(file.clone()),
            progress: Progress {
                file,
                ..Progress::default()
            },
        }
    }

    /// Reports a problem of the database.
    pub(super) fn report(&mut self, problem: DatabaseProblem) {
        self.problems.report(Place::WHOLE, problem);
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

    /// Returns the next row of a query, and counts it; `None` behind the last one.
    pub(super) fn next<'r, 's>(
        &mut self,
        rows: &'r mut Rows<'s>,
    ) -> Result<Option<&'r Row<'s>>, Failure> {
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        self.store.had_row();
        self.count()?;
        Ok(Some(row))
    }

    /// Prepares a query.
    pub(super) fn query(&self, query: &str) -> Result<Statement<'a>, Failure> {
        Ok(self.store.connection.prepare(query)?)
    }

    /// Prepares the query for some columns of all rows of a table; `None` unless the table exists with all of them.
    pub(super) fn select(
        &mut self,
        table: &'static str,
        columns: &[&str],
    ) -> Result<Option<Statement<'a>>, Failure> {
        let Some(table) = self.table(table)? else {
            return Ok(None);
        };
        for column in columns {
            if !table.has(column) {
                return Ok(None);
            }
        }
        let query = table.query(columns, None);
        Ok(Some(self.query(&query)?))
    }

    /// Looks up a table; `None` if it does not exist.
    ///
    /// A view could compute anything under the name of a table, for any length of time, so it is refused. So is a
    /// virtual table, which is a program.
    pub(super) fn table(&mut self, name: &'static str) -> Result<Option<Table>, Failure> {
        let mut kind = None;
        let query = format!("PRAGMA main.table_list({name})");
        let mut statement = self.query(&query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = self.next(&mut rows)? {
            let schema: String = row.get("schema")?;
            let own_kind: String = row.get("type")?;
            if schema == "main" {
                kind = Some(own_kind);
            }
        }
        let kind = match kind.as_deref() {
            Some("table") => return Ok(Some(self.columns(name)?)),
            Some("view") => "view",
            Some(_) => "virtual table",
            None => return Ok(None),
        };
        let refused = DatabaseError::NoPlainTable {
            file: self.progress.file.clone(),
            kind,
            table: name,
        };
        Err(refused.into())
    }

    /// Returns a table that exists, with its columns.
    fn columns(&mut self, name: &'static str) -> Result<Table, Failure> {
        let mut columns = Vec::new();
        let query = format!("PRAGMA main.table_info({name})");
        let mut statement = self.query(&query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = self.next(&mut rows)? {
            let column: String = row.get("name")?;
            columns.push(column.to_ascii_lowercase());
        }
        Ok(Table { name, columns })
    }

    /// Looks up a table as [`DatabaseReader::table`] does, which must exist with these columns to read a tree.
    pub(super) fn required(
        &mut self,
        name: &'static str,
        with: &[&'static str],
    ) -> Result<Table, Failure> {
        let file = self.progress.file.clone();
        let Some(table) = self.table(name)? else {
            return Err(DatabaseError::NoTable { file, table: name }.into());
        };
        for &column in with {
            if !table.has(column) {
                let refused = DatabaseError::NoColumn {
                    file,
                    table: name,
                    column,
                    known: table.known_columns(),
                };
                return Err(refused.into());
            }
        }
        Ok(table)
    }
}

/// A table of a database.
pub(super) struct Table {
    /// Its name.
    name: &'static str,
    /// The names of its columns, in small letters.
    columns: Vec<String>,
}

impl Table {
    /// Returns whether the table has a column of this name.
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known == column)
    }

    /// Returns the names of the columns for people.
    fn known_columns(&self) -> Shown {
        let mut names = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            names.push(shown(column.as_bytes()));
        }
        Shown::joined(names, ", ")
    }

    /// Returns the query for all rows in the order of their row numbers. Missing columns are null, and without
    /// one of active rows all are. One column may be requested as text, as SQLite converts it.
    pub(super) fn query(&self, columns: &[&str], as_text: Option<&str>) -> String {
        let mut cells = Vec::with_capacity(columns.len());
        for &column in columns {
            let cell = if self.has(column) && as_text == Some(column) {
                format!("CAST(\"{column}\" AS TEXT)")
            } else if self.has(column) {
                format!("\"{column}\"")
            } else if column == "active" {
                "1".to_owned()
            } else {
                "NULL".to_owned()
            };
            cells.push(cell);
        }
        let name = self.name;
        let cells = cells.join(", ");
        format!("SELECT {cells} FROM main.\"{name}\" NOT INDEXED")
    }
}

/// A row of a table that belongs to a name.
pub(super) struct NamedRow {
    /// The index of the name.
    pub(super) name: usize,
    /// The place of the row in its table.
    pub(super) row: u32,
}

/// The rows of a table, sorted by the names to which they belong.
#[derive(Default)]
pub(super) struct RowsByName {
    /// In the order of the names.
    rows: Vec<NamedRow>,
}

impl RowsByName {
    /// Groups rows, given in the order of the table, and sorts those of each name.
    pub(super) fn new(mut rows: Vec<NamedRow>, order: impl Fn(u32, u32) -> Ordering) -> Self {
        rows.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| order(a.row, b.row)));
        Self { rows }
    }

    /// Returns the rows of a name.
    pub(super) fn of_name(&self, name: NameId) -> &[NamedRow] {
        let name = name.index();
        let start = self.rows.partition_point(|row| row.name < name);
        let end = self.rows.partition_point(|row| row.name <= name);
        &self.rows[start..end]
    }
}

/// Returns the text of a value, as SQLite converts it, if it is text or bytes.
pub(super) fn text(value: ValueRef<'_>) -> Option<&[u8]> {
    value.as_bytes().ok()
}

/// Returns the text of a value as [`text`] does; empty if it is none.
pub(super) fn text_or_empty(value: ValueRef<'_>) -> &[u8] {
    text(value).unwrap_or_default()
}

/// Returns the number of a value; `None` if it is none.
pub(super) fn figure(value: ValueRef) -> Option<f64> {
    match value {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => None,
    }
}

/// Returns the number of a value; `None` if it is none, or not finite.
pub(super) fn finite(value: ValueRef) -> Option<f64> {
    let number = figure(value)?;
    if number.is_finite() {
        return Some(number);
    }
    None
}

/// Returns whether a row is active by its column: any number but 0.
pub(super) fn is_active(value: ValueRef) -> bool {
    match value {
        ValueRef::Null => false,
        ValueRef::Integer(number) => number != 0,
        ValueRef::Real(number) => number.abs() >= 1.0,
        ValueRef::Text(text) | ValueRef::Blob(text) => match leading_count(text) {
            Ok((number, _)) => number != 0,
            Err(_) => false,
        },
    }
}
