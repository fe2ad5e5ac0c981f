//! The explorer on a real terminal: it restores the terminal however it ends, and it ends when its terminal does.

mod answers;
mod clock;
mod config;
mod drafts;
mod environment;
mod files;
mod keys;
mod limits;
mod live;
mod loading;
mod pages;
mod picker;
mod pictures;
mod signals;
mod stalled;
mod tables;

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use portable_pty::{PtySize, native_pty_system};
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Text on the screen once the built-in example is open.
const READY: &str = "why group2 ";

/// Text on the screen after one more `j`.
const ONE_DOWN: &str = "why group2/scott";

/// Starts the explorer and waits until it has drawn its screen.
fn explorer() -> Terminal {
    let mut terminal = Terminal::fairscope(&["example:small"], &[]);
    terminal.wait_for(READY);
    terminal
}

/// Writes a tree of `count` users below the root, and returns the file's path.
fn users(count: usize, folder: &Path) -> String {
    let file = folder.join("users.csv");
    let file = file.to_str().expect("temporary folders have plain names");
    let count = count.to_string();
    let ran = Run::fairscope(["generate", "--shape", "flat", "--users", &count])
        .arg("--to")
        .arg("csv")
        .arg("--out")
        .arg(file)
        .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    file.to_owned()
}

/// Asserts that the explorer ends with success and restores the terminal.
#[track_caller]
fn assert_ends(terminal: &mut Terminal) {
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert_restored(terminal);
}

/// Presses `q` and asserts that the explorer ends.
#[track_caller]
fn quit(terminal: &mut Terminal) {
    terminal.send("q");
    assert_ends(terminal);
}

/// Presses `q` and asserts that the explorer ends within a second.
#[track_caller]
fn quit_at_once(terminal: &mut Terminal) {
    terminal.send("q");
    let (status, took) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    assert!(took < Duration::from_secs(1), "took {took:?}");
    assert_restored(terminal);
}

/// Returns whether the shell that started the explorer has the terminal back. Its old prompt may be on the screen before.
fn is_shell_back(terminal: &Terminal) -> bool {
    let shell = terminal.process().as_raw_nonzero().get();
    terminal.left_over_modes().is_empty() && terminal.foreground() == Some(shell)
}

/// Returns whether a thread of this name runs in the program.
fn has_thread(terminal: &Terminal, name: &str) -> bool {
    let tasks = format!("/proc/{}/task", terminal.process().as_raw_nonzero());
    let mut tasks = std::fs::read_dir(tasks).into_iter().flatten();
    tasks.any(|task| {
        // A thread may end before it is asked.
        let name_of = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
        task.and_then(name_of).is_ok_and(|of| of.trim() == name)
    })
}

#[track_caller]
fn assert_restored(terminal: &Terminal) {
    assert_eq!(terminal.left_over_modes(), BTreeSet::new());
    let count = |mode: &[u8]| {
        terminal
            .log()
            .windows(mode.len())
            .filter(|&bytes| bytes == mode)
            .count()
    };
    assert_eq!(
        count(b"\x1b[?1049h"),
        count(b"\x1b[?1049l"),
        "given back as often as taken"
    );
}

#[test]
fn the_explorer_starts_and_q_quits() {
    let mut terminal = explorer();
    let taken = terminal.left_over_modes();
    for mode in ["1000", "1002", "1006", "1049", "25", "termios"] {
        assert!(taken.contains(mode), "{mode} is not taken: {taken:?}");
    }
    assert!(!taken.contains("2004"), "pastes are marked outside prompts");
    quit(&mut terminal);
}

#[test]
fn policies_are_compared_in_the_background() {
    let mut terminal = explorer();
    terminal.send("3");
    terminal.wait_for("by spread");
    // Classic depth oblivious is the one that ranks suzy first.
    terminal.wait_for("1▲");
    terminal.screen().must_lack("comparing");
    quit(&mut terminal);
}

#[test]
fn the_explorer_sends_no_queries_to_the_terminal() {
    let mut terminal = explorer();
    terminal.send("q");
    terminal.wait_exit();
    let log = terminal.log();
    for query in [
        "\x1b[c",
        "\x1b[6n",
        "\x1b[?u",
        "\x1b]11;?",
        "\x1b[>c",
        "\x1b[0c",
    ] {
        let is_asked = log
            .windows(query.len())
            .any(|bytes| bytes == query.as_bytes());
        assert!(!is_asked, "{query:?} is asked");
    }
}

