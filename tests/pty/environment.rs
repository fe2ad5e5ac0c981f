//! The same text on every terminal, whatever it can show.

use super::{READY, assert_as_found};
use crate::support::terminal::Terminal;

/// Terminals, from the best to none at all.
const TERMS: &[&str] = &["xterm-256color", "screen", "linux", "vt100", "dumb", ""];

/// The screen of the built-in example on a terminal described so, and what was written.
fn shown(variables: &[(&str, &str)]) -> (String, String) {
    let mut terminal = Terminal::fairscope(&[], variables);
    terminal.wait_for(READY);
    // After a second frame the first is whole.
    terminal.send("j");
    terminal.wait_for("why group2/scott");
    terminal.send("k");
    terminal.wait_until(READY, |terminal| {
        !terminal.screen().contains("why group2/scott")
    });
    // Blanks at the ends of lines are not seen, and some frames leave fewer.
    let screen: Vec<_> = terminal
        .screen()
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{variables:?}: {status}");
    assert_as_found(&terminal);
    let log = String::from_utf8_lossy(terminal.log()).into_owned();
    (screen.join("\n"), log)
}

/// Whether any colour is asked for.
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
    // Cell by cell the same, but for what ASCII spells otherwise.
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

#[test]
fn a_theme_that_was_asked_for_wins_over_no_color() {
    let mut terminal = Terminal::fairscope(&["--theme", "dark"], &[("NO_COLOR", "1")]);
    terminal.wait_for(READY);
    terminal.send("q");
    terminal.wait_exit();
    assert!(is_coloured(&String::from_utf8_lossy(terminal.log())));
}
