//! A directory of outputs, whatever their names: each file is examined, and all outputs of one cluster and one moment
//! form one tree. Outputs that `fairscope snapshot` or an admin saved together are known by their names.

mod select;

use super::Opening;
use super::detect::Recognition;
use crate::base::number::counted;
use crate::base::shell::word;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::{self, PathKind};
use crate::format::problem::{Place, Problems};
use crate::format::slurm::companions::{CompanionSource, Companions};
use crate::format::slurm::config::{self, Config};
use crate::format::slurm::rows::Rows;
use crate::format::{Format, Kind, LoadError, LoadResult, Loaded, OnProgress, Request, slurm};
use crate::model::{Origin, Scheduler};
use jiff::tz::TimeZone;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// How much of a file is examined to detect its format.
const START: usize = 256 << 10;

/// How many files are named in a note.
const MOST_NAMED: usize = 6;

/// How many files of a directory are examined.
const MOST: usize = 500;

/// The file that `fairscope snapshot` writes beside the outputs, for people.
pub(crate) const ABOUT: &str = "fairscope-snapshot.txt";

/// The names under which outputs of Slurm's commands are saved, best source first.
const SLURM_FILES: &[&str] = &[
    "sshare.json",
    "sshare.txt",
    "assoc_mgr.txt",
    "sacctmgr_assoc.txt",
    "sacctmgr_dump.cfg",
    "scontrol_config.txt",
];

/// The name of a flux-accounting database.
pub(crate) const FLUX_FILE: &str = "FluxAccounting.db";

/// The name under which Flux's printed banks are saved.
pub(crate) const VIEW_BANK_FILE: &str = "view_bank.txt";

struct SlurmOutput {
    path: PathBuf,
    rows: Rows,
}

#[derive(Default)]
struct FoundContents {
    parts: Vec<SlurmOutput>,
    configs: Vec<(PathBuf, Config)>,
    companions: Companions,
    /// Trees of other kinds than Slurm's.
    others: Vec<(PathBuf, Format)>,
    /// Files that are not read, each with the reason.
    left_out: Vec<(PathBuf, Shown)>,
    /// Files that could not be read, each with the error of the system.
    unread: Vec<(PathBuf, Shown)>,
}

impl FoundContents {
    fn leave_out(&mut self, reason: impl Fn(&SlurmOutput) -> Option<Shown>) {
        for part in std::mem::take(&mut self.parts) {
            match reason(&part) {
                None => self.parts.push(part),
                Some(reason) => self.left_out.push((part.path, reason)),
            }
        }
    }
}

/// Returns the scheduler whose outputs are saved in a directory, by their names; `None` if there are none.
pub(super) fn scheduler(directory: &Path) -> LoadResult<Option<Scheduler>> {
    if is_file(&directory.join(FLUX_FILE))? {
        return Ok(Some(Scheduler::Flux));
    }
    let mut is_of_slurm = false;
    for name in SLURM_FILES {
        is_of_slurm |= is_file(&directory.join(name))?;
    }
    if is_of_slurm {
        return Ok(Some(Scheduler::Slurm));
    }
    let is_of_flux = is_file(&directory.join(VIEW_BANK_FILE))?;
    Ok(is_of_flux.then_some(Scheduler::Flux))
}

/// Returns whether a path is a file; `false` if it is a directory, or nothing is there.
pub(super) fn is_file(path: &Path) -> LoadResult<bool> {
    Ok(input::find(path)? == Some(PathKind::File))
}

