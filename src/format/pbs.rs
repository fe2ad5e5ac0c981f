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
use super::problem::{Place, Problems};
use super::text::first_of;
use super::{Format, LoadError, LoadResult, Loaded, OnProgress, Request};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{
    Formula, Kind, NodeId, Origin, Pbs, Position, Recorded, Scheduler, Settings, Shares, Snapshot,
    Source, Tree, TreeBuilder,
};
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

const ROOT_NAME: &[u8] = b"TREEROOT";

/// The shares that PBS gives the root. They divide nothing.
const ROOT_SHARES: i64 = -1;

/// The group of entities that `resource_group` does not name.
const UNKNOWN_NAME: &[u8] = b"unknown";

const UNKNOWN_GROUP: i32 = 1;

/// The number of nodes of a PBS tree before any line is read: the root and `unknown`.
const OWN_NODES: usize = 2;

/// The file of the `job_sort_formula` that the server writes in `sched_priv` for the scheduler.
pub(super) const SCHED_FORMULA: &str = "sched_formula";

/// Returns the names that a parent may have above the first line of a `resource_group`.
pub(crate) fn names_before_lines() -> HashSet<&'static [u8]> {
    HashSet::from([&b"root"[..], ROOT_NAME, UNKNOWN_NAME])
}

/// The files of one scheduler, not yet parsed.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Files {
    pub resource_group: Input,
    pub usage: Option<Input>,
    pub sched_config: Option<Input>,
    /// The formula, if the server wrote a file of it.
    pub sched_formula: Option<Input>,
    /// The directory in which they were found, if one was opened.
    pub directory: Option<PathBuf>,
}

/// The tree and settings that PBS builds from its files.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Parsed {
    /// In PBS's order.
    pub tree: Tree,
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

impl Files {
    /// Reads the files of a directory that contains `resource_group`. Files that the request names take precedence.
    pub(crate) fn of_directory(
        directory: &Path,
        request: &Request,
        report: OnProgress<'_>,
    ) -> LoadResult<Self> {
        let beside = |named: &Option<PathBuf>, name: &str| -> LoadResult<_> {
            if named.is_some() {
                return Ok(named.clone());
            }
            let path = directory.join(name);
            Ok(input::is_there(&path)?.then_some(path))
        };
        let usage = beside(&request.beside.usage, "usage")?;
        let sched_config = beside(&request.beside.sched_config, "sched_config")?;
        let sched_formula = beside(&None, SCHED_FORMULA)?;
        Ok(Self {
            resource_group: input::read_as_is(&directory.join("resource_group"), &mut *report)?,
            usage: read_optional(usage.as_deref(), &mut *report)?,
            sched_config: read_optional(sched_config.as_deref(), &mut *report)?,
            sched_formula: read_optional(sched_formula.as_deref(), report)?,
            directory: Some(directory.to_owned()),
        })
    }

    /// Adds the files that the request names to a `resource_group` that is already read.
    pub(crate) fn beside(
        resource_group: Input,
        request: &Request,
        report: OnProgress<'_>,
    ) -> LoadResult<Self> {
        Ok(Self {
            resource_group,
            usage: read_optional(request.beside.usage.as_deref(), &mut *report)?,
            sched_config: read_optional(request.beside.sched_config.as_deref(), report)?,
            ..Self::default()
        })
    }

    fn source(&self, request: &Request, settings: &Settings) -> Source {
        let path = match &self.directory {
            Some(directory) => directory,
            None => request.path(),
        };
        let whole = std::fs::canonicalize(path);
        let name = match path.file_name() {
            None => whole.as_deref().ok().and_then(Path::file_name),
            name => name.filter(|name| *name != "-"),
        };
        let title = name.map_or_else(|| input::name(path), |name| shown(name.as_bytes()));
        let dated = self.usage.as_ref().unwrap_or(&self.resource_group);
        Source {
            format: Format::Pbs,
            path: request.file_name(),
            title,
            taken: dated.modified,
            usage_unit: settings.pbs.fairshare_usage_res.clone(),
            ..Source::default()
        }
    }
}

/// Returns the settings that the scheduler takes from a `sched_config`, whatever it complains about.
pub(crate) fn settings(sched_config: &[u8]) -> Pbs {
    sched_config::parse(sched_config, Shown::default()).0
}

