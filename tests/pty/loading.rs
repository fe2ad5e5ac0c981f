//! Loading sources on a real terminal: the screen stays responsive, and loading can be cancelled at once.

use super::{READY, assert_restored, has_thread, quit, quit_at_once};
use crate::support::data;
use crate::support::dumps::scenario_of_missing_source;
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use rustix::process::Signal;
use std::path::Path;
use std::time::Duration;

/// Starts the explorer on a pipe in the folder that never ends.
fn stuck(folder: &tempfile::TempDir) -> Terminal {
    let pipe = folder.path().join("pipe");
    let pipe = pipe.to_str().expect("temporary folders have plain names");
    // The pipe is open for reading and writing, so its end never comes.
    let command = "mkfifo \"$0\" && exec \"$FAIRSCOPE\" - <>\"$0\"";
    let mut terminal = Terminal::shell(&["-c", command, pipe]);
    terminal.wait_for("esc stops");
    terminal
}

#[test]
fn a_pbs_directory_is_opened_by_its_path() {
    let seed = data("seed");
    let mut terminal = Terminal::fairscope(&[seed.to_str().unwrap()], &[]);
    terminal.wait_for(READY);
    let screen = terminal.screen();
    for part in ["seed", "pbs", "TREEROOT", "suzy", "0.381553"] {
        assert!(screen.contains(part), "{part} is missing:\n{screen}");
    }
    quit(&mut terminal);
}

#[test]
fn a_missing_source_ends_the_explorer_with_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = &scenario_of_missing_source(folder.path());
    for (source, said) in [
        (
            "/nowhere/at/all",
            "fairscope: /nowhere/at/all: no such file or directory",
        ),
        (scenario, "gone.csv: no such file or directory"),
    ] {
        let mut terminal = Terminal::fairscope(&[source], &[]);
        let (status, _) = terminal.wait_exit();
        // The sentence is wrapped between its words.
        let screen = terminal.screen();
        let words: Vec<&str> = screen.split_whitespace().collect();
        assert!(words.join(" ").contains(said), "{screen}");
        assert_eq!(status.exit_code(), 2, "{status}");
        assert_restored(&terminal);
    }
}

#[test]
fn a_tree_from_standard_input_is_explored_with_keys_from_the_terminal() {
    let command =
        "printf 'parent,name,shares,usage\\n,red,10,5\\n,blue,20,7\\n' | \"$FAIRSCOPE\" -";
    let mut terminal = Terminal::shell(&["-c", &format!("{command}; echo ended $?")]);
    terminal.wait_for("why red");
    terminal.send("j");
    terminal.wait_for("why blue");
    terminal.send("q");
    terminal.wait_exit();
    terminal.screen().must_contain("ended 0");
    assert_restored(&terminal);
}

#[test]
fn esc_cancels_loading_a_source_that_never_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = stuck(&folder);
    terminal.send("\x1b");
    terminal.wait_for("loading was cancelled");
    let tasks = format!("/proc/{}/task", terminal.process().as_raw_nonzero());
    if Path::new(&tasks).exists() {
        terminal.wait_until("the end of the reading thread", |terminal| {
            !has_thread(terminal, "loading")
        });
    } else {
        println!("skipped: no /proc to look for the reading thread in");
    }
    quit_at_once(&mut terminal);
}

#[test]
fn another_source_can_be_opened_while_one_never_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = stuck(&folder);
    terminal.send("o");
    terminal.wait_for("open:");
    terminal.send("tests/data/seed\r");
    terminal.wait_for(READY);
    quit(&mut terminal);
}

#[test]
fn quitting_cancels_loading_a_source_that_never_ends() {
    for signal in [None, Some(Signal::TERM), Some(Signal::HUP)] {
        let folder = tempfile::tempdir().unwrap();
        let mut terminal = stuck(&folder);
        match signal {
            Some(signal) => terminal.signal(signal),
            None => terminal.send("q"),
        }
        let (status, took) = terminal.wait_exit();
        assert!(took < Duration::from_secs(1), "{signal:?} took {took:?}");
        assert_eq!(status.success(), signal.is_none(), "{status}");
        assert_restored(&terminal);
    }
}

#[test]
fn a_lesson_on_standard_input_is_refused_where_it_would_be_played() {
    let command = "\"$FAIRSCOPE\" convert tests/data/seed --to toml | \"$FAIRSCOPE\" lesson suzy --source -; echo rc=$?";
    let mut terminal = Terminal::shell(&["-c", command]);
    terminal.wait_exit();
    let screen = terminal.screen();
    screen.must_contain("reads its tree twice");
    screen.must_contain("rc=2");
}
