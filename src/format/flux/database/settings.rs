//! The settings in a database.

use super::error::Failure;
use super::problem::DatabaseProblem;
use super::tables::{DatabaseReader, finite, text, text_or_empty};
use crate::base::shown::{Shown, shown};
use crate::model::Settings;
use rusqlite::types::ValueRef;

/// The keys of `config_table` that are settings here.
pub(super) const KEYS: &[&str] = &[
    "priority_usage_reset_period",
    "priority_decay_half_life",
    "decay_factor",
    "node_weight",
    "core_weight",
    "gpu_weight",
];

/// Reads the settings from the three tables that hold them. Old databases lack these; then Flux's own defaults apply.
pub(super) fn read(database: &mut DatabaseReader) -> Result<Settings, Failure> {
    let mut settings = Settings::default();
    read_config(database, &mut settings)?;
    let columns = ["factor", "weight"];
    if let Some(mut statement) = database.select("priority_factor_weight_table", &columns)? {
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            let is_fairshare = text(row.get_ref(0)?) == Some(b"fairshare");
            if let ValueRef::Integer(weight) = row.get_ref(1)?
                && is_fairshare
            {
                settings.flux.fairshare_weight = Some(weight);
            }
        }
    }
    let columns = ["end_half_life_period", "cluster"];
    if let Some(mut statement) = database.select("t_half_life_period_table", &columns)? {
        let mut rows = statement.query([])?;
        while let Some(row) = database.next(&mut rows)? {
            settings.flux.end_half_life_period = match finite(row.get_ref(0)?) {
                Some(end) if end >= 0.0 => end,
                _ => 0.0,
            };
        }
    }
    Ok(settings)
}

/// Reads the table of keys and values.
fn read_config(database: &mut DatabaseReader, settings: &mut Settings) -> Result<(), Failure> {
    let Some(mut statement) = database.select("config_table", &["key", "value"])? else {
        return Ok(());
    };
    let mut rows = statement.query([])?;
    while let Some(row) = database.next(&mut rows)? {
        let name = text_or_empty(row.get_ref(0)?);
        let value = written(row.get_ref(1)?);
        for key in KEYS {
            if key.as_bytes() != name {
                continue;
            }
            if let Err(error) = settings.set_as_written(key, value.trim()) {
                database.report(DatabaseProblem::OddSetting {
                    error: Shown::error(&error),
                    key,
                    value: settings.get(key).unwrap_or_default(),
                });
            }
        }
    }
    Ok(())
}

/// Returns a value as text.
fn written(value: ValueRef) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => shown(text).into(),
    }
}
