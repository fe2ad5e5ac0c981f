//! PBS's files: accepted input, problems and their exact messages.

mod accounting;

use crate::support::data;
use crate::support::golden;
use crate::support::loading::{go_on, load_quietly};
use crate::support::pbs::usage_file;
use fairscope::format::input::Input;
use fairscope::format::pbs::{Files, Parsed, parse};
use fairscope::format::{Problem, Request, Severity};
use fairscope::model::{Format, NodeId, Tree};
use std::path::PathBuf;

fn input(name: &str, bytes: impl Into<Vec<u8>>) -> Input {
    Input {
        path: PathBuf::from(name),
        bytes: bytes.into(),
        modified: None,
    }
}

fn parsed(files: &Files) -> Parsed {
    parse(files, &mut go_on).expect("nobody cancels")
}

/// The tree of a `resource_group` and its problems.
fn group(text: impl Into<Vec<u8>>) -> (Tree, Vec<Problem>) {
    let files = Files {
        resource_group: input("resource_group", text),
        usage: Some(input("usage", usage_file(&[]))),
        ..Files::default()
    };
    let parsed = parsed(&files);
    (parsed.tree, parsed.problems.list().to_vec())
}

/// A small tree with a usage file, and its problems.
fn usage(bytes: impl Into<Vec<u8>>) -> (Tree, Vec<Problem>) {
    let files = Files {
        resource_group: input("resource_group", "g 10 root 1\na 11 g 1\nb 12 g 1\n"),
        usage: Some(input("usage", bytes)),
        ..Files::default()
    };
    let parsed = parsed(&files);
    (parsed.tree, parsed.problems.list().to_vec())
}

fn names(tree: &Tree) -> Vec<String> {
    tree.nodes()[1..]
        .iter()
        .map(|&node| String::from_utf8_lossy(tree.name(node)).into_owned())
        .collect()
}

fn shares(tree: &Tree, name: &str) -> i64 {
    let node = tree
        .nodes()
        .iter()
        .find(|&&node| tree.name(node) == name.as_bytes());
    tree.shares(*node.expect("a node of that name"))
        .count()
        .expect("a count")
}

fn said(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(Problem::to_string).collect()
}

#[test]
fn every_line_that_pbs_skips_is_reported_with_position_and_remedy() {
    let (tree, problems) = group(
        "good 10 root 10\n\
         short 11 root\n\
         good 12 root 1\n\
         orphan 13 nowhere 1\n\
         self 14 self 1\n\
         half 15 root 1.5\n\
         odd 1x root 1\n\
         unknown 16 root 5\n\
         crlf 17 root 9\r\n",
    );
    assert_eq!(names(&tree), ["good", "unknown"]);
    assert_eq!(
        said(&problems),
        [
            "resource_group:2: error: the line has 3 of the four fields name, group number, parent, shares; PBS leaves it out; write all four, separated by blanks or tabs",
            "resource_group:3:1: error: good was defined on an earlier line; PBS keeps the first and leaves this line out; delete one of the two lines, or rename one: PBS knows nodes by name alone",
            "resource_group:4:11: error: the parent nowhere of orphan is not defined on an earlier line; PBS leaves the line out; define the parent above this line, or write root",
            "resource_group:5:9: error: self is its own parent; PBS leaves the line out; write the group it belongs to, or root",
            "resource_group:6:14: error: the shares 1.5 of half are not a whole number; PBS leaves the line out; write digits only, and a blank before a comment",
            "resource_group:7:5: error: the group number 1x of odd is not a whole number; PBS leaves the line out; write any whole number; PBS only shows it",
            "resource_group:8:1: error: unknown is a name that PBS reserves; the line is left out; choose another name; the shares of unknown are set by unknown_shares in sched_config",
            "resource_group:9:14: error: the line of crlf ends in a carriage return, which spoils the shares 9\\r; PBS leaves it out; give the file Unix line ends: sed -i 's/\\r$//' FILE",
        ]
    );
}

#[test]
fn oddities_that_pbs_accepts_silently_are_reported() {
    let (tree, problems) = group(
        "root 10 root 1\n\
         huge 11 root 2147483648\n\
         huger 12 root 99999999999999999999\n\
         minus 13 root -5\n\
         a@b 14 root 1\n",
    );
    assert_eq!(shares(&tree, "huge"), -2_147_483_648);
    assert_eq!(shares(&tree, "huger"), -1);
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(
        codes,
        [
            "pbs-root-name",
            "pbs-shares-wrap",
            "pbs-shares-wrap",
            "pbs-negative-shares",
            "pbs-unrecordable-name"
        ]
    );
    assert!(
        problems
            .iter()
            .all(|problem| problem.severity == Severity::Warning)
    );
    assert_eq!(
        problems[1].to_string(),
        "resource_group:2:14: warning: the shares of huge do not fit 32 bits; PBS stores -2147483648 instead; divide the shares of all siblings by the same number"
    );
}

#[test]
fn a_group_may_have_a_name_that_no_usage_record_holds() {
    let (_, problems) = group("my@group 10 root 1\nalice 11 my@group 1\n");
    assert_eq!(problems, []);
}

