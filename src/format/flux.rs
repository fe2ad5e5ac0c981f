//! What flux-accounting keeps and prints: its database, its JSON, its tables.

pub mod json;
pub mod view_bank;

use super::{LoadError, Loaded, Report, Request};
use std::path::Path;

/// Whether a path leads to an SQLite database; a path that leads nowhere does not.
///
/// # Errors
/// If the file may not be looked at.
pub fn is_database(_path: &Path) -> Result<bool, LoadError> {
    Ok(false)
}

/// Opens a flux-accounting database.
///
/// # Errors
/// If it cannot be opened, or is none of flux-accounting's.
pub fn open_database(_request: &Request, _report: Report<'_>) -> Result<Loaded, LoadError> {
    Err(LoadError::Refused("not yet".to_owned()))
}
