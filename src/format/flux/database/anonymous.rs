//! A new database with the tables that are read, and pseudonyms in place of names.

use super::{COLUMN, KEYS, MOST_BINS};
use crate::model::{Named, Pseudonyms};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

/// What a column holds.
#[derive(Clone, Copy)]
enum Content {
    Name(Named),
    /// A number, also one that is stored as text.
    Number,
    /// A word of flux-accounting, one of those between blanks. A row with another one is left out.
    Word(&'static str),
}

const NUMBER: Content = Content::Number;
const USER: Content = Content::Name(Named::User);
const BANK: Content = Content::Name(Named::Account);

/// A table with its columns, each with what it holds.
type Table = (&'static str, &'static [(&'static str, Content)]);

/// The tables that are read, with the columns that are read.
const TABLES: &[Table] = &[
    (
        "bank_table",
        &[
            ("bank", BANK),
            ("parent_bank", BANK),
            ("shares", NUMBER),
            ("active", NUMBER),
            ("job_usage", NUMBER),
            ("priority", NUMBER),
        ],
    ),
    (
        "association_table",
        &[
            ("username", USER),
            ("bank", BANK),
            ("default_bank", BANK),
            ("shares", NUMBER),
            ("job_usage", NUMBER),
            ("fairshare", NUMBER),
            ("active", NUMBER),
            ("max_running_jobs", NUMBER),
            ("max_active_jobs", NUMBER),
            ("max_nodes", NUMBER),
            ("max_cores", NUMBER),
        ],
    ),
    (
        "config_table",
        &[("key", Content::Word(KEYS)), ("value", NUMBER)],
    ),
    (
        "priority_factor_weight_table",
        &[("factor", Content::Word("fairshare")), ("weight", NUMBER)],
    ),
    (
        "t_half_life_period_table",
        &[
            ("cluster", Content::Name(Named::Cluster)),
            ("end_half_life_period", NUMBER),
        ],
    ),
    (
        "job_usage_factor_table",
        &[
            ("username", USER),
            ("bank", BANK),
            ("last_job_timestamp", NUMBER),
        ],
    ),
    (
        "job_usage_per_association_table",
        &[
            ("username", USER),
            ("bank", BANK),
            ("period", NUMBER),
            ("value", NUMBER),
        ],
    ),
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
    for (table, columns) in TABLES {
        let query = "SELECT name FROM pragma_table_info(?1)";
        let present: Vec<String> = named
            .prepare(query)?
            .query_map([table], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let is_present = |name: &str| {
            present
                .iter()
                .any(|present| present.eq_ignore_ascii_case(name))
        };
        let known = columns
            .iter()
            .map(|&(name, content)| (name.to_owned(), content));
        let mut columns: Vec<(String, Content)> =
            known.filter(|(name, _)| is_present(name)).collect();
        if *table == "job_usage_factor_table" {
            let bins = (0..MOST_BINS).map(|period| format!("{COLUMN}{period}"));
            let bins = bins.take_while(|name| is_present(name));
            columns.extend(bins.map(|name| (name, NUMBER)));
        }
        if !columns.is_empty() {
            copy(named, made, table, &columns, pseudonyms)?;
        }
    }
    made.execute_batch("COMMIT")?;
    named.execute_batch("COMMIT")
}

fn copy(
    named: &Connection,
    made: &Connection,
    table: &str,
    columns: &[(String, Content)],
    pseudonyms: &Pseudonyms,
) -> rusqlite::Result<()> {
    let names = columns.iter().map(|(name, _)| name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    let mut query = named.prepare(&format!("SELECT {names} FROM {table} ORDER BY rowid"))?;
    let mut found = query.query([])?;
    let mut rows: Vec<Vec<Value>> = Vec::new();
    while let Some(row) = found.next()? {
        let mut values = Vec::with_capacity(columns.len());
        for (place, (_, content)) in columns.iter().enumerate() {
            values.extend(value(row.get_ref(place)?, *content, pseudonyms));
        }
        if values.len() == columns.len() {
            rows.push(values);
        }
    }
    // Of rows under one name the first counts, so they keep their order.
    rows.sort_by_cached_key(|values| {
        let names = values
            .iter()
            .zip(columns)
            .filter_map(|(value, (_, content))| match (content, value) {
                (Content::Name(_), Value::Text(name)) => Some(name.clone().into_bytes()),
                (Content::Name(_), Value::Blob(name)) => Some(name.clone()),
                _ => None,
            });
        names.collect::<Vec<_>>()
    });
    made.execute_batch(&format!("CREATE TABLE {table} ({names})"))?;
    let places = vec!["?"; columns.len()].join(", ");
    let mut insert = made.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
    for values in rows {
        insert.execute(params_from_iter(values))?;
    }
    Ok(())
}

/// Returns what is written of a value, or `None` for a word that is not one of those known.
fn value(value: ValueRef<'_>, content: Content, pseudonyms: &Pseudonyms) -> Option<Value> {
    match (content, value) {
        (Content::Word(known), value) => {
            let word = value.as_bytes().ok()?;
            let known = known.split(' ').find(|known| known.as_bytes() == word)?;
            Some(Value::Text(known.to_owned()))
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
            let text = std::str::from_utf8(text).ok().map(str::trim);
            let number = text.filter(|text| text.parse::<f64>().is_ok());
            Some(number.map_or(Value::Null, |number| Value::Text(number.to_owned())))
        }
    }
}
