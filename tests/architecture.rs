//! Rules about the sources: floors use lower floors only, code stays as loose as it is, every table is complete.

mod circles;
mod commands;
mod density;
mod dependencies;
mod errors;
mod features;
mod guide;
mod opening;
mod phrases;
mod prose;
mod reports;
mod rests;
mod updates;

use crate::support::source_files;
use fairscope::format::Format;
use fairscope::model::{Recorded, Settings};
use fairscope::report::Field;
use fairscope::rules::policy::Policy;
use fairscope::tui::{Action, Keymap, Theme};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// The floors of the crate, the lowest first, and the rooms (modules) of each. A floor uses the floors below it.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "base",
        &[
            "shown",
            "number",
            "nearest",
            "places",
            "fuzzy",
            "sort",
            "table",
            "ascii",
            "disk",
            "fingerprint",
            "save",
            "shell",
            "extended",
            "cores",
        ],
    ),
    ("model", &["generate"]),
    ("rules", &["policy", "clock"]),
    ("scenario", &[]),
    ("format", &[]),
    ("trust", &["verify", "printed"]),
    ("open", &["live", "opened"]),
    (
        "analysis",
        &[
            "diff",
            "solve",
            "advise",
            "simulate",
            "contention",
            "timeline",
            "plan",
            "queue",
            "user",
            "metrics",
            "impact",
            "gate",
        ],
    ),
    ("report", &["outline"]),
    ("tui", &[]),
    ("web", &[]),
    ("cli", &[]),
];

/// Names that the floors below the screen must not use.
const FORBIDDEN: &[&str] = &[
    "ratatui",
    "crossterm",
    "clap",
    "std::thread",
    "std::env",
    "println!",
    "eprintln!",
    "print!",
    "Timestamp::now",
    "Instant::now",
    "SystemTime::now",
];

/// Returns the path of a file below `src` as names of modules: `src/model/tree.rs` is `["model", "tree"]`.
fn module(file: &Path) -> Vec<String> {
    let inside = file
        .strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .expect("a source file");
    let names = inside.components();
    names
        .map(|name| name.as_os_str().to_string_lossy().replace(".rs", ""))
        .collect()
}

/// Returns the number of a file's floor, the lowest being 0. `None` for `main.rs` and `lib.rs`, which are on no floor.
fn floor(file: &Path) -> Option<usize> {
    let name = &module(file)[0];
    FLOORS.iter().position(|(floor, _)| floor == name)
}

/// Returns the lines of a file that are code, without comments and documentation.
fn code(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the sources can be read");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).map(str::to_owned).collect()
}

#[test]
fn floors_use_only_the_floors_below_them() {
    let mut broken = Vec::new();
    for file in source_files() {
        let Some(own) = floor(&file) else {
            continue;
        };
        for line in code(&file) {
            for (at, _) in line.match_indices("crate::") {
                let used: String = line[at + 7..]
                    .chars()
                    .take_while(|char| char.is_alphanumeric() || *char == '_')
                    .collect();
                let used_floor = FLOORS.iter().position(|(floor, _)| *floor == used);
                if used_floor.is_none_or(|used| used > own) {
                    broken.push(format!("{}: {}", file.display(), line.trim()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_folder_is_a_listed_floor_with_its_listed_rooms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let below = |folder: &Path| -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).expect("the sources can be read");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        names
            .map(|name| name.to_string_lossy().replace(".rs", ""))
            .collect()
    };
    let mut floors: BTreeSet<String> = FLOORS.iter().map(|&(floor, _)| floor.into()).collect();
    floors.extend(["lib", "main"].map(str::to_owned));
    assert_eq!(below(&root), floors);
    for (floor, rooms) in FLOORS {
        for room in *rooms {
            assert!(below(&root.join(floor)).contains(*room), "{floor}/{room}");
        }
    }
    // A floor that has rooms and nothing else lists all of them.
    for floor in ["base", "rules", "trust", "analysis"] {
        let (_, rooms) = FLOORS.iter().find(|(name, _)| *name == floor).unwrap();
        let rooms: BTreeSet<String> = rooms.iter().map(|&room| room.into()).collect();
        assert_eq!(below(&root.join(floor)), rooms);
    }
}

#[test]
fn the_map_in_the_documentation_shows_the_floors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = std::fs::read_to_string(root.join("lib.rs")).expect("the sources can be read");
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`"));
    let drawn: Vec<(String, Vec<String>)> = rows
        .map(|row| {
            let mut cells = row.split(" | ");
            let floor = cells.next().unwrap_or_default();
            let rooms = cells.next().unwrap_or_default().split_whitespace();
            let rooms = rooms.map(|room| room.trim_matches('`').to_owned());
            let rooms = rooms.filter(|room| room != "|").collect();
            (
                floor.split('`').next().unwrap_or_default().to_owned(),
                rooms,
            )
        })
        .collect();
    let floors = FLOORS.iter().rev().map(|(floor, rooms)| {
        let rooms = rooms.iter().map(|&room| room.to_owned()).collect();
        ((*floor).to_owned(), rooms)
    });
    assert_eq!(drawn, floors.collect::<Vec<_>>());
}

#[test]
fn only_the_top_floors_use_terminal_clock_environment_and_threads() {
    let screen = FLOORS.iter().position(|(floor, _)| *floor == "tui");
    let mut broken = Vec::new();
    for file in source_files() {
        // Asking a scheduler needs the environment, a clock and timeouts.
        let is_live = module(&file).starts_with(&["open".to_owned(), "live".to_owned()]);
        if is_live || floor(&file) >= screen || floor(&file).is_none() {
            continue;
        }
        // The number of cores changes the time that something takes, not the result.
        let is_shared_out = file.ends_with("src/base/cores.rs");
        for line in code(&file) {
            let is_forbidden =
                |word: &str| line.contains(word) && !(is_shared_out && word == "std::thread");
            for word in FORBIDDEN.iter().filter(|word| is_forbidden(word)) {
                broken.push(format!("{}: {word}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn names_in_each_table_are_unique() {
    fn assert_distinct<Name: Into<Cow<'static, str>>>(
        what: &str,
        names: impl Iterator<Item = Name>,
    ) {
        let mut seen = BTreeSet::new();
        for name in names {
            let name = name.into();
            assert!(seen.insert(name.clone()), "{what} {name} stands twice");
        }
    }
    // `level_fs` is a word under one policy and a number under another, but no policy has both.
    for policy in Policy::ALL {
        let fields = Field::offered(*policy, &Settings::default(), &Recorded::default());
        assert_distinct("the column", fields.iter().map(|field| field.name()));
    }
    assert_distinct("the policy", Policy::ALL.iter().map(|policy| policy.name()));
    assert_distinct("the format", Format::ALL.iter().map(|format| format.name()));
    assert_distinct("the action", Action::ALL.iter().map(|action| action.name()));
    assert_distinct("the setting", Settings::keys());
    for policy in Policy::ALL {
        assert_eq!(Policy::named(policy.name()), Some(*policy));
    }
}

#[test]
fn every_action_has_a_key() {
    let keymap = Keymap::default();
    for &action in Action::ALL {
        assert!(
            !keymap.keys(action).is_empty(),
            "{} has no key",
            action.name()
        );
    }
}

#[test]
fn every_built_in_theme_can_be_read() {
    for (name, _) in Theme::ALL {
        assert!(Theme::named(name).is_some(), "{name}");
    }
}
