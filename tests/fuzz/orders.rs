//! Answers of background tasks that arrive late and in any order, on lessons, series of dumps and several trees, while
//! prompts, questions and pages are open.
//!
//! A thread works on a copy of the tree as it was when it was asked. What it tells may arrive after that tree has been
//! replaced, and must not be shown on another. It may arrive while a line is typed, and must not take its place.

use super::campaign::Part;
use super::case::Case;
use super::explorer::Explorer;
use super::keyboard::{Happening, happening, happenings};
use super::questions::pick;
use crate::support::random::Random;

/// Trees to open: built-in ones, and series of dumps.
const SOURCES: [&str; 6] = [
    "open example:small",
    "open example:site",
    "open example:equal150",
    "open example:flux",
    "open example:objective",
    "series dumps",
];

/// Lessons: some change the shape of their tree.
const LESSONS: [&str; 5] = ["suzy", "asymptote", "walk", "tour", "half-life"];

/// Paths of nodes in these trees.
const NODES: [&str; 8] = [
    "physics",
    "group2/suzy",
    "group2",
    "physics/astro",
    "physics/ann",
    "chem",
    "acct040",
    "unknown",
];

/// Prompts that are opened, typed into, accepted or left, saves and the answers to their questions, and edits by keys.
const EDITS: [&str; 29] = [
    "type e5",
    "type e7\n",
    "type e*2\n",
    "type E9",
    "type E+5\n",
    "type azoe",
    "type ;usage",
    "type ;wait 400d\n",
    "type /su",
    "type w\n",
    "type w\n",
    "press w",
    "press enter",
    "press enter",
    "press esc",
    "press esc",
    "press y",
    "press q",
    "press +",
    "press +",
    "press -",
    "press u",
    "press U",
    "type jj",
    "type Ophys\n",
    "type oexample:small\n",
    "type V\n",
    "found",
    "tick",
];

/// Keys that ask a thread, or replace what is on the screen.
const KEYS: [&str; 24] = [
    "press 1",
    "press 2",
    "press 3",
    "press 4",
    "press 4",
    "press 5",
    "press ctrl-n",
    "press {",
    "press }",
    "type V\n",
    "press z",
    "press B",
    "press c",
    "press i",
    "press space",
    "press space",
    "press backspace",
    "press )",
    "press 0",
    "press p",
    "press R",
    "press u",
    "press m",
    "type anew\n",
];

#[test]
fn late_answers_are_shown_on_their_own_tree_alone() {
    let part = Part {
        name: "orders",
        inputs: 60,
        pieces: "keys and answers",
    };
    let make = |random: &mut Random| {
        let count = 10 + random.below(80);
        let mut pieces = vec![opening(random).into_bytes()];
        pieces.extend((0..count).map(|_| piece(random)));
        Case::new([&b"orders"[..]], pieces)
    };
    part.run(make, |case| (check(case), 0));
}

fn opening(random: &mut Random) -> String {
    match random.below(2) {
        0 => pick(random, &SOURCES).to_owned(),
        _ => format!("lesson {}", pick(random, &LESSONS)),
    }
}

fn piece(random: &mut Random) -> Vec<u8> {
    let which = random.below(8);
    let words = match random.below(24) {
        0..=2 => {
            let nodes = NODES.map(str::to_owned);
            return happening(random, &nodes);
        }
        3 => opening(random),
        4..=8 => format!("run {which}"),
        9..=13 => format!("hear {which}"),
        14 => "done".to_owned(),
        15..=19 => pick(random, &EDITS).to_owned(),
        _ => pick(random, &KEYS).to_owned(),
    };
    words.into_bytes()
}

fn check(case: &Case) -> Result<(), String> {
    let mut explorer = Explorer::new();
    for piece in &case.pieces {
        for happening in happenings(piece) {
            explorer.meet(happening)?;
            if explorer.has_quit {
                return Ok(());
            }
        }
    }
    explorer.meet(Happening::Done)?;
    explorer.check_undo()
}
