//! The list of the sources that were opened last.

use fairscope::tui::recent::list;
use fairscope::tui::remember;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

fn read(file: &Path) -> Vec<OsString> {
    names(file, &[])
}

fn names(file: &Path, open: &[PathBuf]) -> Vec<OsString> {
    let entries = list(file, open).entries.into_iter();
    entries.map(|entry| entry.name).collect()
}

#[test]
fn sources_are_kept_newest_first_and_each_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recent");
    let hostile = Path::new(OsStr::from_bytes(b"/a\nb\\x41\xff\x1b[31m"));
    for path in [
        Path::new("/one"),
        hostile,
        Path::new("/two"),
        Path::new("/one"),
    ] {
        remember(&file, path, &File::sync_all).expect("it can be written");
    }
    let hostile = hostile.as_os_str();
    assert_eq!(
        read(&file),
        [OsStr::new("/one"), OsStr::new("/two"), hostile]
    );
    let open = [PathBuf::from("/two")];
    assert_eq!(names(&file, &open), [OsStr::new("/one"), hostile]);
}

#[test]
fn only_the_newest_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recent");
    for number in 0..25 {
        let path = format!("/tree {number}");
        remember(&file, Path::new(&path), &File::sync_all).expect("it can be written");
    }
    let paths = read(&file);
    assert_eq!(paths.len(), 20);
    assert_eq!(paths[0], "/tree 24");
}

#[test]
fn a_broken_file_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recent");
    assert!(read(&file).is_empty());
    fs::write(&file, b"\0\xff\nrelative\n\n/there\n\\x2fodd\n").expect("it can be written");
    assert_eq!(read(&file), ["/there", "/odd"]);
    let paths = vec![b'/'; 1 << 20];
    fs::write(&file, paths).expect("it can be written");
    assert!(read(&file).is_empty());
    fs::remove_file(&file).expect("it is there");
    fs::create_dir(&file).expect("a directory");
    assert!(read(&file).is_empty());
    assert!(remember(&file, Path::new("/one"), &File::sync_all).is_err());
}
