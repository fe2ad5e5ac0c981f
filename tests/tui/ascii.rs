//! Screens in ASCII: marks are replaced, names of keys are words.

use crate::support::journey::Journey;
use crate::support::trees::{self, SEED};
use fairscope::base::ascii::spelling;
use fairscope::tui::{Action, Keymap, Options};
use std::collections::BTreeSet;

fn ascii(drawing: &str) -> Journey {
    let options = Options {
        is_ascii: true,
        ..Options::default()
    };
    Journey::with_options(trees::pbs(drawing), options)
}

#[test]
fn the_arrow_keys_have_names_on_every_screen() {
    for mut journey in [Journey::on(SEED), ascii(SEED)] {
        journey.press("?");
        let screen = journey.screen();
        for line in ["j, down  ", "k, up  ", "h, left  ", "l, right  "] {
            assert!(screen.contains(line), "no {line:?} in\n{screen}");
        }
    }
}

#[test]
fn the_names_of_keys_are_ascii() {
    let keymap = Keymap::default();
    for &action in Action::ALL {
        for key in keymap.keys(action) {
            assert!(key.to_string().is_ascii(), "{key}");
        }
    }
}

#[test]
fn no_two_marks_of_a_row_look_alike_in_ascii() {
    // The marks that a row, its menu and its heading can have, and the signs that are ASCII already: an edited number,
    // a locked share, a number that is not there.
    let drawn = ['❯', '●', '▸', '▾', '▲', '▼', '≠', '…', '·', 'Δ', '│', '█'];
    let mut seen: BTreeSet<char> = ['*', '='].into();
    for mark in drawn {
        let ascii = spelling(mark).expect("it is drawn");
        assert!(seen.insert(ascii), "{mark} is {ascii}, as another mark is");
    }
}

#[test]
fn marked_and_edited_are_told_apart_in_ascii() {
    let mut journey = ascii(SEED).keys("jm +");
    let row = journey.row("scott");
    assert!(row.contains('@'), "marked: {row}");
    assert!(row.contains("*41"), "edited: {row}");
    assert_eq!(row.matches('*').count(), 1, "{row}");
}
