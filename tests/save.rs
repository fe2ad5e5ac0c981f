//! Saving leaves either the old file or the new one, and its errors say what to do.

use fairscope::base::save::{Fingerprint, save, save_unchanged, spare};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").file_name())
        .map(|name| name.into_string().expect("the names are ours"))
        .collect();
    names.sort();
    names
}

fn refusal(path: &Path, replace: bool) -> String {
    let folder = path
        .parent()
        .expect("the path has a folder")
        .display()
        .to_string();
    let error = save(path, b"new", replace)
        .expect_err("it cannot be saved")
        .to_string();
    error.replace(&folder, "FOLDER")
}

#[test]
fn saving_creates_a_new_file_and_leaves_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    save(&path, b"new", false).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["plan.toml"]);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    fs::write(&path, "old").unwrap();
    assert_eq!(
        refusal(&path, false),
        "FOLDER/plan.toml exists already and was left as it is; choose another name"
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
    save(&path, b"new", true).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["plan.toml"]);
}

#[test]
fn replacing_a_file_keeps_its_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    save(&path, b"new", true).unwrap();
    assert_eq!(
        path.metadata().unwrap().permissions().mode() & 0o7777,
        0o640
    );
}

#[test]
fn saving_through_a_link_keeps_the_link_and_replaces_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link"), folder.path().join("target"));
    symlink("target", &link).unwrap();
    save(&link, b"first", false).unwrap();
    save(&link, b"second", true).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read(&target).unwrap(), b"second");
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    symlink(&one, &other).unwrap();
    symlink(&other, &one).unwrap();
    assert_eq!(
        refusal(&one, true),
        "FOLDER/one leads through too many links, probably in a circle; choose the name of a file"
    );
}

#[test]
fn saving_to_a_path_that_is_no_file_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    assert_eq!(
        refusal(&inner, true),
        "FOLDER/inner is a directory, not a file; choose the name of a file"
    );
    assert_eq!(
        save(Path::new("/dev/null"), b"new", true)
            .unwrap_err()
            .to_string(),
        "/dev/null is a device, not a file; choose the name of a file"
    );
    assert_eq!(
        refusal(&folder.path().join("gone/plan.toml"), false),
        "FOLDER/plan.toml cannot be made, because its directory does not exist; make the directory first, or choose another"
    );
}

#[test]
fn a_file_changed_since_it_was_read_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    fs::write(&path, "old").unwrap();
    let seen = Fingerprint::of(&path).unwrap();
    save_unchanged(&path, b"mine", seen).unwrap();
    let message = save_unchanged(&path, b"mine again", seen)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("was changed on the disk since it was read"),
        "{message}"
    );
    fs::remove_file(&path).unwrap();
    assert!(save_unchanged(&path, b"mine", seen).is_err());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_file_of_the_source_is_recognised_under_any_of_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("inner")).unwrap();
    fs::write(path("source"), "mine").unwrap();
    symlink("source", path("link")).unwrap();
    fs::hard_link(path("source"), path("twin")).unwrap();
    let sources = [path("source"), path("source-wal")];
    for name in [
        "source",
        "link",
        "twin",
        "inner/../source",
        "./source",
        "source-wal",
        "inner/../source-wal",
    ] {
        let error = spare(&path(name), &sources).expect_err(name).to_string();
        assert_eq!(
            error,
            format!(
                "{} is the source, which fairscope never writes to; choose another name",
                path(name).display()
            )
        );
    }
    for name in ["other", "inner/source", "source-wal2"] {
        spare(&path(name), &sources).expect(name);
    }
}
