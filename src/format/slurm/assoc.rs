//! (to be written)

use super::rows::Rows;
use crate::format::input::Input;
use crate::format::{LoadError, Report};

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
