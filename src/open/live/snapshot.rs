//! Saves a scheduler's own outputs in a directory, byte for byte, to be opened again later.

use super::interrupt::ending_first;
use super::{Answer, flux, pbs, slurm};
use crate::base::save::{self, Contents as FileContents, SaveError};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::anonymise::{self, AnonymiseError};
use crate::format::convert::to_pbs;
use crate::format::input;
use crate::format::{LoadError, OnProgress, Problems, Request};
use crate::model::{Origin, Pseudonyms, Scheduler, Snapshot};
use crate::open::directory::{ABOUT, FLUX_FILE};
use crate::rules::policy::Policy;
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The result of saving.
#[derive(Clone, Debug)]
pub struct SavedFiles {
    /// The files, in the order they were written, with their lengths in bytes.
    pub files: Vec<(PathBuf, u64)>,
    /// The outputs that were not available.
    pub problems: Problems,
}

/// The contents of a directory of a scheduler's outputs.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The scheduler of the outputs.
    pub scheduler: Scheduler,
    /// When they were taken.
    pub taken: Timestamp,
    /// The names of the files, and the origin of each.
    pub files: Vec<(&'static str, Origin)>,
    /// The outputs that were not available.
    pub problems: Problems,
}

/// Why a snapshot was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The scheduler could not be asked.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The names of an output could not be replaced.
    #[error(transparent)]
    Anonymise(#[from] AnonymiseError),
    /// A file could not be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The directory is not one to write to. The sentence says how to fix it.
    #[error("{0}")]
    Folder(Shown),
}

/// Asks the scheduler of a request, and saves its outputs in a directory that is new or empty. A signal while it is
/// asked ends its command, then the process. `about` makes the text beside the outputs.
pub(crate) fn save(
    request: &Request,
    scheduler: Scheduler,
    folder: &Path,
    pseudonyms: Option<&Pseudonyms>,
    about: fn(&Contents) -> String,
    report: OnProgress<'_>,
) -> Result<SavedFiles, SnapshotError> {
    // This comes first, so that a minute of waiting does not end in this error.
    check(folder)?;
    let database = Path::new(flux::DATABASE);
    let takes_database = scheduler == Scheduler::Flux && super::run::is_readable(database);
    let mut answer = ending_first(&mut *report, |report| match scheduler {
        // Outputs about jobs hold names that are no part of the tree.
        Scheduler::Slurm => slurm::collect(request, pseudonyms.is_none(), report),
        Scheduler::Pbs => pbs::collect(report),
        Scheduler::Flux if takes_database => Ok(Answer::default()),
        Scheduler::Flux => flux::collect_banks(request, report),
    })?;
    if let Some(pseudonyms) = pseudonyms {
        anonymise(&mut answer, scheduler, pseudonyms, request, report)?;
    }
    let copy = |to: &Path| {
        let copied = match pseudonyms {
            None => copy_database(database, to),
            Some(pseudonyms) => anonymise_database(database, to, pseudonyms),
        };
        copied.map_err(|error| not_copied(database, &folder.join(FLUX_FILE), &error))
    };
    let outputs = answer.outputs.iter().map(|output| {
        let file = (output.name, FileContents::Bytes(&output.bytes));
        (file, (output.name, output.origin.clone()))
    });
    let (mut files, mut origins): (Vec<_>, Vec<_>) = outputs.unzip();
    if takes_database {
        files.insert(0, (FLUX_FILE, FileContents::Written(&copy)));
        let copied = Origin::Copied(flux::DATABASE.to_owned());
        let origin = pseudonyms.map_or(copied, |_| Origin::Anonymised);
        origins.insert(0, (FLUX_FILE, origin));
    }
    // Complaints of commands may name the cluster.
    let told = pseudonyms.map_or_else(|| answer.problems.clone(), |_| Problems::default());
    let contents = Contents {
        scheduler,
        taken: Timestamp::now(),
        files: origins,
        problems: told,
    };
    let about = about(&contents);
    files.push((ABOUT, FileContents::Bytes(about.as_bytes())));
    save::save_folder(folder, &files)?;
    let saved = files.iter().map(|(name, _)| {
        let path = folder.join(name);
        let length = path.metadata().map_or(0, |metadata| metadata.len());
        (path, length)
    });
    Ok(SavedFiles {
        files: saved.collect(),
        problems: answer.problems,
    })
}

