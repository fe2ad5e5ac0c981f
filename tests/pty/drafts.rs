//! Drafts of unsaved edits survive an unexpected end of the explorer.

use super::files::save;
use super::{READY, assert_ends, assert_restored};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Starts the explorer on PBS's files, with its drafts below a folder.
pub(super) fn explorer(state: &Path) -> Terminal {
    let state = state.to_str().expect("temporary folders have plain names");
    let mut terminal = Terminal::fairscope(&["tests/data/seed"], &[("XDG_STATE_HOME", state)]);
    terminal.wait_for(READY);
    terminal
}

/// Returns every file below a folder but the list of recent sources, which stays.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("the state can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("fairscope/recent") {
                files.push(path);
            }
        }
    }
    files
}

/// Returns the drafts below a folder.
pub(super) fn drafts(folder: &Path) -> Vec<PathBuf> {
    let mut drafts = files(folder);
    drafts.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    drafts
}

#[test]
fn edits_survive_a_hang_up_a_signal_and_a_kill() {
    for end in ["hang-up", "signal", "kill"] {
        let state = tempfile::tempdir().unwrap();
        let mut terminal = explorer(state.path());
        terminal.send("+j+k+");
        terminal.wait_for("3 edits ●");
        match end {
            "hang-up" => terminal.hang_up(),
            "signal" => terminal.signal(Signal::TERM),
            _ => {
                // A process cannot catch this signal, so the draft must be written soon after the edit.
                terminal.wait_until("a draft of all edits", |_| {
                    let drafts = drafts(state.path());
                    drafts.iter().any(|draft| {
                        let text = std::fs::read_to_string(draft).unwrap_or_default();
                        text.matches("[[edit]]").count() == 3
                    })
                });
                terminal.signal(Signal::KILL);
            }
        }
        terminal.wait_exit();
        let kept = drafts(state.path());
        assert_eq!(kept.len(), 1, "{end}: {kept:?}");
        let mode = kept[0].metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{end}");

        let mut terminal = explorer(state.path());
        terminal.wait_for("3 edits of seed from ");
        terminal.send("o");
        terminal.wait_for("Edits that were not saved");
        terminal.send("\r");
        terminal.wait_for("3 edits ●");
        for part in ["*62", "*41"] {
            terminal.screen().must_contain(part);
        }
        // The drafts now belong to this explorer. They are not offered again, and discarding them needs a confirmation.
        terminal.send("q");
        terminal.wait_for("3 edits are not saved");
        terminal.send("y");
        assert_ends(&mut terminal);
        assert_eq!(files(state.path()), Vec::<PathBuf>::new(), "{end}");
    }
}

#[test]
fn the_last_edits_survive_on_a_disk_that_never_answers() {
    for end in ["hang-up", "signal", "crash"] {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().to_str().unwrap();
        let variables = [
            ("XDG_STATE_HOME", path),
            ("FAIRSCOPE_REHEARSE", "no answer of the disk"),
        ];
        let mut terminal = Terminal::fairscope(&["tests/data/seed"], &variables);
        terminal.wait_for(READY);
        for shares in ["*61", "*62", "*63"] {
            terminal.send("+");
            terminal.wait_for(shares);
        }
        assert_eq!(
            drafts(state.path()),
            Vec::<PathBuf>::new(),
            "none is flushed"
        );
        match end {
            "hang-up" => terminal.hang_up(),
            "signal" => terminal.signal(Signal::TERM),
            _ => terminal.signal(Signal::ABORT),
        }
        terminal.wait_exit();
        let kept = drafts(state.path());
        assert_eq!(kept.len(), 1, "{end}: {kept:?}");
        let text = std::fs::read_to_string(&kept[0]).unwrap();
        assert!(text.contains("group2=63"), "{end}: {text}");
    }
}

#[test]
fn edits_that_are_in_no_draft_are_spoken_of_at_every_end() {
    let why = "unsaved edits cannot be backed up in /dev/null/none/fairscope: Not a directory (os error 20)";
    let begin = |rehearsal| {
        let variables = [
            ("XDG_STATE_HOME", "/dev/null/none"),
            ("FAIRSCOPE_REHEARSE", rehearsal),
        ];
        let mut terminal = Terminal::fairscope(&["example:small"], &variables);
        terminal.wait_for(READY);
        terminal
    };
    for (rehearsal, farewell) in [
        ("", format!("fairscope: {why}")),
        (
            "panic in a worker after an edit",
            format!("fairscope: {why}"),
        ),
        ("no memory", format!("smaller tree; {why}")),
    ] {
        let mut terminal = begin(rehearsal);
        terminal.send("+");
        if rehearsal.is_empty() {
            terminal.wait_for("cannot be backed up");
            terminal.signal(Signal::TERM);
        }
        terminal.wait_exit();
        assert_restored(&terminal);
        let said = terminal.output_after_screen();
        assert!(said.trim_end().ends_with(&farewell), "{rehearsal}: {said}");
    }
    // Where there are none, nothing is said.
    let mut terminal = begin("");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    assert_eq!(terminal.output_after_screen(), "");
}