#[test]
fn ending_by_a_signal_restores_the_terminal() {
    for (signal, name) in [
        (Signal::TERM, "Terminated"),
        (Signal::HUP, "Hangup"),
        (Signal::INT, "Interrupt"),
        (Signal::QUIT, "Quit"),
    ] {
        let mut terminal = explorer();
        terminal.signal(signal);
        let (status, took) = terminal.wait_exit();
        let died_by = status.signal().unwrap_or("no signal");
        assert!(died_by.starts_with(name), "{name}: {status}");
        assert!(took < Duration::from_secs(1), "{name}: took {took:?}");
        assert_restored(&terminal);
    }
}

#[test]
fn a_panic_in_the_loop_restores_the_terminal() {
    let mut terminal = Terminal::fairscope(&["example:small"], &[("FAIRSCOPE_REHEARSE", "panic")]);
    let (status, _) = terminal.wait_exit();
    assert_eq!(status.exit_code(), 101);
    assert_restored(&terminal);
    let report = terminal.output_after_screen();
    assert_eq!(
        report.matches("a panic in the loop, as asked for").count(),
        1,
        "{report}"
    );
}

#[test]
fn a_panic_in_a_worker_ends_the_program_and_restores_the_terminal() {
    let mut terminal = Terminal::fairscope(
        &["example:small"],
        &[("FAIRSCOPE_REHEARSE", "panic in a worker")],
    );
    let (status, _) = terminal.wait_exit();
    assert_eq!(status.exit_code(), 101);
    assert_restored(&terminal);
    let report = terminal.output_after_screen();
    assert_eq!(
        report.matches("a panic in a worker, as asked for").count(),
        1,
        "{report}"
    );
}

#[test]
fn a_start_without_a_terminal_for_keys_fails_with_a_message() {
    let mut terminal = Terminal::shell(&["-c", "setsid --wait \"$FAIRSCOPE\" </dev/null"]);
    let (status, _) = terminal.wait_exit();
    assert_eq!(status.exit_code(), 2);
    assert_restored(&terminal);
    let screen = terminal.screen().replace('\n', "");
    screen.must_contain("no keys to read");
}

#[test]
fn the_explorer_ends_within_a_second_after_its_terminal_closes() {
    let mut terminal = explorer();
    terminal.hang_up();
    let (status, took) = terminal.wait_exit();
    assert!(took < Duration::from_secs(1), "took {took:?}, {status}");
}

#[test]
fn four_thousand_keys_at_once_are_all_handled() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::fairscope(&[&users(5000, folder.path())], &[]);
    terminal.wait_for("why user1 ");
    terminal.send(&"j".repeat(4000));
    terminal.wait_for("why user4001 ");
    terminal.send("q");
    terminal.wait_exit();
    assert_restored(&terminal);
}

#[test]
fn the_explorer_ends_within_a_second_during_a_long_computation() {
    let folder = tempfile::tempdir().unwrap();
    let file = users(100_000, folder.path());
    for is_signal in [true, false] {
        let mut terminal = Terminal::fairscope(&[&file], &[]);
        terminal.wait_for("why user1 ");
        // Each of these keys is computed before the next one is read.
        terminal.send(&"+".repeat(1000));
        if is_signal {
            terminal.signal(Signal::HUP);
        } else {
            terminal.hang_up();
        }
        let (status, took) = terminal.wait_exit();
        assert!(took < Duration::from_secs(1), "took {took:?}, {status}");
        if is_signal {
            assert_restored(&terminal);
        }
    }
}

#[test]
fn losing_only_the_screen_restores_the_modes_of_the_keyboard() {
    let other = native_pty_system().openpty(PtySize::default()).unwrap();
    let screen = other.master.tty_name().unwrap();
    let command = format!("exec \"$FAIRSCOPE\" >{}", screen.display());
    let mut terminal = Terminal::shell(&["-c", &command]);
    // This thread is started once the terminal is taken.
    terminal.wait_until("the explorer", |terminal| has_thread(terminal, "drafts"));
    drop(other);
    let (status, _) = terminal.wait_exit();
    let died_by = status.signal().unwrap_or("no signal");
    assert!(died_by.starts_with("Hangup"), "{status}");
    assert_restored(&terminal);
}

