//! Files in and out: what a scheduler or a person wrote becomes a [`Snapshot`] and a list of [`Problem`]s.
//!
//! A parser does not fail on a bad line: it returns what it understood and says what it made of the rest.
//! [`LoadError`] is for what cannot be read at all. Nothing here prints, and nothing here writes a source.

pub mod convert;
pub mod csv;
mod detect;
pub mod example;
pub mod input;
pub mod native;
pub mod pbs;
pub mod problem;
mod source;
mod text;

pub use example::{Example, example, is_example};
pub use problem::{Problem, Problems, Severity};

use crate::model::{SettingError, Settings, Shares, Snapshot};
use crate::policy::formula::{FORMULA, Formula, FormulaError};
use crate::table::table;
use input::Place;
use std::ops::ControlFlow;
use std::path::PathBuf;

table! {
    /// A kind of file fairscope opens.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Format {
        Pbs, "pbs", "a PBS sched_priv directory, or a resource_group file with --usage and --sched-config";
        Csv, "csv", "parent,name,shares,usage,type with a header line";
        Toml, "toml", "fairscope's own trees and scenarios";
    }
}

/// What to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The path; `-` is standard input, `example:NAME` a built-in tree, and so is an empty path.
    pub path: PathBuf,
    /// The format, where the user said it; else it is found from the content.
    pub format: Option<Format>,
    /// The usage file that goes with a `resource_group` file.
    pub usage: Option<PathBuf>,
    /// The `sched_config` that goes with a `resource_group` file.
    pub sched_config: Option<PathBuf>,
    /// `--set KEY=VALUE`, in order; they win over what the source says.
    pub settings: Vec<(String, String)>,
}

/// How far loading has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being read.
    pub file: String,
    /// Bytes read so far.
    pub bytes: u64,
    /// Bytes in all, where that is known.
    pub total: Option<u64>,
    /// Nodes made so far.
    pub nodes: usize,
}

/// Called now and then while loading; breaking off cancels.
pub type Report<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// One edit of a saved scenario, as text of the edit language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEdit {
    /// What to do: `shares group1/bob=20`.
    pub text: String,
    /// Why, in the user's words; empty if they gave none.
    pub reason: String,
    /// The line of the file it stands in.
    pub line: usize,
}

/// What loading gave.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree and its settings.
    pub snapshot: Snapshot,
    /// What was odd or wrong.
    pub problems: Problems,
    /// The policy the file asks for, by name.
    pub policy: Option<String>,
    /// The edits of a scenario, still to be applied; empty for anything else.
    pub edits: Vec<SavedEdit>,
    /// The path of the scenario file, where one was opened: what saving goes back to.
    pub scenario: Option<PathBuf>,
    /// The source as a scenario file refers to it.
    pub reference: native::Reference,
}

/// Why a source could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The source is not there, is of the wrong kind, or holds nothing we know. The sentence says what and how to mend.
    #[error("{0}")]
    Refused(String),
    /// Reading failed.
    #[error("{path}: {error}")]
    Read {
        /// The file, as it may be shown.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A `--set` that does not fit.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A `job_sort_formula` that is none.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The user cancelled.
    #[error("loading was cancelled")]
    Cancelled,
}

/// Opens a source: finds its format, reads it, and applies the settings of the request.
///
/// # Errors
/// If the source cannot be read at all, a setting does not fit, or the user cancelled.
pub fn load(request: &Request, report: Report<'_>) -> Result<Loaded, LoadError> {
    let mut loaded = open(request, report)?;
    if loaded.scenario.is_none() {
        loaded.reference = native::Reference::to(request);
    }
    let Snapshot {
        tree,
        settings,
        source,
    } = &mut loaded.snapshot;
    for (key, value) in &request.settings {
        settings.set(key, value)?;
        if key == "unknown_shares"
            && let Some(unknown) = tree.unknown()
        {
            // The shares of `unknown` and the setting are one number to PBS.
            let shares = i64::from(settings.pbs.unknown_shares);
            tree.set_shares(unknown, Shares::new(shares));
        }
        if key == "fairshare_usage_res" && source.format == Format::Pbs.name() {
            source.usage_unit.clone_from(value);
        }
    }
    check_formula(&request.settings, settings)?;
    Ok(loaded)
}

/// Whether a formula among the settings asked for is one, under all of them: a resource may be given after it.
///
/// # Errors
/// If it is none.
pub fn check_formula(asked: &[(String, String)], settings: &Settings) -> Result<(), FormulaError> {
    if asked.iter().any(|(key, _)| key == FORMULA) {
        Formula::of(settings)?;
    }
    Ok(())
}

fn open(request: &Request, report: Report<'_>) -> Result<Loaded, LoadError> {
    if is_example(&request.path) {
        return example::open(request, report);
    }
    if input::look(&request.path)? == Place::Directory {
        return match request.format {
            None | Some(Format::Pbs) => pbs::open_directory(request, report),
            Some(format) => Err(LoadError::Refused(format!(
                "{} is a directory, and {} is read from one file; give the path of the file",
                input::name(&request.path),
                format.name()
            ))),
        };
    }
    let input = input::read(&request.path, &mut *report)?;
    if input.bytes.is_empty() {
        return Err(LoadError::Refused(format!(
            "{} is empty; expected a tree: check what should have written it",
            input.name()
        )));
    }
    input::check(&input)?;
    let Some(format) = request.format.or_else(|| detect::detect(&input)) else {
        return Err(input::refuse_unknown(&input));
    };
    if format != Format::Pbs && (request.usage.is_some() || request.sched_config.is_some()) {
        return Err(LoadError::Refused(format!(
            "{} is {}; --usage and --sched-config go with a resource_group file of PBS only: leave them out",
            input.name(),
            format.name()
        )));
    }
    match format {
        Format::Pbs => {
            let files = pbs::Files::beside(input, request, &mut *report)?;
            pbs::load(&files, request, report)
        }
        Format::Csv => {
            input::check_lines(&input)?;
            csv::parse(input.bytes, request, report)
        }
        Format::Toml => {
            input::check_lines(&input)?;
            native::parse(input.bytes, request, report)
        }
    }
}