/// Returns the entries of a directory by name, without hidden ones.
pub(super) fn entries(folder: &Path) -> LoadResult<Vec<PathBuf>> {
    let failed = |error| LoadError::read(input::name(folder), &error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_hidden = |name: &OsStr| name.as_bytes().starts_with(b".");
        if !path.file_name().is_none_or(is_hidden) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns the files of a directory by name, without hidden ones.
pub(super) fn files(folder: &Path) -> LoadResult<Vec<PathBuf>> {
    let mut paths = entries(folder)?;
    // What cannot be looked at is listed, so that its reader says why.
    paths.retain(|path| {
        let is_directory = || matches!(input::look(path), Ok(PathKind::Directory));
        path.file_name() != Some(ABOUT.as_ref()) && !is_directory()
    });
    Ok(paths)
}

/// Opens the contents of a directory as one tree, or returns `None` if no file is of a known format.
pub(super) fn open(
    request: &Request,
    report: OnProgress<'_>,
    opening: Opening,
) -> LoadResult<Option<Loaded>> {
    let mut contents = look_into(request, &mut *report)?;
    let mut problems = Problems::of(input::name(request.path()));
    if contents.parts.is_empty() {
        if let Some((path, error)) = contents.unread.pop() {
            let path = input::name(&path);
            return Err(LoadError::Read { path, error });
        }
        let (folder, word) = (&problems.file, word(request.path(), "DIRECTORY"));
        return match &contents.others[..] {
            [] => Ok(None),
            [(path, _)] => super::open(&request.with_path(path.clone()), report, opening).map(Some),
            [(one, _), .., (other, _)] => Err(LoadError::Refused(sentence!(
                "{folder} contains several different trees, such as {} and {}; open one of them, or use fairscope \
                 timeline {word} if they are one tree at several times",
                file_name(one),
                file_name(other)
            ))),
        };
    }
    let others = contents.others.drain(..).map(|(path, format)| {
        let reason = sentence!("it is {}, another tree", format.name());
        (path, reason)
    });
    contents.left_out.extend(others);
    for (path, error) in &contents.unread {
        let message = sentence!("{} could not be read: {error}", file_name(path));
        let advice = "numbers that only this file has are missing; copy it again, or remove it";
        problems.refuse(Place::WHOLE, "directory-unread", message, advice);
    }
    let cluster = select::keep_one_cluster(&mut contents, request, &mut problems)?;
    select::keep_one_moment(&mut contents, &mut problems);
    select::keep_one_tree(&mut contents);
    select::sort(&mut contents.parts);
    // The last one counts: the one that the user named, else the newest.
    let is_named = |path: &Path| request.beside.config.as_deref() == Some(path);
    let configs = &mut contents.configs;
    configs.sort_by_key(|(path, config)| (is_named(path), config.taken));
    let parts = contents.parts.iter().map(|part| &part.path);
    let read = parts.chain(contents.configs.iter().map(|(path, _)| path));
    let read: Vec<String> = read.map(|path| file_name(path)).collect();
    if !contents.left_out.is_empty() {
        let reasons = contents.left_out.iter();
        let reasons = reasons.map(|(path, reason)| format!("{} ({reason})", file_name(path)));
        let reasons: Vec<String> = reasons.collect();
        let mut were_read = format!("{} read", counted(read.len(), "file was", "files were"));
        // If there are few, all of them are listed as origins of the source.
        if read.len() <= MOST_NAMED {
            were_read = format!("{were_read}: {}", read.join(", "));
        }
        let message = sentence!(
            "{were_read}; {} not: {}",
            counted(reasons.len(), "was", "were"),
            reasons.join("; ")
        );
        let advice = "ignore this unless a file belongs to this tree";
        problems.note(Place::WHOLE, "directory-left-out", message, advice);
    }
    let wanted = Request {
        cluster: request.cluster.clone().or(cluster),
        ..request.clone()
    };
    let parts = contents.parts.into_iter().map(|part| part.rows).collect();
    let configs = contents.configs.into_iter().map(|(_, config)| config);
    let configs: Vec<Config> = configs.collect();
    let mut loaded = slurm::assemble::assemble(parts, &configs, &wanted)?;
    let origins = &mut loaded.snapshot.source.origins;
    origins.insert(0, Origin::Read(read));
    loaded.problems.append(problems);
    loaded.companions = contents.companions;
    Ok(Some(loaded))
}

/// Reads every file whose beginning is of a known format.
fn look_into(request: &Request, report: OnProgress<'_>) -> LoadResult<FoundContents> {
    let mut contents = FoundContents::default();
    let given = request
        .source
        .more()
        .iter()
        .chain(&request.beside.config)
        .cloned();
    let found = files(request.path())?;
    let zone = request.history.zone();
    let count = found.len();
    let (found, rest) = found.split_at(count.min(MOST));
    for path in rest {
        let reason = sentence!("only the first {MOST} files are looked at");
        contents.left_out.push((path.clone(), reason));
    }
    for path in found.iter().cloned().chain(given) {
        match look_at(&path, &zone, &mut contents, &mut *report) {
            Ok(()) => {}
            Err(LoadError::Cancelled) => return Err(LoadError::Cancelled),
            Err(LoadError::Read { error, .. }) => contents.unread.push((path, error)),
            Err(error) => {
                // The advice what to run instead is meant for opening the file alone.
                contents.left_out.push((path, error.reason()));
            }
        }
    }
    Ok(contents)
}

/// Reads a file if its beginning is of a known format. `zone` is that of local times.
fn look_at(
    path: &Path,
    zone: &TimeZone,
    contents: &mut FoundContents,
    report: OnProgress<'_>,
) -> LoadResult<()> {
    if super::flux::is_database(path)? {
        contents.others.push((path.to_owned(), Format::FluxDb));
        return Ok(());
    }
    let start = input::read_start(path, START)?;
    if start.bytes.is_empty() {
        return Err(LoadError::Refused("it is empty".into()));
    }
    let recognition = Recognition::of(path, &start.bytes);
    let start = recognition.applied(start).input;
    if !matches!(recognition.kind, Some(Kind::Companion(_))) {
        input::check(&start)?;
    }
    match recognition.kind {
        Some(Kind::Tree(format)) if format.is_slurm() => {
            let source = recognition.applied(input::read(path, &mut *report)?);
            let mut rows = slurm::read(format, &source.input, report)?;
            rows.problems.append(source.problems);
            contents.parts.push(SlurmOutput {
                path: path.to_owned(),
                rows,
            });
        }
        Some(Kind::Tree(format)) => contents.others.push((path.to_owned(), format)),
        Some(Kind::Settings) => {
            let input = recognition.applied(input::read(path, report)?).input;
            let config = config::read(&input, zone)?;
            contents.configs.push((path.to_owned(), config));
        }
        Some(Kind::Companion(kind)) => {
            let file = CompanionSource::File(path.to_owned());
            contents.companions.0.push((kind, file));
        }
        None => {
            let refusal = input::refuse_recognised(&start);
            let unknown = || LoadError::Refused("text in an unknown format".into());
            return Err(refusal.map_or_else(unknown, LoadError::Unfit));
        }
    }
    Ok(())
}

pub(super) fn file_name(path: &Path) -> String {
    shown(path.file_name().unwrap_or_default().as_bytes()).into()
}
