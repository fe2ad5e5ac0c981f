//! JSON of every data parser compared with the text of the same sshare; forms of values and errors.

use super::printed::{Printed, captures, load_bytes, refusal};
use crate::support::expected::Expected as _;
use crate::support::loading::sentences;
use fairscope::base::shown::shown;
use fairscope::format::input::Input;
use fairscope::format::slurm::json;
use fairscope::format::{Format, LoadError, Loaded, Request, Severity};
use fairscope::model::{Fact, Incomplete, NodeId, UsagePrecision};
use fairscope::rules::policy::Policy;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;

/// A document of some associations.
fn document(associations: &[&str]) -> String {
    format!(
        r#"{{"shares": {{"shares": [{}], "total_shares": 0}}, "meta": {{"slurm": {{"release": "24.11.5", "cluster": "gold"}}}}, "errors": [], "warnings": []}}"#,
        associations.join(", ")
    )
}

const ROOT: &str = r#"{"id": 1, "name": "root", "parent": "", "shares_normalized": {"set": true, "infinite": false, "number": 2.3283064376228985e-10}, "type": ["ASSOCIATION"], "usage": 7}"#;

/// A document with a user `u` of the account root with this level.
fn with_level(level: &str) -> String {
    let user = format!(
        r#"{{"id": 2, "name": "u", "parent": "root", "shares": 3, "shares_normalized": 1.0, "fairshare": {{"factor": 0.5, "level": {level}}}, "type": ["USER"], "usage": 7}}"#
    );
    document(&[ROOT, &user])
}

fn load(text: &str) -> Loaded {
    load_bytes(text.as_bytes(), "shares.json").expect("a tree")
}

/// The recorded number of the first user.
fn figure(loaded: &Loaded, fact: Fact) -> Option<f64> {
    let node = NodeId::from_index(1);
    let figure = loaded.snapshot.recorded.figure(fact, node)?;
    Some(figure.value)
}

#[test]
fn a_long_file_is_parsed_while_it_is_read() {
    let gap = " ".repeat(512);
    let user = |user: usize| {
        let parent = if user.is_multiple_of(9) { "" } else { "root" };
        format!(
            r#"{{"id": {user}, "name": "u{user}", "parent": "{parent}", {gap} "shares": {user}, "usage": {user}, "shares_normalized": 0.{user}, "fairshare": {{"level": Infinity}}, "type": ["USER"]}}"#
        )
    };
    let users: Vec<String> = (2..9000).map(user).collect();
    let text = document(&[ROOT, &users.join(",\n")]);
    let file = tempfile::NamedTempFile::new().expect("a file can be made");
    std::fs::write(file.path(), &text).expect("it can be written");
    let request = Request::to_open(file.path());
    let mut was_read_first = false;
    let long = fairscope::open::load(&request, &mut |progress| {
        was_read_first |= progress.nodes == 0 && Some(progress.done) == progress.total;
        ControlFlow::Continue(())
    });
    assert!(!was_read_first);
    let (long, whole) = (long.expect("a tree"), load(&text));
    assert_eq!(
        sentences(&long.problems).len(),
        sentences(&whole.problems).len()
    );
    let (tree, other) = (&long.snapshot.tree, &whole.snapshot.tree);
    assert_eq!(tree.nodes(), other.nodes());
    for &node in tree.nodes() {
        assert_eq!(tree.name(node), other.name(node));
        assert_eq!(tree.shares(node), other.shares(node));
        assert_eq!(tree.usage(node), other.usage(node));
        for fact in [Fact::NormShares, Fact::LevelFs] {
            let figure = |loaded: &Loaded| loaded.snapshot.recorded.figure(fact, node);
            assert_eq!(figure(&long), figure(&whole));
        }
    }
}

#[test]
fn infinite_levels_are_read_in_every_form() {
    for shape in [
        "Infinity",
        "\"Infinity\"",
        r#"{"set": false, "infinite": true, "number": 0.0}"#,
        r#"{"set": true, "infinite": false, "number": 1.8446744073709552e+19}"#,
        r#"{"set": true, "infinite": false, "number": Infinity}"#,
    ] {
        let loaded = load(&with_level(shape));
        assert_eq!(
            figure(&loaded, Fact::LevelFs),
            Some(f64::INFINITY),
            "{shape}"
        );
        assert_eq!(loaded.policy, Some(Policy::FairTree), "{shape}");
    }
}

