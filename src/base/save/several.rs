//! Several new files that belong together: all of them are there, or none.

use super::fresh::{Fresh, Leftover, USUAL, names, remove_leftovers};
use super::target::{Existing, SaveTarget, folder_of};
use super::{SaveError, confirm, flush_directory, name_of, refused};
use crate::base::shown::Shown;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
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
pub fn save_several(files: &[(PathBuf, Contents<'_>)]) -> Result<(), SaveError> {
    let target = |(path, _): &(PathBuf, _)| SaveTarget::of(path, Existing::Keep);
    let targets = files.iter().map(target).collect::<Result<Vec<_>, _>>()?;
    let directories = targets.iter().map(|target| target.directory().to_owned());
    let directories: BTreeSet<PathBuf> = directories.collect();
    for directory in &directories {
        remove_leftovers(directory);
    }
    let mut written = Vec::new();
    for ((_, contents), target) in files.iter().zip(targets) {
        match write(target, contents) {
            Ok(fresh) => written.push(fresh),
            Err(error) => {
                let left = written.into_iter().filter_map(Fresh::discard);
                return Err(error.leaving(left));
            }
        }
    }
    place_all(written)?;
    for directory in &directories {
        confirm(directory, directory, &File::sync_all)?;
    }
    Ok(())
}

/// Saves new files in a directory: all of them, or none. A directory that does not exist appears together with its
/// files, and with the directories above it that do not exist.
pub fn save_folder(folder: &Path, files: &[(&str, Contents<'_>)]) -> Result<(), SaveError> {
    match folder.metadata() {
        Ok(found) if found.is_dir() => {
            let paths = files.iter().map(|(name, _)| folder.join(name));
            let contents = files.iter().map(|(_, contents)| *contents);
            return save_several(&paths.zip(contents).collect::<Vec<_>>());
        }
        Ok(_) => return Err(SaveError::NotADirectory(name_of(folder))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(refused(name_of(folder), &error)),
    }
    let stage = Stage::of(folder)?;
    for (name, contents) in files {
        if let Err(error) = stage.write(name, contents) {
            return Err(error.leaving(stage.discard()));
        }
    }
    confirm(stage.place()?, folder, &File::sync_all)
}

fn write(target: SaveTarget, contents: &Contents<'_>) -> Result<Fresh, SaveError> {
    match contents {
        Contents::Bytes(bytes) => Fresh::write(target, bytes, USUAL)?.flushed(&File::sync_all),
        Contents::Written(write) => {
            let file = Fresh::create(target, USUAL)?;
            match write(file.path()) {
                Ok(()) => file.flushed(&File::sync_all),
                Err(reason) => {
                    Err(SaveError::Unwritten(Shown::again(reason)).leaving(file.discard()))
                }
            }
        }
    }
}

/// Gives all files their names. If one cannot get it, the others lose theirs again.
fn place_all(files: Vec<Fresh>) -> Result<(), SaveError> {
    let mut placed = Vec::new();
    let mut rest = files.into_iter();
    while let Some(fresh) = rest.next() {
        match fresh.place_new() {
            Ok(file) => placed.push(file),
            Err(error) => {
                let hidden = rest.filter_map(Fresh::discard);
                let named = placed.iter().filter_map(take_back);
                return Err(error.leaving(hidden.chain(named)));
            }
        }
    }
    Ok(())
}

/// Removes a file that was just placed, unless something else has its name by now.
fn take_back((file, target): &(File, SaveTarget)) -> Option<Leftover> {
    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let own = file.metadata().ok().map(inode);
    let there = target.path.symlink_metadata().ok().map(inode);
    if own.is_some() && there.is_some() && own != there {
        return None;
    }
    Leftover::after(fs::remove_file(&target.path), target.path.clone())
}

/// A directory with a hidden name that is filled and then renamed: it appears with all of its files or not at all.
struct Stage<'a> {
    /// The directory that is saved.
    folder: &'a Path,
    hidden: PathBuf,
    /// The first directory that does not exist: the name that the hidden one gets.
    top: &'a Path,
    /// The directories below it, and the last of them for the files.
    inner: PathBuf,
    /// Held while the directory is in use, so that nobody takes it for a leftover.
    _lock: Option<File>,
}

impl<'a> Stage<'a> {
    /// Creates a hidden directory for one that does not exist, and for those above it that do not exist either.
    fn of(folder: &'a Path) -> Result<Self, SaveError> {
        let (mut top, mut below) = (folder, Vec::new());
        while !folder_of(top).exists() {
            // A path that goes up from a directory that is not there leads nowhere.
            let name = top.file_name();
            below.push(name.ok_or_else(|| SaveError::NoDirectory(name_of(folder)))?);
            top = folder_of(top);
        }
        remove_leftovers(folder_of(top));
        let made = hidden_directory(folder_of(top));
        let (hidden, lock) = made.map_err(|error| refused(name_of(folder), &error))?;
        let stage = Self {
            folder,
            inner: hidden.join(below.iter().rev().collect::<PathBuf>()),
            hidden,
            top,
            _lock: lock,
        };
        match fs::create_dir_all(&stage.inner) {
            Ok(()) => Ok(stage),
            Err(error) => Err(stage.failed(&error)),
        }
    }

    fn failed(self, error: &io::Error) -> SaveError {
        refused(name_of(self.folder), error).leaving(self.discard())
    }

    fn write(&self, name: &str, contents: &Contents<'_>) -> Result<(), SaveError> {
        let path = self.inner.join(name);
        let written = match contents {
            Contents::Bytes(bytes) => File::create_new(&path).and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            }),
            Contents::Written(write) => {
                write(&path).map_err(|reason| SaveError::Unwritten(Shown::again(reason)))?;
                File::open(&path).and_then(|file| file.sync_all())
            }
        };
        written.map_err(|error| refused(name_of(&self.folder.join(name)), &error))
    }

    /// Gives the directory its place, in which nothing may be, and returns the directory of that place.
    fn place(self) -> Result<&'a Path, SaveError> {
        match self.flush().and_then(|()| self.rename()) {
            Ok(()) => Ok(folder_of(self.top)),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Removes the directory and all that was written to it.
    fn discard(self) -> Option<Leftover> {
        Leftover::after(fs::remove_dir_all(&self.hidden), self.hidden)
    }

    /// Flushes the hidden directory and those in it.
    fn flush(&self) -> io::Result<()> {
        let folders = self.inner.ancestors();
        let mut inside = folders.take_while(|folder| folder.starts_with(&self.hidden));
        inside.try_for_each(|folder| flush_directory(folder, &File::sync_all))
    }

    fn rename(&self) -> io::Result<()> {
        match renameat_with(CWD, &self.hidden, CWD, self.top, RenameFlags::NOREPLACE) {
            // The file system knows no such flag. Without it a directory takes the place of an empty one at most.
            Err(Errno::INVAL | Errno::NOSYS) => fs::rename(&self.hidden, self.top),
            renamed => Ok(renamed?),
        }
    }
}

/// Creates a directory with a hidden name, and locks it.
fn hidden_directory(parent: &Path) -> io::Result<(PathBuf, Option<File>)> {
    loop {
        let made = names().make_in(parent, |path| fs::create_dir(path))?;
        let path = made.into_temp_path().keep().map_err(|error| error.error)?;
        let lock = File::open(&path).ok();
        // Where nothing can be locked, no leftover is removed.
        let _ = lock.as_ref().map(File::try_lock);
        // Another save may have taken it for a leftover before it was locked.
        let is_gone = |lock: &File| lock.metadata().is_ok_and(|found| found.nlink() == 0);
        if !lock.as_ref().is_some_and(is_gone) {
            return Ok((path, lock));
        }
    }
}
