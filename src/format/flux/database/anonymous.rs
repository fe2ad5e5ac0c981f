//! A new database with the tables that are read, and pseudonyms instead of names.

use super::settings::KEYS;
use super::usage_bins::{OLD_TABLE, bin_columns};
use crate::model::{Named, Pseudonyms};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

/// What a column holds.
#[derive(Clone, Copy)]
enum Content {
    /// A name of this kind.
    Name(Named),
    /// A number, also one that is stored as text.
    Number,
    /// One of these words. A row with another one is left out.
    Word(&'static [&'static str]),
}

/// A column that is read.
struct Column {
    /// Its name in the database.
    name: &'static str,
    /// What it holds.
    content: Content,
}

/// A column of numbers.
const fn number(name: &'static str) -> Column {
    let content = Content::Number;
    Column { name, content }
}

/// A column of names of a kind.
const fn named(name: &'static str, named: Named) -> Column {
    let content = Content::Name(named);
    Column { name, content }
}

/// A column of words of flux-accounting.
const fn word(name: &'static str, words: &'static [&'static str]) -> Column {
    let content = Content::Word(words);
    Column { name, content }
}

/// A table that is read, with the columns that are read.
struct KnownTable {
    /// Its name in the database.
    name: &'static str,
    /// The columns, of which a table may lack some.
    columns: &'static [Column],
}

/// The tables that are read.
const TABLES: &[KnownTable] = &[
    KnownTable {
        name: "bank_table",
        columns: &[
            named("bank", Named::Account),
            named("parent_bank", Named::Account),
            number("shares"),
            number("active"),
            number("job_usage"),
            number("priority"),
        ],
    },
    KnownTable {
        name: "association_table",
        columns: &[
            named("username", Named::User),
            named("bank", Named::Account),
            named("default_bank", Named::Account),
            number("shares"),
            number("job_usage"),
            number("fairshare"),
            number("active"),
            number("max_running_jobs"),
            number("max_active_jobs"),
            number("max_nodes"),
            number("max_cores"),
        ],
    },
    KnownTable {
        name: "config_table",
        columns: &[word("key", KEYS), number("value")],
    },
    KnownTable {
        name: "priority_factor_weight_table",
        columns: &[word("factor", &["fairshare"]), number("weight")],
    },
    KnownTable {
        name: "t_half_life_period_table",
        columns: &[
            named("cluster", Named::Cluster),
            number("end_half_life_period"),
        ],
    },
    KnownTable {
        name: OLD_TABLE,
        columns: &[
            named("username", Named::User),
            named("bank", Named::Account),
            number("last_job_timestamp"),
        ],
    },
    KnownTable {
        name: "job_usage_per_association_table",
        columns: &[
            named("username", Named::User),
            named("bank", Named::Account),
            number("period"),
            number("value"),
        ],
    },
];

/// Writes what is read of a database into an empty one, under pseudonyms and in the order of these.
pub fn anonymised(
    named: &Connection,
    made: &Connection,
    pseudonyms: &Pseudonyms,
) -> rusqlite::Result<()> {
    // All tables are read in one state.
    named.execute_batch("BEGIN")?;
    let version: i64 = named.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    made.pragma_update(None, "user_version", version)?;
    made.execute_batch("BEGIN")?;
    for known in TABLES {
        let mut table = CopiedTable {
            name: known.name,
            columns: Vec::new(),
            contents: Vec::new(),
        };
        let present = column_names(named, known.name)?;
        let is_present = |name: &str| {
            let mut present = present.iter();
            present.any(|column| column.eq_ignore_ascii_case(name))
        };
        for column in known.columns {
            if is_present(column.name) {
                table.add(column.name.to_owned(), column.content);
            }
        }
        if known.name == OLD_TABLE {
            for column in bin_columns(is_present) {
                table.add(column, Content::Number);
            }
        }
        if !table.columns.is_empty() {
            let rows = table.read(named, pseudonyms)?;
            table.write(made, rows)?;
        }
    }
    made.execute_batch("COMMIT")?;
    named.execute_batch("COMMIT")
}

/// Returns the names of the columns of a table; none if it does not exist.
fn column_names(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    query.query_map([table], |row| row.get(0))?.collect()
}

/// A table that is copied.
struct CopiedTable {
    /// Its name in the database.
    name: &'static str,
    /// The names of its columns that are read and that it has.
    columns: Vec<String>,
    /// What each column holds.
    contents: Vec<Content>,
}

impl CopiedTable {
    /// Adds a column.
    fn add(&mut self, column: String, content: Content) {
        self.columns.push(column);
        self.contents.push(content);
    }

    /// Reads the rows under pseudonyms, in the order of these.
    fn read(
        &self,
        named: &Connection,
        pseudonyms: &Pseudonyms,
    ) -> rusqlite::Result<Vec<Vec<Value>>> {
        let columns = self.columns.join(", ");
        let query = format!("SELECT {columns} FROM {} ORDER BY rowid", self.name);
        let mut statement = named.prepare(&query)?;
        let mut found = statement.query([])?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let mut values = Vec::with_capacity(self.contents.len());
            for (place, &content) in self.contents.iter().enumerate() {
                values.extend(value(row.get_ref(place)?, content, pseudonyms));
            }
            if values.len() == self.contents.len() {
                rows.push(values);
            }
        }
        // Of rows under one name the first counts, so they keep their order.
        rows.sort_by_cached_key(|values| self.names(values));
        Ok(rows)
    }

    /// Returns the names in a row.
    fn names(&self, values: &[Value]) -> Vec<Vec<u8>> {
        let mut names = Vec::new();
        for (content, value) in self.contents.iter().zip(values) {
            match (content, value) {
                (Content::Name(_), Value::Text(name)) => names.push(name.clone().into_bytes()),
                (Content::Name(_), Value::Blob(name)) => names.push(name.clone()),
                _ => {}
            }
        }
        names
    }

    /// Makes the table, and writes rows into it.
    fn write(&self, made: &Connection, rows: Vec<Vec<Value>>) -> rusqlite::Result<()> {
        let name = self.name;
        let columns = self.columns.join(", ");
        made.execute_batch(&format!("CREATE TABLE {name} ({columns})"))?;
        let places = vec!["?"; self.columns.len()].join(", ");
        let mut insert = made.prepare(&format!("INSERT INTO {name} VALUES ({places})"))?;
        for values in rows {
            insert.execute(params_from_iter(values))?;
        }
        Ok(())
    }
}

