//! The settings, from the three tables that hold them. Old databases lack these; then Flux's own defaults apply.

use super::failure::Failure;
use super::tables::{DatabaseReader, figure, text};
use crate::base::shown::{sentence, shown};
use crate::format::problem::{Place, Problems};
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

pub(super) fn read(
    database: &mut DatabaseReader<'_>,
    settings: &mut Settings,
    problems: &mut Problems,
) -> Result<(), Failure> {
    let table = database.table("config_table")?;
    database.each_of(table.as_ref(), &["key", "value"], |row| {
        let name = text(row.get_ref(0)?);
        let Some(key) = KEYS
            .iter()
            .copied()
            .find(|known| name == Some(known.as_bytes()))
        else {
            return Ok(());
        };
        if let Err(error) = settings.set(key, written(row.get_ref(1)?).trim()) {
            let value = settings.get(key).unwrap_or_default();
            let message = sentence!("{error}; it is taken as {value}");
            let advice = sentence!("set it with flux account edit-config {key}=VALUE");
            problems.warn(Place::WHOLE, "flux-odd-setting", message, advice);
        }
        Ok(())
    })?;
    let table = database.table("priority_factor_weight_table")?;
    database.each_of(table.as_ref(), &["factor", "weight"], |row| {
        let factor = text(row.get_ref(0)?);
        if let (Some(b"fairshare"), ValueRef::Integer(weight)) = (factor, row.get_ref(1)?) {
            settings.flux.fairshare_weight = Some(weight);
        }
        Ok(())
    })?;
    let table = database.table("t_half_life_period_table")?;
    database.each_of(
        table.as_ref(),
        &["end_half_life_period", "cluster"],
        |row| {
            let end = figure(row.get_ref(0)?).filter(|end| end.is_finite() && *end >= 0.0);
            settings.flux.end_half_life_period = end.unwrap_or(0.0);
            Ok(())
        },
    )
}

fn written(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => shown(text).into(),
    }
}