#[test]
fn missing_levels_are_read_in_every_form() {
    for shape in [
        "4294967294.0",
        "null",
        "NaN",
        r#"{"set": false, "infinite": false, "number": 0.0}"#,
    ] {
        let loaded = load(&with_level(shape));
        assert_eq!(figure(&loaded, Fact::LevelFs), None, "{shape}");
    }
}

#[test]
fn bare_words_are_numbers_and_the_same_words_in_strings_stay() {
    let name = r#""a\", NaN: -Infinity""#;
    let words = r#""number": [-Infinity,NaN], "Infinity": Infinity, "name": "#;
    let text = with_level("Infinity").replace(r#""name": "u""#, &format!("{words}{name}"));
    let loaded = load(&text);
    let node = NodeId::from_index(1);
    assert_eq!(loaded.snapshot.tree.name(node), br#"a", NaN: -Infinity"#);
    assert_eq!(figure(&loaded, Fact::LevelFs), Some(f64::INFINITY));
    // A string that does not end.
    let cut = &text[..text.find("NaN: ").expect("the name") - 3];
    refusal(cut.as_bytes(), "it").must_contain("the JSON ends in the middle");
}

#[test]
fn numbers_are_kept_to_the_last_bit() {
    for digits in [
        "0.96767680936363631",
        "5.9604644775390625e-8",
        "835.3524582417583",
    ] {
        let loaded = load(&with_level(digits));
        let expected: f64 = digits.parse().expect("a number");
        let level = figure(&loaded, Fact::LevelFs).expect("a level");
        assert_eq!(level.to_bits(), expected.to_bits(), "{digits}");
    }
}

#[test]
fn usage_is_exact_billing_or_the_whole_number_for_the_whole_file() {
    let user = |billing: &str| {
        format!(
            r#"{{"id": 2, "name": "u", "parent": "root", "shares": 1, "type": ["USER"], "usage": 41, "shares_normalized": 1, "tres": {{"usage": [{{"name": "cpu", "value": 9.5}}{billing}]}}}}"#
        )
    };
    let root = r#"{"id": 1, "name": "root", "parent": "", "type": ["ASSOCIATION"], "usage": 41, "tres": {"usage": [{"name": "billing", "value": 41.999952}]}}"#;
    let cases = [
        (
            r#", {"name": "billing", "value": 41.999952}"#,
            41.999_952,
            UsagePrecision::Decimals(6),
            &[][..],
        ),
        ("", 41.0, UsagePrecision::Whole, &[][..]),
        (
            r#", {"name": "billing", "value": 90.5}"#,
            41.0,
            UsagePrecision::Whole,
            &["slurm-billing-differs"][..],
        ),
    ];
    for (billing, usage, precision, codes) in cases {
        let loaded = load(&document(&[root, &user(billing)]));
        let snapshot = &loaded.snapshot;
        for node in [NodeId::ROOT, NodeId::from_index(1)] {
            assert_eq!(snapshot.tree.usage(node).amount(), Some(usage), "{billing}");
        }
        assert_eq!(snapshot.recorded.usage_precision, precision, "{billing}");
        let found: Vec<_> = loaded.problems.list().iter().map(|it| it.code).collect();
        assert_eq!(found, codes, "{billing}");
    }
}

#[test]
fn limits_and_running_minutes_are_kept_as_text() {
    let user = r#"{"id": 2, "name": "u", "parent": "root", "shares": 2147483647, "type": ["USER"], "usage": 1, "tres": {"group_minutes": [{"name": "cpu", "value": {"set": true, "infinite": false, "number": 5000}}, {"name": "fs\/disk", "value": {"set": false, "infinite": true, "number": 0}}, {"name": "gres\/gpu", "value": 7}], "run_seconds": [{"name": "cpu", "value": 119}, {"name": "mem", "value": 0}]}}"#;
    let loaded = load(&document(&[ROOT, user]));
    let node = NodeId::from_index(1);
    let text = |fact| loaded.snapshot.recorded.text(fact, node);
    assert_eq!(text(Fact::GrpTresMins), Some("cpu=5000,gres/gpu=7"));
    assert_eq!(text(Fact::TresRunMins), Some("cpu=1"));
    assert!(loaded.snapshot.tree.shares(node).is_parent());
}

#[test]
fn version_cluster_and_order_of_ties_are_read() {
    let loaded = load(&with_level("1.5"));
    let source = &loaded.snapshot.source;
    assert_eq!(
        (source.version.as_str(), source.cluster.as_str()),
        ("24.11.5", "gold")
    );
}

#[test]
fn the_recorded_sshare_options_tell_which_rows_are_missing() {
    let chosen = Some("sshare was asked for some accounts or users only");
    let cases = [
        (r#"["sshare", "-a"]"#, None),
        (r#"["sshare", "-alm", "--json"]"#, None),
        (r#"["/usr/bin/sshare", "--all"]"#, None),
        ("[]", None),
        (
            r#"["sshare", "--json"]"#,
            Some("sshare was run without -a, so other users are not in it"),
        ),
        (r#"["sshare", "-a", "-A", "chem"]"#, chosen),
        (r#"["sshare", "--users=eve", "-a"]"#, chosen),
        (r#"["sshare", "-aufay"]"#, chosen),
    ];
    for (command, sentence) in cases {
        let meta = format!(r#""meta": {{"command": {command}, "#);
        let text = with_level("1.5").replace(r#""meta": {"#, &meta);
        let reason = load(&text).snapshot.recorded.incomplete;
        assert_eq!(reason.map(Incomplete::clause), sentence, "{command}");
    }
}

#[test]
fn slurmrestd_responses_are_read_after_their_headers() {
    let body = with_level("2.5");
    let length = body.len();
    for text in [
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}Connection: Close\r\n"),
        format!("HTTP/1.1 200 OK\n\n{body}\n"),
        format!("\u{feff}\n{body}\n\n"),
    ] {
        assert_eq!(figure(&load(&text), Fact::LevelFs), Some(2.5), "{text}");
    }
}

#[test]
fn one_of_several_clusters_in_separate_documents_must_be_chosen() {
    let gold = with_level("2.5");
    let text = format!(
        "CLUSTER: gold\n{gold}\n\nCLUSTER: iron\n{}\n",
        gold.replace("gold", "iron")
    );
    assert_eq!(
        refusal(text.as_bytes(), "shares.json"),
        "shares.json holds 2 clusters: gold, iron; choose one with --cluster NAME"
    );
}

#[test]
fn slurms_warnings_are_reported_once_each() {
    let warnings = r#""warnings": [{"description": "Dumping (0xffffffffffffffff) as place holder for Infinity"}, {"description": "odd\u001b"}, {"description": "odd\u001b"}, {"error": "E"}]"#;
    let text = with_level("1").replace(r#""warnings": []"#, warnings);
    let loaded = load(&text);
    let told = sentences(&loaded.problems);
    assert_eq!(
        told,
        [
            "shares.json: note: Slurm itself says, 2 times: odd\\e; check the logs of slurmctld and slurmrestd if numbers are missing",
            "shares.json: note: Slurm itself says: E; check the logs of slurmctld and slurmrestd if numbers are missing",
        ]
    );
}

#[test]
fn invalid_associations_are_skipped_and_reported() {
    let text = document(&[
        ROOT,
        r#"{"id": 2, "name": "", "parent": "root", "type": ["USER"], "usage": 1}"#,
        r#"{"id": 3, "name": "u", "parent": "", "type": ["USER"], "usage": 1}"#,
        r#"{"id": 4, "name": "v", "parent": "root", "type": ["USER"], "usage": 1, "shares": 1.5}"#,
    ]);
    let loaded = load(&text);
    let told = sentences(&loaded.problems);
    assert_eq!(
        told,
        [
            "shares.json: warning: 1 association has no number of shares, v first; 1 is assumed; check them with sacctmgr show assoc",
            "shares.json: error: 2 entries were left out: without a name, or a user without an account; print it again: sshare -a --json > FILE",
        ]
    );
    assert_eq!(loaded.problems.list()[1].severity, Severity::Error);
}

#[test]
fn invalid_json_is_refused_with_the_position_of_the_error() {
    let whole = with_level("1.5");
    let end = whole.find(r#", "meta""#).expect("a part behind the shares");
    let cases = [
        (
            whole[..end - 30].to_owned(),
            "shares.json:1:334: the JSON ends in the middle, after 1 complete association; it was cut off: print it again: sshare -a --json > FILE",
        ),
        (
            whole.replace(r#""id": 2"#, "\n\"id\" 2"),
            "shares.json:2:6: this is not JSON: expected `:`; it was changed or mixed with other output: print it again: sshare -a --json > FILE",
        ),
        (
            whole.replace("1.5", "\"\\u001bx\""),
            "shares.json:1:317: a word instead of a number; expected JSON as sshare -a --json prints it: print it again: sshare -a --json > FILE",
        ),
        (
            format!("HTTP/1.1 200 OK\r\n\r\n{whole} and more"),
            "shares.json:3:459: this is not JSON: expected value; it was changed or mixed with other output: print it again: sshare -a --json > FILE",
        ),
    ];
    for (text, sentence) in cases {
        assert_eq!(refusal(text.as_bytes(), "shares.json"), sentence);
    }
}

#[test]
fn reading_reports_progress_and_can_be_cancelled() {
    let user = with_level("1.5");
    let users: Vec<String> = (0..12_000)
        .map(|number| {
            format!(
                r#"{{"id": {number}, "name": "u{number}", "parent": "root", "shares": 1, "fairshare": {{"level": 1.5}}, "type": ["USER"], "usage": 7}}"#
            )
        })
        .collect();
    let users = user.replace(ROOT, &format!("{ROOT}, {}", users.join(", ")));
    let input = Input {
        path: "shares.json".into(),
        bytes: users.into_bytes(),
        modified: Some(1_700_000_000),
    };
    let mut seen = Vec::new();
    let loaded = json::read(&input, &mut |progress| {
        seen.push((progress.done, progress.nodes));
        ControlFlow::Continue(())
    });
    assert_eq!(loaded.expect("rows").taken, Some(1_700_000_000));
    assert!(seen.len() > 5);
    let mut before = (0, 0);
    for &(bytes, nodes) in &seen {
        assert!(bytes >= before.0 + (128 << 10), "{seen:?}");
        assert!(nodes > before.1 + 500, "{seen:?}");
        before = (bytes, nodes);
    }
    let error = json::read(&input, &mut |_| ControlFlow::Break(())).expect_err("it is cancelled");
    assert!(matches!(error, LoadError::Cancelled));
}

#[test]
fn endless_nesting_is_refused() {
    let bomb = "[".repeat(1_000_000);
    let ignored = with_level("1.5").replace(r#""id": 2"#, &format!(r#""bomb": {bomb}, "id": 2"#));
    refusal(ignored.as_bytes(), "shares.json").must_contain("this is not JSON");
    let read = with_level("1.5").replace(
        r#""id": 2"#,
        &format!(r#""id": {}"#, r#"{"number": "#.repeat(1_000_000)),
    );
    refusal(read.as_bytes(), "shares.json").must_contain("recursion limit exceeded");
}

/// The policy that a case was captured under.
fn policy(case: &str) -> Policy {
    let classic = ["08-", "09-", "10-", "15b-"];
    if classic.iter().any(|prefix| case.starts_with(prefix)) {
        Policy::Classic
    } else {
        Policy::FairTree
    }
}

/// Whether a capture shows all associations, as the text beside it does.
fn is_whole(path: &Path) -> bool {
    let name = path.file_name().expect("a file").to_string_lossy();
    name.starts_with("sshare_a_json") || name.starts_with("slurmrestd_shares")
}

#[test]
fn every_capture_gives_the_tree_of_the_text_beside_it() {
    let (mut files, mut associations) = (0, 0);
    for (case, path) in captures(&["json", "http"]) {
        if path
            .file_name()
            .is_some_and(|name| name == "SEEDED_USAGE.json")
        {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a capture");
        let name = path.display().to_string();
        let loaded = load_bytes(&bytes, &name).unwrap_or_else(|error| panic!("{error}"));
        let version = &loaded.snapshot.source.version;
        assert!(
            version.starts_with("24.11") || version.starts_with("26.05"),
            "{name}: {version}"
        );
        files += 1;
        if !is_whole(&path) {
            println!("{case}: a part, {:?}", loaded.snapshot.recorded.incomplete);
            continue;
        }
        assert!(loaded.problems.is_empty(), "{name}: {:?}", loaded.problems);
        assert_eq!(loaded.policy, Some(policy(&case)), "{name}");
        assert_eq!(loaded.snapshot.recorded.incomplete, None, "{name}");
        let printed = Printed::beside(&path);
        printed.compare(&loaded.snapshot, &name);
        printed.compare_figures(&loaded.snapshot, &name);
        // All levels and factors are recorded if the policy has them.
        let count = |fact| {
            let recorded = &loaded.snapshot.recorded;
            let nodes = loaded.snapshot.tree.nodes().iter();
            nodes
                .filter(|&&node| recorded.figure(fact, node).is_some())
                .count()
        };
        if policy(&case) == Policy::FairTree && !printed.rows.is_empty() {
            assert_eq!(count(Fact::FairShare), printed.count("FairShare"), "{name}");
            assert!(count(Fact::LevelFs) >= printed.count("LevelFS"), "{name}");
        } else {
            assert_eq!(count(Fact::LevelFs), 0, "{name}");
        }
        associations += printed.rows.len();
    }
    println!("{files} files of JSON loaded, {associations} associations compared");
}

#[test]
fn examples_of_the_interface_are_read() {
    let Some(folder) = crate::support::golden("public/slurm_shares_json") else {
        return;
    };
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        files += 1;
        let bytes = std::fs::read(&path).expect("an example");
        // The names are invented. Two examples have one cluster with users of unlisted accounts; one has two clusters.
        match load_bytes(&bytes, "example.json") {
            Ok(loaded) => {
                let tree = &loaded.snapshot.tree;
                let names: Vec<_> = tree
                    .nodes()
                    .iter()
                    .map(|&node| shown(tree.name(node)))
                    .collect();
                assert_eq!(names, ["root", "parent", "name", "name"]);
            }
            Err(error) => assert_eq!(
                error.to_string(),
                "example.json holds 2 clusters: cluster, cluster1; choose one with --cluster NAME"
            ),
        }
    }
    println!("{files} examples read");
}

#[test]
fn other_json_is_refused_with_the_command_to_run() {
    let run = "run sshare -a --json > FILE and open that";
    let cases = [
        (
            r#"{"sinfo": [], "meta": {"slurm": {}}, "errors": []}"#,
            format!("is JSON of another command of Slurm, not of the shares; {run}"),
        ),
        (
            r#"{"associations": [{"account": "a", "id": 1}], "meta": {}, "errors": []}"#,
            format!("is JSON of another command of Slurm, not of the shares; {run}"),
        ),
        (
            r#"{"meta": {}, "errors": [{"description": "Authentication\u001b failure", "error_number": 5}], "warnings": []}"#,
            format!(
                "is an error from Slurm, not a tree: Authentication\\e failure; fix the cause, and {run}"
            ),
        ),
        (
            r#"{"shares": {"shares": [], "total_shares": 0}, "meta": {}, "errors": [], "warnings": []}"#,
            format!(
                "is an answer of Slurm without any association; {run}, as a user with permission to see other \
                     users' usage"
            ),
        ),
        (
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 22\r\n\r\nAuthentication failure",
            format!(
                "is the answer of a web server, HTTP/1.1 401 Unauthorized, without associations; ask slurmrestd for /slurm/VERSION/shares with a valid token, or {run}"
            ),
        ),
        (
            "HTTP/1.1 500 ERROR\r\n\r\n{\"meta\": {}, \"errors\": [{\"error\": \"no slurmctld\"}]}",
            format!("is an error from Slurm, not a tree: no slurmctld; fix the cause, and {run}"),
        ),
    ];
    for (text, sentence) in cases {
        assert_eq!(refusal(text.as_bytes(), "it"), format!("it {sentence}"));
    }
    let unknown = refusal(br#"{"name": "root"}"#, "it");
    unknown.must_begin("it is JSON, which is not one of the formats; ");
}

#[test]
fn an_error_response_is_refused_with_its_own_message() {
    let text = r#"{"shares": {"shares": []}, "shares_normalized": 0, "errors": [{"description": "slurmctld is down", "error": "ESLURM"}]}"#;
    assert_eq!(
        refusal(text.as_bytes(), "it"),
        "it is an error from Slurm, not a tree: slurmctld is down (ESLURM); fix the cause, and print it again: sshare \
         -a --json > FILE"
    );
}

#[test]
fn null_in_place_of_a_list_or_an_object_is_none() {
    let text = r#"{"associations": [
        {"account": "root", "user": "", "cluster": "c", "parent_account": null, "shares_raw": 1},
        {"account": "a", "user": null, "cluster": "c", "parent_account": "root", "shares_raw": 2}
    ], "errors": null, "warnings": null, "meta": null}"#;
    let loaded = load_bytes(text.as_bytes(), "associations.json").expect("a tree");
    assert_eq!(loaded.snapshot.tree.node_count(), 2);
    let user = r#"{"id": 2, "name": "u", "parent": "root", "shares": 3, "shares_normalized": 1.0, "fairshare": null, "tres": null, "type": null, "usage": 7}"#;
    let text = document(&[ROOT, user]).replace(r#""errors": []"#, r#""errors": null"#);
    assert_eq!(load(&text).snapshot.tree.node_count(), 2);
}

#[test]
fn yaml_is_refused_with_the_option_that_prints_json() {
    for text in [
        "%YAML 1.1\n--- !!map\n!!str shares: !!map\n",
        "---\nshares:\n  shares:\n  - name: root\n    shares_normalized: 0.0\n",
        "associations:\n- account: root\n  user: \n  shares_raw: 1\n",
    ] {
        assert_eq!(
            refusal(text.as_bytes(), "it"),
            "it is YAML, which is not one of the formats; print JSON instead: sshare -a --json, or sacctmgr --json show \
             assoc"
        );
    }
}

/// A small valid JSON file to damage.
fn whole() -> String {
    let infinite = with_level("Infinity");
    format!("HTTP/1.1 200 OK\r\n\r\n{infinite}Connection: Close\r\n")
}

proptest! {
    #![proptest_config(crate::support::laws(512))]

    #[test]
    fn damaged_json_never_panics(
        damage in prop::collection::vec((0..800_usize, any::<u8>()), 0..6),
        length in 0..800_usize,
    ) {
        let mut bytes = whole().into_bytes();
        for (place, byte) in damage {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        bytes.truncate(length.max(1));
        for format in [None, Some(Format::SlurmJson)] {
            let _ = super::printed::load_as(&bytes, "it", format);
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 1..300)) {
        for format in [Format::SlurmJson, Format::AssocMgr] {
            let _ = super::printed::load_as(&bytes, "it", Some(format));
        }
    }
}

#[test]
fn usage_below_0_is_a_numbered_problem_and_that_of_others_keeps_its_decimals() {
    let user = |name: &str, billing: &str, whole: &str| {
        format!(
            r#"{{"id": 2, "name": "{name}", "parent": "root", "shares": 1, "type": ["USER"], "usage": {whole}, "shares_normalized": 1, "tres": {{"usage": [{{"name": "billing", "value": {billing}}}]}}}}"#
        )
    };
    let root = r#"{"id": 1, "name": "root", "parent": "", "type": ["ASSOCIATION"], "usage": 41, "tres": {"usage": [{"name": "billing", "value": 41.5}]}}"#;
    for (billing, whole, odd) in [
        ("-2.5", "3", "-2.5"),
        ("2.5", "-3", "-3"),
        ("Infinity", "3", "inf"),
    ] {
        let text = document(&[
            root,
            &user("ann", "7.25", "7"),
            &user("bob", billing, whole),
        ]);
        let text = text.replace("}, {\"id\"", "},\n{\"id\"");
        let loaded = load(&text);
        let told = sentences(&loaded.problems);
        let expected =
            format!("shares.json:3: error: the usage of bob is {odd}; expected a number from 0 up");
        told[0].must_begin(&expected);
        let tree = &loaded.snapshot.tree;
        let amount = |name: &[u8]| {
            let node = tree.nodes().iter().find(|&&node| tree.name(node) == name);
            tree.usage(*node.unwrap()).amount()
        };
        assert_eq!(
            (amount(b"ann"), amount(b"bob")),
            (Some(7.25), None),
            "{odd}"
        );
        assert_eq!(
            loaded.snapshot.recorded.usage_precision,
            UsagePrecision::Decimals(6)
        );
    }
}
