//! `explain --policy all`: a node under every policy.

use super::seed;
use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;
use fairscope::rules::policy::Policy;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

fn explain(args: &[&str]) -> String {
    let args = ["explain"].iter().chain(args).copied();
    Run::fairscope(args).run().success()
}

fn json(command: &str, args: &[&str]) -> Value {
    let args = [&[command], args, &["--format-out", "json"]].concat();
    let text = Run::fairscope(args).run().success();
    serde_json::from_str(&text).expect("JSON")
}

fn under_all(source: &str, node: &str) -> Map<String, Value> {
    let json = json("explain", &[source, node, "--policy", "all"]);
    json["policies"].as_object().expect("policies").clone()
}

/// Returns the steps of a policy, which are at most three.
fn steps(policy: &Value) -> Vec<&str> {
    let steps = policy["steps"].as_array().expect("steps");
    assert!((1..=3).contains(&steps.len()), "{policy}");
    steps.iter().filter_map(Value::as_str).collect()
}

/// Trees of each scheduler, and one without, each with nodes.
fn sources() -> Vec<(String, Vec<&'static str>)> {
    let path = |name: &str| data(name).display().to_string();
    vec![
        (seed(), vec!["group2/suzy", "group1/bob", "group2"]),
        (path("slurm/gold"), vec!["bob", "alice"]),
        ("example:flux".to_owned(), vec![]),
        (
            "example:site".to_owned(),
            vec![
                "alice",
                "physics",
                "guests/visitor2",
                "teaching/hpc101/student01",
            ],
        ),
        ("example:buckets".to_owned(), vec!["GradStudent", "DrBob"]),
        (
            "example:objective".to_owned(),
            vec!["big/bigu", "rest/restu"],
        ),
    ]
}

/// Returns the paths of the users, by rank, and last those without one.
fn users(source: &str) -> Vec<String> {
    let ranking = json("rank", &[source]);
    let rows = ranking["ranking"].as_array().expect("a ranking").iter();
    let paths = rows.filter_map(|row| row["path"].as_str());
    paths.map(str::to_owned).collect()
}

/// Whether a word is a number, with what separates and surrounds it.
fn is_number(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_digit()) && word.contains(['.', '%', ','])
}

