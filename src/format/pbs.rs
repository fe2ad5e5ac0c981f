//! PBS's own files: a `sched_priv` directory with `resource_group`, `usage` and `sched_config`.
//!
//! They are read as the scheduler reads them, bit for bit, including its quirks. The screen shows the tree that PBS
//! builds from the files, and the problems say where the admin probably meant something else.

mod complaint;
mod line;
mod resource_group;
mod sched_config;
mod sched_formula;
mod strtol;
mod usage;
pub mod write;

pub use complaint::{Complaint, Fault, File};
pub(crate) use line::is_node;
pub use line::{Entry, Line, lines};

pub(crate) use sched_formula::NAME as SCHED_FORMULA;

use super::input::{self, Input};
use super::{Format, LoadError, Loaded, OnProgress, Problems, Request};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{
    Formula, Kind, NodeId, Origin, Pbs, Position, Scheduler, Settings, Shares, Snapshot, Source,
    Tree, TreeBuilder,
};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// PBS's name of the root.
const ROOT_NAME: &[u8] = b"TREEROOT";

/// The shares that PBS gives the root. They divide nothing.
const ROOT_SHARES: i64 = -1;

/// The group of entities that `resource_group` does not name.
const UNKNOWN_NAME: &[u8] = b"unknown";

/// The group number of `unknown`.
const UNKNOWN_GROUP: i32 = 1;

/// The number of nodes of a PBS tree before any line is read: the root and `unknown`.
const OWN_NODES: usize = 2;

/// The files of one scheduler, not yet parsed.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The tree.
    pub resource_group: Input,
    /// The usage, if there is a file.
    pub usage: Option<Input>,
    /// The settings, if there is a file.
    pub sched_config: Option<Input>,
    /// The formula, if the server wrote a file of it.
    pub sched_formula: Option<Input>,
    /// The directory in which they were found, if one was opened.
    pub directory: Option<PathBuf>,
}

/// The tree and settings that PBS builds from its files.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, in PBS's order.
    pub tree: Tree,
    /// The settings.
    pub settings: Settings,
    /// What is wrong or odd: `resource_group` first, then `usage`, then `sched_config`, each in its own order.
    pub complaints: Vec<Complaint>,
}

/// Returns the directory that contains `resource_group`: the given one, or `sched_priv` in it if that is `PBS_HOME`.
/// `None` if there is no such file.
///
/// # Errors
/// If it may not be looked into.
pub fn sched_priv(directory: &Path) -> Result<Option<PathBuf>, LoadError> {
    for directory in [directory.to_owned(), directory.join("sched_priv")] {
        if input::is_there(&directory.join("resource_group"))? {
            return Ok(Some(directory));
        }
    }
    Ok(None)
}

impl Files {
    /// Reads the files of a directory that contains `resource_group`. Files that the request names take precedence.
    ///
    /// # Errors
    /// If one of them exists and cannot be read, or the user cancelled.
    pub fn of_directory(
        directory: &Path,
        request: &Request,
        report: OnProgress<'_>,
    ) -> Result<Self, LoadError> {
        let beside = |named: &Option<PathBuf>, name: &str| -> Result<_, LoadError> {
            if named.is_some() {
                return Ok(named.clone());
            }
            let path = directory.join(name);
            Ok(input::is_there(&path)?.then_some(path))
        };
        let usage = beside(&request.usage, "usage")?;
        let sched_config = beside(&request.sched_config, "sched_config")?;
        let sched_formula = beside(&None, sched_formula::NAME)?;
        Ok(Self {
            resource_group: input::read_as_is(&directory.join("resource_group"), &mut *report)?,
            usage: read_optional(usage.as_deref(), &mut *report)?,
            sched_config: read_optional(sched_config.as_deref(), &mut *report)?,
            sched_formula: read_optional(sched_formula.as_deref(), report)?,
            directory: Some(directory.to_owned()),
        })
    }

    /// Adds the files that the request names to a `resource_group` that is already read.
    ///
    /// # Errors
    /// If one of them cannot be read, or the user cancelled.
    pub fn beside(
        resource_group: Input,
        request: &Request,
        report: OnProgress<'_>,
    ) -> Result<Self, LoadError> {
        Ok(Self {
            resource_group,
            usage: read_optional(request.usage.as_deref(), &mut *report)?,
            sched_config: read_optional(request.sched_config.as_deref(), report)?,
            sched_formula: None,
            directory: None,
        })
    }

    /// Returns the name of a file in messages.
    fn name(&self, file: File) -> Shown {
        let (given, usual) = match file {
            File::ResourceGroup => (Some(&self.resource_group), "resource_group"),
            File::Usage => (self.usage.as_ref(), "usage"),
            File::SchedConfig => (self.sched_config.as_ref(), "sched_config"),
        };
        match (given, &self.directory) {
            (Some(input), _) => input.name(),
            (None, Some(directory)) => input::name(&directory.join(usual)),
            (None, None) => self.resource_group.name(),
        }
    }

