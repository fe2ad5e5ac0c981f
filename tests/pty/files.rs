//! Saving and reopening scenarios, and the clipboard, on a real terminal.

use super::{READY, assert_ends, assert_restored, explorer, quit};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use std::path::Path;

/// Saves under a path. The prompt shows another path first.
pub(super) fn save(terminal: &mut Terminal, path: &Path) {
    terminal.send("w");
    terminal.wait_for("save scenario as:");
    let path = path.to_str().expect("temporary folders have plain names");
    terminal.send(&format!("\x15{path}\r"));
}

/// Makes another edit, so that there are this many, and saves under the path that the prompt proposes.
fn edit_and_save(terminal: &mut Terminal, edits: &str) {
    terminal.send("+");
    terminal.wait_for(edits);
    terminal.send("w");
    terminal.wait_for("save scenario as:");
    terminal.send("\r");
}

/// Quits an explorer with unsaved edits and discards them.
fn quit_and_discard(mut terminal: Terminal) {
    terminal.send("q");
    terminal.wait_for("quit without saving");
    terminal.send("y");
    assert_ends(&mut terminal);
}

#[test]
fn a_saved_scenario_is_opened_again_with_its_edits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let mut terminal = Terminal::fairscope(&["tests/data/seed"], &[]);
    terminal.wait_for(READY);
    terminal.send("+j+k+");
    terminal.wait_for("3 edits ●");
    save(&mut terminal, &path);
    terminal.wait_for("saved ");
    terminal.screen().must_contain("3 edits");
    terminal.screen().must_lack("●");
    quit(&mut terminal);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let mut terminal = Terminal::fairscope(&[path.to_str().unwrap()], &[]);
    terminal.wait_for("3 edits");
    for part in ["*62", "*41"] {
        terminal.screen().must_contain(part);
    }
    terminal.send_until("uuu", "the source as it was read", |terminal| {
        let screen = terminal.screen();
        screen.contains("undid") && !screen.contains('*')
    });
    terminal.send("UUU");
    terminal.wait_for("*62");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
}

#[test]
fn an_existing_file_is_replaced_only_after_a_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let contents = || std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "mine").unwrap();
    let mut terminal = explorer();
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    save(&mut terminal, &path);
    terminal.wait_for("already there");
    terminal.send("\x1b");
    terminal.wait_without("already there");
    assert_eq!(contents(), "mine");
    terminal.screen().must_contain("1 edit ●");
    save(&mut terminal, &path);
    terminal.wait_for("already there");
    terminal.send("y");
    terminal.wait_for("saved ");
    contents().must_contain("shares group2=61");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
}

#[test]
fn a_failed_save_keeps_the_edits_and_gives_the_reason() {
    let mut terminal = explorer();
    terminal.send("$");
    terminal.wait_for("columns of the policy");
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    save(&mut terminal, Path::new("/nowhere/at/all"));
    terminal.wait_for("its directory does not exist");
    terminal.screen().must_contain("1 edit ●");
    terminal.screen().must_contain("*61");
    quit_and_discard(terminal);
}

#[test]
fn a_file_changed_since_it_was_saved_is_replaced_only_after_a_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let contents = || std::fs::read_to_string(&path).unwrap();
    let mut terminal = explorer();
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    save(&mut terminal, &path);
    terminal.wait_for("saved ");
    // Nothing changed the file, so saving again asks nothing.
    edit_and_save(&mut terminal, "2 edits ●");
    terminal.wait_for("saved ");
    contents().must_contain("shares group2=62");
    let others = contents() + "# a note of somebody else's\n";
    std::fs::write(&path, &others).unwrap();
    edit_and_save(&mut terminal, "3 edits ●");
    terminal.wait_for("was changed on the disk");
    terminal.send("\x1b");
    terminal.wait_without("was changed on the disk");
    terminal.screen().must_contain("3 edits ●");
    assert_eq!(contents(), others);
    terminal.send("w\r");
    terminal.wait_for("was changed on the disk");
    terminal.send("w");
    terminal.wait_for("save scenario as:");
    terminal.send("\x1b[F2\r");
    terminal.wait_for("saved ");
    assert_eq!(contents(), others);
    let beside = folder.path().join("plan.toml2");
    let beside = std::fs::read_to_string(beside).unwrap();
    beside.must_contain("shares group2=63");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
}

