//! Readers and writers: the output of a scheduler or a person becomes a [`Snapshot`] and a list of [`Problem`]s. What a
//! source is, and where it lies, is found by [`open`](crate::open).
//!
//! A parser does not fail on a bad line: it returns what it could parse, and reports how it treated the rest.
//! [`LoadError`] is for sources that cannot be read at all. Nothing here prints, and nothing here writes a source.

pub mod anonymise;
pub mod contributions;
pub mod convert;
pub mod csv;
pub mod desired;
pub mod example;
pub mod flux;
pub mod input;
pub mod jobs;
mod load_error;
mod loss;
pub mod native;
pub(crate) mod pasted;
pub mod pbs;
pub mod problem;
mod request;
pub mod series;
mod sheet;
pub mod slurm;
mod stated;
pub(crate) mod text;

pub use crate::model::Format;
pub use example::{Example, is_example};
pub(crate) use input::{Kind, Recognized};
pub use jobs::History;
pub use load_error::{EditedDump, LoadError, LoadResult, Refusal};
pub use loss::{Conversion, Fault, Loss, Named};
pub use problem::{Problem, Problems, Severity};
pub use request::{
    FilesBeside, LIVE_PATH, OnProgress, Progress, ProgressUnit, Request, SourceKind,
};
pub use series::Series;

use crate::model::Snapshot;
use crate::rules::policy::Policy;
use slurm::companions::Companions;
use std::path::PathBuf;

/// Opens the source that a scenario refers to.
pub type OpenSource<'a> = &'a dyn Fn(&Request, OnProgress<'_>) -> LoadResult<Loaded>;

/// One edit of a saved scenario, as text of the edit language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEdit {
    /// The edit: `shares group1/bob=20`.
    pub text: String,
    /// The reason, in the user's words; empty if none was given.
    pub reason: String,
    /// Its line in the file.
    pub line: usize,
}

/// A scenario as written in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedScenario {
    /// The name that distinguishes it from others in the file; empty for an only scenario without a name.
    pub name: String,
    /// Its policy; `None` leaves it to the source.
    pub policy: Option<Policy>,
    /// Its edits, not yet applied.
    pub edits: Vec<SavedEdit>,
}

/// The result of loading.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree and its settings.
    pub snapshot: Snapshot,
    /// What was odd or wrong.
    pub problems: Problems,
    /// The policy that the source names, or of a scenario file the scenario in front; `None` if neither names one.
    pub policy: Option<Policy>,
    /// The scenarios, if a scenario file was opened.
    pub scenarios: Option<LoadedScenarios>,
    /// What a scenario file of this tree refers to.
    pub reference: native::Reference,
    /// The series it belongs to, if any.
    pub series: Option<Series>,
    /// The outputs about its jobs that were found with it.
    pub companions: Companions,
    /// The files of a directory of outputs that make the tree, in the order in which they are combined; empty if the
    /// request names them.
    pub read: Vec<PathBuf>,
}

/// The scenarios of a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedScenarios {
    /// The file, to which they are saved.
    pub path: PathBuf,
    /// The scenarios in the order of the file.
    pub list: Vec<SavedScenario>,
    /// The place of the one that is shown first.
    pub front: usize,
}

impl Loaded {
    /// Creates the result for a tree alone.
    pub(crate) fn new(snapshot: Snapshot, problems: Problems) -> Self {
        Self {
            snapshot,
            problems,
            policy: None,
            scenarios: None,
            reference: native::Reference::default(),
            series: None,
            companions: Companions::default(),
            read: Vec::new(),
        }
    }
}
