//! (to be written)

use crate::format::convert::Conversion;
use crate::format::input::Input;
use crate::format::{LoadError, Loaded, Report, Request};
use crate::model::Tree;

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

/// Writes a tree as JSON for `flux account-fairshare-emulate`.
#[must_use]
pub fn convert(_tree: &Tree) -> Conversion {
    Conversion::default()
}
