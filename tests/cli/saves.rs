//! What `--out` writes is whole or not there, and nothing else is left.

use crate::support::files::files_below;
use std::path::Path;
use std::process::{Command, Output};

/// Generates a tree as the files of PBS under a limit on the size of files that lets the first of them through.
fn generate(out: &Path, format: &str) -> Output {
    // A shell counts the limit in KiB, and some of them in half of that.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_fairscope")])
        .args(["generate", "--users", "40", "--to", format, "--out"])
        .arg(out)
        .output()
        .expect("bash is there")
}

#[track_caller]
fn assert_refused(ran: &Output, file: &Path) {
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    let expected = format!(
        "fairscope: {} could not be saved: File too large (os error 27); raise the limit on file size (ulimit -f), or choose a disk that allows larger files\n",
        file.display()
    );
    assert_eq!(said, expected);
}

#[test]
fn a_new_directory_of_several_files_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("above/new");
    let ran = generate(&new, "pbs");
    assert_refused(&ran, &new.join("usage"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn in_a_directory_that_exists_several_files_are_there_or_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "mine").unwrap();
    let ran = generate(folder.path(), "pbs");
    assert_refused(&ran, &folder.path().join("usage"));
    assert_eq!(files_below(folder.path()), [folder.path().join("mine")]);
}

#[test]
fn a_file_beyond_the_limit_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.toml");
    let ran = generate(&file, "toml");
    assert_refused(&ran, &file);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
