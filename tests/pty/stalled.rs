//! A terminal that stops reading, such as a frozen connection, cannot keep the explorer alive.

use super::drafts::{drafts, explorer};
use super::{ONE_DOWN, READY, assert_restored};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use rustix::process::{Pid, Signal};
use std::time::Duration;

#[test]
fn a_terminal_that_stops_reading_does_not_delay_the_end() {
    for (signal, name) in [
        (Signal::TERM, "Terminated"),
        (Signal::HUP, "Hangup"),
        (Signal::INT, "Interrupt"),
        (Signal::QUIT, "Quit"),
        (Signal::USR1, "User defined signal 1"),
    ] {
        let state = tempfile::tempdir().unwrap();
        let mut terminal = explorer(state.path());
        terminal.send("+");
        terminal.wait_for("1 edit ●");
        terminal.stall();
        terminal.signal(signal);
        let (status, took) = terminal.wait_exit_unread();
        let died_by = status.signal().unwrap_or("no signal");
        assert!(died_by.starts_with(name), "{name}: {status}");
        assert!(took < Duration::from_secs(1), "{name}: took {took:?}");
        // A terminal that reads again later is as it was found.
        assert_restored(&terminal);
        assert_eq!(drafts(state.path()).len(), 1, "{name}");
    }
}

#[test]
fn a_crash_ends_the_explorer_on_a_terminal_that_stops_reading() {
    for signal in [Signal::ABORT, Signal::FPE] {
        let state = tempfile::tempdir().unwrap();
        let mut terminal = explorer(state.path());
        terminal.stall();
        terminal.signal(signal);
        let (status, took) = terminal.wait_exit_unread();
        assert_eq!(status.exit_code(), 2, "{signal:?}: {status}");
        assert!(took < Duration::from_secs(1), "{signal:?}: took {took:?}");
        assert_restored(&terminal);
        let farewell = terminal.output_after_screen();
        farewell.must_contain("fairscope: ended by SIG");
    }
}

#[test]
fn a_terminal_that_reads_again_shows_the_rest() {
    let state = tempfile::tempdir().unwrap();
    let mut terminal = explorer(state.path());
    terminal.stall();
    terminal.send("jjj");
    terminal.wait_for("why group1");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert_restored(&terminal);
}

#[test]
fn a_terminal_that_cannot_be_opened_again_is_drawn_on_and_delays_no_end() {
    let can_change_user = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups", "test", "-x"])
        .arg(env!("CARGO_BIN_EXE_fairscope"))
        .status();
    if !can_change_user.is_ok_and(|status| status.success()) {
        println!("skipped: the terminal of another user needs root and setpriv");
        return;
    }
    // Another user's terminal that is not the controlling one has no name to open it by.
    let command = "exec setsid --fork --wait setpriv --reuid=65534 --clear-groups \
                   env XDG_STATE_HOME=/nowhere \"$FAIRSCOPE\" tests/data/seed";
    let mut terminal = Terminal::shell(&["-c", command]);
    terminal.wait_for(READY);
    terminal.send("j");
    terminal.wait_for(ONE_DOWN);
    let explorer = Pid::from_raw(child(terminal.process())).unwrap();
    terminal.stall();
    rustix::process::kill_process(explorer, Signal::TERM).unwrap();
    let (_, took) = terminal.wait_exit_unread();
    assert!(took < Duration::from_secs(1), "took {took:?}");
    assert_restored(&terminal);
}

/// Returns the number of a process's first child.
fn child(parent: Pid) -> i32 {
    let parent = parent.as_raw_nonzero();
    let children = format!("/proc/{parent}/task/{parent}/children");
    let children = std::fs::read_to_string(children).unwrap();
    let first = children.split_whitespace().next().unwrap();
    first.parse().unwrap()
}
