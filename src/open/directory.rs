//! A directory of outputs, whatever their names: each file is examined, and all outputs of one cluster and one moment
//! form one tree. Outputs that `fairscope snapshot` or an admin saved together are known by their names.

mod select;

use super::Opening;
use super::detect::Recognition;
use super::refused;
use crate::base::disk;
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
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io;
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

/// An output of Slurm that was read.
struct SlurmOutput {
    /// Where it is.
    path: PathBuf,
    /// Its associations.
    rows: Rows,
}

/// The contents of a directory of a scheduler's outputs.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// The scheduler of the outputs.
    pub(crate) scheduler: Scheduler,
    /// When they were taken.
    pub(crate) taken: Timestamp,
    /// The names of the files, and the origin of each.
    pub(crate) files: Vec<(&'static str, Origin)>,
    /// The outputs that were not available.
    pub(crate) problems: Problems,
}

/// A file with Slurm's configuration.
struct ConfigFile {
    /// Where it is.
    path: PathBuf,
    /// What it states.
    config: Config,
}

/// A file with a tree of another kind than Slurm's.
struct OtherTree {
    /// Where it is.
    path: PathBuf,
    /// The format that its beginning shows.
    format: Format,
}

/// A file that is not used, and why.
struct UnusedFile {
    /// Where it is.
    path: PathBuf,
    /// Why it is not used, as a clause.
    reason: Shown,
}

/// What the files of a directory hold.
#[derive(Default)]
struct FoundContents {
    /// Outputs that make one tree together.
    parts: Vec<SlurmOutput>,
    /// Files with settings.
    configs: Vec<ConfigFile>,
    /// Outputs about jobs, partitions and QOS.
    companions: Companions,
    /// Trees that are no outputs of Slurm.
    others: Vec<OtherTree>,
    /// Files that are not read.
    left_out: Vec<UnusedFile>,
    /// Files that could not be read, with the errors of the system.
    unread: Vec<UnusedFile>,
}

impl FoundContents {
    /// Leaves out the outputs for which there is a reason.
    fn leave_out(&mut self, reason: impl Fn(&SlurmOutput) -> Option<Shown>) {
        for part in std::mem::take(&mut self.parts) {
            match reason(&part) {
                None => self.parts.push(part),
                Some(reason) => self.left_out.push(UnusedFile {
                    path: part.path,
                    reason,
                }),
            }
        }
    }

    /// Leaves out the trees of other kinds than Slurm's.
    fn leave_out_others(&mut self) {
        for OtherTree { path, format } in self.others.drain(..) {
            let reason = sentence!("it is {}, another tree", format.name());
            self.left_out.push(UnusedFile { path, reason });
        }
    }

    /// Returns the files that make the tree.
    fn read(&self) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for part in &self.parts {
            paths.push(part.path.clone());
        }
        for file in &self.configs {
            paths.push(file.path.clone());
        }
        paths
    }

    /// Reports the files that could not be read.
    fn report_unread(&self, problems: &mut Problems) {
        for UnusedFile { path, reason } in &self.unread {
            let message = sentence!("{} could not be read: {reason}", file_name(path));
            let advice = "numbers that only this file has are missing; copy it again, or remove it";
            problems.refuse(Place::WHOLE, "directory-unread", message, advice);
        }
    }

    /// Reports the files that are left out, beside those that make the tree.
    fn report_left_out(&self, read: &[String], problems: &mut Problems) {
        if self.left_out.is_empty() {
            return;
        }
        let mut reasons = Vec::with_capacity(self.left_out.len());
        for UnusedFile { path, reason } in &self.left_out {
            reasons.push(format!("{} ({reason})", file_name(path)));
        }
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
    match visible_entries(folder) {
        Ok(paths) => Ok(paths),
        Err(error) => Err(LoadError::read(input::name(folder), &error)),
    }
}

/// Lists a directory by name, without hidden entries.
fn visible_entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in disk::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns the files of a directory by name, without hidden ones.
pub(super) fn files(folder: &Path) -> LoadResult<Vec<PathBuf>> {
    let mut paths = entries(folder)?;
    paths.retain(|path| {
        if path.file_name() == Some(ABOUT.as_ref()) {
            return false;
        }
        // What cannot be looked at is listed, so that its reader says why.
        !matches!(input::look(path), Ok(PathKind::Directory))
    });
    Ok(paths)
}