#[test]
fn an_error_in_the_loop_is_printed_after_the_terminal_is_restored() {
    let mut terminal = Terminal::fairscope(&["example:small"], &[("FAIRSCOPE_REHEARSE", "error")]);
    let (status, _) = terminal.wait_exit();
    assert_eq!(status.exit_code(), 2);
    assert_restored(&terminal);
    let farewell = terminal.output_after_screen();
    assert_eq!(
        farewell.trim(),
        "fairscope: an error in the loop, as asked for"
    );
}

#[test]
fn the_explorer_survives_the_smallest_terminal() {
    let mut terminal = explorer();
    terminal.resize(1, 1);
    terminal.send("j");
    terminal.resize(24, 80);
    terminal.wait_for(ONE_DOWN);
    quit(&mut terminal);
}

#[test]
fn the_explorer_ends_with_its_shell() {
    let mut terminal = Terminal::shell(&["--norc", "--noediting", "-i"]);
    terminal.wait_for("prompt> ");
    terminal.send("\"$FAIRSCOPE\" example:small\n");
    terminal.wait_for(READY);
    let explorer = Pid::from_raw(terminal.foreground().unwrap()).unwrap();
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    terminal.wait_until("the end of the explorer", |_| {
        rustix::process::test_kill_process(explorer).is_err()
    });
}

#[test]
fn the_idle_explorer_never_wakes_up() {
    let mut terminal = explorer();
    terminal.send("j");
    terminal.wait_for(ONE_DOWN);
    let threads = || {
        std::fs::read_dir(format!(
            "/proc/{}/task",
            terminal.process().as_raw_nonzero()
        ))
    };
    let Ok(_) = threads() else {
        println!("skipped: no /proc to count wake-ups in");
        return;
    };
    let wake_ups = || -> Vec<String> {
        threads()
            .unwrap()
            // A thread may end before it is asked.
            .filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("status")).ok())
            .flat_map(|status| status.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| line.starts_with("voluntary_ctxt_switches"))
            .collect()
    };
    // Once everything after the key has settled, nothing may change, not even once in two seconds.
    let mut before = wake_ups();
    let mut still = 0;
    for _ in 0..60 {
        std::thread::park_timeout(Duration::from_millis(300));
        let now = wake_ups();
        still = if now == before { still + 1 } else { 0 };
        before = now;
        if still == 7 {
            return;
        }
    }
    panic!("it never rests: {before:?}");
}

#[test]
fn the_explorer_suspends_and_resumes() {
    let mut terminal = Terminal::shell(&["--norc", "--noediting", "-i"]);
    terminal.wait_for("prompt> ");
    for stop in ["key", "signal"] {
        terminal.send("\"$FAIRSCOPE\" example:small\n");
        terminal.wait_for(READY);
        terminal.send("j");
        terminal.wait_for(ONE_DOWN);
        if stop == "key" {
            terminal.send("\x1a");
        } else {
            let group = Pid::from_raw(terminal.foreground().unwrap()).unwrap();
            rustix::process::kill_process(group, Signal::TSTP).unwrap();
        }
        terminal.wait_for("Stopped");
        assert_restored(&terminal);
        terminal.clear_screen();
        terminal.send("fg\n");
        terminal.wait_for(ONE_DOWN);
        terminal.send_until("jq", "the shell", is_shell_back);
        assert_restored(&terminal);
        terminal.clear_screen();
        terminal.send("\n");
        terminal.wait_for("prompt> ");
    }
    terminal.send("exit\n");
    terminal.wait_exit();
}

#[test]
fn keys_are_read_from_the_terminal_when_standard_input_is_a_pipe() {
    let mut terminal = Terminal::shell(&[
        "-c",
        "echo tree | \"$FAIRSCOPE\" example:small; echo ended $?",
    ]);
    terminal.wait_for(READY);
    terminal.send("j");
    terminal.wait_for(ONE_DOWN);
    terminal.send("q");
    terminal.wait_exit();
    terminal.screen().must_contain("ended 0");
    assert_restored(&terminal);
}
