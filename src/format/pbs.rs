//! PBS's own files: a `sched_priv` directory with `resource_group`, `usage` and `sched_config`.
//!
//! They are read as the scheduler reads them, bit for bit, including its quirks. The screen shows the tree that PBS
//! builds from the files, and the problems say where the admin probably meant something else.

pub mod accounting;
mod line;
mod number;
mod resource_group;
mod sched_config;
mod usage;
pub(crate) mod write;

pub(crate) use line::{Entry, Line, lines, node};

use super::input::{self, Input};
use super::problem::{Place, Problems, problems};
use super::text::first_of;
use super::{Format, LoadError, LoadResult, Loaded, OnProgress, Request, SourceKind};
use crate::base::disk;
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{
    Kind, NodeId, Origin, Pbs, Position, Recorded, Scheduler, Settings, Shares, Snapshot, Source,
    Tree, TreeBuilder,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The name of the root.
const ROOT_NAME: &[u8] = b"TREEROOT";

/// The shares that PBS gives the root. They divide nothing.
const ROOT_SHARES: i64 = -1;

/// The group of entities that `resource_group` does not name.
const UNKNOWN_NAME: &[u8] = b"unknown";

/// The group number of that group.
const UNKNOWN_GROUP: i32 = 1;

/// The number of nodes of a PBS tree before any line is read: the root and `unknown`.
const OWN_NODES: usize = 2;

/// The file of the `job_sort_formula` that the server writes in `sched_priv` for the scheduler.
pub(crate) const SCHED_FORMULA: &str = "sched_formula";

problems! {
    /// What is missing in the files of a scheduler.
    enum FilesProblem {
        NoNodes { consequence: &'static str }, Warning "pbs-no-nodes",
            "no line defines a node, so the tree has only the group unknown, which PBS adds itself, and nobody has a \
             target; while fair_share is true {consequence}",
            "check what should have written the file; a line is a name, a group number, a parent and shares";
        NoUsage, Note "pbs-no-usage",
            "there is no usage file; every entity begins with a usage of 1",
            "name one with --usage if there is one";
    }
}

/// Returns the names that a parent may have above the first line of a `resource_group`.
pub(crate) fn names_before_lines() -> HashSet<&'static [u8]> {
    HashSet::from([&b"root"[..], ROOT_NAME, UNKNOWN_NAME])
}

/// The files of one scheduler, not yet parsed.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The tree without its usage.
    pub resource_group: Input,
    /// The usage; `None` if nothing was recorded yet.
    pub usage: Option<Input>,
    /// The settings; `None` for PBS's defaults.
    pub sched_config: Option<Input>,
    /// The formula, if the server wrote a file of it.
    pub sched_formula: Option<Input>,
    /// The directory in which they were found, if one was opened.
    pub directory: Option<PathBuf>,
}

/// The tree and settings that PBS builds from its files.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// In PBS's order.
    pub tree: Tree,
    /// The settings, with the time of the last decay.
    pub settings: Settings,
    /// What is wrong or odd: `resource_group` first, then `usage`, then `sched_config`, each in its own order.
    pub problems: Problems,
    /// What `pbsfs` writes about them on standard error.
    pub stderr: Vec<u8>,
}

/// Returns the directory that contains `resource_group`: the given one, or `sched_priv` in it if that is `PBS_HOME`.
/// `None` if there is no such file.
pub(crate) fn sched_priv(directory: &Path) -> LoadResult<Option<PathBuf>> {
    for directory in [directory.to_owned(), directory.join("sched_priv")] {
        if input::is_there(&directory.join("resource_group"))? {
            return Ok(Some(directory));
        }
    }
    Ok(None)
}

/// Returns whether a file has the name of the tree in `sched_priv`.
pub(crate) fn is_called_resource_group(path: &Path) -> bool {
    path.file_name() == Some("resource_group".as_ref())
}