#[test]
fn long_lines_are_split_as_in_pbs_and_counted_as_in_an_editor() {
    // PBS reads the bytes after the 255th as a separate line, which is valid here.
    let long = format!(
        "a 10 root 1{}tail 11 root 2\nb 12 nowhere 1\n",
        " ".repeat(244)
    );
    let (tree, problems) = group(long);
    assert_eq!(names(&tree), ["tail", "a", "unknown"]);
    let places: Vec<_> = problems
        .iter()
        .map(|it| (it.code, it.line, it.column))
        .collect();
    assert_eq!(
        places,
        [
            ("pbs-line-split", Some(1), Some(256)),
            ("pbs-missing-parent", Some(2), Some(6))
        ]
    );
}

#[test]
fn a_line_of_exactly_255_bytes_counts_twice_for_pbs() {
    let line = format!("a 10 root 1{}\nbad\n", " ".repeat(244));
    let files = Files {
        resource_group: input("resource_group", line),
        usage: Some(input("usage", usage_file(&[]))),
        ..Files::default()
    };
    let parsed = parsed(&files);
    assert_eq!(parsed.stderr, b"resgroup: error on line 3.\n");
    let problems = parsed.problems.list();
    assert_eq!(problems.last().expect("one").line, Some(2));
}

#[test]
fn a_nul_hides_the_rest_of_its_line_only() {
    let (tree, problems) = group(b"a 10 root 1\0 rubbish\nb 11 root 2\n".to_vec());
    assert_eq!(names(&tree), ["b", "a", "unknown"]);
    assert_eq!(
        said(&problems),
        [
            "resource_group:1:12: warning: the line holds a NUL; PBS does not see what follows it on the line; delete the byte"
        ]
    );
}

#[test]
fn blanks_tabs_signs_and_comments_are_read_as_pbs_reads_them() {
    let (tree, problems) = group(
        "# comment\n* comment\n\n   \r\n\x0b# comment\n \t a\t +10  root   +7 8 9 # more\nb 010 TREEROOT 010\nc 1 unknown \x0b3\n",
    );
    assert_eq!(problems, []);
    assert_eq!(names(&tree), ["b", "a", "unknown", "c"]);
    assert_eq!(shares(&tree, "a"), 7);
    assert_eq!(shares(&tree, "b"), 10);
    assert_eq!(shares(&tree, "c"), 3);
}

#[test]
fn a_healthy_tree_has_no_problems() {
    let (_, problems) = usage(usage_file(&[("a", 5.0), ("b", 0.0)]));
    assert_eq!(problems, []);
}

#[test]
fn unusual_usage_records_are_reported_with_their_effect_in_pbs() {
    let mut bytes = usage_file(&[
        ("a", 5.0),
        ("a", 6.0),
        ("g", 7.0),
        ("b@c", 8.0),
        ("b", -1.0),
        ("stranger", 9.0),
        ("b", f64::INFINITY),
    ]);
    bytes.extend_from_slice(b"cut");
    let (tree, problems) = usage(bytes);
    assert_eq!(names(&tree), ["g", "b", "a", "unknown", "stranger"]);
    assert_eq!(
        said(&problems),
        [
            "usage: warning: record 2 is of a, which has one already; the last one counts for itself, but all of them count for the groups above; let PBS rewrite the file: pbsfs -s for any entity drops the repetition",
            "usage: warning: record 3 is of g, which is a group; it overwrites what the group's entities added so far; let PBS rewrite the file: pbsfs -s for any entity drops the record",
            "usage: error: record 4, of b@c: the name has other bytes than letters, digits, blanks and . - _ : or no end; PBS leaves it out; rename the entity, or set its usage again with pbsfs -s",
            "usage: error: record 5, of b: the usage -1 is not 0 or more; PBS leaves it out; rename the entity, or set its usage again with pbsfs -s",
            "usage: warning: record 7, of b, is infinite; so is the usage of every group above it; set the usage again with pbsfs -s",
            "usage: warning: record 8, the last, has 3 of 64 bytes; PBS drops it silently; an interrupted write leaves such a file: compare it with usage.bak",
            "usage: note: stranger is not in resource_group; PBS puts such entities under unknown with 1 share each; add them to resource_group, or give unknown shares with unknown_shares in sched_config",
        ]
    );
}

#[test]
fn damaged_and_foreign_usage_files_are_distinguished() {
    let good = usage_file(&[("a", 5.0)]);
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let cases = [
        (Vec::new(), "pbs-short-usage"),
        (good[..20].to_vec(), "pbs-short-usage"),
        (good[..30].to_vec(), "pbs-short-usage"),
        (with(16, &3.0_f64.to_le_bytes()), "pbs-bad-version"),
        (
            with(24, &946_713_600_i64.to_le_bytes()),
            "pbs-bad-last-decay",
        ),
        (with(24, &(-1_i64).to_le_bytes()), "pbs-bad-last-decay"),
        (with(0, b"X"), "pbs-bad-magic"),
    ];
    for (bytes, code) in cases {
        let (tree, problems) = usage(bytes);
        assert_eq!(problems[0].code, code);
        if code != "pbs-bad-magic" {
            assert!(tree.records().is_empty(), "{code}");
        }
    }
}