#[test]
fn a_scenario_changed_since_it_was_opened_is_replaced_only_after_a_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let text = "fairscope = 1\n[source]\nexample = true\n[[edit]]\ndo = \"shares group2=62\"\n";
    std::fs::write(&path, text).unwrap();
    let mut terminal = Terminal::fairscope(&[path.to_str().unwrap()], &[]);
    terminal.wait_for("1 edit");
    let others = text.replace("62", "64");
    std::fs::write(&path, &others).unwrap();
    edit_and_save(&mut terminal, "2 edits ●");
    terminal.wait_for("was changed on the disk");
    terminal.send("\x1b");
    terminal.wait_without("was changed on the disk");
    terminal.screen().must_contain("2 edits ●");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), others);
    quit_and_discard(terminal);
}

#[test]
fn saving_keeps_a_link_and_refuses_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("plan.toml"), folder.path().join("link"));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let mut terminal = explorer();
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    save(&mut terminal, folder.path());
    terminal.wait_for("is a directory, not a file");
    terminal.screen().must_contain("1 edit ●");
    save(&mut terminal, &link);
    terminal.wait_for("saved ");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    std::fs::read_to_string(&file)
        .unwrap()
        .must_contain("group2=61");
    // The link used for saving counts as the same file.
    edit_and_save(&mut terminal, "2 edits ●");
    terminal.wait_for("saved ");
    let text = std::fs::read_to_string(&file).unwrap();
    text.must_contain("group2=62");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
}

#[test]
fn saving_leaves_a_read_only_file_unchanged() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: nothing is read-only to root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, "mine").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o400)).unwrap();
    let mut terminal = explorer();
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    save(&mut terminal, &path);
    terminal.wait_for("already there");
    terminal.send("y");
    terminal.wait_for("is read-only");
    terminal.screen().must_contain("1 edit ●");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    quit_and_discard(terminal);
}

#[test]
fn a_path_is_copied_through_the_terminal() {
    let mut terminal = explorer();
    terminal.send("jy");
    terminal.wait_for("copied group2/scott");
    let sequence = b"\x1b]52;c;Z3JvdXAyL3Njb3R0\x1b\\";
    let log = terminal.log();
    assert!(
        log.windows(sequence.len()).any(|bytes| bytes == sequence),
        "{}",
        String::from_utf8_lossy(log).escape_debug()
    );
    terminal.send("q");
    terminal.wait_exit();
    assert_restored(&terminal);
}

#[test]
fn files_of_the_source_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("priv")).unwrap();
    for name in ["resource_group", "usage", "sched_config"] {
        let seed = Path::new("tests/data/seed").join(name);
        std::fs::copy(seed, path("priv").join(name)).unwrap();
    }
    std::fs::write(path("priv/holidays"), "YEAR 2026\n").unwrap();
    std::os::unix::fs::symlink("priv/usage", path("link")).unwrap();
    let names = ["resource_group", "usage", "sched_config", "holidays"];
    let contents = || names.map(|name| std::fs::read(path("priv").join(name)).unwrap());
    let before = contents();
    let mut terminal = Terminal::fairscope(&[path("priv").to_str().unwrap()], &[]);
    terminal.wait_for(READY);
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    for name in ["priv/resource_group", "priv/holidays", "link"] {
        save(&mut terminal, &path(name));
        terminal.wait_for("is the source");
        let screen = terminal.screen();
        screen.must_lack("already there");
    }
    assert_eq!(contents(), before);
    quit_and_discard(terminal);
}
