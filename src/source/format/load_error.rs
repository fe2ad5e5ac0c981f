//! Why a source cannot be opened.

use crate::model::SettingError;
use crate::rules::policy::formula::{FORMULA, FormulaError};

/// Why a source could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The source does not exist, is of the wrong kind, or has no known content. The sentence says what is wrong and
    /// how to fix it.
    #[error("{0}")]
    Refused(String),
    /// A path that does not exist. Holds the path as safe text, with the words before it.
    #[error("{0}: no such file or directory")]
    Missing(String),
    /// A read error.
    #[error("{path}: {error}")]
    Read {
        /// The file, as safe text.
        path: String,
        /// The error of the system.
        error: std::io::Error,
    },
    /// An invalid `--set`.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// An invalid `job_sort_formula`.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The user cancelled.
    #[error("loading was cancelled")]
    Cancelled,
}

impl LoadError {
    /// Returns the error in one line, without the picture of the place in a formula.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Formula(error) => format!("{FORMULA}: {}", error.sentence()),
            error => error.to_string(),
        }
    }
}
