//! The house stands: layers hold, files stay small, every table is whole.

use crate::support::source_files;
use fairscope::format::Format;
use fairscope::model::{Recorded, Settings};
use fairscope::policy::Policy;
use fairscope::report::Field;
use fairscope::tui::{Action, Keymap, Theme};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Who may use whom, downward only: a layer and everything of ours that it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("shown", &[]),
    ("table", &[]),
    ("number", &["policy"]),
    ("save", &["shown"]),
    ("extended", &[]),
    ("model", &["extended", "nearest", "shown", "table"]),
    ("nearest", &["shown"]),
    ("policy", &["extended", "model", "nearest", "shown"]),
    ("format", &["model", "number", "policy", "shown", "table"]),
    ("clock", &["extended", "model", "policy"]),
    (
        "simulate",
        &[
            "clock", "model", "number", "policy", "scenario", "shown", "solve",
        ],
    ),
    (
        "contention",
        &[
            "clock", "generate", "model", "policy", "scenario", "simulate",
        ],
    ),
    (
        "verify",
        &["model", "number", "policy", "reconstruct", "shown"],
    ),
    ("reconstruct", &["extended", "model", "policy"]),
    ("scenario", &["clock", "model", "policy", "shown"]),
    (
        "outline",
        &["model", "policy", "scenario", "shown", "table"],
    ),
    ("generate", &["model"]),
    ("live", &["format", "model", "save", "shown"]),
    (
        "opened",
        &[
            "format",
            "model",
            "plan",
            "policy",
            "reconstruct",
            "save",
            "scenario",
            "shown",
            "verify",
        ],
    ),
    ("diff", &["model", "policy", "scenario", "shown"]),
    ("solve", &["model", "number", "policy", "scenario", "shown"]),
    (
        "plan",
        &["diff", "format", "model", "policy", "scenario", "shown"],
    ),
    (
        "report",
        &[
            "clock",
            "contention",
            "diff",
            "extended",
            "format",
            "model",
            "number",
            "outline",
            "plan",
            "policy",
            "scenario",
            "shown",
            "simulate",
            "solve",
            "table",
            "timeline",
            "verify",
        ],
    ),
    (
        "timeline",
        &[
            "diff", "format", "model", "opened", "policy", "scenario", "shown",
        ],
    ),
];

/// What the layers below the screen and the command line must not know.
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

/// The layer a file belongs to: `src/model/tree.rs` and `src/model.rs` to `model`.
fn layer(file: &Path) -> String {
    let inside = file
        .strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .expect("a source file");
    let first = inside
        .components()
        .next()
        .expect("a file has a name")
        .as_os_str()
        .to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The lines of a file that are code: neither comment nor documentation.
fn code(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the sources can be read");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).map(str::to_owned).collect()
}

#[test]
fn layers_use_only_what_stands_below_them() {
    let mut broken = Vec::new();
    for file in source_files() {
        let layer = layer(&file);
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            continue;
        };
        for line in code(&file) {
            for (at, _) in line.match_indices("crate::") {
                let used: String = line[at + 7..]
                    .chars()
                    .take_while(|char| char.is_alphanumeric() || *char == '_')
                    .collect();
                let is_own = used == layer || used.is_empty();
                if !is_own && !allowed.contains(&used.as_str()) {
                    broken.push(format!("{}: {}", file.display(), line.trim()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn nothing_below_the_screen_knows_a_terminal_a_clock_an_environment_or_threads() {
    let mut broken = Vec::new();
    for file in source_files() {
        // Asking a scheduler takes an environment, a clock and patience.
        let layer = layer(&file);
        if layer == "live" || !LAYERS.iter().any(|(name, _)| *name == layer) {
            continue;
        }
        // A year of products is worked out on all cores; how many there are changes nothing but the time it takes.
        let is_shared_out = file.ends_with("src/clock/slurm/cores.rs");
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
fn no_file_has_grown_a_second_subject() {
    let long = |file: &PathBuf| {
        let lines = std::fs::read_to_string(file)
            .expect("the sources can be read")
            .lines()
            .count();
        (lines > 600).then(|| format!("{}: {lines} lines", file.display()))
    };
    let long: Vec<String> = source_files().iter().filter_map(long).collect();
    assert!(
        long.is_empty(),
        "ask these files what their second subject is:\n{}",
        long.join("\n")
    );
}

#[test]
fn the_tables_name_everything_once() {
    fn assert_distinct(what: &str, names: impl Iterator<Item = &'static str>) {
        let mut seen = BTreeSet::new();
        for name in names {
            assert!(seen.insert(name), "{what} {name} stands twice");
        }
    }
    // `level_fs` is a word under one policy and a number under another, but each policy has one.
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
    let keymap = Keymap::shipped();
    for &action in Action::ALL {
        assert!(
            !keymap.keys(action).is_empty(),
            "{} has no key",
            action.name()
        );
    }
}

#[test]
fn every_shipped_theme_reads() {
    for (name, _) in Theme::ALL {
        assert!(Theme::named(name).is_some(), "{name}");
    }
}
