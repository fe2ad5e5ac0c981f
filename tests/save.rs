//! Saving leaves either the old file or the new one, and its errors say what to do.

use crate::support::expected::Expected as _;
use fairscope::base::fingerprint::Fingerprint;
use fairscope::base::save::{
    Contents, save, save_folder, save_private, save_several, save_unchanged, spare, spare_folder,
};
use std::fs::{self, File};
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
        "FOLDER/plan.toml already exists and was not replaced; choose another name"
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
        "FOLDER/one: too many levels of symbolic links; choose the name of a file"
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
        "FOLDER/plan.toml cannot be created, because its directory does not exist; create the directory first, or choose another"
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
    message.must_contain("changed on the disk since it was read");
    fs::remove_file(&path).unwrap();
    assert!(save_unchanged(&path, b"mine", seen).is_err());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn what_somebody_writes_right_after_a_save_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    for round in 0..50 {
        // Another program replaces or appends to the file as soon as it sees it.
        let is_appended = round % 2 == 0;
        let (ours, theirs) = (format!("ours {round}"), folder.path().join("theirs"));
        let seen = std::thread::scope(|scope| {
            scope.spawn(|| {
                while fs::read_to_string(&path).ok().as_deref() != Some(&ours) {}
                if is_appended {
                    let mut file = File::options().append(true).open(&path).unwrap();
                    std::io::Write::write_all(&mut file, b" and theirs").unwrap();
                } else {
                    fs::write(&theirs, "theirs").unwrap();
                    fs::rename(&theirs, &path).unwrap();
                }
            });
            save(&path, ours.as_bytes(), true).unwrap()
        });
        let error = save_unchanged(&path, b"ours again", seen).unwrap_err();
        error.to_string().must_contain("changed on the disk");
        fs::read_to_string(&path).unwrap().must_contain("theirs");
    }
    let seen = save(&path, b"ours", true).unwrap();
    assert_eq!(seen, Fingerprint::of(&path).unwrap());
    save_unchanged(&path, b"ours again", seen).unwrap();
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

/// Returns the permissions of a file.
fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_new_file_has_the_usual_permissions_and_a_private_one_only_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    File::create(path("usual")).unwrap();
    save(&path("new"), b"new", false).unwrap();
    save(&path("replaced"), b"new", true).unwrap();
    save_private(&path("private"), b"new").unwrap();
    save_private(&path("private"), b"again").unwrap();
    for name in ["new", "replaced"] {
        assert_eq!(mode(&path(name)), mode(&path("usual")), "{name}");
    }
    assert_eq!(mode(&path("private")), 0o600);
    assert_eq!(fs::read(path("private")).unwrap(), b"again");
}

#[test]
fn of_several_files_all_are_saved_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a", "b", "c"].map(|name| (folder.path().join(name), Contents::Bytes(b"new")));
    fs::write(folder.path().join("c"), "old").unwrap();
    let error = save_several(&files).unwrap_err().to_string();
    error.must_contain("c already exists");
    assert_eq!(names(folder.path()), ["c"]);
    assert_eq!(fs::read(folder.path().join("c")).unwrap(), b"old");
    fs::remove_file(folder.path().join("c")).unwrap();
    save_several(&files).unwrap();
    assert_eq!(names(folder.path()), ["a", "b", "c"]);
}

#[test]
fn files_that_were_placed_lose_their_names_when_another_cannot_get_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The name is taken after it was found free, while another file is written.
    let write = |hidden: &Path| {
        fs::write(path("b"), "taken").unwrap();
        fs::write(hidden, "new").map_err(|error| error.to_string())
    };
    let files = [
        (path("a"), Contents::Bytes(b"new")),
        (path("b"), Contents::Bytes(b"new")),
        (path("c"), Contents::Written(&write)),
    ];
    let error = save_several(&files).unwrap_err().to_string();
    error.must_contain("b already exists");
    assert_eq!(names(folder.path()), ["b"]);
    assert_eq!(fs::read(path("b")).unwrap(), b"taken");
}

#[test]
fn a_new_directory_appears_with_all_of_its_files_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("above/new");
    let refuse = |hidden: &Path| {
        fs::write(hidden, "half").unwrap();
        Err("the database could not be copied".to_owned())
    };
    let with = |last| [("a", Contents::Bytes(b"1")), ("b", last)];
    let error = save_folder(&new, &with(Contents::Written(&refuse))).unwrap_err();
    assert_eq!(error.to_string(), "the database could not be copied");
    assert_eq!(names(folder.path()), Vec::<String>::new());
    save_folder(&new, &with(Contents::Bytes(b"2"))).unwrap();
    assert_eq!(names(folder.path()), ["above"]);
    assert_eq!(names(&new), ["a", "b"]);
    fs::create_dir(folder.path().join("usual")).unwrap();
    assert_eq!(mode(&new), mode(&folder.path().join("usual")));
    assert_eq!(mode(&folder.path().join("above")), mode(&new));
    // In a directory that exists the same holds for the files.
    let there = folder.path().join("there");
    fs::create_dir(&there).unwrap();
    save_folder(&there, &with(Contents::Written(&refuse))).unwrap_err();
    assert_eq!(names(&there), Vec::<String>::new());
    let file = new.join("a");
    assert_eq!(
        save_folder(&file, &with(Contents::Bytes(b"2")))
            .unwrap_err()
            .to_string(),
        format!(
            "{} is a file, not a directory; choose the name of a directory",
            file.display()
        )
    );
}

#[test]
fn the_next_save_removes_what_killed_ones_left_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let left = [".fairscope-AbC123.tmp", ".fairscope-folder.tmp/new"];
    fs::create_dir_all(path(left[1])).unwrap();
    fs::write(path(left[0]), "half").unwrap();
    fs::write(path(left[1]).join("usage"), "half").unwrap();
    // A save that is under way, and what others named so.
    fs::write(path(".fairscope-at-work.tmp"), "half").unwrap();
    let at_work = File::open(path(".fairscope-at-work.tmp")).unwrap();
    at_work.lock().unwrap();
    symlink("elsewhere", path(".fairscope-link.tmp")).unwrap();
    fs::write(path(".fairscope-notes.txt"), "mine").unwrap();
    save(&path("plan.toml"), b"new", false).unwrap();
    let kept = [
        ".fairscope-at-work.tmp",
        ".fairscope-link.tmp",
        ".fairscope-notes.txt",
        "plan.toml",
    ];
    assert_eq!(names(folder.path()), kept);
    // A process that another test starts at this moment has the file open too.
    at_work.unlock().unwrap();
    save(&path("plan.toml"), b"again", true).unwrap();
    assert_eq!(names(folder.path()), kept[1..]);
}

#[test]
fn a_directory_is_no_leftover_where_others_could_have_named_it_so() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(".fairscope-AbC123.tmp");
    fs::create_dir(&left).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    save(&folder.path().join("plan.toml"), b"new", false).unwrap();
    assert!(left.is_dir());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    save(&folder.path().join("plan.toml"), b"new", true).unwrap();
    assert!(!left.exists());
}

#[test]
fn a_directory_with_files_of_the_source_is_no_place_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("inner")).unwrap();
    fs::write(path("source"), "mine").unwrap();
    symlink(".", path("link")).unwrap();
    for name in [".", "link", "inner/.."] {
        let error = spare_folder(&path(name), &[path("source")]).expect_err(name);
        assert_eq!(
            error.to_string(),
            format!(
                "{} holds files of the source; choose the name of another directory",
                path(name).display()
            )
        );
    }
    for name in ["inner", "none"] {
        spare_folder(&path(name), &[path("source")]).expect(name);
    }
}
