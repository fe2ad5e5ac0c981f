//! The JSON formats of `export-db -F` and `fairshare-emulate`.

use crate::format::losses;
use crate::support::flux::{computed, expected, folders_with, rows};
use crate::support::loading::load_path;
use fairscope::format::flux::json::convert;
use fairscope::format::{Format, LoadError, Loaded, Problem, Severity};
use fairscope::model::{Kind, NodeId, Position, TreeBuilder};
use std::fmt::Write as _;

fn parsed(text: impl AsRef<[u8]>) -> Result<Loaded, LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flux.json");
    std::fs::write(&path, text).unwrap();
    load_path(&path)
}

/// The case whose usage is summed unlike the database's, or exceeds a 64-bit word.
const UNDEFINED: &str = "24_usage_sum_over_2_64";

#[test]
fn golden_emulator_trees_give_the_numbers_of_flux() {
    let (mut files, mut compared) = (0, 0);
    for folder in folders_with("emulate_in.json") {
        let file = ["expected.tsv", "expected_db.tsv"].map(|name| folder.join(name));
        let Some(file) = file.into_iter().find(|file| file.exists()) else {
            continue;
        };
        let loaded = load_path(folder.join("emulate_in.json"))
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        assert_eq!(loaded.snapshot.source.format, Format::FluxJson);
        let theirs = expected(&rows(&file));
        files += 1;
        if folder.ends_with(UNDEFINED) {
            continue;
        }
        compared += theirs.values().flatten().flatten().flatten().count();
        assert_eq!(computed(&loaded), theirs, "{}", folder.display());
        // Writing it and reading it again gives the same tree.
        let written = convert(&loaded.snapshot.tree);
        let again = parsed(&written.files[0].1).unwrap();
        assert_eq!(computed(&again), theirs, "{} written", folder.display());
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        assert!(
            !again.problems.list().iter().any(is_error),
            "{}",
            folder.display()
        );
    }
    println!("{files} trees, {compared} numbers compared, 0 differ");
}

#[test]
fn missing_values_default_to_one_share_and_no_usage() {
    let loaded = parsed(
        r#"{"root": {"children": [{"children": [{"username": "\u00fc\n"}], "usage": 7, "bank": "A", "other": {"a": [true, -1.5e3]}}, {"bank": "B", "usage": 2.5, "children": null}]}, "note": [1, {"x": null}]}"#,
    )
    .unwrap();
    let tree = &loaded.snapshot.tree;
    let names: Vec<(&[u8], Kind, Option<f64>)> = tree
        .nodes()
        .iter()
        .map(|&node| (tree.name(node), tree.kind(node), tree.usage(node).amount()))
        .collect();
    assert_eq!(
        names,
        [
            (&b"root"[..], Kind::Account, None),
            (b"A", Kind::Account, None),
            ("ü\n".as_bytes(), Kind::User, Some(0.0)),
            (b"B", Kind::Account, Some(2.5)),
        ]
    );
    assert!(
        tree.nodes()
            .iter()
            .all(|&node| tree.shares(node).count() == Some(1))
    );
    let messages: Vec<&str> = loaded
        .problems
        .list()
        .iter()
        .map(|problem| &*problem.message)
        .collect();
    assert_eq!(
        messages,
        [
            "the bank A has a usage of 7, but its users have 0; the usage of the users counts, as in flux \
             account-update-fshare",
            "1 bank has usage and no users; the usage counts on their level but not above it",
        ]
    );
}

#[test]
fn invalid_json_is_refused_with_the_position_of_the_error() {
    for (text, message) in [
        ("{\"root\": {", "1:10: the JSON ends in the middle"),
        (
            "{\"root\": {\"bank\": \"a}}",
            "1:22: the JSON ends in the middle",
        ),
        (
            "{\"root\": {} \"x\": 1}",
            "1:13: this is not JSON: expected `,` or `}`",
        ),
        (
            "{\"root\": {\n\"usage\": NaN}}",
            "2:10: this is not JSON: expected value",
        ),
        (
            "{\"root\": {}} x",
            "1:14: this is not JSON: trailing characters",
        ),
    ] {
        let error = parsed(text).expect_err(text).to_string();
        let (_, place) = error.split_once("flux.json:").unwrap();
        assert_eq!(
            place,
            format!("{message}; export it again with flux account export-db -F"),
            "{text}"
        );
    }
}