/// Returns the request for the whole `sched_priv` if one names the `resource_group` in it alone: its `usage` lies beside
/// it. `None` for any other request.
pub(crate) fn whole(request: &Request) -> LoadResult<Option<Request>> {
    let beside = &request.beside;
    let SourceKind::Path { path, more } = &request.source else {
        return Ok(None);
    };
    let names_others = !more.is_empty() || beside.usage.is_some() || beside.sched_config.is_some();
    if names_others || !is_called_resource_group(path) {
        return Ok(None);
    }
    let mut directory = path.with_file_name("");
    if directory.as_os_str().is_empty() {
        directory = PathBuf::from(".");
    }
    if !input::is_there(path)? || !input::is_there(&directory.join("usage"))? {
        return Ok(None);
    }
    let mut whole = request.clone();
    whole.source = SourceKind::Path {
        path: directory,
        more: Vec::new(),
    };
    Ok(Some(whole))
}

impl Files {
    /// Reads the files of a directory that contains `resource_group`. Files that the request names take precedence.
    pub(crate) fn of_directory(
        directory: &Path,
        request: &Request,
        report: OnProgress,
    ) -> LoadResult<Self> {
        let path = directory.join("resource_group");
        let resource_group = input::read_as_is(&path, &mut *report)?;
        let mut files = Self::beside(resource_group, request, &mut *report)?;
        if files.usage.is_none() {
            files.usage = read_in(directory, "usage", &mut *report)?;
        }
        if files.sched_config.is_none() {
            files.sched_config = read_in(directory, "sched_config", &mut *report)?;
        }
        files.sched_formula = read_in(directory, SCHED_FORMULA, report)?;
        files.directory = Some(directory.to_owned());
        Ok(files)
    }

    /// Adds the files that the request names to a `resource_group` that is already read.
    pub(crate) fn beside(
        resource_group: Input,
        request: &Request,
        report: OnProgress,
    ) -> LoadResult<Self> {
        let mut files = Self {
            resource_group,
            ..Self::default()
        };
        if let Some(path) = &request.beside.usage {
            files.usage = Some(input::read_as_is(path, &mut *report)?);
        }
        if let Some(path) = &request.beside.sched_config {
            files.sched_config = Some(input::read_as_is(path, report)?);
        }
        Ok(files)
    }

    /// Returns the source of a snapshot of the files.
    fn source(&self, request: &Request, settings: &Settings) -> Source {
        let path = match &self.directory {
            Some(directory) => directory,
            None => request.path(),
        };
        let dated = self.usage.as_ref().unwrap_or(&self.resource_group);
        Source {
            format: Format::Pbs,
            path: request.file_name(),
            title: title(path),
            taken: dated.modified,
            usage_unit: settings.pbs.fairshare_usage_res.clone(),
            ..Source::default()
        }
    }
}

/// Returns the title of the source of a path: the name of the file or the directory.
fn title(path: &Path) -> Shown {
    if let Some(name) = path.file_name() {
        if name == "-" {
            return input::name(path);
        }
        return shown(name.as_encoded_bytes());
    }
    // A path such as .. has no name of its own.
    let canonical = disk::canonicalize(path).unwrap_or_default();
    match canonical.file_name() {
        Some(name) => shown(name.as_encoded_bytes()),
        None => input::name(path),
    }
}

/// Reads a file of a directory; `None` if it has no such file.
fn read_in(directory: &Path, name: &str, report: OnProgress) -> LoadResult<Option<Input>> {
    let path = directory.join(name);
    if input::is_there(&path)? {
        Ok(Some(input::read_as_is(&path, report)?))
    } else {
        Ok(None)
    }
}

/// Returns the settings that the scheduler takes from a `sched_config`, whatever it complains about.
pub(crate) fn settings(sched_config: &[u8]) -> Pbs {
    sched_config::parse(sched_config, Shown::default()).0
}

/// Opens the directory of a request: `sched_priv`, or `PBS_HOME` above it.
pub(crate) fn open_directory(request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    let Some(directory) = sched_priv(request.path())? else {
        return Err(no_resource_group(request.path()));
    };
    let files = Files::of_directory(&directory, request, &mut *report)?;
    input::check(&files.resource_group)?;
    load(&files, request, report)
}

