//! What tells whether a file changed.

use super::disk::{self, Metadata, MetadataExt as _};
use std::io;
use std::path::Path;

/// The state of a file, to detect changes: its length, its time of change and its inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// In bytes.
    pub(crate) length: u64,
    /// When it was changed, in Unix seconds and nanoseconds.
    pub(crate) modified: (i64, i64),
    inode: u64,
}

impl Fingerprint {
    /// Returns the fingerprint of the file in its present state, following links.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from(&disk::metadata(path)?))
    }
}

impl From<&Metadata> for Fingerprint {
    fn from(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            inode: metadata.ino(),
        }
    }
}
