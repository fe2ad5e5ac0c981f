//! Scenarios saved and opened again, and the clipboard, on a real terminal.

use super::{READY, assert_as_found, explorer};
use crate::support::terminal::Terminal;
use std::path::Path;

/// Saves under a path; the prompt holds another at first.
fn save(terminal: &mut Terminal, path: &Path) {
    terminal.send("w");
    terminal.wait_for("save scenario as:");
    terminal.send("\x15");
    terminal.send(path.to_str().expect("temporary folders have plain names"));
    terminal.send("\r");
}

/// Ends an explorer with unsaved edits.
fn quit_and_lose(mut terminal: Terminal) {
    terminal.send("q");
    terminal.wait_for("quit without saving");
    terminal.send("y");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert_as_found(&terminal);
}

#[test]
fn a_saved_scenario_is_opened_again_with_its_edits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let mut terminal = Terminal::fairscope(&["tests/data/seed"], &[]);
    terminal.wait_for(READY);
    terminal.send("++j+");
    terminal.wait_for("3 edits ●");
    save(&mut terminal, &path);
    terminal.wait_for("saved ");
    assert!(terminal.screen().contains("3 edits"));
    assert!(!terminal.screen().contains('●'), "{}", terminal.screen());
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert_as_found(&terminal);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let mut terminal = Terminal::fairscope(&[path.to_str().unwrap()], &[]);
    terminal.wait_for("3 edits");
    for part in ["*62", "*41"] {
        assert!(terminal.screen().contains(part), "{}", terminal.screen());
    }
    terminal.send("uuu");
    terminal.wait_for("took back");
    terminal.wait_until("the source as it was read", |terminal| {
        !terminal.screen().contains('*')
    });
    terminal.send("UUU");
    terminal.wait_for("*62");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
}

#[test]
fn a_file_that_is_there_is_replaced_only_after_a_yes() {
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
    terminal.wait_until("no question", |terminal| {
        !terminal.screen().contains("already there")
    });
    assert_eq!(contents(), "mine");
    assert!(terminal.screen().contains("1 edit ●"));
    save(&mut terminal, &path);
    terminal.wait_for("already there");
    terminal.send("y");
    terminal.wait_for("saved ");
    assert!(contents().contains("shares group2=61"), "{}", contents());
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
}

#[test]
fn a_save_that_fails_keeps_the_edits_and_says_why() {
    let mut terminal = explorer();
    terminal.send("+");
    terminal.wait_for("1 edit ●");
    save(&mut terminal, Path::new("/nowhere/at/all"));
    terminal.wait_for("its directory does not exist");
    assert!(terminal.screen().contains("1 edit ●"));
    assert!(terminal.screen().contains("*61"));
    quit_and_lose(terminal);
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
    assert_as_found(&terminal);
}
