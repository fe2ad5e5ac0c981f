//! Trees and scenarios in fairscope's own format.

use crate::support::expected::Expected as _;
use crate::support::loading::{go_on, load_quietly, sentences};
use crate::support::{data, golden};
use fairscope::format::native::{Reference, parse, write_scenarios, write_tree};
use fairscope::format::{Example, LoadError, Loaded, Request, SavedEdit, SavedScenario};
use fairscope::model::{NodeId, Shares, Snapshot, path_of, resolve};
use fairscope::open::{self, example};
use fairscope::rules::policy::{ColumnId, Policy};
use std::path::Path;

fn load(text: &str) -> Result<Loaded, LoadError> {
    let request = Request::to_open("tree.toml");
    parse(text.as_bytes(), &request, &mut go_on, Some(&open::load))
}

fn rows(rows: &str) -> Loaded {
    load(&format!("fairscope = 1\n[tree]\nrows = '''\n{rows}'''\n")).expect("the rows make a tree")
}

fn paths(loaded: &Loaded) -> Vec<String> {
    let tree = &loaded.snapshot.tree;
    tree.nodes()
        .iter()
        .map(|&node| path_of(tree, node).expect("the tree is not deep"))
        .collect()
}

#[test]
fn indentation_makes_the_tree() {
    let loaded = rows("a 1\n   b\n    c # a comment\n   d\n\n# a line of its own\n\te 2\nf\n");
    assert_eq!(paths(&loaded), ["", "a", "a/b", "a/b/c", "a/d", "a/e", "f"]);
    assert_eq!(sentences(&loaded.problems), Vec::<String>::new());
}

#[test]
fn rows_may_state_their_level() {
    let loaded = rows("@1 a\n@2 b\n@3 c\n@2 d\ne\n");
    assert_eq!(paths(&loaded), ["", "a", "a/b", "a/b/c", "a/d", "e"]);
}

#[test]
fn rows_hold_all_properties_of_a_node() {
    let loaded = rows(
        "g parent 5 kind=account cgrp=-3\nh\n  \"a b\\xE9\\\"\" 7 1e300 partition=\"x y\" active=0\n",
    );
    let tree = &loaded.snapshot.tree;
    let (group, user) = (NodeId::from_index(1), NodeId::from_index(3));
    assert_eq!(tree.shares(group), Shares::PARENT);
    assert_eq!(tree.group(group), -3);
    assert_eq!(tree.usage(group).amount(), Some(5.0));
    assert_eq!(tree.name(user), b"a b\xe9\"");
    assert_eq!(tree.partition(user), Some(&b"x y"[..]));
    assert_eq!(tree.active(user), Some(false));
    assert_eq!(tree.records().len(), 1);
}

#[test]
fn written_files_read_back_unchanged() {
    let text = "# A fairshare tree, for fairscope.\nfairscope = 1\npolicy = \"pbs\"\nscheduler = \"pbs\"\nusage_unit = \"cput\"\n\
                taken = \"2026-11-21T00:00:00Z\"\n\n[settings]\nfairshare_decay_factor = 0.9\nlast_decay = 1700000000\n\n\
                [tree]\n# The order in which usage was recorded, by row; remove it after adding or removing rows.\n\
                recorded = '''\n2 3=0.5 3 1~\n'''\n# One node a row, below its account: name, shares, usage.\nrows = '''\n\
                a 1 7\n  b 2 0.1\n  c 3 0.25\nunknown 0 cgrp=1\n'''\n";
    let loaded = load(text).unwrap();
    assert_eq!(sentences(&loaded.problems), Vec::<String>::new());
    let written = write_tree(&loaded.snapshot, &loaded.snapshot.tree, loaded.policy);
    assert_eq!(String::from_utf8(written).unwrap(), text);
}

#[test]
fn a_chain_of_a_million_nodes_is_read_and_written() {
    let lines: Vec<String> = (1..=1_000_000)
        .map(|level| format!("@{level} n\n"))
        .collect();
    let loaded = rows(&lines.concat());
    let tree = &loaded.snapshot.tree;
    assert_eq!(tree.node_count(), 1_000_001);
    let written = write_tree(&loaded.snapshot, tree, None);
    assert!(written.len() < 40_000_000);
}

