//! Columns of any rule beside those of the current one.

use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use fairscope::rules::policy::Policy;
use serde_json::Value;

fn show(args: &[&str]) -> String {
    let args = ["show"].iter().chain(args).copied();
    Run::fairscope(args).run().success()
}

fn nodes(args: &[&str]) -> Vec<Value> {
    let run = Run::fairscope(["show", "--format-out", "json"]);
    run.args(args).run().nodes()
}

/// Trees of each scheduler, and one without.
fn sources() -> [String; 5] {
    let data = |name: &str| format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    [
        seed(),
        data("slurm_jobs"),
        "example:flux".to_owned(),
        "example:site".to_owned(),
        "example:strangers".to_owned(),
    ]
}

#[test]
fn every_column_of_another_rule_is_that_of_a_run_under_it() {
    let mut compared = 0;
    for source in sources() {
        for policy in Policy::ALL {
            let name = policy.name();
            // Columns whose names are those of every policy come first.
            let mut columns = vec!["rank", "factor", "served"];
            columns.extend(policy.columns().iter().map(|column| column.name()));
            columns.sort_unstable();
            columns.dedup();
            let own = columns.join(",");
            let under = columns.iter().map(|column| format!("{name}:{column}"));
            let under = under.collect::<Vec<String>>().join(",");
            let own = nodes(&[&source, "--policy", name, "--columns", &own]);
            let beside = nodes(&[&source, "--policy", "classic", "--columns", &under]);
            assert_eq!(own.len(), beside.len());
            for (own, beside) in own.iter().zip(&beside) {
                for column in &columns {
                    let number = &beside["rules"][name][column];
                    assert_eq!(number, &own[column], "{source} {name}:{column}");
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} numbers are equal");
    assert!(compared > 5_000, "{compared}");
}

#[test]
fn every_rule_shows_four_rules_on_one_row() {
    let text = show(&["example:small", "--columns", "every-rule"]);
    let headings: Vec<&str> = text
        .lines()
        .next()
        .expect("headings")
        .split_whitespace()
        .collect();
    let headings = headings.join(" ");
    assert_eq!(
        headings,
        "Group / user Shares Usage Served Effective Factor pbs Weight Buckets Rank"
    );
    let bob = text.lines().find(|line| line.contains("bob")).expect("bob");
    let bob: Vec<&str> = bob.split_whitespace().collect();
    let numbers = ["0.125312", "0.647718", "1.000000", "C725526388534433", "1"];
    assert_eq!(bob[bob.len() - 5..], numbers, "{text}");

    let csv = show(&[
        "example:small",
        "--columns",
        "every-rule",
        "--format-out",
        "csv",
    ]);
    csv.must_begin(
        "path,shares,usage,served,pbs:fairshare_tree_usage,pbs:factor,flux:weight,\
             level-based:priority_fs_raw,rank\n",
    );
}

#[test]
fn a_column_that_one_other_rule_has_needs_no_rule() {
    let source = seed();
    let short = show(&[&source, "--columns", "weight", "--format-out", "csv"]);
    let long = show(&[&source, "--columns", "flux:weight", "--format-out", "csv"]);
    assert_eq!(short, long);
    let sorted = show(&[
        &source,
        "--columns",
        "path",
        "--sort",
        "-flux:weight",
        "--format-out",
        "csv",
    ]);
    let own = show(&[
        &source,
        "--columns",
        "path",
        "--sort",
        "-weight",
        "--policy",
        "flux",
        "--format-out",
        "csv",
    ]);
    assert_eq!(sorted, own);
}

#[test]
fn an_unknown_rule_or_column_is_answered_with_what_there_is() {
    let refused = |columns: &str| {
        let run = Run::fairscope(["show", "example:small", "--columns", columns]);
        let ran = run.run();
        assert_eq!(ran.code, Some(2));
        ran.stderr
    };
    let text = refused("fluks:weight");
    text.must_contain("unknown policy 'fluks'; did you mean 'flux'?");
    let text = refused("pbs:weight");
    let expected = "unknown column of pbs 'weight' (there is flux:weight)";
    text.must_contain(expected);
    let text = refused("level_fs");
    let expected =
        "column 'level_fs' of which rule? Give one of: level-based:level_fs, fair-tree:level_fs";
    text.must_contain(expected);
    let text = refused("flx:fairshare_tree_usage");
    text.must_contain("unknown policy 'flx' (pbs)");
    for (mistake, meant) in [("weigth", "weight"), ("everyrule", "every-rule")] {
        let text = refused(mistake);
        let expected = format!("unknown column '{mistake}'; did you mean '{meant}'?");
        text.must_contain(&expected);
    }
}

#[test]
fn a_column_that_is_asked_for_twice_is_there_once() {
    let columns = "path,every-rule,rank";
    let json = show(&[
        "example:small",
        "--columns",
        columns,
        "--format-out",
        "json",
    ]);
    assert_eq!(json.matches("\"path\": \"group2\"").count(), 1, "{json}");
    let csv = show(&["example:small", "--columns", columns, "--format-out", "csv"]);
    let heading = csv.lines().next().expect("a heading");
    assert_eq!(heading.matches("path").count(), 1, "{heading}");
    assert_eq!(heading.matches("rank").count(), 1, "{heading}");
}

#[test]
fn a_part_of_a_sum_that_is_too_large_is_blank() {
    let tree = "parent,name,shares,usage,type\n,a,1,,account\na,u,1,1e308,user\na,v,1,1.7e308,user\n,b,1,4,user\n";
    for columns in [
        "every-rule",
        "pbs:fairshare_tree_usage,pbs-walk:fairshare_factor,pbs:factor",
    ] {
        let run = Run::fairscope(["show", "-", "--columns", columns]).input(tree);
        let text = run.run().text();
        text.must_lack("nan");
    }
    for policy in ["pbs", "pbs-walk"] {
        let run = Run::fairscope(["show", "-", "--format-out", "json", "--policy", policy]);
        let nodes = run.input(tree).run().nodes();
        let factors: Vec<&Value> = nodes.iter().map(|node| &node["fairshare_factor"]).collect();
        assert_eq!(
            factors[1..],
            [&Value::Null, &Value::Null, &Value::Null, &1.0.into()]
        );
    }
}

#[test]
fn a_rule_without_ranks_leaves_cells_blank_and_says_for_how_many_users() {
    let args = [
        "show",
        "example:site",
        "--columns",
        "name,pbs:factor,rank",
        "--format-out",
        "csv",
    ];
    let ran = Run::fairscope(args).run();
    assert_eq!(ran.code, Some(0));
    let expected =
        "fairscope: pbs knows no parent shares: no rank for 8 users, such as student01\n";
    assert_eq!(ran.stderr, expected);
    ran.text().must_contain("\nstudent01,,8\n");
}

#[test]
fn the_columns_of_the_scheduler_have_one_word() {
    let usual = show(&["example:small", "--columns", "scheduler"]);
    let heading = usual.lines().next().unwrap_or_default();
    let columns: Vec<&str> = heading
        .split("  ")
        .filter(|cell| !cell.is_empty())
        .collect();
    let columns: Vec<&str> = columns.iter().map(|cell| cell.trim()).collect();
    let expected = [
        "Group / user",
        "Shares",
        "Of level",
        "Of tree",
        "Usage",
        "TreeUsage",
        "Factor",
        "Rank",
    ];
    assert_eq!(columns, expected, "{usual}");
}
