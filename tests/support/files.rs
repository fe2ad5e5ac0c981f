//! Files and folders that tests read.

use std::path::{Path, PathBuf};

/// Returns every file below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns every file and folder directly in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    paths.sort();
    paths
}

/// Returns the folders directly in a folder that hold all these files, sorted. Panics if there is none.
pub(crate) fn folders_with(folder: &Path, files: &[&str]) -> Vec<PathBuf> {
    let mut folders = entries(folder);
    folders.retain(|path| files.iter().all(|file| path.join(file).exists()));
    assert!(!folders.is_empty(), "some cases are kept with the tests");
    folders
}

/// Makes a named pipe, which only its owner may use.
pub(crate) fn make_pipe(path: &Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0)
        .expect("a pipe");
}
