//! `fairscope metrics`, and gates on it and on other commands.

use super::seed;
use crate::fuzz::names::NAMES;
use crate::support::command::{Ran, Run};
use crate::support::dumps::four_days;
use crate::support::expected::Expected as _;
use crate::support::open_metrics::{Family, Labels, read};
use fairscope::rules::policy::Policy;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use tempfile::tempdir;

fn json(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

fn value(families: &[Family], name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let labels: Labels = labels
        .iter()
        .map(|&(name, text)| (name.to_owned(), text.to_owned()))
        .collect();
    let family = families.iter().find(|family| family.name == name)?;
    family
        .samples
        .iter()
        .find(|sample| sample.0 == labels)
        .map(|sample| sample.1)
}

#[test]
fn the_report_begins_with_the_verdict() {
    let ran = Run::fairscope(["metrics", &seed()]).run().success();
    insta::assert_snapshot!(ran, @"
    Groups: 1 of 2 over-served, group2 the most at 1.39x; 1 under-served.
    Users: 1 of 4 over-served, group2/scott the most at 3.47x; 3 under-served.

    Kind    Nodes  Over  Under  Left out    Jain    Gini  Least   Most
    Groups      2     1      1         1  0.7761  0.2685  0.42x  1.39x
    Users       4     1      3         0  0.3740  0.6041  <.01x  3.47x

    Served    Groups                        Users
    0x             0                            0
    to 1/8x        0                            1  ██████████
    to 1/4x        0                            0
    to 1/2x        1  ████████████████████      2  ████████████████████
    to 1x          0                            0
    to 2x          1  ████████████████████      0
    to 4x          0                            1  ██████████
    to 8x          0                            0
    above 8x       0                            0
    Served: usage / target, both as portions of the tree; 1x is on target.

    Groups, over-served
    Path    Shares  Of tree  Usage  Served
    group2      60    60.0%  1,001   1.39x

    Groups, under-served
    Path    Shares  Of tree  Usage  Served
    group1      40    40.0%    201   0.42x
    ");
}

#[test]
fn open_metrics_hold_the_numbers_of_show() {
    let ran = Run::fairscope(["metrics", &seed(), "--users", "--format-out", "openmetrics"]).run();
    let families = read(&ran.success()).unwrap();
    let shown = Run::fairscope([
        "show",
        &seed(),
        "--columns",
        "path,name,kind,shares,usage,fairshare_perc,fairshare_tree_usage,served,factor,rank",
        "--format-out",
        "json",
    ]);
    let shown = json(&shown.run());
    for node in shown["nodes"].as_array().unwrap() {
        let text = |key: &str| node[key].as_str().unwrap();
        let (path, name) = (text("path"), text("name"));
        let account = path.rsplit_once('/').map_or(name, |(above, _)| above);
        let mut labels = vec![("path", path), ("account", account), ("user", name)];
        if text("kind") == "account" {
            labels.pop();
        }
        labels.retain(|label| !label.1.is_empty());
        for (metric, key) in [
            ("shares", "shares"),
            ("usage", "usage"),
            ("norm_shares", "fairshare_perc"),
            ("effective_usage", "fairshare_tree_usage"),
            ("served_ratio", "served"),
            ("factor", "factor"),
        ] {
            let expected = match &node[key] {
                Value::String(word) if word == "inf" => Some(f64::INFINITY),
                other => other.as_f64(),
            };
            let found = value(&families, &format!("fairscope_{metric}"), &labels);
            assert_eq!(found, expected, "{metric} of {path}");
        }
        if let Some(rank) = node["rank"].as_f64() {
            assert_eq!(value(&families, "fairscope_rank", &labels), Some(rank));
        }
    }
    let best = value(
        &families,
        "fairscope_rank",
        &[("path", "group2"), ("account", "group2")],
    );
    assert_eq!(best, Some(3.0));
    let users = value(&families, "fairscope_users", &[("account", "TREEROOT")]);
    assert_eq!(users, Some(4.0));
    let gini = value(&families, "fairscope_gini", &[("kind", "user")]).unwrap();
    assert!((gini - 0.604).abs() < 0.001, "{gini}");
}

#[test]
fn users_are_in_open_metrics_only_if_asked_for_and_unknown_values_never() {
    let ran = Run::fairscope([
        "metrics",
        "tests/data/slurm/gold",
        "--format-out",
        "openmetrics",
    ])
    .run();
    let families = read(&ran.success()).unwrap();
    let samples = || families.iter().flat_map(|family| &family.samples);
    assert!(samples().all(|(labels, _)| !labels.contains_key("user")));
    assert!(samples().all(|(labels, _)| labels["cluster"] == "gold"));
    // Accounts have no factor under Fair Tree.
    assert!(
        families
            .iter()
            .all(|family| family.name != "fairscope_factor")
    );
    let of_column = [("cluster", "gold"), ("column", "FairShare")];
    assert_eq!(
        value(&families, "fairscope_verified", &of_column),
        Some(1.0)
    );
}

#[test]
fn hostile_names_are_exact_in_open_metrics() {
    let names: BTreeSet<&str> = NAMES
        .iter()
        .copied()
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.len() >= 64, "{}", names.len());
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let rows = names
        .iter()
        .map(|name| format!("lab,{},1,5,user\n", quoted(name)));
    let text = format!(
        "parent,name,shares,usage,type\n,lab,1,,account\n{}",
        rows.collect::<String>()
    );
    let shown = Run::fairscope(["show", "-", "--format-out", "json"])
        .input(text.clone())
        .run();
    let known: BTreeSet<String> = json(&shown)["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["kind"] == "user")
        .map(|node| node["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(known.len() >= 64, "{}", known.len());
    let ran = Run::fairscope(["metrics", "-", "--users", "--format-out", "openmetrics"])
        .input(text)
        .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let families = read(std::str::from_utf8(&ran.stdout).unwrap()).unwrap();
    let shares = families
        .iter()
        .find(|family| family.name == "fairscope_shares")
        .unwrap();
    let found: BTreeSet<String> = shares
        .samples
        .iter()
        .filter_map(|sample| sample.0.get("user").cloned())
        .collect();
    assert_eq!(found, known);
}

#[test]
fn names_that_are_not_text_are_written_as_in_json() {
    let group: &[u8] = b"a\xff\"b 10 root 60\nlab 20 root 40\n";
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("resource_group"), group).unwrap();
    let ran = Run::fairscope(["metrics", "--users", "--format-out", "openmetrics"])
        .arg(folder.path())
        .run();
    let families = read(&ran.text()).unwrap();
    let names: Vec<&str> = families[0]
        .samples
        .iter()
        .filter_map(|sample| sample.0.get("user"))
        .map(String::as_str)
        .collect();
    assert!(names.contains(&"a\\xFF\"b"), "{names:?}");
}

#[test]
fn a_file_is_replaced_as_a_whole_and_no_source_is() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("fairshare.prom");
    fs::write(&out, "old").unwrap();
    for _ in 0..2 {
        let ran =
            Run::fairscope(["metrics", &seed(), "--format-out", "openmetrics", "--out"]).arg(&out);
        assert_eq!(ran.run().success(), "");
        assert!(read(&fs::read_to_string(&out).unwrap()).is_ok());
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let source = folder.path().join("tree.csv");
    fs::write(&source, "parent,name,shares\n,a,1\n").unwrap();
    let error = Run::fairscope(["metrics"])
        .arg(&source)
        .arg("--out")
        .arg(&source)
        .run()
        .failure(2);
    error.must_contain("is the source, which fairscope never writes to");
}

#[test]
fn a_series_has_a_row_for_each_dump_and_kind() {
    let folder = four_days();
    let ran = Run::fairscope(["metrics", "--timeline", "--format-out", "csv"])
        .arg(folder.path())
        .run();
    insta::assert_snapshot!(ran.text(), @"
    when,kind,nodes,over_served,under_served,left_out,jain,gini,least,most
    2025-04-01,account,2,1,1,0,0.9411764705882353,0.125,0.75,1.25
    2025-04-02,account,2,1,1,0,0.8767123287671232,0.1875,0.625,1.375
    2025-04-04,account,2,1,1,0,0.6481149012567324,0.368421052631579,0.4166666666666667,2.75
    2025-04-05,account,2,1,1,0,0.9981132075471696,0.021739130434782615,0.9777777777777777,1.0666666666666667
    2025-04-06,account,2,1,1,0,0.9981132075471696,0.021739130434782615,0.9777777777777777,1.0666666666666667
    2025-04-01,user,3,1,1,0,0.9310344827586206,0.14814814814814814,0.6666666666666666,1.3333333333333333
    2025-04-02,user,3,1,1,0,0.7874186550976138,0.2828282828282829,0.36363636363636365,1.6363636363636365
    2025-04-04,user,4,2,2,0,0.587378640776699,0.4545454545454546,0.0,2.0
    2025-04-05,user,3,1,1,0,0.6914285714285715,0.3636363636363636,0.18181818181818182,1.8181818181818181
    2025-04-06,user,3,1,1,0,0.6914285714285715,0.3636363636363636,0.18181818181818182,1.8181818181818181
    ");
    let ran = Run::fairscope(["metrics", "--timeline", "--format-out", "json"])
        .arg(folder.path())
        .run();
    let moments = json(&ran);
    let moments = moments["moments"].as_array().unwrap();
    assert_eq!(moments.len(), 5);
    assert_eq!(moments[2]["users"]["nodes"], 4);
}

#[test]
fn every_form_is_written() {
    for form in ["text", "csv", "json", "markdown", "html", "openmetrics"] {
        for source in [
            seed(),
            "tests/data/slurm/gold".to_owned(),
            "tests/data/flux/44_real_shares/input.db".to_owned(),
        ] {
            let ran = Run::fairscope(["metrics", &source, "--users", "--format-out", form]).run();
            assert_eq!(ran.code, Some(0), "{form} {source}: {}", ran.stderr);
            assert!(ran.stdout.len() > 100, "{form} {source}");
            if form == "openmetrics" {
                read(&ran.text()).unwrap();
            }
        }
    }
}

#[test]
fn a_broken_gate_is_a_line_and_exit_code_1() {
    let run = |gates: &[&str]| {
        let options = gates.iter().flat_map(|gate| ["--fail-if", gate]);
        Run::fairscope(["metrics", &seed()]).args(options).run()
    };
    let ran = run(&["gini > 0.7", "served(suzy) > 0.5"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let plain = Run::fairscope(["metrics", &seed()]).run().text();
    assert_eq!(ran.text(), plain);
    let ran = run(&[
        "gini > 60%",
        "gini(accounts) > 0.5",
        "rank(scott) >= 4",
        "served(group2) != 1x",
        "served(unknown) > 2",
        "rank(unknown) > 1",
    ]);
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""));
    let text = ran.text();
    let broken: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("--fail-if"))
        .collect();
    assert_eq!(
        broken,
        [
            "gini is 60.41%, above 60% (--fail-if 'gini > 60%')",
            "rank(scott) is 4, at least 4 (--fail-if 'rank(scott) >= 4')",
            "served(group2) is 1.389x, not 1x (--fail-if 'served(group2) != 1x')",
            "served(unknown) is inf, above 2 (--fail-if 'served(unknown) > 2')",
            "rank(unknown) has no value, so its gate counts as broken (--fail-if 'rank(unknown) > 1')",
        ]
    );
}

#[test]
fn broken_gates_are_told_where_nobody_reads_the_output() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("metrics.csv");
    for options in [
        &["--format-out", "csv"][..],
        &["--format-out", "openmetrics"],
        &["--out", out.to_str().unwrap()],
    ] {
        let ran = Run::fairscope(["metrics", &seed(), "--fail-if", "jain < 0.5"])
            .args(options)
            .run();
        assert_eq!(ran.code, Some(1));
        assert_eq!(
            ran.stderr,
            "fairscope: jain is 0.374, below 0.5 (--fail-if 'jain < 0.5')\n"
        );
    }
}

#[test]
fn gates_decide_about_what_if() {
    let run = |edit: &str, more: &[&str]| {
        let run = Run::fairscope(["whatif", &seed(), "--edit", edit]);
        run.args(more).run()
    };
    let raise = "shares group1/bob=100";
    let ran = run(raise, &["--fail-if", "diluted > 1%"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = ran.text();
    text.must_contain("diluted is 33.33%, above 1% (--fail-if 'diluted > 1%')");
    // A trade edits both sides.
    let ran = run(
        "trade group1/bob=60",
        &["--fail-if", "diluted > 0%", "--fail-if", "movers > 4"],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lower = "shares group1/bob=40";
    for (gate, code) in [
        ("enriched > 10%", 1),
        ("enriched > 20%", 0),
        ("diluted > 0%", 0),
        ("movers >= 5", 0),
        ("movers >= 1", 1),
    ] {
        assert_eq!(run(lower, &["--fail-if", gate]).code, Some(code), "{gate}");
    }
    let ran = run(
        raise,
        &[
            "--fail-if",
            "gini > 0.1",
            "--fail-if",
            "diluted > 50%",
            "--format-out",
            "json",
        ],
    );
    assert_eq!(ran.code, Some(1));
    let gates = json(&ran)["gates"].clone();
    assert_eq!(gates[0]["expression"], "gini > 0.1");
    assert_eq!(gates[0]["broken"], true);
    assert!(
        (gates[1]["value"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-6,
        "{gates}"
    );
    assert_eq!(gates[1]["broken"], false);
    // The users of an account that was lowered on purpose are told apart from those that others dilute.
    let ran = run("shares group1=20", &["--fail-if", "diluted > 0%"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn gates_add_to_what_check_finds() {
    let run = |source: &str, gate: &str| {
        let ran = Run::fairscope(["check", source, "--fail-if", gate]).run();
        (ran.code, ran.stderr.clone(), ran.text())
    };
    let gold = "tests/data/slurm/gold";
    assert_eq!(run(gold, "contradictions > 0").0, Some(0));
    let (code, _, text) = run(gold, "served(science) > 1");
    assert_eq!(code, Some(1));
    text.must_end("served(science) is 1.118, above 1 (--fail-if 'served(science) > 1')\n");
    for gate in ["diluted > 1%", "enriched > 1%", "movers > 0"] {
        let (code, error, text) = run(gold, gate);
        assert_eq!((code, &*text), (Some(2), ""));
        let expected = format!(
            "fairscope: --fail-if '{gate}': it needs edits, and there are none; use it with fairscope whatif\n"
        );
        assert_eq!(error, expected);
    }
    let (code, error, _) = run(gold, "ginny > 1");
    assert_eq!(code, Some(2));
    error.must_begin(
        "fairscope: --fail-if 'ginny > 1': unknown value 'ginny'; did you mean 'gini'?",
    );
}

#[test]
fn printed_numbers_that_differ_are_contradictions() {
    let folder = tempdir().unwrap();
    let text = fs::read_to_string("tests/data/slurm/gold/sshare.txt").unwrap();
    let stale = "tests/data/slurm/captures/17-stale-after-change/26.05/1-just-changed";
    let ran = Run::fairscope([
        "check",
        stale,
        "--fail-if",
        "contradictions > 0",
        "--format-out",
        "json",
    ])
    .run();
    let gates = json(&ran)["gates"].clone();
    assert_eq!(
        (&gates[0]["value"], &gates[0]["broken"]),
        (&Value::Null, &Value::Bool(true))
    );
    // One account gets another LevelFS than follows from its shares and usage.
    let changed = text.replace("|0.823438|", "|0.923438|");
    assert_ne!(changed, text);
    let path = folder.path().join("sshare.txt");
    fs::write(&path, changed).unwrap();
    let ran = Run::fairscope(["metrics", "--fail-if", "contradictions > 0"])
        .arg(&path)
        .run();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = ran.text();
    text.must_contain("contradictions is 1, above 0");
}

#[test]
fn no_number_is_nan_where_a_cluster_of_slurm_has_no_usage() {
    let table = "Account|User|RawShares|RawUsage\nroot|||0\n physics||3|0\n  physics|ann|1|0\n  physics|bob|2|0\n";
    for policy in Policy::ALL.iter().map(|policy| policy.name()) {
        for arguments in [
            &["show"][..],
            &["show", "--format-out", "json"],
            &["rank"],
            &["metrics"],
            &["metrics", "--format-out", "openmetrics"],
        ] {
            let run = Run::fairscope(arguments).args(["-", "--policy", policy]);
            let text = run.input(table).run().text();
            let words = text.split(|char: char| !char.is_alphanumeric());
            let count = words
                .filter(|word| word.eq_ignore_ascii_case("nan"))
                .count();
            assert_eq!(count, 0, "{arguments:?} under {policy}:\n{text}");
        }
    }
}
