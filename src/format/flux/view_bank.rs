//! (to be written)

use crate::format::input::Input;
use crate::format::{LoadError, Loaded, Report, Request};

/// Whether the text looks like it.
#[must_use]
pub fn is(_text: &[u8]) -> bool {
    false
}

/// Reads it.
///
/// # Errors
/// If it cannot be understood at all, or the user cancelled.
pub fn parse(input: &Input, _request: &Request, _report: Report<'_>) -> Result<Loaded, LoadError> {
    Err(LoadError::Refused(format!("{}: not yet", input.name())))
}