#[test]
fn every_number_is_that_of_a_run_under_its_policy() {
    let mut compared = 0;
    for (source, nodes) in sources() {
        let first = users(&source).into_iter().take(1);
        let nodes = nodes.into_iter().map(str::to_owned).chain(first);
        for node in nodes {
            let policies = under_all(&source, &node);
            assert_eq!(policies.len(), Policy::ALL.len() - 1, "no formula is set");
            for (policy, standing) in policies {
                let one = json("explain", &[&source, &node, "--policy", &policy]);
                assert_eq!(
                    standing["rank"], one["node"]["rank"],
                    "{source} {node} {policy}"
                );
                for (column, number) in standing["numbers"].as_object().expect("numbers") {
                    assert_eq!(
                        *number, one["node"][column],
                        "{source} {node} {policy} {column}"
                    );
                    compared += 1;
                }
                let mut text = one["text"].as_str().expect("prose").to_owned();
                // The prose leaves out portions that give what it says of them in words.
                let levels = one["levels"].as_array().expect("levels").iter();
                let numbers = levels.filter_map(Value::as_object).flat_map(Map::values);
                for number in numbers.filter_map(Value::as_f64) {
                    write!(text, " {number:.6}").expect("it is a text");
                }
                let steps = steps(&standing);
                let words = steps
                    .iter()
                    .flat_map(|step| step.split([' ', '(', ')', ';']));
                for word in words.filter(|word| is_number(word)) {
                    let number = word.trim_end_matches(',');
                    assert!(text.contains(number), "{number} of {steps:#?} in\n{text}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn a_rank_that_differs_has_the_level_and_what_each_policy_compares_there() {
    let policies = under_all(&seed(), "suzy");
    let differing = policies
        .iter()
        .filter(|(_, standing)| !standing["differs"].is_null());
    let names: Vec<&str> = differing.map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["depth-oblivious"]);
    let differs = &policies["depth-oblivious"]["differs"];
    assert_eq!(differs["level"], "group2");
    assert_eq!(differs["against"], "group1");
    assert_eq!(differs["users"], 2);
    assert_eq!(differs["unranked"], 0);
    assert_eq!(
        differs["reason"],
        "Differs at group2: Slurm DEPTH_OBLIVIOUS compares suzy with cathy directly (Factor 1.000000 against \
         0.749154); PBS fairshare lets suzy inherit 60.0% of what scott used (FsFactor: suzy 0.381553, cathy \
         0.647718). 2 users of group1 rank before it only under PBS fairshare."
    );
    let text = explain(&[&seed(), "suzy", "--policy", "all"]);
    text.must_begin("group2/suzy: 60 shares, usage 1\n");
    text.must_contain("\nPBS fairshare, the current policy, 3rd of 4:\n");
    text.must_contain("\nSlurm DEPTH_OBLIVIOUS, 1st of 4:\n");
    let tree = explain(&[&seed(), "suzy", "--policy", "depth-oblivious"]);
    tree.must_contain("suzy is 1st of 4");
}

#[test]
fn users_said_to_rank_before_it_only_under_one_policy_do_so() {
    let mut counted = 0;
    for (source, _) in sources() {
        let ranks = json("policies", &[&source]);
        let ranks = ranks["nodes"].as_array().expect("nodes").clone();
        let users = users(&source);
        for user in users.iter().step_by(users.len().div_ceil(6)) {
            let json = json("explain", &[&source, user, "--policy", "all"]);
            let current = json["policy"]["name"].as_str().expect("a policy");
            for (policy, standing) in json["policies"].as_object().expect("policies") {
                let differs = &standing["differs"];
                let own = [current, policy].map(|policy| json["policies"][policy]["rank"].as_u64());
                let [Some(now), Some(then)] = own else {
                    assert!(differs.is_null(), "{policy}: {standing}");
                    continue;
                };
                assert_eq!(
                    now == then,
                    differs.is_null(),
                    "{source} {user} {policy}: {standing}"
                );
                if differs.is_null() {
                    continue;
                }
                let [worse, better] = if then > now {
                    [policy, current]
                } else {
                    [current, policy]
                };
                let [worst, best] = [now.max(then), now.min(then)];
                let before_only = ranks.iter().filter(|row| {
                    let [worse, better] = [worse, better].map(|it| row["ranks"][it].as_u64());
                    worse.is_some_and(|rank| rank < worst)
                        && better.is_some_and(|rank| rank >= best)
                });
                let paths: BTreeSet<&str> =
                    before_only.filter_map(|row| row["path"].as_str()).collect();
                let lacking = |[ranked, other]: [&str; 2], limit: u64| {
                    let is_lacking = |row: &&Value| {
                        let rank = row["ranks"][ranked].as_u64();
                        rank.is_some_and(|rank| rank < limit) && row["ranks"][other].is_null()
                    };
                    ranks.iter().filter(is_lacking).count()
                };
                let unranked = lacking([worse, better], worst);
                let unranked = unranked.saturating_sub(lacking([better, worse], best));
                assert_eq!(
                    differs["unranked"], unranked,
                    "{source} {user} {policy}: {differs}"
                );
                let Some(against) = differs["against"].as_str() else {
                    assert!(
                        differs["unranked"].as_u64() > Some(0),
                        "{source} {user} {policy}: {differs}"
                    );
                    continue;
                };
                let below = format!("{against}/");
                let below = paths
                    .iter()
                    .filter(|path| **path == against || path.starts_with(&below));
                assert_eq!(
                    differs["users"],
                    below.count(),
                    "{source} {user} {policy}: {differs}"
                );
                let reason = differs["reason"].as_str().expect("a sentence");
                let level = differs["level"].as_str().expect("a level");
                let name = level.rsplit('/').next().expect("a name");
                reason.must_begin(&format!("Differs at {name}: "));
                counted += 1;
            }
        }
    }
    assert!(counted > 20, "{counted}");
}

#[test]
fn a_policy_that_cannot_rank_a_user_says_so_in_one_sentence() {
    let policies = under_all("example:site", "teaching/hpc101/student01");
    for name in ["pbs", "pbs-walk", "flux"] {
        let standing = &policies[name];
        assert_eq!(standing["rank"], Value::Null);
        assert_eq!(standing["differs"], Value::Null);
        assert_eq!(standing["numbers"]["factor"], Value::Null);
        let [sentence] = steps(standing)[..] else {
            panic!("{standing}");
        };
        sentence.must_begin("student01 has no numbers: ");
        sentence.must_contain("shares `parent`");
    }
    let text = explain(&[
        "example:site",
        "teaching/hpc101/student01",
        "--policy",
        "all",
    ]);
    text.must_contain("\nPBS fairshare:\nstudent01 has no numbers: ");
}

#[test]
fn an_account_is_told_by_its_first_user_and_the_root_by_none() {
    let text = explain(&[&seed(), "group2", "--policy", "all"]);
    text.must_contain("PBS fairshare, the current policy, its first user has rank 3 of 4:\n");
    let text = explain(&["example:site", "physics", "--policy", "all"]);
    text.must_contain("Differs at ");
    let text = explain(&[&seed(), "TREEROOT", "--policy", "all"]);
    text.must_begin("TREEROOT: usage 1,201\n");
    text.must_contain("TREEROOT is the root");
    text.must_lack("Differs");
}

#[test]
fn a_formula_is_shown_with_the_numbers_of_the_user() {
    let text = explain(&[
        &seed(),
        "suzy",
        "--policy",
        "all",
        "--formula",
        "1000 * fairshare_factor",
    ]);
    text.must_contain("\nFormula: 1000 * 0.381553 = 381.553\n");
    let (first, _) = text.split_once(", the current policy").expect("a heading");
    assert!(first.ends_with("PBS formula"), "{text}");
}

#[test]
fn users_of_one_name_are_each_under_every_policy() {
    let source = data("slurm/own.txt").display().to_string();
    let json = json("explain", &[&source, "alice", "--policy", "all"]);
    let explained = json["explanations"].as_array().expect("explanations");
    let paths: Vec<&str> = explained
        .iter()
        .filter_map(|one| one["node"]["path"].as_str())
        .collect();
    assert_eq!(paths, ["arts/alice", "physics/alice"]);
    for one in explained {
        let policies = one["policies"].as_object().expect("policies");
        assert!(
            policies
                .values()
                .all(|standing| standing["differs"].is_null()),
            "{one}"
        );
    }
    let text = explain(&[&source, "alice", "--policy", "all"]);
    text.must_contain("2 users are called alice:");
    let partial = "The other policies rank only the users that the source lists.";
    assert_eq!(text.matches(partial).count(), 2, "{text}");
}

#[test]
fn every_form_of_the_report_has_all_policies() {
    let html = explain(&[&seed(), "suzy", "--policy", "all", "--format-out", "html"]);
    for policy in Policy::ALL
        .iter()
        .filter(|&&policy| policy != Policy::Formula)
    {
        assert!(html.contains(policy.title()), "{policy:?}");
    }
    html.must_contain("lets suzy inherit 60.0% of what scott used");
}

#[test]
fn all_is_for_one_node_of_explain_alone() {
    let seed = seed();
    let refused = |args: &[&str]| {
        let ran = Run::fairscope(args.iter().copied()).run();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        ran.stderr
    };
    let text = refused(&["explain", &seed, "suzy", "bob", "--policy", "all"]);
    text.must_contain("--policy all explains one node; leave out bob");
    let text = refused(&["show", &seed, "--policy", "all"]);
    text.must_contain("invalid value 'all' for '--policy <NAME>'");
    let text = refused(&["explain", &seed, "suzy", "--policy", "al"]);
    text.must_contain("pbs-walk, formula, all");
}

#[test]
fn a_path_of_many_levels_is_cut_in_the_middle() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut csv = "parent,name,shares,usage,type\n".to_owned();
    let mut parent = String::new();
    for level in 0..40 {
        writeln!(
            csv,
            "{parent},a{level},1,,account\n{parent},b{level},1,5,user"
        )
        .expect("it is a text");
        parent = format!("a{level}");
    }
    writeln!(csv, "{parent},last,1,1,user").expect("it is a text");
    let path = folder.path().join("deep.csv");
    std::fs::write(&path, csv).expect("the folder is ours");
    let path = path.display().to_string();
    for (policy, standing) in under_all(&path, "last") {
        for step in steps(&standing).iter().filter(|step| step.contains("a0 ")) {
            assert!(step.contains(", … 34 levels, a37 "), "{policy}: {step}");
        }
    }
}