#[test]
fn all_scenarios_survive_a_kill_while_typing() {
    let state = tempfile::tempdir().unwrap();
    let mut terminal = explorer(state.path());
    terminal.send("+Vmore\r");
    terminal.wait_for("more 2/2");
    terminal.send("+cwbeam time\r");
    terminal.wait_for("note added to");
    terminal.send_until("j+e7", "a draft of all", |terminal| {
        let drafts = drafts(state.path());
        let is_kept = drafts.iter().any(|draft| {
            let text = std::fs::read_to_string(draft).unwrap_or_default();
            text.matches("[[scenario.edit]]").count() == 4 && text.contains("beam time")
        });
        is_kept && terminal.screen().contains("shares of scott: 7")
    });
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    let mut terminal = explorer(state.path());
    terminal.wait_for("o opens them");
    terminal.send("o");
    terminal.wait_for("Edits that were not saved");
    terminal.send("\r");
    terminal.wait_for("3 edits ●  more 2/2");
    // Text still being typed is not an edit.
    for part in ["*62", "*41"] {
        terminal.screen().must_contain(part);
    }
    terminal.send("z");
    terminal.wait_for("1 edit ●  scenario 1 1/2");
    terminal.screen().must_contain("*61");
    terminal.send("q");
    terminal.wait_for("4 edits are not saved");
    terminal.send("y");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert_eq!(files(state.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_kill_right_after_an_edit_leaves_a_complete_draft_or_none() {
    for _ in 0..5 {
        let state = tempfile::tempdir().unwrap();
        let mut terminal = explorer(state.path());
        terminal.send("+j+");
        terminal.wait_for("2 edits ●");
        // There is no wait for the draft: it is being written at this moment.
        terminal.signal(Signal::KILL);
        terminal.wait_exit();
        for draft in drafts(state.path()) {
            let text = std::fs::read_to_string(&draft).unwrap();
            let edits = text.matches("[[edit]]").count();
            assert!((1..=2).contains(&edits), "{text}");
            text.must_end("\"\n");
        }
        let mut terminal = explorer(state.path());
        terminal.send("q");
        terminal.wait_exit();
    }
}

#[test]
fn edits_survive_a_panic() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().to_str().unwrap();
    let variables = [
        ("XDG_STATE_HOME", path),
        ("FAIRSCOPE_REHEARSE", "panic after an edit"),
    ];
    let mut terminal = Terminal::fairscope(&["example:small"], &variables);
    terminal.wait_for(READY);
    terminal.send("+");
    let (status, _) = terminal.wait_exit();
    assert_eq!(status.exit_code(), 101);
    assert_restored(&terminal);
    assert_eq!(drafts(state.path()).len(), 1);
}

#[test]
fn a_draft_is_deleted_when_its_edits_are_saved_or_undone() {
    let state = tempfile::tempdir().unwrap();
    let mut terminal = explorer(state.path());
    for (keys, expected) in [("+", 1), ("u", 0), ("+", 1)] {
        terminal.send_until(keys, "the drafts", |_| {
            drafts(state.path()).len() == expected
        });
    }
    let folder = tempfile::tempdir().unwrap();
    save(&mut terminal, &folder.path().join("saved"));
    terminal.wait_for("saved ");
    terminal.wait_until("no draft", |_| drafts(state.path()).is_empty());
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert_eq!(files(state.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_save_stays_said_when_the_draft_cannot_be_removed() {
    let state = tempfile::tempdir().unwrap();
    let mut terminal = explorer(state.path());
    terminal.resize(24, 240);
    terminal.send_until("+", "a draft", |_| drafts(state.path()).len() == 1);
    // A file is removed, a directory is not.
    let draft = drafts(state.path()).remove(0);
    std::fs::remove_file(&draft).unwrap();
    std::fs::create_dir(&draft).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.toml");
    save(&mut terminal, &file);
    let file = file.to_str().unwrap();
    terminal.wait_for(&format!(
        "saved {file}, but the draft {} could not be removed: ",
        draft.display()
    ));
    terminal.screen().must_lack("●");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    std::fs::read_to_string(file)
        .unwrap()
        .must_contain("group2=61");
}

#[test]
fn the_draft_of_a_running_explorer_is_not_offered() {
    let state = tempfile::tempdir().unwrap();
    let mut first = explorer(state.path());
    first.send_until("+", "a draft", |_| drafts(state.path()).len() == 1);
    let mut second = explorer(state.path());
    // A draft of its own says that the second one has looked for those of others.
    second.send_until("+", "another draft", |_| drafts(state.path()).len() == 2);
    second.send("o");
    second.wait_for("tab completes");
    second.screen().must_lack("1.toml");
    second.send("\x1b");
    second.wait_without("tab completes");
    second.send("qy");
    second.wait_exit();
    assert_eq!(drafts(state.path()).len(), 1);
    first.send("qy");
    first.wait_exit();
    assert_eq!(files(state.path()), Vec::<PathBuf>::new());
}
