//! Conversions.

use super::Format;
use crate::model::{Settings, Snapshot, Tree};

/// Files of another format, and what it cannot hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// Names and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// What was lost, in sentences.
    pub losses: Vec<String>,
}

/// Converts.
#[must_use]
pub fn convert(
    _snapshot: &Snapshot,
    _tree: &Tree,
    _settings: &Settings,
    _to: Format,
) -> Conversion {
    Conversion::default()
}
