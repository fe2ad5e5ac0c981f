//! Files that grow while something goes on: what was written stays if the process dies.

use super::{SaveError, fresh, name_of, refused};
use crate::base::shown::Shown;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A new file that grows. If nothing was ever added, it vanishes again.
#[derive(Debug)]
pub struct Growing {
    file: File,
    path: PathBuf,
    /// The length before the last addition.
    before: u64,
    length: u64,
}

impl Growing {
    /// Creates the file. Nothing that is there is replaced or followed.
    pub(crate) fn create(path: &Path) -> Result<Self, SaveError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(fresh::USUAL);
        let opened = options.open(path);
        let file = opened.map_err(|error| refused(name_of(path), &error))?;
        Ok(Self {
            file,
            path: path.to_owned(),
            before: 0,
            length: 0,
        })
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), SaveError> {
        let written = self.file.write_all(bytes);
        if let Err(error) = written {
            // A part of the addition may be there.
            let _ = self.cut(self.length);
            return Err(refused(self.name(), &error));
        }
        self.before = self.length;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Removes the last addition again.
    pub(crate) fn take_back(&mut self) -> Result<(), SaveError> {
        let cut = self.cut(self.before);
        cut.map_err(|error| refused(self.name(), &error))?;
        self.length = self.before;
        Ok(())
    }

    fn cut(&mut self, length: u64) -> std::io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(std::io::SeekFrom::Start(length)).map(drop)
    }

    pub(crate) fn discard(self) -> Result<(), SaveError> {
        let removed = std::fs::remove_file(&self.path);
        removed.map_err(|error| refused(self.name(), &error))
    }

    pub(crate) fn name(&self) -> Shown {
        name_of(&self.path)
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if self.length == 0 {
            // An empty file does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
