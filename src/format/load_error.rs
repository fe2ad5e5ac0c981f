//! Why a source cannot be opened, or a file cannot be read or written.

use crate::base::shown::{Shown, sentence};
use crate::model::SettingError;
use crate::rules::policy::formula::{FORMULA, FormulaError};

const NO_SUCH_FILE: &str = "no such file or directory";

/// What was read of a source, or why it could not be opened.
pub type LoadResult<T> = Result<T, LoadError>;

/// Why a source could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The request cannot be met, or the source is not what it should be: a sentence that says how to fix it.
    #[error("{0}")]
    Refused(Shown),
    /// A file is of the wrong kind, cannot be read whole, or has no known content.
    #[error(transparent)]
    Unfit(#[from] Refusal),
    /// A path that does not exist. Holds the path as safe text, with the words before it.
    #[error("{0}: {NO_SUCH_FILE}")]
    Missing(Shown),
    /// A source that holds several clusters, of which none was asked for: what is wrong with it, and their names.
    #[error("{text}; choose one with --cluster NAME")]
    Clusters {
        /// The sentence, without how to choose one.
        text: Shown,
        /// The clusters that can be chosen.
        names: Vec<Shown>,
    },
    /// The system cannot open or read a file.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: Shown,
        /// What the system says.
        error: Shown,
    },
    /// A setting of the request has no such value.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A formula of the request cannot be read.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// A scenario refers to a scenario.
    #[error("the source is itself a scenario; name the tree that the scenario was made on")]
    Nested,
    /// The user gave up.
    #[error("loading was cancelled")]
    Cancelled,
}

impl LoadError {
    /// Returns the error of a file that the system cannot open or read.
    pub(crate) fn read(path: Shown, error: &std::io::Error) -> Self {
        let error = Shown::error(error);
        Self::Read { path, error }
    }

    /// Returns what is wrong with a file in a list of files: the error without the file's name and without advice.
    pub fn reason(&self) -> Shown {
        match self {
            Self::Unfit(refusal) => refusal.reason.clone(),
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

/// Why a file is not read: the file, what is wrong with it, and how to fix it. The parts stay apart, so that whoever
/// lists several files need not repeat the advice for each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{joint}{reason}{}{advice}", if advice.is_empty() { "" } else { "; " })]
pub struct Refusal {
    file: Shown,
    /// What joins the file and the reason in a sentence.
    joint: &'static str,
    /// What is wrong, readable without the file's name: `a named pipe`, `holds no columns of sshare`.
    reason: Shown,
    /// How to fix it, or what to open instead; empty if the reason says it.
    advice: Shown,
}

impl Refusal {
    fn new(file: &str, joint: &'static str, reason: &str, advice: &str) -> Self {
        Self {
            file: Shown::again(file.to_owned()),
            joint,
            reason: Shown::again(reason.to_owned()),
            advice: Shown::again(advice.to_owned()),
        }
    }

    /// Refuses a file because of what it is: `a socket`.
    pub(super) fn is(file: &str, what: &str, advice: &str) -> Self {
        Self::new(file, " is ", what, advice)
    }

    /// Refuses a file because of what it does, verb first: `holds no associations`.
    pub(super) fn does(file: &str, what: &str, advice: &str) -> Self {
        Self::new(file, " ", what, advice)
    }

    /// Refuses a file because of a whole clause about it: `the JSON ends in the middle`.
    pub(super) fn because(file: &str, clause: &str, advice: &str) -> Self {
        Self::new(file, ": ", clause, advice)
    }

    /// Refuses a file because of a place in it, a line or a line and a column: `12:3`.
    pub(super) fn at(file: &str, place: &str, clause: &str, advice: &str) -> Self {
        Self::new(file, ":", &format!("{place}: {clause}"), advice)
    }
}

/// Why a dump with edits is not written: it holds more than a tree, and all of that would have to be kept.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "an edited sacctmgr dump is not written; fairscope plan prints the commands that apply the edits to the cluster, and \
     their rollback"
)]
pub struct EditedDump;
