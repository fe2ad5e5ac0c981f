//! Why a source cannot be opened.

use super::Refusal;
use crate::base::shown::{Shown, sentence};
use crate::model::SettingError;
use crate::rules::policy::formula::{FORMULA, FormulaError};

/// What is wrong with a path that does not exist.
const NO_SUCH_FILE: &str = "no such file or directory";

/// Why a source could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The request cannot be met, or the source is not what it should be. The sentence says what is wrong and how to
    /// fix it.
    #[error("{0}")]
    Refused(Shown),
    /// A file is of the wrong kind, cannot be read whole, or has no known content.
    #[error(transparent)]
    Unfit(#[from] Refusal),
    /// A path that does not exist. Holds the path as safe text, with the words before it.
    #[error("{0}: {NO_SUCH_FILE}")]
    Missing(Shown),
    /// A read error.
    #[error("{path}: {error}")]
    Read {
        /// The file, as safe text.
        path: Shown,
        /// The error of the system.
        error: Shown,
    },
    /// An invalid `--set`.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// An invalid `job_sort_formula`.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The source of a scenario is a scenario.
    #[error("the source is itself a scenario; name the tree that the scenario was made on")]
    Nested,
    /// The user cancelled.
    #[error("loading was cancelled")]
    Cancelled,
}

impl LoadError {
    /// Returns what is wrong with a file in a list of files: the error without the file's name and without advice.
    pub fn reason(&self) -> Shown {
        match self {
            Self::Unfit(refusal) => refusal.reason().clone(),
            Self::Missing(_) => NO_SUCH_FILE.into(),
            Self::Read { error, .. } => error.clone(),
            error => Shown::error(error),
        }
    }

    /// Returns the error in one line, without the picture of the place in a formula.
    pub fn line(&self) -> Shown {
        match self {
            Self::Formula(error) => sentence!("{FORMULA}: {}", error.sentence()),
            error => Shown::error(error),
        }
    }
}