/// Replaces the outputs by ones with pseudonyms. What they then lack is a problem.
fn anonymise(
    answer: &mut Answer,
    scheduler: Scheduler,
    pseudonyms: &Pseudonyms,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<(), SnapshotError> {
    if answer.outputs.is_empty() {
        return Ok(());
    }
    let loaded = if scheduler == Scheduler::Pbs {
        pbs::ask(request, report)?
    } else {
        let files = request.with_path(answer.outputs[0].name.into());
        answer.clone().open([], &files, report)?
    };
    let Snapshot { tree, settings, .. } = &loaded.snapshot;
    let made = anonymise::snapshot(pseudonyms, &loaded.snapshot, tree, settings);
    let policy = loaded.policy.unwrap_or_else(|| Policy::usual(settings));
    let mut losses = anonymise::losses(policy, tree, settings, &made);
    let is_pbs = scheduler == Scheduler::Pbs;
    let conversion = is_pbs.then(|| to_pbs(&made.tree, &made.settings));
    for output in &mut answer.outputs {
        output.origin = Origin::Anonymised;
        output.bytes = match &conversion {
            None => anonymise::output(output.name, &output.bytes, pseudonyms)?,
            Some(made) => {
                let file = made.files.iter().find(|(name, _)| name == output.name);
                file.map(|(_, bytes)| bytes.clone()).unwrap_or_default()
            }
        };
    }
    losses.extend(conversion.into_iter().flat_map(|made| made.losses));
    let file = &answer.outputs[0].name;
    for loss in &losses {
        let advice = "compare the ranks before you send it";
        let problems = &mut answer.problems;
        problems.warn(Shown::from(*file), "anonymised-anew", loss.clause(), advice);
    }
    Ok(())
}

/// Writes a database anew under pseudonyms.
#[expect(
    clippy::disallowed_methods,
    reason = "the database is our copy, and the other one is new"
)]
fn anonymise_database(from: &Path, to: &Path, pseudonyms: &Pseudonyms) -> rusqlite::Result<()> {
    let named = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let made = Connection::open(to)?;
    // A journal beside the new file is of no use, for half a file is thrown away.
    made.pragma_update(None, "journal_mode", "off")?;
    anonymise::database(&named, &made, pseudonyms)
}

/// Copies a database as SQLite does, so that the copy, an empty file or none yet, is consistent while Flux writes.
#[expect(
    clippy::disallowed_methods,
    reason = "copies a database as SQLite does, after it was read"
)]
pub fn copy_database(from: &Path, to: &Path) -> rusqlite::Result<()> {
    const PAGES: i32 = 1024;
    const PAUSE: Duration = Duration::from_millis(5);
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut target = Connection::open(to)?;
    // A journal beside the copy is of no use, for half a copy is thrown away.
    target.pragma_update(None, "journal_mode", "off")?;
    let backup = rusqlite::backup::Backup::new(&source, &mut target)?;
    backup.run_to_completion(PAGES, PAUSE, None)
}

fn not_copied(from: &Path, to: &Path, error: &rusqlite::Error) -> String {
    let error = shown(error.to_string().as_bytes());
    format!(
        "{} could not be copied to {}: {error}; check the free space, or copy the file by hand",
        input::name(from),
        input::name(to)
    )
}
fn check(folder: &Path) -> Result<(), SnapshotError> {
    let name = input::name(folder);
    let refused = |sentence| Err(SnapshotError::Folder(sentence));
    match std::fs::read_dir(folder).map(|mut entries| entries.next()) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => refused(sentence!(
            "{name} is not empty, and a snapshot needs a directory of its own; name another with --out"
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => refused(sentence!(
            "the directory {name} could not be created or read: {error}; name another with --out"
        )),
    }
}
