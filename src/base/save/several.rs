//! Several new files that belong together: all of them are there, or none.

use super::fresh::{Fresh, Leftover, Placed, USUAL, names, remove_leftovers};
use super::target::{Existing, SaveTarget, folder_of, is_one_file};
use super::{
    SaveError, SaveResult, TO_DISK, confirm, flush_directory, name_of, refused, refused_at,
};
use crate::base::shown::Shown;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
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
pub fn save_several(files: &[(PathBuf, Contents<'_>)]) -> SaveResult<()> {
    let mut targets = Vec::with_capacity(files.len());
    let mut directories = BTreeSet::new();
    for (path, _) in files {
        let target = SaveTarget::of(path, Existing::Keep)?;
        directories.insert(target.directory().to_owned());
        targets.push(target);
    }
    for directory in &directories {
        remove_leftovers(directory);
    }
    let mut written = Vec::new();
    for (target, (_, contents)) in targets.into_iter().zip(files) {
        match write(target, contents) {
            Ok(fresh) => written.push(fresh),
            Err(error) => {
                let files = written.into_iter();
                let left = files.filter_map(Fresh::discard);
                return Err(error.leaving(left));
            }
        }
    }
    place_all(written)?;
    for directory in &directories {
        confirm(directory, directory, TO_DISK)?;
    }
    Ok(())
}

/// Saves new files in a directory: all of them, or none. A directory that does not exist appears together with its
/// files, and with the directories above it that do not exist.
pub fn save_folder(folder: &Path, files: &[(&str, Contents<'_>)]) -> SaveResult<()> {
    match folder.metadata() {
        Ok(found) if found.is_dir() => save_into(folder, files),
        Ok(_) => Err(SaveError::NotADirectory(name_of(folder))),
        Err(error) => match error.kind() {
            ErrorKind::NotFound => save_with_folder(folder, files),
            _ => Err(refused(name_of(folder), &error)),
        },
    }
}

/// Saves new files in a directory that exists.
fn save_into(folder: &Path, files: &[(&str, Contents<'_>)]) -> SaveResult<()> {
    let mut several = Vec::with_capacity(files.len());
    for &(name, contents) in files {
        let path = folder.join(name);
        several.push((path, contents));
    }
    save_several(&several)
}

/// Saves new files together with their directory.
fn save_with_folder(folder: &Path, files: &[(&str, Contents<'_>)]) -> SaveResult<()> {
    let stage = Stage::of(folder)?;
    for (name, contents) in files {
        if let Err(error) = stage.write(name, contents) {
            let left = stage.discard();
            return Err(error.leaving(left));
        }
    }
    let parent = stage.place()?;
    confirm(parent, folder, TO_DISK)
}

/// Writes one of the files under a hidden name, and flushes it.
fn write(target: SaveTarget, contents: &Contents<'_>) -> SaveResult<Fresh> {
    match contents {
        Contents::Bytes(bytes) => {
            let file = Fresh::write(target, bytes, USUAL)?;
            file.flushed(TO_DISK)
        }
        Contents::Written(write) => {
            let file = Fresh::create(target, USUAL)?;
            if let Err(reason) = write(file.path()) {
                let reason = Shown::again(reason);
                let left = file.discard();
                return Err(SaveError::Unwritten(reason).leaving(left));
            }
            file.flushed(TO_DISK)
        }
    }
}

/// Gives all files their names. If one cannot get it, the others lose theirs again.
fn place_all(files: Vec<Fresh>) -> SaveResult<()> {
    let mut placed = Vec::new();
    let mut rest = files.into_iter();
    while let Some(fresh) = rest.next() {
        match fresh.place_new() {
            Ok(file) => placed.push(file),
            Err(error) => {
                let hidden = rest.filter_map(Fresh::discard);
                let named = placed.iter().filter_map(remove_again);
                return Err(error.leaving(hidden.chain(named)));
            }
        }
    }
    Ok(())
}

/// Removes a file that was just placed, unless something else has its name by now.
fn remove_again(placed: &Placed) -> Option<Leftover> {
    let path = &placed.target.path;
    if let Ok(own) = placed.file.metadata()
        && let Ok(there) = path.symlink_metadata()
        && !is_one_file(&own, &there)
    {
        return None;
    }
    Leftover::after(fs::remove_file(path), path.clone())
}

/// A directory with a hidden name that is filled and then renamed: it appears with all of its files or not at all.
struct Stage<'a> {
    /// The directory that is saved.
    folder: &'a Path,
    /// The path of the hidden directory.
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
    fn of(folder: &'a Path) -> SaveResult<Self> {
        let mut top = folder;
        let mut below = Vec::new();
        while !folder_of(top).exists() {
            let Some(name) = top.file_name() else {
                // A path that goes up from a directory that is not there leads nowhere.
                return Err(SaveError::NoDirectory(name_of(folder)));
            };
            below.push(name);
            top = folder_of(top);
        }
        let home = folder_of(top);
        remove_leftovers(home);
        let hidden = HiddenDirectory::create(home).map_err(refused_at(folder))?;
        let mut inner = hidden.path.clone();
        inner.extend(below.iter().rev());
        let stage = Self {
            folder,
            inner,
            hidden: hidden.path,
            top,
            _lock: hidden.lock,
        };
        match fs::create_dir_all(&stage.inner) {
            Ok(()) => Ok(stage),
            Err(error) => Err(stage.failed(&error)),
        }
    }

    /// Removes the directory, and returns why.
    fn failed(self, error: &io::Error) -> SaveError {
        let refusal = refused(name_of(self.folder), error);
        refusal.leaving(self.discard())
    }

    /// Writes one of the files, and flushes it.
    fn write(&self, name: &str, contents: &Contents<'_>) -> SaveResult<()> {
        let path = self.inner.join(name);
        let written = match contents {
            Contents::Bytes(bytes) => write_flushed(&path, bytes),
            Contents::Written(write) => {
                if let Err(reason) = write(&path) {
                    return Err(SaveError::Unwritten(Shown::again(reason)));
                }
                flush_file(&path)
            }
        };
        written.map_err(refused_at(&self.folder.join(name)))
    }

    /// Gives the directory its place, in which nothing may be, and returns the directory of that place.
    fn place(self) -> SaveResult<&'a Path> {
        match self.flush_and_rename() {
            Ok(()) => Ok(folder_of(self.top)),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Removes the directory and all that was written to it.
    fn discard(self) -> Option<Leftover> {
        let removed = fs::remove_dir_all(&self.hidden);
        Leftover::after(removed, self.hidden)
    }

    /// Flushes the hidden directory and those in it, and gives it its name.
    fn flush_and_rename(&self) -> io::Result<()> {
        for folder in self.inner.ancestors() {
            if !folder.starts_with(&self.hidden) {
                break;
            }
            flush_directory(folder, TO_DISK)?;
        }
        match renameat_with(CWD, &self.hidden, CWD, self.top, RenameFlags::NOREPLACE) {
            // The file system knows no such flag. Without it a directory takes the place of an empty one at most.
            Err(Errno::INVAL | Errno::NOSYS) => fs::rename(&self.hidden, self.top),
            renamed => Ok(renamed?),
        }
    }
}

/// Waits until the disk has a file.
fn flush_file(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Writes a new file, and waits until the disk has it.
fn write_flushed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A directory with a hidden name.
struct HiddenDirectory {
    path: PathBuf,
    /// The directory itself, locked; `None` if it cannot be opened.
    lock: Option<File>,
}

impl HiddenDirectory {
    /// Creates a directory in another one, and locks it.
    fn create(parent: &Path) -> io::Result<Self> {
        loop {
            let made = names().make_in(parent, |path| fs::create_dir(path))?;
            let path = made.into_temp_path().keep()?;
            let Ok(lock) = File::open(&path) else {
                return Ok(Self { path, lock: None });
            };
            // Where nothing can be locked, no leftover is removed.
            let _ = lock.try_lock();
            // Another save may have taken it for a leftover before it was locked.
            if let Ok(found) = lock.metadata()
                && found.nlink() == 0
            {
                continue;
            }
            return Ok(Self {
                path,
                lock: Some(lock),
            });
        }
    }
}