/// Returns the error for a directory without PBS's files, which names what it contains instead.
fn no_resource_group(directory: &Path) -> LoadError {
    const LISTED: usize = 4;
    let name = input::name(directory);
    let entries = match disk::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return LoadError::read(name, &error),
    };
    let mut names: Vec<Shown> = Vec::new();
    for entry in entries.flatten() {
        names.push(shown(entry.file_name().as_encoded_bytes()));
    }
    names.sort();
    let held = if names.is_empty() {
        sentence!("is empty")
    } else {
        sentence!("holds no tree, only {}", first_of(&names, LISTED))
    };
    let word = word(directory, "DIR");
    LoadError::Refused(sentence!(
        "{name} {held}; save sshare -a -l -P > {word}/sshare.txt (Slurm), or open sched_priv, usually /var/spool/pbs/sched_priv (PBS)"
    ))
}

/// Opens files that are read already.
pub(crate) fn load(files: &Files, request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    let parsed = parse(files, report)?;
    let mut source = files.source(request, &parsed.settings);
    if let Some(formula) = &parsed.settings.formula.set {
        let formula = shown_text(formula.as_bytes());
        source.origins.push(Origin::SchedFormula(formula.into()));
    }
    let snapshot = Snapshot::new(parsed.tree, parsed.settings, source, Recorded::default());
    Ok(Loaded::new(snapshot, parsed.problems))
}

/// Parses the files as PBS does; fails only if the user cancelled.
pub fn parse(files: &Files, report: OnProgress) -> LoadResult<Parsed> {
    let mut settings = Settings {
        scheduler: Some(Scheduler::Pbs),
        ..Settings::default()
    };
    let mut of_config = Problems::default();
    if let Some(config) = &files.sched_config {
        (settings.pbs, of_config) = sched_config::parse(&config.bytes, config.name());
    }
    if let Some(formula) = &files.sched_formula {
        settings.formula.set = formula_in(&formula.bytes);
    }
    let mut builder = TreeBuilder::new(ROOT_NAME);
    builder.set_shares(NodeId::ROOT, Shares::new(ROOT_SHARES));
    let name = builder.intern(UNKNOWN_NAME);
    let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::First);
    let unknown_shares = settings.pbs.unknown_shares.into();
    builder.set_shares(unknown, Shares::new(unknown_shares));
    builder.set_group(unknown, UNKNOWN_GROUP);
    builder.follow_pbs(unknown);

    let group = &files.resource_group;
    let mut stderr = Vec::new();
    let mut problems = resource_group::parse(group, &mut builder, &mut stderr, &mut *report)?;
    // With shares for `unknown` an empty file is a way to give everyone the same.
    if builder.len() == OWN_NODES && unknown_shares == 0 {
        let consequence = if settings.pbs.fairshare_enforce_no_shares {
            "PBS runs no job, because fairshare_enforce_no_shares is true, its default"
        } else {
            "all jobs tie"
        };
        problems.report(Place::WHOLE, FilesProblem::NoNodes { consequence });
    }
    if let Some(usage) = &files.usage {
        let (last_decay, of_usage) = usage::parse(usage, &mut builder, unknown, report)?;
        settings.pbs.last_decay = last_decay;
        problems.append(of_usage);
    } else {
        let expected = match &files.directory {
            Some(directory) => input::name(&directory.join("usage")),
            None => group.name(),
        };
        problems.report(expected, FilesProblem::NoUsage);
        stderr.extend_from_slice(b"Creating usage database for fairshare.\n");
    }
    problems.append(of_config);
    Ok(Parsed {
        tree: builder.build(),
        settings,
        problems,
        stderr,
    })
}

/// Returns the formula in the bytes of a `sched_formula`, or `None` if there is none after the first line, which is a
/// comment. The server leaves the file in place when the formula is unset.
///
/// Follows `write_job_sort_formula` of the server (`src/server/sched_func.c`) and `read_formula` of the scheduler
/// (`src/scheduler/server_info.cpp`) of OpenPBS 23.06.
fn formula_in(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let (_, rest) = text.split_once('\n')?;
    let formula = rest.strip_suffix('\n').unwrap_or(rest);
    if formula.trim().is_empty() {
        return None;
    }
    Some(formula.to_owned())
}
