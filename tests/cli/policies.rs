//! `policies`: the same tree under every rule.

use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use fairscope::rules::policy::Policy;

fn policies(args: &[&str]) -> String {
    let seed = seed();
    let args = ["policies", seed.as_str()]
        .into_iter()
        .chain(args.iter().copied());
    Run::fairscope(args).run().success()
}

#[test]
fn each_policy_has_a_column_of_ranks_and_a_row_of_agreement() {
    let text = policies(&[]);
    let (users, pairs) = text.split_once("\n\n").expect("two tables");
    let heading = users.lines().next().expect("a heading");
    let headings: Vec<&str> = heading.split_whitespace().collect();
    assert_eq!(headings.first(), Some(&"User"), "{text}");
    assert_eq!(headings.last(), Some(&"Spread"), "{text}");
    assert_eq!(users.lines().count(), 5, "{text}");
    pairs.must_begin("Kendall's tau-b of each pair, over all 4 users:");
    let rows: Vec<&str> = pairs.lines().skip(2).collect();
    let names = headings[1..headings.len() - 1].iter();
    for (place, name) in names.enumerate() {
        let row: Vec<&str> = rows[place].split_whitespace().collect();
        assert_eq!(row[..2], [(place + 1).to_string().as_str(), name], "{text}");
        assert_eq!(row.len(), 2 + place, "{text}");
    }
    assert!(!text.contains("formula"), "nobody gave one: {text}");
}

#[test]
fn the_limit_reports_the_number_of_omitted_rows() {
    let text = policies(&["--limit", "1"]);
    text.must_contain("… and 3 more; --limit");
    let text = policies(&["--limit", "1", "--format-out", "markdown"]);
    text.must_contain("… and 3 more; --limit");
    policies(&[]).must_lack("more");
}

#[test]
fn a_node_limits_the_comparison_to_users_below_it() {
    let csv = policies(&["--node", "group2", "--format-out", "csv"]);
    let mut paths: Vec<&str> = csv
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["group2/scott", "group2/suzy"]);
}

#[test]
fn a_given_formula_is_compared_with_the_policies() {
    let csv = policies(&["--set", "job_sort_formula=ncpus", "--format-out", "csv"]);
    let header = csv.lines().next().expect("a header");
    header.must_end(",formula,spread");
}

#[test]
fn json_has_ranks_by_policy_and_tau_by_pair() {
    let json = policies(&["--format-out", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let nodes = json["nodes"].as_array().expect("nodes");
    assert_eq!(nodes.len(), 4);
    let scott = nodes.iter().find(|node| node["path"] == "group2/scott");
    let ranks = &scott.expect("scott is a user")["ranks"];
    assert_eq!(ranks["pbs"], 4);
    assert_eq!(ranks["classic"], 4);
    assert_eq!(json["tau"]["pbs classic"], 1.0);
    assert_eq!(json["policy"]["name"], "pbs");
    assert_eq!(json["schema"], "fairscope/1");
}

#[test]
fn every_rule_has_numbers_on_a_cluster_that_nobody_has_used() {
    let tree = "parent,name,shares,usage,type\n,root,1,0,account\nroot,a,1,0,account\na,ann,1,0,user\na,bob,1,0,user\n\
                root,b,3,0,account\nb,eve,1,0,user\n";
    for policy in Policy::ALL {
        for (command, form) in [
            ("show", "csv"),
            ("metrics", "csv"),
            ("metrics", "openmetrics"),
        ] {
            let run = Run::fairscope([
                command,
                "-",
                "--format-out",
                form,
                "--policy",
                policy.name(),
            ]);
            let text = run.input(tree).run().success();
            let words = text.split(|char: char| !char.is_alphanumeric());
            let lacks = |word: &&str| word.eq_ignore_ascii_case("nan");
            assert_eq!(
                words.filter(lacks).count(),
                0,
                "{command} {form} under {}: {text}",
                policy.name()
            );
        }
    }
}