#[test]
fn invalid_rows_are_skipped_and_reported() {
    let cases = [
        (
            "bob x",
            "tree.toml:5:7: error: x is not a number of shares; expected a whole number such as 40, or parent; the row was left out; write rows as in: alice 2 1200.5",
        ),
        (
            "bob 1 -3",
            "tree.toml:5:9: error: -3 is not usage; expected a number from 0 up, or - for none; the row was left out; write rows as in: alice 2 1200.5",
        ),
        (
            "bob 1 2 3",
            "tree.toml:5:11: error: unknown word '3'; expected KEY=VALUE after name, shares and usage; the row was left out; write rows as in: alice 2 1200.5",
        ),
        (
            "bob knd=user",
            "tree.toml:5:7: error: unknown word 'knd=user'; expected kind=account or user, cgrp=N, partition=NAME, active=0 or 1, bins=N,N; the row was left out; write rows as in: alice 2 1200.5",
        ),
        (
            "\"bob 1",
            "tree.toml:5:3: error: the quotes of the name are not closed; the row was left out; write rows as in: alice 2 1200.5",
        ),
        (
            "@9 bob",
            "tree.toml:5:3: error: the level 9 has no account above it; the row was left out; levels count from 1 below the root and grow by one; put the name in quotes if it begins with @",
        ),
    ];
    for (row, message) in cases {
        assert_eq!(
            sentences(&rows(&format!("a 1\n  {row}\n")).problems),
            [message]
        );
    }
}

#[test]
fn unknown_keys_are_reported_with_the_nearest_known_one() {
    let loaded = load("fairscope = 1\npolcy = \"pbs\"\n[tree]\nrows = 'a 1'\n").unwrap();
    assert_eq!(
        sentences(&loaded.problems),
        [
            "tree.toml:2:1: warning: unknown key 'polcy'; it is not read; did you mean 'policy'? correct it, or remove the line"
        ]
    );
}

#[test]
fn unknown_versions_and_other_files_are_refused() {
    let refusal = |text: &str| load(text).unwrap_err().to_string();
    assert_eq!(
        refusal("fairscope = 2\n"),
        "tree.toml: this is version 2 of the format, and this program reads version 1; use a newer fairscope"
    );
    assert_eq!(
        refusal("a = 1\n"),
        "tree.toml: the version is missing; expected fairscope = 1 at the top; add it if fairscope wrote this file"
    );
    refusal("fairscope = \n").must_begin("tree.toml:1:13: this is not TOML: ");
    refusal("fairscope = 1\n").must_begin("tree.toml: [tree] and [source] are missing");
}

/// A scenario under the policy of PBS with these edits and their notes.
fn saved(name: &str, edits: &[(&str, &str)]) -> SavedScenario {
    let edits = edits.iter().map(|&(text, reason)| SavedEdit {
        text: text.to_owned(),
        reason: reason.to_owned(),
        line: 0,
    });
    SavedScenario {
        name: name.to_owned(),
        policy: Some(Policy::Pbs),
        edits: edits.collect(),
    }
}

#[test]
fn files_hold_several_scenarios_with_one_selected() {
    let scenarios = [
        saved("more for \"physics\"", &[("shares bob=20", "beam time")]),
        saved("less", &[("usage bob=1\nremove suzy", "")]),
        SavedScenario {
            name: "plain".to_owned(),
            ..SavedScenario::default()
        },
    ];
    let reference = Reference::default();
    let text = write_scenarios(Path::new("plan.toml"), &reference, Some(1), &scenarios, 1);
    text.must_contain("state = \"0000000000000001\"");
    let loaded = load(&text).unwrap();
    let codes: Vec<_> = loaded.problems.list().iter().map(|one| one.code).collect();
    assert_eq!(codes, ["toml-source-changed"]);
    let file = loaded.scenarios.unwrap();
    assert_eq!(file.front, 1);
    let mut read = file.list;
    for edit in read.iter_mut().flat_map(|one| &mut one.edits) {
        edit.line = 0;
    }
    assert_eq!(read, scenarios);
}

#[test]
fn scenarios_keep_edits_with_their_notes() {
    let reference = Reference {
        request: Request::default(),
        state: None,
    };
    let edits = [
        ("shares group1/bob=20", "a \"beam\" time"),
        ("usage bob=1\nremove suzy", ""),
    ];
    let scenario = saved("", &edits);
    let text = write_scenarios(Path::new("x/plan.toml"), &reference, None, &[scenario], 0);
    let loaded = load(&text).unwrap();
    assert_eq!(sentences(&loaded.problems), Vec::<String>::new());
    let file = loaded.scenarios.unwrap();
    let read: Vec<_> = file.list[0]
        .edits
        .iter()
        .map(|edit| (&edit.text[..], &edit.reason[..], edit.line))
        .collect();
    assert_eq!(
        read,
        [
            ("shares group1/bob=20", "a \"beam\" time", 9),
            ("usage bob=1\nremove suzy", "", 14)
        ]
    );
    assert_eq!(file.path, Path::new("tree.toml"));
    assert_eq!(file.list[0].policy, Some(Policy::Pbs));
}

