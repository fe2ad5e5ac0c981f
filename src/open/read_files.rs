//! The files that a tree was read from: of a directory not all, and of PBS's files some at other places.

use super::opened::TreeSource;
use crate::format::input::{self, PathKind};
use crate::format::slurm::companions::CompanionSource;
use crate::format::{FilesBeside, LoadResult, Request, pbs};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files that a tree was read from, in the order in which they were combined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadFiles {
    /// The directory that finds them by their names; `None` if they were named one by one.
    pub folder: Option<PathBuf>,
    /// The files.
    pub files: Vec<ReadFile>,
}

/// A file that a tree was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// Where it is.
    pub path: PathBuf,
    /// The name by which it is found in its directory.
    pub name: OsString,
}

impl ReadFile {
    /// Returns a file that is found by its own name.
    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            name: path.file_name().unwrap_or_default().to_owned(),
        }
    }
}

impl TreeSource {
    /// Returns the files that the tree was read from, but for jobs that ran. The source is neither a database nor a
    /// scheduler.
    pub fn read_files(&self) -> LoadResult<ReadFiles> {
        let request = &self.reference.request;
        let path = request.path();
        if !self.read.is_empty() {
            return Ok(self.of_directory(request));
        }
        let mut folder = None;
        if input::look(path)? == PathKind::Directory {
            folder = pbs::sched_priv(path)?;
        }
        if folder.is_some() || names_files_of_pbs(request) {
            return of_pbs(request, folder.as_deref());
        }
        let mut read = ReadFiles::default();
        read.files.push(ReadFile::at(path));
        read.add_further(request);
        Ok(read)
    }

    /// Returns the files of a directory of outputs. Files that were named beside it belong to no directory.
    fn of_directory(&self, request: &Request) -> ReadFiles {
        let is_alone = request.source.more().is_empty() && request.beside.config.is_none();
        let mut read = ReadFiles::default();
        if is_alone {
            read.folder = Some(request.path().to_owned());
        }
        for path in &self.read {
            read.files.push(ReadFile::at(path));
        }
        for (_, source) in &self.companions.0 {
            if let CompanionSource::File(path) = source {
                read.files.push(ReadFile::at(path));
            }
        }
        read
    }
}

impl ReadFiles {
    /// Adds the files that a request names beside its first one.
    fn add_further(&mut self, request: &Request) {
        let further = request.source.more().iter();
        for path in further.chain(&request.beside.config) {
            self.files.push(ReadFile::at(path));
        }
    }
}

/// Returns whether a request names files of PBS one by one.
fn names_files_of_pbs(request: &Request) -> bool {
    request.beside.usage.is_some() || request.beside.sched_config.is_some()
}

/// Returns the files of a PBS scheduler by the names that they have in `sched_priv`. Those that a request names take
/// precedence over those of a directory.
fn of_pbs(request: &Request, folder: Option<&Path>) -> LoadResult<ReadFiles> {
    let FilesBeside {
        usage,
        sched_config,
        ..
    } = &request.beside;
    let path = request.path();
    let found_in = match folder {
        Some(folder) => folder.to_owned(),
        None => path.with_file_name(""),
    };
    let mut read = ReadFiles {
        folder: Some(found_in),
        files: Vec::new(),
    };
    for (name, named) in [
        ("resource_group", folder.is_none().then_some(path)),
        ("usage", usage.as_deref()),
        ("sched_config", sched_config.as_deref()),
        (pbs::SCHED_FORMULA, None),
    ] {
        let found = match (named, folder) {
            (Some(named), _) => named.to_owned(),
            (None, Some(folder)) => folder.join(name),
            (None, None) => continue,
        };
        if input::is_there(&found)? {
            read.files.push(ReadFile {
                path: found,
                name: name.into(),
            });
        }
    }
    Ok(read)
}