/// Opens the contents of a directory as one tree, or returns `None` if no file is of a known format.
pub(super) fn open(
    request: &Request,
    report: OnProgress<'_>,
    opening: Opening,
) -> LoadResult<Option<Loaded>> {
    let mut contents = look_into(request, report)?;
    if contents.parts.is_empty() {
        return open_other(request, contents, report, opening);
    }
    let mut problems = Problems::of(input::name(request.path()));
    contents.leave_out_others();
    contents.report_unread(&mut problems);
    let cluster = select::keep_one_cluster(&mut contents, request, &mut problems)?;
    select::keep_one_moment(&mut contents, &mut problems);
    select::keep_one_tree(&mut contents);
    select::sort(&mut contents.parts);
    // The last one counts: the one that the user named, else the newest.
    contents.configs.sort_by_key(|file| {
        let is_named = request.beside.config.as_ref() == Some(&file.path);
        (is_named, file.config.taken)
    });
    let read = contents.read();
    let mut names = Vec::new();
    for path in &read {
        names.push(file_name(path));
    }
    contents.report_left_out(&names, &mut problems);
    let mut wanted = request.clone();
    if wanted.cluster.is_none() {
        wanted.cluster = cluster;
    }
    let mut parts = Vec::new();
    for part in contents.parts {
        parts.push(part.rows);
    }
    let mut configs = Vec::new();
    for file in contents.configs {
        configs.push(file.config);
    }
    let mut loaded = slurm::assemble::assemble(parts, &configs, &wanted)?;
    let origins = &mut loaded.snapshot.source.origins;
    origins.insert(0, Origin::Read(names));
    loaded.problems.append(problems);
    loaded.companions = contents.companions;
    loaded.read = read;
    Ok(Some(loaded))
}

/// Opens the only tree of a directory without outputs of Slurm. `None` if there is none.
fn open_other(
    request: &Request,
    mut contents: FoundContents,
    report: OnProgress<'_>,
    opening: Opening,
) -> LoadResult<Option<Loaded>> {
    if let Some(unread) = contents.unread.pop() {
        return Err(LoadError::Read {
            path: input::name(&unread.path),
            error: unread.reason,
        });
    }
    match &contents.others[..] {
        [] => Ok(None),
        [only] => {
            let inside = request.with_path(only.path.clone());
            let mut loaded = super::open(&inside, report, opening)?;
            loaded.read = vec![only.path.clone()];
            Ok(Some(loaded))
        }
        [one, .., other] => {
            let folder = input::name(request.path());
            let word = word(request.path(), "DIRECTORY");
            refused(sentence!(
                "{folder} contains several different trees, such as {} and {}; open one of them, or use fairscope \
                 timeline {word} if they are one tree at several times",
                file_name(&one.path),
                file_name(&other.path)
            ))
        }
    }
}

/// Reads every file whose beginning is of a known format.
fn look_into(request: &Request, report: OnProgress<'_>) -> LoadResult<FoundContents> {
    let mut contents = FoundContents::default();
    let mut found = files(request.path())?;
    for path in found.split_off(found.len().min(MOST)) {
        let reason = sentence!("only the first {MOST} files are looked at");
        contents.left_out.push(UnusedFile { path, reason });
    }
    found.extend(request.source.more().iter().cloned());
    found.extend(request.beside.config.clone());
    let zone = request.history.zone();
    for path in found {
        match look_at(&path, &zone, &mut contents, report) {
            Ok(()) => {}
            Err(LoadError::Cancelled) => return Err(LoadError::Cancelled),
            Err(LoadError::Read { error, .. }) => contents.unread.push(UnusedFile {
                path,
                reason: error,
            }),
            Err(error) => {
                // The advice what to run instead is meant for opening the file alone.
                let reason = error.reason();
                contents.left_out.push(UnusedFile { path, reason });
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
    let path = path.to_owned();
    if super::flux::is_database(&path)? {
        let format = Format::FluxDb;
        contents.others.push(OtherTree { path, format });
        return Ok(());
    }
    let start = input::read_start(&path, START)?;
    if start.bytes.is_empty() {
        return refused("it is empty");
    }
    let recognition = Recognition::of(&path, &start.bytes);
    let start = recognition.applied(start).input;
    if !matches!(recognition.kind, Some(Kind::Companion(_))) {
        input::check(&start)?;
    }
    match recognition.kind {
        Some(Kind::Tree(format)) if format.is_slurm() => {
            let source = recognition.applied(input::read(&path, report)?);
            let mut rows = slurm::read(format, &source.input, report)?;
            rows.problems.append(source.problems);
            contents.parts.push(SlurmOutput { path, rows });
        }
        Some(Kind::Tree(format)) => contents.others.push(OtherTree { path, format }),
        Some(Kind::Settings) => {
            let input = input::read(&path, report)?;
            let config = config::read(&recognition.applied(input).input, zone)?;
            contents.configs.push(ConfigFile { path, config });
        }
        Some(Kind::Companion(kind)) => {
            let file = CompanionSource::File(path);
            contents.companions.0.push((kind, file));
        }
        None => {
            return Err(match input::refuse_recognised(&start) {
                Some(refusal) => LoadError::Unfit(refusal),
                None => LoadError::Refused("text in an unknown format".into()),
            });
        }
    }
    Ok(())
}

/// Returns the last part of a path, as safe text.
pub(super) fn file_name(path: &Path) -> String {
    shown(path.file_name().unwrap_or_default().as_encoded_bytes()).into()
}
