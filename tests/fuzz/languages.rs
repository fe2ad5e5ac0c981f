//! Random lines of the small languages: edits, paths, goals, formulas, durations, amounts, demands, keymaps.

use super::campaign::Part;
use super::case::Case;
use super::names::NAMES;
use super::promises::check_text;
use super::questions::{edit, pick};
use crate::support::random::Random;
use crate::support::trees;
use fairscope::analysis::contention::Machine;
use fairscope::analysis::solve::Goal;
use fairscope::model::{DurationForm, Snapshot, duration_of, path_of, resolve, seconds_of};
use fairscope::rules::policy::formula::Formula;
use fairscope::scenario::{Amount, Edit, parse, write};
use fairscope::tui::Keymap;
use std::collections::BTreeMap;

const KINDS: [&str; 8] = [
    "edit", "path", "goal", "formula", "duration", "amount", "demand", "keymap",
];

/// Words of which lines are made.
const WORDS: [&str; 66] = [
    "shares",
    "usage",
    "add",
    "remove",
    "move",
    "rename",
    "set",
    "wait",
    "until",
    "rate",
    "campaign",
    "pace",
    "steady",
    "idle",
    "scale",
    "split",
    "trade",
    "charge",
    "keeping",
    "to",
    "from",
    "kind=account",
    "nodes=4",
    "time=2:00:00",
    "group1/bob",
    "group1",
    "bob",
    "suzy",
    "group2/scott",
    "unknown",
    "=",
    "+=",
    "-=",
    "*=",
    "20",
    "1e9",
    "-5",
    "50%",
    "50% of level",
    "+20%",
    "parent",
    "\"",
    "'",
    "\\",
    "/",
    "@gpu",
    "#2",
    "\\x41",
    "(",
    ")",
    "+",
    "**",
    "max",
    "ncpus",
    "queue_priority",
    "fairshare_factor",
    "if",
    "else",
    "7d",
    "2-12:00:00",
    "99999999999999999999d",
    "rank<=3",
    "factor>=0.5",
    "ahead-of",
    "[\"j\", \"ctrl-x\"]",
    "\n",
];

#[test]
fn random_lines_keep_every_promise() {
    let part = Part {
        name: "languages",
        inputs: 4000,
        pieces: "words",
    };
    let tree = trees::pbs(trees::SEED);
    part.run(make, move |case| (check(&tree, case), 0));
}

fn make(random: &mut Random) -> Case {
    let kind = pick(random, &KINDS);
    let nodes = ["bob", "group1/bob", "group2", "no/such"].map(str::to_owned);
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    match kind {
        "edit" if random.below(2) == 0 => {
            let line = edit(random, &nodes);
            pieces.extend(
                line.split_inclusive(' ')
                    .map(|word| word.as_bytes().to_vec()),
            );
        }
        "keymap" => pieces.push(include_str!("../../assets/keymap.toml").into()),
        _ => {}
    }
    for _ in 0..random.below(9) {
        let place = random.below(pieces.len() + 1);
        let word = match random.below(12) {
            0 => NAMES[random.below(NAMES.len())].into(),
            1 => vec![u8::try_from(random.below(256)).expect("it is below 256")],
            2 => b"(".repeat(random.below(5000)),
            3..=5 => b" ".to_vec(),
            _ => WORDS[random.below(WORDS.len())].into(),
        };
        pieces.insert(place, word);
    }
    if kind == "keymap" {
        let texts = pieces.iter_mut();
        let text = texts.max_by_key(|text| text.len()).expect("it is there");
        for _ in 0..random.below(4) {
            let place = random.below(text.len());
            text[place] = u8::try_from(random.below(256)).expect("it is below 256");
        }
    }
    Case::new([kind], pieces)
}

fn check(snapshot: &Snapshot, case: &Case) -> Result<(), String> {
    let (bytes, tree) = (case.bytes(), &snapshot.tree);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match case.word(0).as_str() {
        "edit" => check_edit(snapshot, &bytes),
        "path" => match resolve(tree, &bytes) {
            Ok(node) => {
                let path = path_of(tree, node).ok_or("a node that was found has no path")?;
                same(&resolve(tree, path.as_bytes()), &Ok(node), &path)
            }
            Err(error) => check_text("the error", error.to_string().as_bytes()),
        },
        "goal" => match Goal::parse(&bytes, tree) {
            Ok(goal) => {
                let written = goal.write(tree);
                same(&Goal::parse(written.as_bytes(), tree), &Ok(goal), &written)
            }
            Err(error) => check_text("the error", error.to_string().as_bytes()),
        },
        "formula" => match Formula::parse(&text, &BTreeMap::new()) {
            Ok(formula) => same(&formula.text(), &text.as_str(), &text),
            Err(error) => check_text("the error", error.to_string().as_bytes()),
        },
        "duration" => match seconds_of(&text, DurationForm::Common) {
            Ok(seconds) => {
                let written = duration_of(seconds);
                let again = seconds_of(&written, DurationForm::Common);
                same(&again, &Ok(seconds), &written)
            }
            Err(error) => check_text("the error", error.to_string().as_bytes()),
        },
        "amount" => {
            let _ = Amount::parse(&text);
            Ok(())
        }
        "demand" => match Machine::default().add_demand(&bytes, tree) {
            Ok(()) => Ok(()),
            Err(error) => check_text("the error", error.to_string().as_bytes()),
        },
        _ => {
            // No keymap but our own is read so far, so its errors are for us.
            let _ = Keymap::parse(&text);
            Ok(())
        }
    }
}

/// Checks that an edit is written as a line that means the same.
fn check_edit(snapshot: &Snapshot, bytes: &[u8]) -> Result<(), String> {
    let (tree, settings) = (&snapshot.tree, &snapshot.settings);
    let edit = match parse(bytes, tree, settings) {
        Ok(edit) => edit,
        Err(error) => return check_text("the error", error.to_string().as_bytes()),
    };
    let (mut changed, mut own) = (tree.clone(), settings.clone());
    if let Err(error) = edit.apply(&mut changed, &mut own) {
        return check_text("the error", error.to_string().as_bytes());
    }
    // A batch is written as several lines.
    if matches!(edit, Edit::Batch(_)) {
        return Ok(());
    }
    let written = write(&edit, tree);
    same(
        &parse(written.as_bytes(), tree, settings),
        &Ok(edit),
        &written,
    )
}

fn same<T: PartialEq + std::fmt::Debug>(read: &T, meant: &T, written: &str) -> Result<(), String> {
    if read == meant {
        return Ok(());
    }
    Err(format!("{written:?} is read as {read:?}, not {meant:?}"))
}
