//! `diff`: two sources, their differences, and the exit codes.

use super::seed;
use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;

/// Writes the built-in tree and a second one. In the second, bob used more, group2 has other shares, and zoe is new.
fn files(name: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let old = seed();
    let resource_group = std::fs::read_to_string(data("seed").join("resource_group"))
        .expect("the tree of the tests can be read");
    let resource_group = resource_group
        .lines()
        .map(|line| match line.split_whitespace().next() {
            Some("group2") => line.replace("60", "90"),
            _ => line.to_owned(),
        })
        .chain(["zoe 90 group1 5".to_owned(), String::new()])
        .collect::<Vec<_>>()
        .join("\n");
    let new = folder.path().join(name);
    std::fs::create_dir(&new).expect("a folder");
    std::fs::write(new.join("resource_group"), resource_group).expect("it can be written");
    for file in ["usage", "sched_formula"] {
        std::fs::copy(data("seed").join(file), new.join(file)).expect("it can be copied");
    }
    let new = new.into_os_string().into_string().expect("UTF-8");
    (folder, old, new)
}

#[test]
fn differences_give_exit_code_1_only_on_request() {
    let (_folder, old, new) = files("new");
    let text = Run::fairscope(["diff", &old, &new]).run().success();
    text.must_begin("1 user added; shares of 1 node changed.\n");
    text.must_contain("group1/zoe");
    text.must_contain("60 → 90");
    let ran = Run::fairscope(["diff", &old, &new, "--exit-code"]).run();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(ran.text(), text);
    let same = Run::fairscope(["diff", &old, &old, "--exit-code"]).run();
    assert_eq!(same.success(), "Nothing differs.\n");
}

#[test]
fn every_format_shows_the_same_moves() {
    let (_folder, old, new) = files("new");
    let form = |form: &str| {
        Run::fairscope(["diff", &old, &new, "--format-out", form])
            .run()
            .success()
    };
    let json: serde_json::Value = serde_json::from_str(&form("json")).expect("JSON");
    assert_eq!(json["schema"], "fairscope/1");
    assert_eq!(json["added"][0]["path"], "group1/zoe");
    assert_eq!(json["changed"][0]["path"], "group2");
    assert_eq!(json["changed"][0]["shares_before"], 60);
    assert_eq!(json["changed"][0]["shares_after"], 90);
    assert_eq!(json["order"][0], "structure");
    let moves = json["moves"].as_array().expect("moves");
    assert_eq!(json["moved_users"], moves.len());
    assert_eq!(json["attributed"], moves.len());
    for row in moves {
        let places = |key: &str| row[key].as_i64().expect("a rank");
        let because = row["because"].as_object().expect("causes");
        assert!(!because.contains_key("settings"));
        let total: i64 = because.values().filter_map(serde_json::Value::as_i64).sum();
        assert_eq!(total, places("rank_before") - places("rank_after"), "{row}");
    }
    let csv = form("csv");
    let header = csv.lines().next().expect("a header");
    header.must_end("rank_change,structure,shares,own_usage,account_usage,others");
    csv.must_contain("\ngroup1/zoe,,user,added,,5,");
    let markdown = form("markdown");
    markdown.must_contain("| Node | Change | Shares | Usage |");
}

#[test]
fn settings_are_a_cause_only_if_they_differ() {
    let (_folder, old, new) = files("new");
    std::fs::write(
        std::path::Path::new(&new).join("sched_config"),
        "fair_share: true\nunknown_shares: 10\n",
    )
    .expect("it can be written");
    let json = Run::fairscope(["diff", &old, &new, "--format-out", "json"]).run();
    let json: serde_json::Value = serde_json::from_str(&json.success()).expect("JSON");
    assert_eq!(json["settings"][0]["key"], "unknown_shares");
    assert_eq!(json["order"][2], "settings");
    // Given settings apply to both sources.
    let args = ["diff", &old, &new, "--set", "unknown_shares=10"];
    let text = Run::fairscope(args).run().success();
    text.must_lack("unknown_shares was");
}

#[test]
fn a_node_of_either_tree_limits_the_comparison_to_its_subtree() {
    let (_folder, old, new) = files("new");
    let text = Run::fairscope(["diff", &old, &new, "--node", "group2"]).run();
    text.success().must_lack("zoe");
    let text = Run::fairscope(["diff", &new, &old, "--node", "zoe"]).run();
    text.success().must_begin("1 user removed.\n");
    let said = Run::fairscope(["diff", &old, &new, "--node", "nobody"]).run();
    said.failure(2).must_contain("unknown node 'nobody'");
}

#[test]
fn one_source_alone_and_standard_input_twice_are_refused() {
    let said = Run::fairscope(["diff", &seed()]).run().failure(2);
    said.must_contain("fairscope diff old.toml new.toml");
    let said = Run::fairscope(["diff", "-", "-"]).run().failure(2);
    said.must_contain("read only once");
    let said = Run::fairscope(["diff", "--live", "slurm", "a", "b"]).run();
    said.failure(2).must_contain("leave out one of the two");
}

#[test]
fn both_trees_are_ranked_by_the_policy_of_the_new_one() {
    let (_folder, old, new) = files("new");
    let csv = "parent,name,shares,usage,type\n,a,1,5,user\n,b,1,7,user\n";
    let run = |args: [&str; 4]| Run::fairscope(args).input(csv).run().success();
    let json = run(["diff", &old, "-", "--format-out=json"]);
    json.must_contain("\"policy\": {\"name\": \"fair-tree\"");
    let json = run(["diff", "-", &new, "--format-out=json"]);
    json.must_contain("\"policy\": {\"name\": \"pbs\"");
}
