//! The sources that were opened last: a file in the user's state folder with one path a line, the newest first. What
//! would break a line is written out, as names are shown.

use crate::base::disk;
use crate::base::shown::read_back;
use crate::format::input;
use crate::open::folder::{Content, Entry, Folder};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The name of the file of the sources.
pub(crate) const FILE: &str = "recent";

/// What is kept for a source, in a file beside it of its own: a source and its words a line, between tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The paths of the nodes that were marked.
    Marks,
    /// The names of the columns that were chosen.
    Columns,
}

impl Kept {
    /// All that is kept.
    pub(crate) const ALL: [Self; 2] = [Self::Marks, Self::Columns];

    /// Returns the file that keeps them in a folder.
    pub(super) fn file(self, folder: &Path) -> PathBuf {
        folder.join(match self {
            Self::Marks => "watched",
            Self::Columns => "columns",
        })
    }
}

/// The most lines of a file.
pub(super) const MOST: usize = 20;

/// The bytes of a file that are read.
const LONGEST: u64 = 256 << 10;

/// The longest path in bytes, as Linux takes it.
const LONGEST_PATH: usize = 4096;

/// Returns a path seen from a folder, without slashes and dots that mean nothing.
pub(crate) fn kept(folder: &Path, path: &Path) -> PathBuf {
    folder.join(path).components().collect()
}

/// A line of a file: what stands between its tabs, as it was before it was written out.
pub(super) type KeptLine = Vec<Vec<u8>>;

/// Returns the lines of a file: none of an unreadable one.
pub(super) fn lines(file: &Path) -> Vec<KeptLine> {
    let mut text = Vec::new();
    if let Ok(file) = input::open(file) {
        // A list for convenience is no reason for an error.
        let _ = file.take(LONGEST).read_to_end(&mut text);
    }
    let mut lines = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let parts = line.split(|&byte| byte == b'\t');
        lines.push(parts.map(read_back).collect());
    }
    lines
}

/// Returns the words that were kept for a source in a folder.
pub(crate) fn kept_words(folder: &Path, kept: Kept, source: &Path) -> Vec<Vec<u8>> {
    for mut line in lines(&kept.file(folder)) {
        if line[0] == source.as_os_str().as_encoded_bytes() {
            line.remove(0);
            return line;
        }
    }
    Vec::new()
}

/// The name of the file of the lessons that were finished, with one name a line.
pub(super) const LESSONS: &str = "lessons";

/// Returns the names of the lessons that were finished: none of an unreadable file.
pub fn finished(folder: &Path) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    for line in lines(&folder.join(LESSONS)) {
        names.push(line.concat());
    }
    names
}

/// Returns the sources, the newest first: none of an unreadable file, and no line without an absolute path.
pub(super) fn read(file: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in lines(file) {
        let path = PathBuf::from(disk::name_of(line.join(&b'\t')));
        if path.is_absolute() && path.as_os_str().len() < LONGEST_PATH {
            paths.push(path);
        }
    }
    paths.truncate(MOST);
    paths
}

/// Returns the sources but those that are open, as the entries of a folder.
pub fn list(file: &Path, open: &[PathBuf]) -> Folder {
    let mut entries = Vec::new();
    for path in read(file) {
        if !open.contains(&path) {
            entries.push(Entry {
                name: path.into_os_string(),
                is_listed_directory: false,
                content: None,
            });
        }
    }
    Folder {
        content: Content::Directory,
        entries,
        has_more: false,
    }
}
