//! Hints: every key that is printed is one of the keymap's, and does something where it is printed. Here no action has
//! a key that it usually has, so that a sentence that names a key by itself is found.

use crate::support::journey::{Journey, notice};
use crate::support::trees::{self, SEED};
use fairscope::base::shown::Shown;
use fairscope::tui::event::{KeyCode, KeyEvent, KeyModifiers};
use fairscope::tui::{Action, Config, Dialog, Message, Options};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// The first of the letters that are bound instead of the usual keys. No name and no sentence has one.
const FIRST: u32 = 0x0100;

fn letter(action: Action) -> char {
    let place = Action::ALL.iter().position(|&known| known == action);
    let place = u32::try_from(place.expect("it is one of all")).expect("they are few");
    char::from_u32(FIRST + place).expect("a letter")
}

fn is_bound(char: char) -> bool {
    Action::ALL.iter().any(|&action| letter(action) == char)
}

/// Returns options in which each action has one key, which no action has otherwise.
fn turned_round() -> Options {
    let mut text = String::from("[keys]\n");
    for &action in Action::ALL {
        let _ = writeln!(text, "{} = [\"{}\"]", action.name(), letter(action));
    }
    let config = Config::parse(&Shown::from("config.toml"), text.as_bytes());
    assert!(config.refused.is_empty(), "{:?}", config.refused);
    config.below(Options::default())
}

fn press(journey: &mut Journey, char: char) {
    let key = KeyEvent::new(KeyCode::Char(char), KeyModifiers::NONE);
    journey.send(Message::Key(key));
}

/// Opens the tree of the design document, and performs actions by their keys.
fn after(options: &Options, actions: &[Action]) -> Journey {
    let mut journey = Journey::with_options(trees::pbs(SEED), options.clone());
    for &action in actions {
        press(&mut journey, letter(action));
        journey.answer();
    }
    journey
}

/// Returns the letters of a text that are keys.
fn keys_in(text: &str) -> HashSet<char> {
    text.chars().filter(|&char| is_bound(char)).collect()
}

/// Returns whether the dialog in front takes letters as text, or as answers.
fn takes_letters(journey: &Journey) -> bool {
    let dialog = journey.app.dialog();
    !matches!(
        dialog,
        None | Some(Dialog::Curves | Dialog::Surface | Dialog::History(_))
    )
}

/// Returns the lines of a screen that speak of keys: the last one, and the feet of dialogs.
fn speaking(screen: &str) -> Vec<&str> {
    let lines: Vec<&str> = screen.lines().collect();
    let is_foot = |line: &&str| line.contains('└') || line.contains('╰') || line.contains('╵');
    let mut speaking: Vec<&str> = lines.iter().copied().filter(is_foot).collect();
    speaking.extend(lines.last());
    speaking
}

/// Returns the usual key that a line names, if it names one that no dialog takes by itself.
fn usual_key(line: &str, in_dialog: bool) -> Option<&str> {
    let mut words = line.split([' ', '·', ';', ',', '(', ')']);
    let is_key = |word: &&str| matches!(*word, "esc" | "enter" | "tab" | "backspace");
    // Dialogs take these whatever the keymap says.
    if let Some(named) = words.find(is_key).filter(|_| !in_dialog) {
        return Some(named);
    }
    // `press x`, `; x undoes`, `j k move`: a letter by itself before a verb, but not an article or a factor.
    let is_letter = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().filter(char::is_ascii_graphic);
        first.is_some_and(|char| char.is_ascii_alphabetic()) && chars.next().is_none()
    };
    for beginning in ["; ", "press ", "· ", "│ ", "then "] {
        for (at, _) in line.match_indices(beginning) {
            let behind = &line[at + beginning.len()..];
            let word = behind.split(' ').next().unwrap_or_default();
            if is_letter(word) && word != "a" {
                return Some(word);
            }
        }
    }
    None
}

#[test]
fn every_printed_key_is_bound_and_does_something_where_it_is_printed() {
    use Action::{
        Curves, Down, EditShares, FewerShares, Manual, Mark, PlanScreen, PoliciesScreen,
        RankingScreen, Right, TimeScreen, UnfoldAll,
    };
    let places: [&[Action]; 11] = [
        &[],
        &[UnfoldAll, Down],
        &[Down, Right, EditShares],
        &[Down, FewerShares],
        &[Mark, Down, Mark],
        &[RankingScreen],
        &[PoliciesScreen],
        &[TimeScreen],
        &[Down, FewerShares, PlanScreen],
        &[Manual],
        &[Curves],
    ];
    let options = turned_round();
    let mut seen = HashSet::new();
    let mut lies = BTreeSet::new();
    for place in places {
        let mut journey = after(&options, place);
        let mut printed = vec![(place.to_vec(), journey.screen())];
        for &action in Action::ALL {
            let mut journey = after(&options, place);
            press(&mut journey, letter(action));
            let path = [place, &[action]].concat();
            let screen = journey.screen();
            let in_dialog = journey.app.dialog().is_some();
            let said = notice(&journey).to_owned();
            for line in speaking(&screen).into_iter().chain([said.as_str()]) {
                if let Some(named) = usual_key(line, in_dialog) {
                    lies.insert(format!("{named} of {line:?} after {path:?}"));
                }
            }
            if !takes_letters(&journey) && seen.insert(said.clone()) {
                printed.push((path, said));
            }
        }
        for (path, text) in printed {
            for key in keys_in(&text) {
                let mut journey = after(&options, &path);
                press(&mut journey, key);
                let said = notice(&journey);
                let has_none = ["has no action", "works on the tree", "not on this page"];
                if has_none.iter().any(|words| said.contains(words)) {
                    lies.insert(format!("{key} after {path:?}: {said}"));
                }
            }
        }
    }
    let lies: Vec<String> = lies.into_iter().collect();
    assert!(lies.is_empty(), "{}", lies.join("\n"));
}
