//! The files that a page is given to open, packed.

use crate::base::disk;
use crate::base::shown::{Shown, shown};
use crate::cli::source::go_on;
use crate::format::{Conversion, LoadResult, input, is_example};
use crate::open::series::date_of;
use crate::open::{ReadFile, ReadFiles};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use color_eyre::eyre;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A directory for files and folders whose own names mean something else to a page.
const FOLDER: &str = "files";

/// A file in a page.
#[derive(Debug, Serialize)]
pub(super) struct PageFile {
    /// Its path in the page.
    path: String,
    /// When it was changed last, in Unix seconds.
    modified: i64,
    /// Its bytes, packed and as text.
    gzip: String,
}

/// What a page is given to open.
#[derive(Debug, Default)]
pub(super) struct PageContents {
    /// The files.
    pub(super) files: Vec<PageFile>,
    /// The paths in the page that are opened as one tree.
    pub(super) open: Vec<String>,
    /// The names of the files, for people.
    pub(super) names: Vec<Shown>,
}

impl PageContents {
    /// Returns the files that a tree was read from, as they are. A page finds them as they were found.
    pub(super) fn of_files(read: &ReadFiles) -> eyre::Result<Self> {
        let mut contents = Self::default();
        let folder = match &read.folder {
            Some(folder) if !are_dated(&read.files) => Some(name_of_folder(folder)?),
            _ => None,
        };
        let paths = match &folder {
            Some(folder) => paths_in(folder, &read.files),
            None => shared_paths(&read.files)?,
        };
        for (place, file) in read.files.iter().enumerate() {
            let source = input::read_as_is(&file.path, &mut go_on)?;
            let path = contents.free_path(&paths[place]);
            contents.names.push(shown(file.name.as_encoded_bytes()));
            let modified = source.modified.expect("a file has a time");
            contents.add(path, modified, &source.bytes)?;
        }
        match folder {
            Some(folder) => contents.open.push(text_of(&folder)),
            None => {
                for file in &contents.files {
                    contents.open.push(file.path.clone());
                }
            }
        }
        Ok(contents)
    }

    /// Returns a tree that was written in a format of one file. The time is in Unix seconds.
    pub(super) fn of_tree(conversion: &Conversion, modified: i64) -> eyre::Result<Self> {
        let mut contents = Self::default();
        for (name, bytes) in &conversion.files {
            contents.add(name.clone(), modified, bytes)?;
            contents.open.push(name.clone());
        }
        Ok(contents)
    }

    /// Adds a file.
    fn add(&mut self, path: String, modified: i64, bytes: &[u8]) -> io::Result<()> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(bytes)?;
        let gzip = STANDARD.encode(packer.finish()?);
        self.files.push(PageFile {
            path,
            modified,
            gzip,
        });
        Ok(())
    }

    /// Returns a path as text that no other file has. Different names that are no text may become the same one.
    fn free_path(&self, path: &Path) -> String {
        let text = text_of(path);
        let mut free = text.clone();
        let mut number = 1;
        while self.files.iter().any(|file| file.path == free) {
            number += 1;
            free = format!("{text} ({number})");
        }
        free
    }
}

/// Returns whether the name of a file has a date, by which its directory would be opened as a series.
fn are_dated(files: &[ReadFile]) -> bool {
    files.iter().any(|file| date_of(&file.path).is_some())
}

/// Returns a path as a page has it.
fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns the name of a directory, whatever its path is.
fn name_of_folder(folder: &Path) -> LoadResult<PathBuf> {
    let whole = canonical(folder)?;
    Ok(match whole.file_name() {
        Some(name) => plain(PathBuf::from(name)),
        None => PathBuf::from(FOLDER),
    })
}

/// Returns the path of a directory from the root, without links. An empty path is the current directory.
fn canonical(folder: &Path) -> LoadResult<PathBuf> {
    let here = Path::new(".");
    let folder = if folder.as_os_str().is_empty() {
        here
    } else {
        folder
    };
    match disk::canonicalize(folder) {
        Ok(whole) => Ok(whole),
        Err(error) => Err(input::not_opened(folder, error)),
    }
}

/// Returns a path that a page takes for one of a file or a folder, and for nothing else.
fn plain(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" || is_example(&path) {
        return Path::new(FOLDER).join(path);
    }
    path
}

/// Returns the paths of files in a directory that finds them by their names.
fn paths_in(folder: &Path, files: &[ReadFile]) -> Vec<PathBuf> {
    let mut paths = Vec::with_capacity(files.len());
    for file in files {
        paths.push(folder.join(&file.name));
    }
    paths
}

/// Returns the paths of files as seen from the directory that they share.
fn shared_paths(files: &[ReadFile]) -> LoadResult<Vec<PathBuf>> {
    let mut wholes = Vec::with_capacity(files.len());
    for file in files {
        let folder = canonical(&file.path.with_file_name(""))?;
        wholes.push(folder.join(&file.name));
    }
    let mut shared = PathBuf::new();
    if let Some(first) = wholes.first() {
        shared = first.with_file_name("");
    }
    for whole in &wholes {
        while !whole.starts_with(&shared) {
            shared.pop();
        }
    }
    let mut paths = Vec::with_capacity(files.len());
    for whole in wholes {
        let path = whole.strip_prefix(&shared).expect("all of them share it");
        paths.push(plain(path.to_owned()));
    }
    Ok(paths)
}
