//! `fairscope timeline`: tables, sparklines, CSV, JSON, errors.

use crate::support::command::Run;
use crate::support::dumps::{dumps, four_days, tree};
use crate::support::expected::Expected as _;
use serde_json::Value;

#[test]
fn a_timeline_shows_when_changes_happened_and_the_largest_moves() {
    let folder = four_days();
    let ran = Run::fairscope(["timeline"]).arg(folder.path()).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stderr.must_contain("README has none and was left out");
    insta::assert_snapshot!(ran.text(), @"
    5 dumps under Slurm Fair Tree, 2025-04-01 to 2025-04-06, one a day; 1 is missing.

    When         Nodes  Users  Usage  Added  Removed  New shares   Diluted  New ranks  Largest move
    2025-04-01       6      3    800
    2025-04-02       6      3  1,600                                                2  a/bob 1 → 3
    … 1 missing
    2025-04-04       7      4  1,600      1                    1  2 -50.0%          3  a/bob 3 → 4
    2025-04-05       6      3    750               1
    2025-04-06       6      3    750

    Changed shares, newest first:
    When        Node  Shares
    2025-04-04  b      1 → 3

    Largest changes of rank; higher is better, a dot is a missing dump:
    a a/bob  b b/suzy  c a/ann  + several lines
    Rank, first at the top
    1 │aa   bb
    2 │cc+++cc           bbbbbbbbbbbbb
    3 │bb   aa           ccccccccccccc
    4 │                  a
      └───────────────────────────────
       2025-04-01           2025-04-06

    Node    First  Last  Change  Best  Worst  Trend
    a/bob       1     4     ▼ 3     1      4  █▃·▁··
    b/suzy      3     2     ▲ 1     1      3  ▁█·▅▅▅
    a/ann       2     3     ▼ 1     2      3  ██·▁▁▁
    ");
}

#[test]
fn a_node_is_followed_through_gaps() {
    let folder = four_days();
    let ran = Run::fairscope(["timeline", "--node", "bob", "--node", "b"])
        .arg(folder.path())
        .run();
    insta::assert_snapshot!(ran.text(), @"
    5 dumps under Slurm Fair Tree, 2025-04-01 to 2025-04-06, one a day; 1 is missing.

    a/bob  not in 2 dumps
    Rank, first at the top
    1 │●─╮
    2 │  ╰──╮
    3 │     ╰●
    4 │                  ●
      └───────────────────────────────
       2025-04-01           2025-04-06
    Factor
    1.000000 │●╮
             │ ╰╮
             │  ╰╮
             │   ╰╮
    0.500000 │    ╰─╮
             │      ●
             │                  ●
             │
    0.000000 │
             └───────────────────────────────
              2025-04-01           2025-04-06
    Usage
    1,000 │
          │      ●           ●
          │     ╭╯
          │    ╭╯
      500 │   ╭╯
          │  ╭╯
          │ ╭╯
          │●╯
        0 │
          └───────────────────────────────
           2025-04-01           2025-04-06
    Shares: 1 throughout
    NormShares: 0.500000 throughout

    When            Shares  NormShares  Usage    Factor  Rank
    2025-04-01           1    0.500000    100  1.000000     1
    2025-04-02           1    0.500000    900  0.333333     3
    … 1 missing
    2025-04-04           1    0.500000    900  0.250000     4
    2025-04-05   not there
    2025-04-06   not there

    b
    Usage
    560 │
        │                        ●─────●
        │                        │
    540 │                       ╭╯
        │                      ╭╯
        │                     ╭╯
    520 │                     │
        │                    ╭╯
        │                   ╭╯
    500 │●─────●           ●╯
        └───────────────────────────────
         2025-04-01           2025-04-06
    Shares
    3 │                  ●─────●─────●
    2 │
    1 │●─────●
    0 │
      └───────────────────────────────
       2025-04-01           2025-04-06
    NormShares
    0.800000 │                  ●─────●─────●
             │
    0.600000 │
             │●─────●
    0.400000 │
             │
    0.200000 │
             │
    0.000000 │
             └───────────────────────────────
              2025-04-01           2025-04-06

    When         Shares  NormShares  Usage  Factor  Rank
    2025-04-01        1    0.500000    500
    2025-04-02        1    0.500000    500
    … 1 missing
    2025-04-04        3    0.750000    500
    2025-04-05        3    0.750000    550
    2025-04-06        3    0.750000    550

    What changed between the dumps:
    When         Nodes  Users  Usage  Added  Removed  New shares   Diluted  New ranks  Largest move
    2025-04-01       6      3    800
    2025-04-02       6      3  1,600                                                2  a/bob 1 → 3
    … 1 missing
    2025-04-04       7      4  1,600      1                    1  2 -50.0%          3  a/bob 3 → 4
    2025-04-05       6      3    750               1
    2025-04-06       6      3    750
    ");
}

#[test]
fn a_node_named_twice_is_followed_once() {
    let folder = four_days();
    let told = |nodes: &[&str]| {
        let nodes = nodes.iter().flat_map(|node| ["--node", *node]);
        let run = Run::fairscope(["timeline", "--format-out", "csv"]).args(nodes);
        run.arg(folder.path()).run().text()
    };
    assert_eq!(told(&["bob", "a/bob", "b"]), told(&["bob", "b"]));
}

#[test]
fn csv_has_a_row_for_every_node_at_every_moment() {
    let folder = four_days();
    let text = Run::fairscope(["timeline", "--format-out", "csv", "--node", "bob"])
        .arg(folder.path())
        .run()
        .text();
    let name = folder.path().display().to_string();
    insta::assert_snapshot!(text.replace(&name, "DIR"), @r"
    when,file,path,is_there,shares,target,usage,factor,rank
    2025-04-01,DIR/gold-2025-04-01.csv,a/bob,true,1,0.5,100.0,1.0,1
    2025-04-02,DIR/gold-2025-04-02.csv,a/bob,true,1,0.5,900.0,0.3333333333333333,3
    2025-04-04,DIR/gold-2025-04-04.csv,a/bob,true,1,0.5,900.0,0.25,4
    2025-04-05,DIR/gold-2025-04-05.csv,a/bob,false,,,,,
    2025-04-06,DIR/gold-2025-04-06.csv,a/bob,false,,,,,
    ");
    let all = Run::fairscope(["timeline", "--format-out", "csv"])
        .arg(folder.path())
        .run()
        .text();
    // Five dumps with seven nodes in total, and the heading.
    assert_eq!(all.lines().count(), 1 + 5 * 7);
}

#[test]
fn json_has_one_list_per_number() {
    let folder = four_days();
    let text = Run::fairscope(["timeline", "--format-out", "json"])
        .arg(folder.path())
        .run()
        .text();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "fairscope/1");
    assert_eq!(json["pace_seconds"], 86_400);
    let moments = json["moments"].as_array().unwrap();
    assert_eq!(moments.len(), 5);
    assert_eq!(moments[0]["changes"], Value::Null);
    assert_eq!(moments[2]["at"], "2025-04-04T00:00:00Z");
    assert_eq!(moments[2]["missing_before"], 1);
    assert_eq!(moments[2]["changes"]["shares"][0]["path"], "b");
    assert_eq!(moments[2]["changes"]["shares"][0]["after"], 3);
    for node in json["nodes"].as_array().unwrap() {
        for list in ["shares", "target", "usage", "factor", "rank"] {
            assert_eq!(node[list].as_array().map(Vec::len), Some(5), "{node}");
        }
    }
    let bob = |node: &&Value| node["path"] == "a/bob";
    let bob = json["nodes"].as_array().unwrap().iter().find(bob).unwrap();
    assert_eq!(
        bob["usage"],
        serde_json::json!([100.0, 900.0, 900.0, null, null])
    );
}

#[test]
fn one_policy_applies_to_all_dumps() {
    let folder = four_days();
    let text = Run::fairscope(["timeline", "--policy", "pbs", "--limit", "1"])
        .arg(folder.path())
        .run()
        .text();
    text.must_begin("5 dumps under PBS");
}

#[test]
fn an_invalid_series_is_refused_with_a_remedy() {
    let empty = dumps(&[]);
    let said = Run::fairscope(["timeline"])
        .arg(empty.path())
        .run()
        .failure(2);
    said.must_contain("expected files with dates in their names");
    let said = Run::fairscope(["timeline", "-"]).run().failure(2);
    said.must_contain("give the dumps as files");
    let said = Run::fairscope(["timeline", "/nowhere/at/all"])
        .run()
        .failure(2);
    said.must_contain("/nowhere/at/all");
    let folder = four_days();
    let said = Run::fairscope(["timeline", "--live", "slurm"])
        .arg(folder.path())
        .run()
        .failure(2);
    said.must_contain("leave out --live and --with");
    let said = Run::fairscope(["timeline", "--node", "nobody"])
        .arg(folder.path())
        .run()
        .failure(2);
    said.must_contain("unknown node 'nobody'");
}

#[test]
fn control_characters_in_names_are_escaped() {
    let bad = tree(&["a\u{1b}[2J/ 1 ", "a\u{1b}[2J/bob 1 1"]);
    let good = tree(&["a\u{1b}[2J/ 2 ", "a\u{1b}[2J/bob 2 1"]);
    let folder = dumps(&[("2025-01-01", &bad), ("2025-01-02", &good)]);
    for form in ["table", "markdown", "csv", "json"] {
        let ran = Run::fairscope(["timeline", "--format-out", form])
            .arg(folder.path())
            .run();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stderr.must_lack("\u{1b}");
        ran.text().must_contain("2025-01-02");
    }
}

#[test]
fn other_commands_open_the_newest_dump_of_a_directory() {
    let folder = four_days();
    let ran = Run::fairscope(["show"]).arg(folder.path()).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let text = ran.text();
    text.must_contain("zoe");
    text.must_lack("bob");
}

#[test]
fn the_month_of_the_example_is_a_series() {
    let text = Run::fairscope(["timeline", "example:month"])
        .run()
        .success();
    text.must_begin("30 ");
    let ran = Run::fairscope([
        "timeline",
        "example:month",
        "--node",
        "astro",
        "--format-out",
        "json",
    ])
    .run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["moments"].as_array().unwrap().len(), 30);
    let text = Run::fairscope(["metrics", "--timeline", "example:month"])
        .run()
        .success();
    text.must_begin("30 ");
    for (sources, expected) in [
        (
            &["example:site"][..],
            "example:site is a tree without a history; give the dumps of one cluster, or example:month alone",
        ),
        (&["example:month", "example:month"], "without a history"),
        (&["example:nothing"], "unknown built-in tree 'nothing'"),
    ] {
        let said = Run::fairscope(["timeline"]).args(sources).run().failure(2);
        said.must_contain(expected);
    }
}

#[test]
fn other_rules_need_a_node_and_repeat_no_note() {
    let folder = "tests/data/slurm_jobs";
    let jobs = tempfile::NamedTempFile::new().unwrap();
    let text = std::fs::read_to_string("tests/data/slurm_jobs/sacct.psv").unwrap();
    std::fs::write(jobs.path(), text + "this is no job\n").unwrap();
    let run = |args: &[&str]| {
        let run = Run::fairscope(["timeline", folder, "--every", "4m", "--jobs"]);
        let run = run.arg(jobs.path());
        let half_life = "PriorityDecayHalfLife=00:02:00";
        run.args(["--instead", half_life]).args(args).run()
    };
    let said = run(&[]).failure(2);
    said.must_contain("name them after the source");
    let ran = run(&["--node", "physics"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let notes: Vec<&str> = ran.stderr.lines().collect();
    let each: std::collections::BTreeSet<&str> = notes.iter().copied().collect();
    assert!(!notes.is_empty());
    assert_eq!(notes.len(), each.len(), "{}", ran.stderr);
}