/// Returns what is written of a value, or `None` for a word that is not one of those known.
fn value(value: ValueRef, content: Content, pseudonyms: &Pseudonyms) -> Option<Value> {
    match (content, value) {
        (Content::Word(known), value) => {
            let word = value.as_bytes().ok()?;
            let known = known.iter().find(|known| known.as_bytes() == word)?;
            Some(Value::Text((*known).to_owned()))
        }
        (_, ValueRef::Null) | (Content::Name(_), ValueRef::Real(_)) => Some(Value::Null),
        (Content::Name(named), ValueRef::Text(name)) => {
            Some(Value::Text(pseudonyms.of(named, name)))
        }
        (Content::Name(named), ValueRef::Blob(name)) => {
            Some(Value::Blob(pseudonyms.of(named, name).into_bytes()))
        }
        // SQLite keeps a name of digits as a number.
        (Content::Name(named), ValueRef::Integer(name)) => {
            let name = pseudonyms.of(named, name.to_string().as_bytes());
            Some(Value::Text(name))
        }
        (Content::Number, ValueRef::Integer(number)) => Some(Value::Integer(number)),
        (Content::Number, ValueRef::Real(number)) => Some(Value::Real(number)),
        (Content::Number, ValueRef::Text(text) | ValueRef::Blob(text)) => {
            Some(match std::str::from_utf8(text) {
                Ok(text) if text.trim().parse::<f64>().is_ok() => {
                    Value::Text(text.trim().to_owned())
                }
                _ => Value::Null,
            })
        }
    }
}