fn read_optional(path: Option<&Path>, report: OnProgress<'_>) -> LoadResult<Option<Input>> {
    path.map(|path| input::read_as_is(path, report)).transpose()
}

pub(crate) fn open_directory(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
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
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries.filter_map(Result::ok),
        Err(error) => return LoadError::read(name, &error),
    };
    let names = entries.map(|entry| shown(entry.file_name().as_bytes()));
    let mut entries: Vec<Shown> = names.collect();
    entries.sort();
    let held = match &entries[..] {
        [] => "is empty".to_owned(),
        entries => format!("holds {}", first_of(entries, LISTED)),
    };
    LoadError::Refused(sentence!(
        "{name} is a directory without resource_group: it {held}; expected PBS's sched_priv directory or PBS_HOME above it, usually /var/spool/pbs"
    ))
}

pub(crate) fn load(files: &Files, request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    let parsed = parse(files, report)?;
    let mut source = files.source(request, &parsed.settings);
    if let (Some(_), Some(formula)) = (&files.sched_formula, &parsed.settings.formula.set) {
        let formula = shown_text(formula.as_bytes());
        source.origins.push(Origin::SchedFormula(formula.into()));
    }
    let snapshot = Snapshot::new(parsed.tree, parsed.settings, source, Recorded::default());
    Ok(Loaded::new(snapshot, parsed.problems))
}

/// Parses the files as PBS does; fails only if the user cancelled.
pub fn parse(files: &Files, report: OnProgress<'_>) -> LoadResult<Parsed> {
    let (mut settings, of_config) = match &files.sched_config {
        Some(config) => sched_config::parse(&config.bytes, config.name()),
        None => (Pbs::default(), Problems::default()),
    };
    let mut builder = TreeBuilder::new(ROOT_NAME);
    builder.set_shares(NodeId::ROOT, Shares::new(ROOT_SHARES));
    let name = builder.intern(UNKNOWN_NAME);
    let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::First);
    builder.set_shares(unknown, Shares::new(i64::from(settings.unknown_shares)));
    builder.set_group(unknown, UNKNOWN_GROUP);
    builder.follow_pbs(unknown);

    let group = &files.resource_group;
    let mut stderr = Vec::new();
    let mut problems = resource_group::parse(group, &mut builder, &mut stderr, &mut *report)?;
    // With shares for `unknown` an empty file is a way to give everyone the same.
    if builder.len() == OWN_NODES && settings.unknown_shares == 0 {
        let bars = if settings.fairshare_enforce_no_shares {
            "PBS runs no job, because fairshare_enforce_no_shares is true, its default"
        } else {
            "all jobs tie"
        };
        let message = sentence!(
            "no line defines a node, so the tree has only the group unknown, which PBS adds itself, and nobody has a \
             target; while fair_share is true {bars}"
        );
        let advice = "check what should have written the file; a line is a name, a group number, a parent and shares";
        problems.warn(Place::WHOLE, "pbs-no-nodes", message, advice);
    }
    if let Some(usage) = &files.usage {
        let (last_decay, of_usage) = usage::parse(usage, &mut builder, unknown, report)?;
        settings.last_decay = last_decay;
        problems.append(of_usage);
    } else {
        let beside = files.directory.as_ref();
        let beside = beside.map(|folder| input::name(&folder.join("usage")));
        let mut of_usage = Problems::of(beside.unwrap_or_else(|| group.name()));
        let message = "there is no usage file; every entity begins with a usage of 1";
        let advice = "name one with --usage if there is one";
        of_usage.note(Place::WHOLE, "pbs-no-usage", message, advice);
        problems.append(of_usage);
        stderr.extend_from_slice(b"Creating usage database for fairshare.\n");
    }
    problems.append(of_config);
    let formula = files.sched_formula.as_ref();
    Ok(Parsed {
        tree: builder.build(),
        settings: Settings {
            scheduler: Some(Scheduler::Pbs),
            pbs: settings,
            formula: Formula {
                set: formula.and_then(|input| formula_in(&input.bytes)),
                ..Formula::default()
            },
            ..Settings::default()
        },
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
    let first = bytes.iter().position(|&byte| byte == b'\n')?;
    let formula = String::from_utf8_lossy(&bytes[first + 1..]);
    let formula = formula.strip_suffix('\n').unwrap_or(&formula);
    (!formula.trim().is_empty()).then(|| formula.to_owned())
}
