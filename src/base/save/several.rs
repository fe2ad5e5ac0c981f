//! Several new files that belong together: all of them are there, or none.

use super::fresh::{Failure, Fresh, USUAL, hidden};
use super::leftover::{Leftover, remove_leftovers};
use super::stage::Stage;
use super::target::{Existing, Target};
use super::{SaveError, flush_directory, name_of, refused};
use crate::base::shown::Shown;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What a new file will hold.
#[derive(Clone, Copy)]
pub enum Contents<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// What a function writes to the path that it is given. Its error is a sentence.
    Written(&'a dyn Fn(&Path) -> Result<(), String>),
}

/// Saves new files in directories that exist: all of them, or none.
///
/// # Errors
/// If one of the files exists already, or the system refuses.
pub fn save_several(files: &[(PathBuf, Contents<'_>)]) -> Result<(), SaveError> {
    let targets = files
        .iter()
        .map(|(path, _)| Target::of(path, Existing::Keep));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    let directories: BTreeSet<&Path> = targets.iter().map(Target::directory).collect();
    directories.iter().copied().for_each(remove_leftovers);
    let mut written = Vec::new();
    for ((_, contents), target) in files.iter().zip(&targets) {
        match write(target, contents) {
            Ok(fresh) => written.push(fresh),
            Err(error) => {
                let left = written.into_iter().filter_map(Fresh::discard);
                return Err(error.leaving(left));
            }
        }
    }
    place_all(written, &targets)?;
    for directory in directories {
        flush_directory(directory).map_err(|error| unconfirmed(directory, &error))?;
    }
    Ok(())
}

/// Saves new files in a directory: all of them, or none. A directory that does not exist appears together with its
/// files, and with the directories above it that do not exist.
///
/// # Errors
/// If one of the files exists already, or the system refuses.
pub fn save_folder(folder: &Path, files: &[(&str, Contents<'_>)]) -> Result<(), SaveError> {
    match folder.metadata() {
        Ok(found) if found.is_dir() => {
            let paths = files.iter().map(|(name, _)| folder.join(name));
            let contents = files.iter().map(|(_, contents)| *contents);
            return save_several(&paths.zip(contents).collect::<Vec<_>>());
        }
        Ok(_) => return Err(SaveError::NotADirectory(name_of(folder))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(refused(name_of(folder), error)),
    }
    let failed = |failure: Failure| refused(name_of(folder), failure.error).leaving(failure.left);
    let stage = Stage::of(folder).map_err(failed)?;
    for (name, contents) in files {
        if let Err(error) = write_inside(&stage, folder, name, contents) {
            return Err(error.leaving(stage.discard()));
        }
    }
    let above = stage.place().map_err(failed)?;
    flush_directory(&above).map_err(|error| unconfirmed(folder, &error))
}

/// Writes a file of a directory that is not in its place yet.
fn write_inside(
    stage: &Stage,
    folder: &Path,
    name: &str,
    contents: &Contents<'_>,
) -> Result<(), SaveError> {
    let written = match contents {
        Contents::Bytes(bytes) => stage.write(name, bytes),
        Contents::Written(write) => {
            write(&stage.path(name))
                .map_err(|reason| SaveError::Unwritten(Shown::again(reason)))?;
            stage.flush_file(name)
        }
    };
    written.map_err(|error| refused(name_of(&folder.join(name)), error))
}

fn unconfirmed(path: &Path, error: &io::Error) -> SaveError {
    SaveError::Unconfirmed {
        path: name_of(path),
        error: Shown::error(error),
    }
}

/// Writes a file that is placed later.
fn write(target: &Target, contents: &Contents<'_>) -> Result<Fresh, SaveError> {
    let directory = target.directory();
    let failed = |failure| target.refused(failure);
    match contents {
        Contents::Bytes(bytes) => Fresh::write(directory, bytes, None, USUAL).map_err(failed),
        Contents::Written(write) => {
            let hidden = hidden(directory, USUAL);
            let hidden =
                hidden.map_err(|error| refused(Shown::again(target.name.clone().into()), error))?;
            let written = write(hidden.path());
            let file = Fresh::Hidden(hidden);
            match written {
                Ok(()) => file.flushed().map_err(failed),
                Err(reason) => {
                    Err(SaveError::Unwritten(Shown::again(reason)).leaving(file.discard()))
                }
            }
        }
    }
}

/// Gives all files their names. If one cannot get it, the others lose theirs again.
fn place_all(files: Vec<Fresh>, targets: &[Target]) -> Result<(), SaveError> {
    let mut placed = Vec::new();
    let mut rest = files.into_iter().zip(targets);
    while let Some((fresh, target)) = rest.next() {
        match fresh.place_new(target.directory(), &target.path) {
            Ok(file) => placed.push((file, target)),
            Err(failure) => {
                let hidden = rest.filter_map(|(fresh, _)| fresh.discard());
                let named = placed
                    .iter()
                    .filter_map(|(file, target)| take_back(file, target));
                return Err(target.refused(failure).leaving(hidden.chain(named)));
            }
        }
    }
    Ok(())
}

/// Removes a file that was just placed, unless something else has its name by now.
fn take_back(file: &File, target: &Target) -> Option<Leftover> {
    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let own = file.metadata().ok().map(inode);
    let there = target.path.symlink_metadata().ok().map(inode);
    if own.is_some() && there.is_some() && own != there {
        return None;
    }
    Leftover::after(fs::remove_file(&target.path), target.path.clone())
}