#[test]
fn sources_are_named_relative_to_the_scenario() {
    let path = |scenario: &str, source: &str| {
        let request = Request::to_open(source);
        let reference = Reference {
            request,
            state: None,
        };
        let text = write_scenarios(Path::new(scenario), &reference, None, &[saved("", &[])], 0);
        let line = text.lines().find(|line| line.starts_with("path")).unwrap();
        line.to_owned()
    };
    assert_eq!(path("plan.toml", "sched_priv"), "path = \"sched_priv\"");
    assert_eq!(
        path("plans/plan.toml", "sched_priv"),
        "path = \"../sched_priv\""
    );
    assert_eq!(path("/a/b/plan.toml", "/a/c/d"), "path = \"../c/d\"");
    assert_eq!(path("plans/plan.toml", "/a/c"), "path = \"/a/c\"");
    assert_eq!(path("/a/c/plan.toml", "/a/c"), "path = \".\"");
    assert_eq!(path("/a/c/plan.toml", "/a"), "path = \"..\"");
}

#[test]
fn a_scenario_saved_in_the_folder_of_its_source_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["resource_group", "usage", "sched_config"] {
        std::fs::copy(data("seed").join(name), folder.path().join(name)).unwrap();
    }
    let plan = folder.path().join("plan.toml");
    let request = Request::to_open(folder.path());
    let reference = Reference {
        request,
        state: None,
    };
    let saved = [saved("", &[("shares bob=20", "")])];
    let text = write_scenarios(&plan, &reference, None, &saved, 0);
    text.must_contain("path = \".\"");
    // The form of earlier versions.
    let empty = text.replace("path = \".\"", "path = \"\"");
    for text in [text, empty] {
        std::fs::write(&plan, &text).unwrap();
        let request = Request::to_open(&plan);
        let loaded = load_quietly(&request).unwrap();
        assert_eq!(loaded.snapshot.tree.user_count(), 4, "{text}");
        assert_eq!(loaded.reference.request.path(), folder.path());
        assert_eq!(sentences(&loaded.problems), Vec::<String>::new());
    }
}

#[test]
fn a_scenario_on_a_scenario_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let text = "fairscope = 1\n[source]\npath = \"plan.toml\"\n";
    std::fs::write(&path, text).unwrap();
    let request = Request::to_open(path);
    let refusal = parse(text.as_bytes(), &request, &mut go_on, Some(&open::load)).unwrap_err();
    let message = refusal.to_string();
    message
        .must_end("the source is itself a scenario; name the tree that the scenario was made on");
}

#[test]
fn the_example_has_no_problems() {
    let loaded = example(Example::Small);
    assert_eq!(sentences(&loaded.problems), Vec::<String>::new());
    assert_eq!(
        paths(&loaded),
        [
            "",
            "group2",
            "group2/scott",
            "group2/suzy",
            "group1",
            "group1/cathy",
            "group1/bob",
            "unknown"
        ]
    );
}

#[test]
fn the_example_has_the_golden_numbers() {
    let Some(folder) = golden("pbs/01-seed-example") else {
        return;
    };
    let loaded = example(Example::Small);
    let tree = &loaded.snapshot.tree;
    let evaluation = Policy::Pbs.evaluate(tree, &loaded.snapshot.settings);
    let nodes = std::fs::read_to_string(folder.join("nodes.jsonl")).unwrap();
    let mut compared = 0;
    for line in nodes.lines() {
        let expected: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = expected["name"].as_str().unwrap();
        let node = if name == "TREEROOT" {
            NodeId::ROOT
        } else {
            resolve(tree, name.as_bytes()).unwrap()
        };
        for (key, column) in [
            ("tree_percentage_bits", ColumnId::FairsharePerc),
            ("usage_factor_bits", ColumnId::FairshareTreeUsage),
            ("usage_bits", ColumnId::Usage),
            ("fairshare_factor_bits", ColumnId::FairshareFactor),
        ] {
            let number = evaluation.number(column, node).unwrap();
            let bits = expected[key].as_str().unwrap().to_lowercase();
            let ours = if bits.len() == 8 {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "the column holds 32-bit floats"
                )]
                let single = number as f32;
                format!("{:08x}", single.to_bits())
            } else {
                format!("{:016x}", number.to_bits())
            };
            assert_eq!(ours, bits, "{key} of {name}");
            compared += 1;
        }
    }
    println!("{compared} numbers compared, 0 differ");
}

