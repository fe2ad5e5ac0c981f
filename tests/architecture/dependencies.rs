//! What is compiled into the program: permissive licences, no crate twice, a reason for each direct dependency.
//!
//! `.ci/deny.toml` tells cargo-deny the same, and lets it look for advisories where there is a network:
//! `cargo deny --config .ci/deny.toml check`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The licences of which each dependency must offer one. All of them let the program be passed on as it is licensed.
const LICENCES: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Crates with a licence of their own: one that binds changes of their files, not what is built with them.
const EXCEPTIONS: [(&str, &str); 1] = [("nucleo-matcher", "MPL-2.0")];

/// Crates that are there in two versions, and why.
const TWICE: [(&str, &str); 5] = [
    (
        "cfg_aliases",
        "only while compiling tests: portable-pty needs version 0.1",
    ),
    ("nix", "only in tests: portable-pty needs version 0.28"),
    (
        "syn",
        "only while compiling: macros of ratatui and crossterm have not moved to version 3",
    ),
    ("thiserror", "only in tests: portable-pty needs version 1"),
    (
        "thiserror-impl",
        "only in tests: portable-pty needs version 1",
    ),
];

/// Returns name, version and licence of every crate that the program and its tests are made of on this machine.
fn crates() -> BTreeSet<(String, String, String)> {
    let listed = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["--edges", "normal,build,dev", "--format", "{p}|{l}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo built this test");
    let errors = String::from_utf8_lossy(&listed.stderr);
    assert!(listed.status.success(), "{errors}");
    let text = String::from_utf8(listed.stdout).expect("names of crates are text");
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (package, licence) = line.split_once('|').expect("a package and its licence");
            let mut words = package.split(' ');
            let mut word = || words.next().unwrap_or_default().to_owned();
            let licence = licence.trim_end_matches(" (*)").to_owned();
            (word(), word(), licence)
        })
        .collect()
}

/// Returns whether one of the allowed licences is enough for an expression such as `(MIT OR Apache-2.0) AND ISC`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some((one, other)) = split_outside(expression, " AND ") {
        return is_allowed(one) && is_allowed(other);
    }
    for or in [" OR ", "/"] {
        if let Some((one, other)) = split_outside(expression, or) {
            return is_allowed(one) || is_allowed(other);
        }
    }
    let inside = expression
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    inside.map_or_else(|| LICENCES.contains(&expression), is_allowed)
}

/// Splits an expression at the first separator that stands in no parentheses.
fn split_outside<'a>(expression: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let places = expression.match_indices(separator);
    let mut outside = places.filter(|(place, _)| {
        let before = &expression[..*place];
        before.matches('(').count() == before.matches(')').count()
    });
    let (place, _) = outside.next()?;
    Some((&expression[..place], &expression[place + separator.len()..]))
}

fn manifest() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    std::fs::read_to_string(path).expect("the manifest can be read")
}

#[test]
fn every_dependency_has_a_permissive_licence() {
    let crates = crates();
    let refused: Vec<String> = crates
        .iter()
        .filter(|(name, _, licence)| {
            !is_allowed(licence) && !EXCEPTIONS.contains(&(name.as_str(), licence.as_str()))
        })
        .map(|(name, version, licence)| format!("{name} {version}: {licence:?}"))
        .collect();
    println!("{} crates, {} refused", crates.len(), refused.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn expressions_of_licences_are_understood() {
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("MIT/GPL-3.0-only", true),
        ("MIT AND GPL-3.0-only", false),
        ("(GPL-3.0-only OR MIT) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND NCSA", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression), expected, "{expression}");
    }
}

#[test]
fn no_crate_is_there_twice_without_a_reason() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, version, _) in crates() {
        versions.entry(name).or_default().insert(version);
    }
    let twice = versions.iter().filter(|(_, versions)| versions.len() > 1);
    let twice: BTreeSet<&str> = twice.map(|(name, _)| name.as_str()).collect();
    let expected: BTreeSet<&str> = TWICE.iter().map(|(name, _)| *name).collect();
    assert_eq!(twice, expected, "{versions:?}");
}

#[test]
fn every_direct_dependency_has_a_reason() {
    let manifest = manifest();
    let mut is_inside = false;
    let mut has_reason = false;
    let mut without = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_inside = line.contains("dependencies");
        } else if is_inside && line.starts_with('#') {
            has_reason = true;
        } else if is_inside && !line.trim().is_empty() {
            if !has_reason {
                without.push(line);
            }
            has_reason = false;
        }
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}

#[test]
fn unsafe_code_is_forbidden() {
    assert!(manifest().contains("\nunsafe_code = \"forbid\"\n"));
}