    fn source(&self, request: &Request, settings: &Settings) -> Source {
        let path = self.directory.as_ref().unwrap_or(&request.path);
        let whole = || std::fs::canonicalize(path).ok();
        let title = match path.file_name() {
            Some(name) if name != "-" => shown(name.as_bytes()),
            Some(_) => input::name(path),
            None => whole()
                .as_deref()
                .and_then(Path::file_name)
                .map_or_else(|| input::name(path), |name| shown(name.as_bytes())),
        };
        let dated = self.usage.as_ref().unwrap_or(&self.resource_group);
        Source {
            format: Format::Pbs,
            path: shown(request.path.as_os_str().as_bytes()),
            title,
            taken: dated.modified,
            usage_unit: settings.pbs.fairshare_usage_res.clone(),
            ..Source::default()
        }
    }
}

/// Returns the settings that the scheduler takes from a `sched_config`, whatever it complains about.
pub fn settings(sched_config: &[u8]) -> Pbs {
    sched_config::parse(sched_config, &mut Vec::new())
}

fn read_optional(path: Option<&Path>, report: OnProgress<'_>) -> Result<Option<Input>, LoadError> {
    path.map(|path| input::read_as_is(path, report)).transpose()
}

/// Opens a directory.
///
/// # Errors
/// If there is no `resource_group` in it, or a file cannot be read, or the user cancelled.
pub fn open_directory(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    let Some(directory) = sched_priv(&request.path)? else {
        return Err(no_resource_group(&request.path));
    };
    let files = Files::of_directory(&directory, request, &mut *report)?;
    input::check(&files.resource_group)?;
    load(&files, request, report)
}

/// Returns the error for a directory without PBS's files, which names what it contains instead.
fn no_resource_group(directory: &Path) -> LoadError {
    const LISTED: usize = 4;
    let name = input::name(directory);
    let mut entries: Vec<Shown> = match std::fs::read_dir(directory) {
        Ok(entries) => entries
            .filter_map(Result::ok)
            .map(|entry| shown(entry.file_name().as_bytes()))
            .collect(),
        Err(error) => {
            return LoadError::Read {
                path: name,
                error: Shown::error(&error),
            };
        }
    };
    entries.sort();
    let more = entries.len().saturating_sub(LISTED);
    entries.truncate(LISTED);
    let held = match (entries.is_empty(), more) {
        (true, _) => "is empty".to_owned(),
        (false, 0) => format!("holds {}", entries.join(", ")),
        (false, _) => format!("holds {} and {more} more", entries.join(", ")),
    };
    LoadError::Refused(sentence!(
        "{name} is a directory without resource_group: it {held}; expected PBS's sched_priv directory or PBS_HOME above it, usually /var/spool/pbs"
    ))
}

/// Builds a snapshot and problems from the files.
///
/// # Errors
/// If the user cancelled.
pub fn load(files: &Files, request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    let parsed = parse(files, report)?;
    let mut problems = Problems::default();
    let names = [File::ResourceGroup, File::Usage, File::SchedConfig].map(|file| files.name(file));
    for complaint in &parsed.complaints {
        problems.push_with(|| complaint.problem(&names[complaint.file as usize]));
    }
    let mut source = files.source(request, &parsed.settings);
    if let (Some(_), Some(formula)) = (&files.sched_formula, &parsed.settings.formula.set) {
        let formula = shown_text(formula.as_bytes());
        source.origins.push(Origin::SchedFormula(formula.into()));
    }
    Ok(Loaded::new(
        Snapshot {
            tree: parsed.tree,
            settings: parsed.settings,
            source,
            recorded: Arc::default(),
        },
        problems,
    ))
}

/// Parses the files as PBS does.
///
/// # Errors
/// If the user cancelled.
pub fn parse(files: &Files, report: OnProgress<'_>) -> Result<Parsed, LoadError> {
    let mut complaints = Vec::new();
    let mut of_config = Vec::new();
    let mut settings = match &files.sched_config {
        Some(config) => sched_config::parse(&config.bytes, &mut of_config),
        None => Pbs::default(),
    };
    let mut builder = TreeBuilder::new(ROOT_NAME);
    builder.set_shares(NodeId::ROOT, Shares::new(ROOT_SHARES));
    let name = builder.intern(UNKNOWN_NAME);
    let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::First);
    builder.set_shares(unknown, Shares::new(i64::from(settings.unknown_shares)));
    builder.set_group(unknown, UNKNOWN_GROUP);
    builder.follow_pbs(unknown);

    let group = &files.resource_group;
    resource_group::parse(group, &mut builder, &mut complaints, &mut *report)?;
    // With shares for `unknown` an empty file is a way to give everyone the same.
    if builder.len() == OWN_NODES && settings.unknown_shares == 0 {
        complaints.push(Complaint::of_file(File::ResourceGroup, Fault::NoNodes));
    }
    match &files.usage {
        Some(usage) => {
            settings.last_decay =
                usage::parse(usage, &mut builder, unknown, &mut complaints, report)?;
        }
        None => complaints.push(Complaint::of_file(File::Usage, Fault::NoUsage)),
    }
    complaints.append(&mut of_config);
    let formula = files.sched_formula.as_ref();
    Ok(Parsed {
        tree: builder.build(),
        settings: Settings {
            scheduler: Some(Scheduler::Pbs),
            pbs: settings,
            formula: Formula {
                set: formula.and_then(|input| sched_formula::parse(&input.bytes)),
                ..Formula::default()
            },
            ..Settings::default()
        },
        complaints,
    })
}
