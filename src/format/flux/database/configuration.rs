//! The settings, from the three tables that hold them. Old databases lack these; then Flux's own defaults apply.

use super::failure::Failure;
use super::store::Store;
use super::tables::Table;
use super::{figure, text};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::{Problem, Problems, Severity};
use crate::model::Settings;
use rusqlite::types::ValueRef;

/// The keys of `config_table` that are settings here.
const KEYS: &[&str] = &[
    "priority_usage_reset_period",
    "priority_decay_half_life",
    "decay_factor",
    "node_weight",
    "core_weight",
    "gpu_weight",
];

/// Reads the settings from their tables.
pub(super) fn read(
    store: &Store,
    file: &Shown,
    settings: &mut Settings,
    problems: &mut Problems,
) -> Result<(), Failure> {
    each(
        store,
        file,
        "config_table",
        ["key", "value"],
        |key, value| {
            let Some(key) = KEYS
                .iter()
                .copied()
                .find(|known| text(key) == Some(known.as_bytes()))
            else {
                return;
            };
            let value = written(value);
            if let Err(error) = settings.set(key, value.trim()) {
                problems.push(Problem::about(
                    Severity::Warning,
                    "flux-odd-setting",
                    file,
                    sentence!(
                        "{error}; it is taken as {}",
                        settings.get(key).unwrap_or_default()
                    ),
                    sentence!("set it with flux account edit-config {key}=VALUE"),
                ));
            }
        },
    )?;
    let weights = "priority_factor_weight_table";
    each(
        store,
        file,
        weights,
        ["factor", "weight"],
        |factor, weight| {
            if let (Some(b"fairshare"), ValueRef::Integer(weight)) = (text(factor), weight) {
                settings.flux.fairshare_weight = Some(weight);
            }
        },
    )?;
    let period = "t_half_life_period_table";
    let columns = ["end_half_life_period", "cluster"];
    each(store, file, period, columns, |end, _| {
        let end = figure(end).filter(|end| end.is_finite() && *end >= 0.0);
        settings.flux.end_half_life_period = end.unwrap_or(0.0);
    })
}

/// Reads two columns of a table, if it exists with both.
fn each(
    store: &Store,
    file: &Shown,
    table: &'static str,
    columns: [&str; 2],
    mut take: impl FnMut(ValueRef<'_>, ValueRef<'_>),
) -> Result<(), Failure> {
    let Some(table) = Table::find(store, file, table)? else {
        return Ok(());
    };
    if !columns.iter().all(|column| table.has(column)) {
        return Ok(());
    }
    let mut statement = store.connection.prepare(&table.query(&columns, None))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        store.had_row();
        take(row.get_ref(0)?, row.get_ref(1)?);
    }
    Ok(())
}

/// Returns a value as text.
fn written(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => shown(text).into(),
    }
}
