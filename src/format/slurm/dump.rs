//! (to be written)

use super::rows::Rows;
use crate::format::convert::Conversion;
use crate::format::input::Input;
use crate::format::{LoadError, Report};
use crate::model::{Snapshot, Tree};

/// Whether the text looks like it.
#[must_use]
pub fn is(_text: &[u8]) -> bool {
    false
}

/// Reads it.
///
/// # Errors
/// If it cannot be understood at all, or the user cancelled.
pub fn read(input: &Input, _report: Report<'_>) -> Result<Rows, LoadError> {
    Err(LoadError::Refused(format!("{}: not yet", input.name())))
}

/// Writes a tree as a file for `sacctmgr load`.
#[must_use]
pub fn convert(_snapshot: &Snapshot, _tree: &Tree) -> Conversion {
    Conversion::default()
}
