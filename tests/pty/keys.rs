//! Keys on a real terminal: no broken sequence swallows the keys that follow it.

use super::{READY, assert_ends, assert_restored, explorer, is_shell_back, quit};
use crate::support::terminal::Terminal;
use std::time::Duration;

/// Input that begins a sequence, a string or a character and does not end it.
const BROKEN: &[&[u8]] = &[
    b"\x1b[",
    b"\x1b[<",
    b"\x1b[?",
    b"\x1b[<0;20",
    b"\x1b[1;5",
    b"\x1b[5$",
    b"\x1b[M",
    b"\x1b[M  ",
    b"\x1b[[",
    b"\x1bO",
    b"\x1b]",
    b"\x1b]11;rgb:",
    b"\x1bP1$r",
    b"\x1b^",
    b"\x1b_G",
    b"\x1bX",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
];

/// The start of a paste that never ends.
const UNCLOSED_PASTE: &[u8] = b"\x1b[200~x";

/// The time between two keys of a person, which is longer than incomplete input is waited for.
const BETWEEN_KEYS: Duration = Duration::from_millis(300);

/// Text in the help, which covers the rows.
const HELP: &str = "Keys of the";

#[test]
fn keys_are_heard_after_a_broken_sequence() {
    let mut terminal = explorer();
    for broken in BROKEN.iter().chain(&[UNCLOSED_PASTE]) {
        terminal.send_bytes(broken);
        // On a loaded machine, the first press may be read together with the bytes before it.
        terminal.press_until("?", BETWEEN_KEYS, |terminal| {
            terminal.screen().contains(HELP)
        });
        terminal.press_until("\x1b", BETWEEN_KEYS, |terminal| {
            !terminal.screen().contains(HELP)
        });
    }
    quit(&mut terminal);
}

#[test]
fn interrupt_is_heard_inside_a_broken_sequence() {
    for broken in BROKEN {
        let mut terminal = explorer();
        terminal.send_bytes(&[broken, b"\x03".as_slice()].concat());
        let (status, took) = terminal.wait_exit();
        assert!(status.success(), "{broken:?}: {status}");
        assert!(took < Duration::from_secs(1), "{broken:?}: took {took:?}");
        assert_restored(&terminal);
    }
}

#[test]
fn interrupt_is_heard_after_an_unclosed_paste() {
    let mut terminal = explorer();
    terminal.send("/");
    terminal.wait_for("find: ");
    terminal.send_bytes(UNCLOSED_PASTE);
    // The text arrives although the paste is not closed.
    terminal.wait_for("find: x");
    terminal.press_until("\x03", BETWEEN_KEYS, |terminal| {
        !terminal.left_over_modes().contains("2004")
    });
    terminal.send("\x03");
    assert_ends(&mut terminal);
}

#[test]
fn a_prompt_is_as_it_was_after_suspend_and_resume() {
    let mut terminal = Terminal::shell(&["--norc", "--noediting", "-i"]);
    terminal.wait_for("prompt> ");
    terminal.send("\"$FAIRSCOPE\" example:small\n");
    terminal.wait_for(READY);
    terminal.send("/sco");
    terminal.wait_for("find: sco");
    terminal.send("\x1a");
    terminal.wait_for("Stopped");
    assert_restored(&terminal);
    terminal.clear_screen();
    terminal.send("fg\n");
    terminal.wait_for("find: sco");
    terminal.wait_until("marked pastes", |terminal| {
        terminal.left_over_modes().contains("2004")
    });
    // A line break in a paste is no Enter.
    terminal.send("\x1b[200~t\nt\x1b[201~");
    terminal.wait_for("find: scott");
    terminal.send_until("\x03q", "the shell", is_shell_back);
    terminal.send("exit\n");
    terminal.wait_exit();
}