/// Problems that the real log does not mention.
const SILENT: &[&str] = &[
    "pbs-no-nodes",
    "pbs-config-boolean",
    "pbs-config-shares",
    "pbs-config-decay-time",
    "pbs-no-usage",
];

#[test]
fn golden_sched_configs_give_the_settings_and_messages_of_the_real_scheduler() {
    let Some(file) = golden("pbs/_extra") else {
        return;
    };
    let lines = std::fs::read_to_string(file.join("sched_config-parsing.jsonl")).expect("cases");
    let mut count = 0;
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("an object");
        let text = case["sched_config"].as_str().expect("text");
        let files = Files {
            sched_config: Some(input("sched_config", text)),
            ..Files::default()
        };
        let parsed = parsed(&files);
        let ours = &parsed.settings.pbs;
        let theirs = &case["parsed"];
        let number = |key: &str| theirs[key].as_i64().expect("a number");
        assert_eq!(
            i64::from(ours.fair_share.is_on_in_prime()),
            number("prime_fs"),
            "{text}"
        );
        assert_eq!(
            i64::from(ours.fair_share.is_on_in_non_prime()),
            number("non_prime_fs"),
            "{text}"
        );
        assert_eq!(
            i64::from(ours.fairshare_enforce_no_shares),
            number("enforce_no_shares"),
            "{text}"
        );
        assert_eq!(ours.fairshare_decay_time, number("decay_time"), "{text}");
        assert_eq!(
            i64::from(ours.unknown_shares),
            number("unknown_shares"),
            "{text}"
        );
        assert_eq!(ours.fairshare_usage_res, theirs["usage_res"], "{text}");
        assert_eq!(ours.fairshare_entity, theirs["entity"], "{text}");
        let factor: f32 = theirs["decay_factor"]
            .as_str()
            .expect("a text")
            .parse()
            .expect("a float");
        let same = ours.fairshare_decay_factor.to_bits() == factor.to_bits();
        assert!(
            same || factor.is_nan() && ours.fairshare_decay_factor.is_nan(),
            "{text}"
        );
        let problems = parsed.problems.list();
        let logged = problems
            .iter()
            .filter(|it| !SILENT.contains(&it.code))
            .count();
        // PBS accepts a NaN without a message.
        let logged = logged - usize::from(factor.is_nan());
        let log = case["log"].as_array().expect("messages");
        assert_eq!(logged, log.len(), "{text} {problems:?}");
        count += 1;
    }
    println!("{count} files compared, 0 differ");
}

#[test]
fn settings_with_another_meaning_in_pbs_are_reported() {
    let files = Files {
        usage: Some(input("usage", usage_file(&[]))),
        sched_config: Some(input(
            "f",
            "fair_share: no\nunknown_shares: ten\nfairshare_decay_time: 24:00:00.5\nfairshare_usage_res: ncpus * walltime\nfair_shar: true\n",
        )),
        ..Files::default()
    };
    let parsed = parsed(&files);
    assert_eq!(
        said(parsed.problems.list()),
        [
            "f:1: warning: fair_share is no, neither true nor false; PBS reads it as true; write true or false",
            "f:2: warning: unknown_shares is ten, not a whole number from 0 up; PBS uses -1; write digits only",
            "f:3: warning: the decay time 24:00:00.5 is minus infinity to PBS; usage does not decay as it should; write HH:MM:SS, without fractions of a second",
            "f:4: warning: * after the value is not one of prime, non_prime, all, none; PBS reads it as all; delete the word, put a value with blanks in quotes, and comments on their own lines",
            "f:5: warning: unknown option 'fair_shar'; the line has no effect; check the spelling, including lower \
             case, or delete the line",
        ]
    );
    assert_eq!(parsed.settings.pbs.fairshare_decay_time, i64::MIN);
}

#[test]
fn directories_open_with_their_settings_and_date() {
    let request = Request {
        settings: vec![("unknown_shares".to_owned(), "7".to_owned())],
        ..Request::to_open(data("pbs/01-seed-example"))
    };
    let loaded = load_quietly(&request).expect("a tree");
    let snapshot = &loaded.snapshot;
    assert!(loaded.problems.is_empty());
    assert_eq!(snapshot.source.format, Format::Pbs);
    assert_eq!(snapshot.source.title, "01-seed-example");
    assert_eq!(snapshot.source.usage_unit, "cput");
    assert!(snapshot.source.taken.is_some());
    assert_eq!(shares(&snapshot.tree, "unknown"), 7);
    assert_eq!(snapshot.tree.shares(NodeId::ROOT).count(), Some(-1));
}

#[test]
fn chains_of_a_hundred_thousand_nodes_load() {
    use std::fmt::Write as _;
    let mut text = "n0 1 root 1\n".to_owned();
    for node in 1..100_000 {
        writeln!(text, "n{node} 1 n{} 1", node - 1).expect("writing to memory");
    }
    let (tree, problems) = group(text);
    assert_eq!(problems, []);
    assert_eq!(tree.node_count(), 100_002);
}