#[test]
fn a_bad_value_is_a_numbered_problem_and_the_others_count() {
    let text = r#"{"root": {"bank": "root", "shares": 1.5, "children": [
        {"bank": "A", "shares": null, "children": [
            {"username": "ada", "shares": "x", "usage": -1},
            {"username": "bob", "shares": 3, "usage": 1e400},
            {"username": 5, "bank": "cy", "usage": {"a": [1]}},
            7
        ]},
        {"bank": "B", "children": 3}
    ]}}"#;
    let loaded = parsed(text).expect("it is read");
    let problems = loaded.problems.list().iter();
    let problems: Vec<String> = problems
        .map(|it| {
            format!(
                "{}:{} {} {}",
                it.line.unwrap_or(0),
                it.column.unwrap_or(0),
                it.code,
                it.message
            )
        })
        .collect();
    assert_eq!(
        problems,
        [
            "1:37 flux-odd-shares the shares are 1.5; expected a whole number of 64 bits; 1 is assumed",
            "2:33 flux-odd-shares the shares are null; expected a whole number of 64 bits; 1 is assumed",
            "3:43 flux-odd-shares the shares are \"x\"; expected a whole number of 64 bits; 1 is assumed",
            "3:57 flux-odd-usage the usage is -1; expected a number from 0 up; it is counted as 0",
            "4:55 flux-odd-usage the usage is 1e400; expected a number from 0 up; it is counted as 0",
            "5:26 flux-bad-value username is 5; expected a name in quotes; it is left out",
            "5:52 flux-odd-usage the usage is {\"a\": [1]}; expected a number from 0 up; it is counted as 0",
            "6:13 flux-bad-value an element of children is 7; expected a bank or a user; it is left out",
            "8:35 flux-bad-value children is 3; expected a list of banks and users; it is left out",
        ]
    );
    let tree = &loaded.snapshot.tree;
    let names = tree.nodes().iter().map(|&node| tree.name(node));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [&b"root"[..], b"A", b"ada", b"bob", b"cy", b"B"]
    );
}

/// Returns a chain of so many banks below the root, and a user below the last.
fn chain(depth: usize) -> String {
    let mut text = "{\"root\": {".to_owned();
    for level in 0..depth {
        write!(text, "\"children\": [{{\"bank\": \"{}\",", level % 10).unwrap();
    }
    text.push_str("\"children\": [{\"username\": \"u\", \"usage\": 3}]");
    text.push_str(&"}]".repeat(depth));
    text.push_str("}}");
    text
}

#[test]
fn banks_are_read_to_the_usual_depth_of_json() {
    let tree = parsed(chain(127)).unwrap().snapshot.tree;
    assert_eq!((tree.node_count(), tree.user_count()), (129, 1));
    for depth in [128, 10_000] {
        let error = parsed(chain(depth))
            .expect_err("it is too deep")
            .to_string();
        let (_, what) = error.split_once("flux.json:1:").unwrap();
        assert_eq!(
            what,
            "3326: banks are nested more than 128 levels deep; open the database of flux-accounting instead"
        );
    }
}

#[test]
fn a_chain_of_a_million_banks_is_written() {
    let mut builder = TreeBuilder::new(b"root");
    let name = builder.intern(b"a");
    let mut node = NodeId::ROOT;
    for _ in 0..1_000_000 {
        node = builder.push(node, name, Kind::Account, Position::Last);
    }
    let written = convert(&builder.build());
    assert!(
        written.files[0].1.ends_with(b"]}]}]}}\n"),
        "{:?}",
        written.files[0].1
    );
}

#[test]
fn inactive_associations_are_skipped_and_reported() {
    let path = crate::support::data("flux/21_inactive/input.db");
    let loaded = crate::support::flux::load_with(&path, &[("inactive", "show")]).unwrap();
    let written = convert(&loaded.snapshot.tree);
    assert_eq!(
        losses(&written),
        [
            "the JSON cannot mark a node as inactive, and Flux does not count inactive nodes: a2 and 4 more is left \
             out",
            "members of an inactive bank are left out: b1 and 3 more",
            "the name of the scheduler and its settings are left out, such as decay and weights",
        ]
    );
    let again = parsed(&written.files[0].1).unwrap();
    assert_eq!(computed(&again), computed(&load_path(&path).unwrap()));
    assert_eq!(again.snapshot.tree.name(NodeId::ROOT), b"root");
}
