//! The explorer shows the same text on every terminal, whatever the terminal supports.

use super::{READY, assert_restored};
use crate::support::terminal::Terminal;

/// Values of TERM, from the most capable terminal to none.
const TERMS: &[&str] = &["xterm-256color", "screen", "linux", "vt100", "dumb", ""];

/// Returns the screen of the built-in example under these variables, and the bytes written.
fn shown(variables: &[(&str, &str)]) -> (String, String) {
    let mut terminal = Terminal::fairscope(&["example:small"], variables);
    terminal.wait_for(READY);
    // Trailing blanks are invisible, and some frames leave some out.
    let screen: Vec<_> = terminal
        .screen()
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{variables:?}: {status}");
    assert_restored(&terminal);
    let log = String::from_utf8_lossy(terminal.log()).into_owned();
    (screen.join("\n"), log)
}

/// Whether the output sets any colour.
fn is_coloured(log: &str) -> bool {
    ["38;5;", "38;2;", "48;5;", "48;2;"]
        .iter()
        .any(|sequence| log.contains(sequence))
}

#[test]
fn every_terminal_shows_the_same_text() {
    let (usual, _) = shown(&[("COLORTERM", "truecolor")]);
    let (ascii, _) = shown(&[("LANG", "C")]);
    assert!(ascii.is_ascii(), "{ascii}");
    // All cells are the same, except those that ASCII spells otherwise.
    assert_eq!(usual.lines().count(), ascii.lines().count());
    for (usual, ascii) in usual.lines().zip(ascii.lines()) {
        assert_eq!(usual.chars().count(), ascii.chars().count(), "{ascii}");
        let is_same = |(usual, ascii): (char, char)| usual == ascii || !usual.is_ascii();
        assert!(usual.chars().zip(ascii.chars()).all(is_same), "{ascii}");
    }
    for term in TERMS {
        for no_color in ["", "1"] {
            for (lang, expected) in [("C.UTF-8", &usual), ("C", &ascii)] {
                let variables = [("TERM", *term), ("NO_COLOR", no_color), ("LANG", lang)];
                let (screen, log) = shown(&variables);
                assert_eq!(&screen, expected, "{variables:?}");
                let is_plain = no_color == "1" || matches!(*term, "vt100" | "dumb" | "");
                assert_eq!(is_coloured(&log), !is_plain, "{variables:?}");
                assert!(!log.contains("8;2;"), "{variables:?} has not all colours");
            }
        }
    }
}

/// The modes in which a terminal reports the mouse.
const MOUSE: [&str; 6] = ["9", "1000", "1001", "1002", "1003", "1006"];

/// Whether a terminal was ever asked to report the mouse.
fn asked_for_mouse(log: &[u8]) -> bool {
    let log = String::from_utf8_lossy(log);
    MOUSE
        .iter()
        .any(|mode| log.contains(&format!("\x1b[?{mode}h")))
}

#[test]
fn the_mouse_is_reported_unless_it_is_left_to_the_terminal() {
    for (arguments, is_asked) in [
        (&["example:small"][..], true),
        (&["example:small", "--no-mouse"], false),
    ] {
        let mut terminal = Terminal::fairscope(arguments, &[]);
        terminal.wait_for(READY);
        // Coming back from the shell takes the terminal again.
        terminal.signal(rustix::process::Signal::CONT);
        terminal.send("j");
        terminal.wait_for("why group2/scott");
        terminal.send("q");
        terminal.wait_exit();
        assert!(terminal.left_over_modes().is_empty(), "{arguments:?}");
        assert_eq!(asked_for_mouse(terminal.log()), is_asked, "{arguments:?}");
    }
}

#[test]
fn a_requested_theme_overrides_no_color() {
    let mut terminal =
        Terminal::fairscope(&["example:small", "--theme", "dark"], &[("NO_COLOR", "1")]);
    terminal.wait_for(READY);
    terminal.send("q");
    terminal.wait_exit();
    assert!(is_coloured(&String::from_utf8_lossy(terminal.log())));
}
