//! How the explorer starts and looks.

use crate::rules::policy::Policy;
use std::path::PathBuf;

/// How the explorer starts and looks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The policy that the user chose; `None` lets the source decide.
    pub policy: Option<Policy>,
    /// Whether to keep to ASCII.
    pub is_ascii: bool,
    /// The user's home directory, where known.
    pub home: Option<PathBuf>,
    /// The folder that relative paths are seen from.
    pub folder: PathBuf,
    /// The theme by name; `None` is the dark one.
    pub theme: Option<String>,
    /// The seconds between two readings of a source; `None` reads it once.
    pub watch: Option<u32>,
    /// Whether the terminal shows no colours but the 256 of its palette.
    pub has_only_palette: bool,
}
