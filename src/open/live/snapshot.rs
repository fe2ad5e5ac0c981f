//! Saves a scheduler's own outputs in a directory, byte for byte, to be opened again later.

use super::interrupt::ending_first;
use super::run::is_readable;
use super::{Answer, flux, pbs, slurm};
use crate::base::save::{self, Contents as FileContents, SaveError};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::anonymise::{self, AnonymiseError};
use crate::format::convert::to_pbs;
use crate::format::flux::database::anonymised;
use crate::format::input;
use crate::format::{LoadError, OnProgress, Problems, Request};
use crate::model::{Origin, Pseudonyms, Scheduler, Snapshot};
use crate::open::directory::{ABOUT, Contents, FLUX_FILE};
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
    let takes_database = scheduler == Scheduler::Flux && is_readable(database);
    let mut answer = ending_first(report, |report| match scheduler {
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
        let target = folder.join(FLUX_FILE);
        copied.map_err(|error| not_copied(database, &target, &error))
    };
    let mut files = Vec::new();
    let mut origins = Vec::new();
    if takes_database {
        files.push((FLUX_FILE, FileContents::Written(&copy)));
        let origin = match pseudonyms {
            None => Origin::Copied(flux::DATABASE.to_owned()),
            Some(_) => Origin::Anonymised,
        };
        origins.push((FLUX_FILE, origin));
    }
    for output in &answer.outputs {
        files.push((output.name, FileContents::Bytes(&output.bytes)));
        origins.push((output.name, output.origin.clone()));
    }
    let about = about(&Contents {
        scheduler,
        taken: Timestamp::now(),
        files: origins,
        problems: match pseudonyms {
            None => answer.problems.clone(),
            // Complaints of commands may name the cluster.
            Some(_) => Problems::default(),
        },
    });
    files.push((ABOUT, FileContents::Bytes(about.as_bytes())));
    save::save_folder(folder, &files)?;
    let mut saved = SavedFiles {
        files: Vec::new(),
        problems: answer.problems.clone(),
    };
    for (name, _) in &files {
        let path = folder.join(name);
        let length = path.metadata().map_or(0, |metadata| metadata.len());
        saved.files.push((path, length));
    }
    Ok(saved)
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
    let first = answer.outputs[0].name;
    let loaded = if scheduler == Scheduler::Pbs {
        pbs::ask(request, report)?
    } else {
        let files = request.with_path(first.into());
        answer.clone().open(Vec::new(), &files, report)?
    };
    let Snapshot { tree, settings, .. } = &loaded.snapshot;
    let made = anonymise::snapshot(pseudonyms, &loaded.snapshot, tree, settings);
    let policy = match loaded.policy {
        Some(policy) => policy,
        None => Policy::usual(settings),
    };
    let mut losses = anonymise::losses(policy, tree, settings, &made);
    if scheduler == Scheduler::Pbs {
        let conversion = to_pbs(&made.tree, &made.settings);
        for output in &mut answer.outputs {
            let mut files = conversion.files.iter();
            let file = files.find(|(name, _)| name == output.name);
            output.bytes = match file {
                Some((_, bytes)) => bytes.clone(),
                None => Vec::new(),
            };
        }
        losses.extend(conversion.losses);
    } else {
        for output in &mut answer.outputs {
            output.bytes = anonymise::output(output.name, &output.bytes, pseudonyms)?;
        }
    }
    for output in &mut answer.outputs {
        output.origin = Origin::Anonymised;
    }
    for loss in &losses {
        let advice = "compare the ranks before you send it";
        let problems = &mut answer.problems;
        problems.warn(Shown::from(first), "anonymised-anew", loss.clause(), advice);
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
    anonymised(&named, &made, pseudonyms)
}

/// Copies a database as SQLite does, so that the copy, an empty file or none yet, is consistent while Flux writes.
#[expect(
    clippy::disallowed_methods,
    reason = "copies a database as SQLite does, after it was read"
)]
pub fn copy_database(from: &Path, to: &Path) -> rusqlite::Result<()> {
    /// How many pages are copied at once.
    const PAGES: i32 = 1024;
    /// The time between two steps, in which Flux can write.
    const PAUSE: Duration = Duration::from_millis(5);
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut target = Connection::open(to)?;
    // A journal beside the copy is of no use, for half a copy is thrown away.
    target.pragma_update(None, "journal_mode", "off")?;
    let backup = rusqlite::backup::Backup::new(&source, &mut target)?;
    backup.run_to_completion(PAGES, PAUSE, None)
}

/// Returns why a database could not be copied, with advice.
fn not_copied(from: &Path, to: &Path, error: &rusqlite::Error) -> String {
    let error = shown(error.to_string().as_bytes());
    format!(
        "{} could not be copied to {}: {error}; check the free space, or copy the file by hand",
        input::name(from),
        input::name(to)
    )
}

/// Checks that a directory is empty or not there yet.
fn check(folder: &Path) -> Result<(), SnapshotError> {
    let name = input::name(folder);
    let mut entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(SnapshotError::Folder(sentence!(
                "the directory {name} could not be created or read: {error}; name another with --out"
            )));
        }
    };
    if entries.next().is_none() {
        return Ok(());
    }
    Err(SnapshotError::Folder(sentence!(
        "{name} is not empty, and a snapshot needs a directory of its own; name another with --out"
    )))
}