/// The tree of PBS's design document, as it is printed: with the usage of the groups.
const PRINTED: &str = "fairscope = 1\nscheduler = \"pbs\"\n[tree]\nroot = \"TREEROOT -1 1200\"\nrows = '''\ngroup1 40 200\n  \
                       bob 50 100\n  cathy 50 100\ngroup2 60 1000\n  scott 40 1000\n  suzy 60 0\n'''\n";

#[test]
fn usage_in_the_row_of_a_pbs_group_is_a_sum_and_not_counted_again() {
    let loaded = load(PRINTED).expect("a tree");
    assert_eq!(sentences(&loaded.problems), [] as [&str; 0]);
    let (tree, settings) = (&loaded.snapshot.tree, &loaded.snapshot.settings);
    let evaluation = Policy::Pbs.evaluate(tree, settings);
    let usage = |path: &[u8]| {
        let node = resolve(tree, path).expect("it is there");
        evaluation.number(ColumnId::FairshareTreeUsage, node)
    };
    // PBS's own numbers, which its initial usage of 1 is part of.
    let rounded = |path: &[u8]| usage(path).map(|usage| format!("{usage:.6}"));
    assert_eq!(rounded(b"group1/bob").as_deref(), Some("0.125312"));
    assert_eq!(rounded(b"group2/scott").as_deref(), Some("0.832973"));
    let wrong = PRINTED.replace("group2 60 1000", "group2 60 900");
    let loaded = load(&wrong).expect("a tree");
    let found: Vec<_> = loaded
        .problems
        .list()
        .iter()
        .map(|it| (it.code, it.line))
        .collect();
    assert_eq!(found, [("usage-sum-differs", Some(9))]);
}

#[test]
fn a_row_unknown_with_other_shares_than_the_setting_is_reported() {
    let text = "fairscope = 1\nscheduler = \"pbs\"\n[settings]\nunknown_shares = 10\n[tree]\nrows = '''\na 40\n  x 1 5\nunknown 0\n'''\n";
    let loaded = load(text).expect("a tree");
    let found: Vec<_> = loaded
        .problems
        .list()
        .iter()
        .map(|it| (it.code, it.line))
        .collect();
    assert_eq!(found, [("toml-unknown-shares", Some(9))]);
    let tree = &loaded.snapshot.tree;
    let unknown = tree.unknown().expect("PBS has it");
    assert_eq!(tree.shares(unknown), Shares::new(10));
    assert_eq!(loaded.snapshot.settings.pbs.unknown_shares, 10);
}

/// The tree of the notes about Flux's job usage, with bins and jobs.
const NOTES: &str = "fairscope = 1\npolicy = \"flux\"\nscheduler = \"flux\"\n[tree]\nrows = '''\nC 1\n  1001 1 0\n  1002 1 - bins=16,16,16,16\n'''\njobs = '''\nuser,bank,nnodes,t_run,t_inactive\n1002,C,2,10,20\n1003,C,2,10,20\n'''\n";

#[test]
fn rows_hold_usage_bins_and_a_tree_its_jobs() {
    let loaded = load(NOTES).expect("a tree");
    let Snapshot { tree, recorded, .. } = &loaded.snapshot;
    let user = resolve(tree, b"C/1002").expect("it is there");
    assert_eq!(tree.usage(user).amount(), Some(64.0));
    assert_eq!(recorded.bins(user), [16.0; 4]);
    let found = loaded.problems.list().iter();
    let found: Vec<_> = found.map(|it| (it.code, it.line)).collect();
    // The line is that of the file.
    assert_eq!(found, [("flux-jobs-unknown-user", Some(13))]);
    let written = write_tree(&loaded.snapshot, tree, None);
    let written = String::from_utf8(written).expect("UTF-8");
    written.must_contain("1002 1 64 bins=16,16,16,16");
}

#[test]
fn bins_that_contradict_the_usage_and_odd_bins_are_reported() {
    for (bins, code) in [
        ("65 bins=16,16,16,16", "toml-bins-sum"),
        ("64 bins=16,x", "toml-bad-row"),
        ("64 bins=", "toml-bad-row"),
        ("64 bins=16,-1", "toml-bad-row"),
    ] {
        let text = NOTES.replace("- bins=16,16,16,16", bins);
        let loaded = load(&text).expect("a tree");
        let first = loaded.problems.list().first();
        let first = first.map(|it| (it.code, it.line));
        assert_eq!(first, Some((code, Some(8))), "{bins}");
    }
}
