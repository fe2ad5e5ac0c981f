//! The sources that were opened last: a file in the user's state folder with one path a line, the newest first. What
//! would break a line is written out, as names are shown.

use crate::base::save::{self, Flush, SaveError};
use crate::base::shown::{read_back, shown};
use crate::format::input;
use crate::open::folder::{Content, Entry, Folder};
use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

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
    pub(crate) const ALL: [Self; 2] = [Self::Marks, Self::Columns];

    fn file(self, folder: &Path) -> PathBuf {
        folder.join(match self {
            Self::Marks => "watched",
            Self::Columns => "columns",
        })
    }
}

const MOST: usize = 20;

const LONGEST: u64 = 256 << 10;

/// The longest path in bytes, as Linux takes it.
const LONGEST_PATH: usize = 4096;

/// Returns a path seen from a folder, without slashes and dots that mean nothing.
pub(crate) fn kept(folder: &Path, path: &Path) -> PathBuf {
    folder.join(path).components().collect()
}

/// Returns the lines of a file, each split at tabs: none of an unreadable one.
fn lines(file: &Path) -> Vec<Vec<Vec<u8>>> {
    let mut text = Vec::new();
    // A list for convenience is no reason for an error.
    let _ = input::open(file).map(|file| file.take(LONGEST).read_to_end(&mut text));
    let lines = text.split(|&byte| byte == b'\n');
    let parts = |line: &[u8]| line.split(|&byte| byte == b'\t').map(read_back).collect();
    lines.map(parts).collect()
}

fn write<'a>(
    file: &Path,
    lines: impl Iterator<Item = &'a Vec<Vec<u8>>>,
    flush: &Flush<'_>,
) -> Result<(), SaveError> {
    let line = |line: &Vec<Vec<u8>>| {
        let parts = line.iter().map(|part| String::from(shown(part)));
        parts.collect::<Vec<_>>().join("\t") + "\n"
    };
    let text: String = lines.map(line).collect();
    save::save_private_with(file, text.as_bytes(), flush)
}

/// Returns the words that were kept for a source in a folder.
pub(crate) fn kept_words(folder: &Path, kept: Kept, source: &Path) -> Vec<Vec<u8>> {
    let mut lines = lines(&kept.file(folder)).into_iter();
    let own = lines.find(|line| line[0] == source.as_os_str().as_bytes());
    own.map_or_else(Vec::new, |line| line[1..].to_vec())
}

/// Keeps words for a source in a folder; none forgets those that were kept.
pub(crate) fn keep_words(
    folder: &Path,
    kept: Kept,
    source: &Path,
    words: &[String],
    flush: &Flush<'_>,
) -> Result<(), SaveError> {
    let file = kept.file(folder);
    let source = source.as_os_str().as_bytes();
    let words = words.iter().map(|word| word.as_bytes().to_vec());
    let own: Vec<Vec<u8>> = [source.to_vec()].into_iter().chain(words).collect();
    let mut others = lines(&file);
    others.retain(|line| line.len() > 1 && line[0] != source);
    let own = Some(&own).filter(|own| own.len() > 1);
    write(&file, own.into_iter().chain(&others).take(MOST), flush)
}

/// Returns the sources, the newest first: none of an unreadable file, and no line without an absolute path.
fn read(file: &Path) -> Vec<PathBuf> {
    let lines = lines(file).into_iter();
    let paths = lines.map(|line| PathBuf::from(OsString::from_vec(line.join(&b'\t'))));
    let is_path = |path: &PathBuf| path.is_absolute() && path.as_os_str().len() < LONGEST_PATH;
    paths.filter(is_path).take(MOST).collect()
}

/// Returns the sources but those that are open, as the entries of a folder.
pub fn list(file: &Path, open: &[PathBuf]) -> Folder {
    let paths = read(file).into_iter().filter(|path| !open.contains(path));
    let entries = paths.map(|path| Entry {
        name: path.into_os_string(),
        is_listed_directory: false,
        content: None,
    });
    Folder {
        content: Content::Directory,
        entries: entries.collect(),
        has_more: false,
    }
}

/// Puts a source before the others. `flush` waits until the disk has the list, or decides that this takes too long.
pub fn remember(file: &Path, path: &Path, flush: &Flush<'_>) -> Result<(), SaveError> {
    let mut paths = read(file);
    if paths.first().is_some_and(|first| first == path) {
        return Ok(());
    }
    paths.retain(|other| other != path);
    paths.insert(0, path.to_owned());
    paths.truncate(MOST);
    let line = |path: PathBuf| vec![path.into_os_string().into_vec()];
    let lines: Vec<_> = paths.into_iter().map(line).collect();
    write(file, lines.iter(), flush)
}
