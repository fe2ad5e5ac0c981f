//! The tables and columns of a database. Only real tables are read, and columns by their names, because each version of
//! flux-accounting has others and in another order.

use super::failure::Failure;
use super::store::Store;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::LoadError;

/// An existing table.
pub(super) struct Table {
    name: &'static str,
    columns: Vec<String>,
}

impl Table {
    /// Looks up a table; `None` if it does not exist.
    ///
    /// A view could compute anything under the name of a table, for any length of time, so it is refused. So is a
    /// virtual table, which is a program.
    pub(super) fn find(
        store: &Store,
        file: &Shown,
        name: &'static str,
    ) -> Result<Option<Self>, Failure> {
        let connection = &store.connection;
        let mut list = connection.prepare(&format!("PRAGMA main.table_list({name})"))?;
        let mut rows = list.query([])?;
        let mut found = None;
        while let Some(row) = rows.next()? {
            store.had_row();
            let (schema, kind): (String, String) = (row.get("schema")?, row.get("type")?);
            if schema == "main" {
                found = Some(kind);
            }
        }
        match found.as_deref() {
            None => return Ok(None),
            Some("table") => {}
            Some(kind) => {
                return Err(LoadError::Refused(sentence!(
                    "{file} has a {} in place of the table {name}, which is not read because it may run arbitrary \
                     code; open the database that flux-accounting made",
                    if kind == "view" { "view" } else { "virtual table" }
                ))
                .into());
            }
        }
        let mut info = connection.prepare(&format!("PRAGMA main.table_info({name})"))?;
        let mut rows = info.query([])?;
        let mut columns = Vec::new();
        while let Some(row) = rows.next()? {
            store.had_row();
            columns.push(row.get::<_, String>("name")?.to_ascii_lowercase());
        }
        Ok(Some(Self { name, columns }))
    }

    /// Looks up a table as [`Table::find`] does, which must exist to read a tree.
    pub(super) fn required(
        store: &Store,
        file: &Shown,
        name: &'static str,
        columns: &[&str],
    ) -> Result<Self, Failure> {
        let Some(table) = Self::find(store, file, name)? else {
            return Err(LoadError::Refused(sentence!(
                "{file} is an SQLite database without the table {name}, so it is not flux-accounting's; open \
                 FluxAccounting.db, usually in /var/lib/flux"
            ))
            .into());
        };
        if let Some(missing) = columns.iter().find(|column| !table.has(column)) {
            let known: Vec<Shown> = table
                .columns
                .iter()
                .map(|column| shown(column.as_bytes()))
                .collect();
            return Err(LoadError::Refused(sentence!(
                "the table {name} of {file} has no column {missing}, only {}; open the database of flux-accounting 0.7 \
                 or newer",
                known.join(", ")
            ))
            .into());
        }
        Ok(table)
    }

    /// Returns whether there is such a column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known == column)
    }

    /// Returns the query for all rows in the order of their row numbers. Missing columns are null. One column may be
    /// requested as text, as SQLite converts it.
    pub(super) fn query(&self, columns: &[&str], as_text: Option<&str>) -> String {
        let column = |column: &&str| match self.has(column) {
            true if as_text == Some(column) => format!("CAST(\"{column}\" AS TEXT)"),
            true => format!("\"{column}\""),
            false => "NULL".to_owned(),
        };
        let columns: Vec<String> = columns.iter().map(column).collect();
        format!(
            "SELECT {} FROM main.\"{}\" NOT INDEXED",
            columns.join(", "),
            self.name
        )
    }
}
