//! The disk of a page: files that were given to it by name. They stand in memory, in one folder or in folders that their
//! names tell; nothing else can be read, and nothing leaves it.

#![expect(
    clippy::unnecessary_wraps,
    clippy::trivially_copy_pass_by_ref,
    reason = "what reads files takes these for those of the standard library"
)]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that was given.
#[derive(Clone, Debug)]
struct HeldFile {
    bytes: Arc<[u8]>,
    metadata: Metadata,
}

/// The files by their paths.
static FILES: Mutex<BTreeMap<PathBuf, HeldFile>> = Mutex::new(BTreeMap::new());

fn files() -> MutexGuard<'static, BTreeMap<PathBuf, HeldFile>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a path without what leads nowhere else: `/a/./b` and `a/b` are one file.
fn plain(path: &Path) -> PathBuf {
    let mut steps = PathBuf::new();
    for step in path.components() {
        match step {
            Component::Normal(name) => steps.push(name),
            Component::ParentDir => drop(steps.pop()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    steps
}

/// Keeps a file, instead of one that had its path before. The time is in Unix seconds.
pub(crate) fn keep(path: &Path, bytes: Vec<u8>, modified: i64) {
    let mut files = files();
    // A file that is kept again is another one, whatever its time.
    let key = plain(path);
    let edition = match files.get(&key) {
        Some(before) => before.metadata.edition + 1,
        None => 0,
    };
    let metadata = Metadata {
        length: Some(bytes.len() as u64),
        modified,
        edition,
    };
    let file = HeldFile {
        bytes: bytes.into(),
        metadata,
    };
    files.insert(key, file);
}

/// What is known of a file or a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metadata {
    /// In bytes; `None` for a folder.
    length: Option<u64>,
    modified: i64,
    /// How often the file was replaced.
    edition: u64,
}

impl Metadata {
    pub(crate) fn len(&self) -> u64 {
        self.length.unwrap_or(0)
    }

    pub(crate) const fn is_file(&self) -> bool {
        self.length.is_some()
    }

    pub(crate) const fn is_dir(&self) -> bool {
        self.length.is_none()
    }

    pub(crate) const fn file_type(&self) -> FileType {
        FileType {
            is_folder: self.length.is_none(),
        }
    }

    /// Returns when the file was changed, and which file of that time it is.
    pub(crate) fn modified(&self) -> io::Result<(i64, u64)> {
        Ok((self.modified, self.edition))
    }
}

/// What a system tells of files beyond their length. The words are those of the standard library.
pub(crate) trait MetadataExt {
    fn mtime(&self) -> i64;
    fn mtime_nsec(&self) -> i64;
    fn ctime(&self) -> i64;
    fn ctime_nsec(&self) -> i64;
    fn ino(&self) -> u64;
    fn dev(&self) -> u64;
}

impl MetadataExt for Metadata {
    fn mtime(&self) -> i64 {
        self.modified
    }

    fn mtime_nsec(&self) -> i64 {
        0
    }

    fn ctime(&self) -> i64 {
        self.modified
    }

    fn ctime_nsec(&self) -> i64 {
        0
    }

    fn ino(&self) -> u64 {
        self.edition
    }

    fn dev(&self) -> u64 {
        0
    }
}

/// Whether something is a file or a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileType {
    is_folder: bool,
}

impl FileType {
    pub(crate) const fn is_dir(&self) -> bool {
        self.is_folder
    }
}

/// What else a path could be. Here nothing else is.
pub(crate) trait FileTypeExt {
    fn is_fifo(&self) -> bool {
        false
    }

    fn is_socket(&self) -> bool {
        false
    }

    fn is_char_device(&self) -> bool {
        false
    }

    fn is_block_device(&self) -> bool {
        false
    }
}

impl FileTypeExt for FileType {}

/// A file that is read.
#[derive(Debug)]
pub(crate) struct File {
    held: HeldFile,
    /// How many bytes were read.
    done: usize,
}

impl File {
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        Ok(self.held.metadata)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = &self.held.bytes[self.done..];
        let count = rest.read(buffer)?;
        self.done += count;
        Ok(count)
    }
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    match files().get(&plain(path)) {
        Some(held) => Ok(File {
            held: held.clone(),
            done: 0,
        }),
        None => Err(ErrorKind::NotFound.into()),
    }
}

/// Returns what is known of a file, or of a folder that holds one.
pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    let key = plain(path);
    let files = files();
    if let Some(held) = files.get(&key) {
        return Ok(held.metadata);
    }
    let is_root = key.as_os_str().is_empty();
    if is_root || files.keys().any(|file| file.starts_with(&key)) {
        return Ok(Metadata {
            length: None,
            modified: 0,
            edition: 0,
        });
    }
    Err(ErrorKind::NotFound.into())
}

/// Returns what [`metadata`] returns: there are no links.
pub(crate) fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    metadata(path)
}

/// Returns the path as it was given: there are no links.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    metadata(path)?;
    Ok(path.to_owned())
}

/// An entry of a folder.
#[derive(Debug)]
pub(crate) struct DirEntry {
    path: PathBuf,
    file_type: FileType,
}

impl DirEntry {
    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn file_name(&self) -> OsString {
        self.path.file_name().unwrap_or_default().to_owned()
    }

    pub(crate) fn file_type(&self) -> io::Result<FileType> {
        Ok(self.file_type)
    }
}

/// Lists a folder.
pub(crate) fn read_dir(folder: &Path) -> io::Result<std::vec::IntoIter<io::Result<DirEntry>>> {
    if metadata(folder)?.is_file() {
        return Err(ErrorKind::NotADirectory.into());
    }
    let inside = plain(folder);
    let mut names: BTreeMap<OsString, bool> = BTreeMap::new();
    for path in files().keys() {
        let Ok(below) = path.strip_prefix(&inside) else {
            continue;
        };
        let mut steps = below.iter();
        if let Some(name) = steps.next() {
            let is_folder = steps.next().is_some();
            names.insert(OsStr::to_owned(name), is_folder);
        }
    }
    let mut entries = Vec::new();
    for (name, is_folder) in names {
        entries.push(Ok(DirEntry {
            path: folder.join(name),
            file_type: FileType { is_folder },
        }));
    }
    Ok(entries.into_iter())
}

/// Returns whether an open file is one of the kernel: none is.
pub(crate) const fn is_of_kernel(_file: &File) -> bool {
    false
}

/// Says that a page has no standard input.
pub(crate) fn read_standard_input(_buffer: &mut [u8]) -> io::Result<usize> {
    Err(ErrorKind::Unsupported.into())
}

/// Returns the name of a file that these bytes are. Names of a page are UTF-8.
pub(crate) fn name_of(bytes: Vec<u8>) -> OsString {
    match String::from_utf8(bytes) {
        Ok(name) => name.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes())
            .into_owned()
            .into(),
    }
}
