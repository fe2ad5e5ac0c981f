//! `solve`: answers, exit codes and JSON.

use super::seed;
use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;

fn solve(args: &[&str]) -> Ran {
    let seed = seed();
    Run::fairscope(["solve", seed.as_str()]).args(args).run()
}

fn json(args: &[&str], code: i32) -> serde_json::Value {
    let ran = solve(args);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    serde_json::from_str(&ran.text()).expect("it is JSON")
}

#[test]
fn whatif_confirms_an_answer_of_solve() {
    let text = solve(&["--node", "bob", "--goal", "rank<=2"]).success();
    assert_eq!(
        text,
        "group1/bob, rank<=2: 11 shares: rank 2 of 4; with 10 it is rank 3.\n\
         group1/bob has 50 now, which is enough; to try it: --edit 'shares group1/bob=11'\n"
    );
}

#[test]
fn no_answer_is_exit_code_1_with_the_reason() {
    let ran = solve(&["--node", "scott", "--goal", "factor>=0.9"]);
    assert_eq!(ran.code, Some(1));
    let text = ran.text();
    text.must_begin("group2/scott, factor>=0.9: impossible: even with ");
}

#[test]
fn json_has_the_node_before_and_after() {
    let json = json(
        &[
            "--node",
            "scott",
            "--goal",
            "rank<=3",
            "--change",
            "group2",
            "--policy",
            "fair-tree",
            "--format-out",
            "json",
        ],
        0,
    );
    assert_eq!(json["schema"], "fairscope/1");
    assert_eq!(json["node"], "group2/scott");
    assert_eq!(json["goal"], "rank<=3");
    assert_eq!(json["change"], "group2");
    assert_eq!(json["answer"]["shares"], 200);
    assert_eq!(json["before"]["rank"], 4);
    assert_eq!(json["after"]["rank"], 2);
    assert!(
        json["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("199"))
    );
}

#[test]
fn json_of_an_unreachable_goal_has_nulls() {
    let json = json(
        &[
            "--node",
            "scott",
            "--goal",
            "ahead-of bob",
            "--policy",
            "fair-tree",
            "--format-out",
            "json",
        ],
        1,
    );
    assert!(json["answer"].is_null());
    assert!(json["after"].is_null());
    assert!(
        json["reason"]
            .as_str()
            .is_some_and(|reason| reason.starts_with("no shares inside group2"))
    );
}

#[test]
fn any_level_may_change() {
    let args = [
        "--node",
        "scott",
        "--goal",
        "rank<=3",
        "--any",
        "--policy",
        "fair-tree",
    ];
    let text = solve(&args).success();
    text.must_contain("Cheapest: group2 +140 (+");
    let json = json(&[&args[..], &["--format-out", "json"]].concat(), 0);
    let levels = json["levels"].as_array().expect("levels");
    assert_eq!(levels.len(), 2);
    assert_eq!(levels[0]["path"], "group2");
    assert_eq!(levels[0]["shares_now"], 60);
    assert_eq!(levels[0]["shares"], 200);
    assert!(levels[1]["shares"].is_null());
    assert_eq!(json["smallest"]["absolute"], "group2");
}

#[test]
fn edits_are_applied_before_solving() {
    let args = [
        "--node",
        "bob",
        "--goal",
        "ahead-of cathy",
        "--format-out",
        "json",
    ];
    let plain = json(&args, 0);
    let edited = json(&[&args[..], &["--edit", "shares cathy=100"]].concat(), 0);
    assert_eq!(plain["answer"]["shares"], 51);
    assert_eq!(edited["answer"]["shares"], 101);
}

#[test]
fn without_a_goal_solve_reports_what_the_rank_depends_on() {
    let text = solve(&["--node", "scott", "--policy", "fair-tree"]).success();
    text.must_begin("group2/scott is 4th of 4 users with 40 shares.\n");
    text.must_contain("2 users are in sibling accounts of group2");
    let json = json(&["--node", "bob", "--format-out", "json"], 0);
    assert_eq!(json["sensitivity"]["fewer"]["shares"], 49);
    assert_eq!(json["sensitivity"]["fewer"]["rank"], 2);
    assert!(json["sensitivity"]["more"].is_null());
    assert_eq!(json["sensitivity"]["siblings"][1]["path"], "group2");
}

#[test]
fn an_invalid_question_gives_exit_code_2() {
    for (args, sentence) in [
        (
            &["--node", "bob", "--goal", "rank=3"][..],
            "unknown goal 'rank=3'",
        ),
        (&["--node", "nobody", "--goal", "rank<=3"], "nobody"),
        (
            &["--node", "bob", "--goal", "ahead-of group1"],
            "contains the other",
        ),
        (&["--node", "", "--goal", "rank<=1"], "the root"),
    ] {
        let stderr = solve(args).failure(2);
        stderr.must_contain(sentence);
    }
}

fn last_line(ran: &Ran) -> String {
    let text = String::from_utf8(ran.stdout.clone()).expect("text");
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn another_level_is_offered_if_the_nodes_own_shares_cannot_reach_the_goal() {
    let args = [
        "--node",
        "scott",
        "--goal",
        "rank < 4",
        "--policy",
        "fair-tree",
    ];
    let ran = solve(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let way = "group2 would reach it with 200 shares instead of 60.";
    assert_eq!(last_line(&ran), way);
    let ran = solve(&[&args[..], &["--any"]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    // No level reaches the goal.
    let ran = solve(&["--node", "scott", "--goal", "factor>=2"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let none = "No account above it reaches the goal either.";
    assert_eq!(last_line(&ran), none);
}

#[test]
fn accounts_above_are_reported_for_the_goal_on_target() {
    let text = solve(&["--node", "bob", "--goal", "on-target"]).text();
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("Above it now: group1 is "), "{text}");
}

#[test]
fn fewer_shares_are_a_change_below_zero() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree.csv");
    let rows = "parent,name,shares,usage,type\n,a1,10,9,user\n,a2,14,90,user\n";
    std::fs::write(&tree, rows).unwrap();
    let args = ["--node", "a2", "--goal", "share>=0%", "--any"];
    let ran = Run::fairscope(["solve", tree.to_str().unwrap()])
        .args(args)
        .run();
    let text = ran.success();
    text.must_contain("The goal is already reached");
    // Under LEVEL_BASED a user without shares comes first.
    let args = [
        "--policy",
        "level-based",
        "--node",
        "a2",
        "--goal",
        "rank<=1",
        "--any",
    ];
    let ran = Run::fairscope(["solve", tree.to_str().unwrap()])
        .args(args)
        .run();
    let text = ran.success();
    text.must_contain("Cheapest: a2 -14 (-100.0%).");
}
