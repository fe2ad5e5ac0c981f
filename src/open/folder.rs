//! The entries of a directory and what each of them is, as far as its beginning tells, so that people can choose what to
//! open.
//!
//! The names are read first: that is fast and touches no entry. What an entry is needs a look at it, which may wait for a
//! dead file server, so `identify` is called for one after the other.

use super::detect::recognize;
use super::directory;
use super::series;
use crate::base::disk;
use crate::format::input::{self, PathKind};
use crate::format::{Format, Kind, LoadError, LoadResult, Recognized, flux, pbs};
use crate::model::Scheduler;
use memchr::memmem;
use std::ffi::OsString;
use std::path::Path;

/// The most entries of a directory that are listed.
pub const MOST_ENTRIES: usize = 2000;

/// How much of a file is examined.
const START: usize = 64 << 10;

/// How many entries of a directory are searched for dumps with a date.
const MOST_DUMPS: usize = 200;

/// A table that every flux-accounting database has.
const FLUX_TABLE: &[u8] = b"association_table";

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file with a tree, or with a part of one.
    Tree(Format),
    /// A scenario file.
    Scenario,
    /// Slurm's configuration, which is read beside a tree.
    Settings,
    /// An SQLite database that is perhaps not one of flux-accounting.
    Database,
    /// A file in none of the formats.
    Unknown,
    /// A directory that is opened as one tree.
    Source(Scheduler),
    /// A directory of dumps with dates in their names.
    Dumps,
    /// Any other directory.
    Directory,
    /// What may not be read, or is neither a file nor a directory.
    Unreadable,
    /// Nothing is there.
    Missing,
}

impl Content {
    /// Returns whether it is a directory of any kind.
    pub(crate) const fn is_directory(self) -> bool {
        matches!(self, Self::Source(_) | Self::Dumps | Self::Directory)
    }

    /// Returns whether it can be opened as a tree or a scenario.
    pub(crate) const fn is_source(self) -> bool {
        matches!(
            self,
            Self::Tree(_) | Self::Scenario | Self::Database | Self::Source(_) | Self::Dumps
        )
    }
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Whether the directory's list has it as a directory. A link is none, wherever it leads.
    pub is_listed_directory: bool,
    /// What it is; `None` as long as nobody has looked.
    pub content: Option<Content>,
}

impl Entry {
    /// Returns whether it is a directory, as far as is known.
    pub(crate) fn is_directory(&self) -> bool {
        match self.content {
            Some(content) => content.is_directory(),
            None => self.is_listed_directory,
        }
    }
}

/// The entries of a directory, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// What the directory itself is.
    pub content: Content,
    /// The entries.
    pub entries: Vec<Entry>,
    /// Whether there are more than are listed.
    pub has_more: bool,
}

/// Lists a directory without a look at its entries.
pub(crate) fn list(folder: &Path, is_cancelled: &dyn Fn() -> bool) -> LoadResult<Folder> {
    let mut entries = Vec::new();
    let mut has_more = false;
    let listed = match disk::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) => return Err(input::not_opened(folder, error)),
    };
    for entry in listed {
        if is_cancelled() {
            return Err(LoadError::Cancelled);
        }
        if entries.len() == MOST_ENTRIES {
            has_more = true;
            break;
        }
        let entry = entry.map_err(|error| input::not_opened(folder, error))?;
        entries.push(Entry {
            name: entry.file_name(),
            is_listed_directory: entry.file_type().is_ok_and(|kind| kind.is_dir()),
            content: None,
        });
    }
    entries.sort_by_cached_key(|entry| {
        let name = entry.name.as_encoded_bytes();
        (name.to_ascii_lowercase(), name.to_owned())
    });
    Ok(Folder {
        content: identify(folder),
        entries,
        has_more,
    })
}

/// Returns what is at a path. Reads a bounded part of files, and opens nothing else.
pub(crate) fn identify(path: &Path) -> Content {
    match input::look(path) {
        Ok(PathKind::File) => identify_file(path),
        Ok(PathKind::Directory) => identify_folder(path),
        Err(LoadError::Missing(_)) => Content::Missing,
        Err(_) => Content::Unreadable,
    }
}

/// Returns whether a file of ours refers to a source.
fn has_source(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    lines.any(|line| line.trim_ascii().starts_with(b"[source]"))
}

/// Returns what a file holds, by its beginning.
fn identify_file(path: &Path) -> Content {
    let Ok(start) = input::read_start(path, START) else {
        return Content::Unreadable;
    };
    if start.bytes.starts_with(flux::MAGIC) {
        // Its tables are listed near the beginning, unless it was written to just now.
        return match memmem::find(&start.bytes, FLUX_TABLE) {
            Some(_) => Content::Tree(Format::FluxDb),
            None => Content::Database,
        };
    }
    let Recognized { input, kind, .. } = recognize(start);
    match kind {
        // Of our own files those refer to a source that are scenarios.
        Some(Kind::Tree(Format::Toml)) if has_source(&input.bytes) => Content::Scenario,
        Some(Kind::Tree(format)) => Content::Tree(format),
        Some(Kind::Settings) => Content::Settings,
        Some(Kind::Companion(_)) | None => Content::Unknown,
    }
}

/// Returns what a directory is opened as.
fn identify_folder(folder: &Path) -> Content {
    match pbs::sched_priv(folder) {
        Ok(Some(_)) => return Content::Source(Scheduler::Pbs),
        Ok(None) => {}
        Err(_) => return Content::Unreadable,
    }
    match directory::scheduler(folder) {
        Ok(Some(scheduler)) => Content::Source(scheduler),
        Ok(None) | Err(_) if has_dumps(folder) => Content::Dumps,
        Ok(None) | Err(_) => Content::Directory,
    }
}

/// Returns whether the first file of a directory with a date in its name is a tree. Logs have dates too.
fn has_dumps(folder: &Path) -> bool {
    let Ok(entries) = disk::read_dir(folder) else {
        return false;
    };
    for entry in entries.take(MOST_DUMPS).flatten() {
        let path = entry.path();
        if series::date_of(&path).is_some() {
            let is_file = matches!(input::look(&path), Ok(PathKind::File));
            return is_file && matches!(identify_file(&path), Content::Tree(_));
        }
    }
    false
}
