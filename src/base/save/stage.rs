//! A new directory that is filled under a hidden name and then renamed: it appears with all of its files or not at all.

use super::fresh::{Failure, names};
use super::leftover::{Leftover, remove_leftovers};
use super::target::folder_of;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A directory with a hidden name, which is removed unless it gets its place.
#[derive(Debug)]
pub(super) struct Stage {
    /// The hidden directory. `None` once it is placed or removed.
    hidden: Option<PathBuf>,
    /// The first directory that does not exist: the name that the hidden one gets.
    top: PathBuf,
    /// The directories below it, and the last of them for the files.
    inner: PathBuf,
    /// Held while the directory is in use, so that nobody takes it for a leftover.
    _lock: Option<File>,
}

impl Stage {
    /// Creates a hidden directory for one that does not exist, and for those above it that do not exist either.
    pub(super) fn of(folder: &Path) -> Result<Self, Failure> {
        let (mut top, mut below) = (folder, Vec::new());
        while !folder_of(top).exists() {
            // A path that goes up from a directory that is not there leads nowhere.
            let name = top.file_name();
            let name = name.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
            below.push(name.to_owned());
            top = folder_of(top);
        }
        remove_leftovers(folder_of(top));
        let (hidden, lock) = hidden_directory(folder_of(top))?;
        let inner = hidden.join(below.iter().rev().collect::<PathBuf>());
        let stage = Self {
            hidden: Some(hidden),
            top: top.to_owned(),
            inner,
            _lock: lock,
        };
        if below.is_empty() {
            return Ok(stage);
        }
        match fs::create_dir_all(&stage.inner) {
            Ok(()) => Ok(stage),
            Err(error) => Err(Failure {
                error,
                left: stage.discard(),
            }),
        }
    }

    /// Returns the path at which a file of the new directory is written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.inner.join(name)
    }

    /// Writes one of the files.
    pub(super) fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let mut file = File::create_new(self.path(name))?;
        file.write_all(contents)?;
        file.sync_all()
    }

    /// Flushes a file that something else wrote.
    pub(super) fn flush_file(&self, name: &str) -> io::Result<()> {
        File::open(self.path(name))?.sync_all()
    }

    /// Gives the directory its place, in which nothing may be, and returns the directory of that place.
    pub(super) fn place(mut self) -> Result<PathBuf, Failure> {
        let renamed = self.flush().and_then(|()| self.rename());
        if let Err(error) = renamed {
            return Err(Failure {
                error,
                left: self.discard(),
            });
        }
        self.hidden = None;
        Ok(folder_of(&self.top).to_owned())
    }

    /// Removes the directory and all that was written to it.
    pub(super) fn discard(mut self) -> Option<Leftover> {
        self.remove()
    }

    fn remove(&mut self) -> Option<Leftover> {
        let hidden = self.hidden.take()?;
        Leftover::after(fs::remove_dir_all(&hidden), hidden)
    }

    /// Flushes the hidden directory and those in it.
    fn flush(&self) -> io::Result<()> {
        let Some(hidden) = &self.hidden else {
            return Ok(());
        };
        let mut folder = self.inner.as_path();
        loop {
            super::flush_directory(folder)?;
            if folder == hidden {
                return Ok(());
            }
            folder = folder_of(folder);
        }
    }

    fn rename(&self) -> io::Result<()> {
        let Some(hidden) = &self.hidden else {
            return Ok(());
        };
        match renameat_with(CWD, hidden, CWD, &self.top, RenameFlags::NOREPLACE) {
            // The file system knows no such flag. Without it a directory takes the place of an empty one at most.
            Err(Errno::INVAL | Errno::NOSYS) => fs::rename(hidden, &self.top),
            renamed => Ok(renamed?),
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What cannot be removed is a leftover for the next save.
        let _ = self.remove();
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
