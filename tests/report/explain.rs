//! Explanations of a node's rank under PBS.

use super::{scenario, text_of};
use crate::support::expected::Expected as _;
use crate::support::trees::SEED;
use fairscope::model::resolve;
use fairscope::report::{View, explain};
use fairscope::rules::policy::Policy;

fn explained(lines: &str, edits: &[&str], path: &str) -> String {
    let (scenario, problems) = scenario(lines, edits);
    let node = resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree");
    let view = View::of(&scenario, &problems);
    let lines = explain::lines(&view, &scenario.explain(node));
    text_of(&lines)
}

fn compared(lines: &str, first: &str, second: &str) -> String {
    let (scenario, problems) = scenario(lines, &[]);
    let view = View::of(&scenario, &problems);
    let nodes =
        [first, second].map(|path| resolve(scenario.tree(), path.as_bytes()).expect("a node"));
    let split = explain::split(scenario.tree(), nodes[0], nodes[1]);
    text_of(&explain::compared(&view, &split))
}

#[test]
fn a_user_without_usage_is_charged_part_of_its_groups_usage() {
    insta::assert_snapshot!(explained(SEED, &[], "suzy"), @"
    suzy is 3rd of 4: it has used nothing itself, but 60.0% of group2's effective usage (0.833472) counts against it. scott, in the same group, has used 1,000 of group2's 1,001.

    Target: fairshare_perc = shares / shares of the level × the group's target
      group2  60 / 100 shares = 60.0%
      suzy    60 / 100 shares = 60.0%; 60.0% × 60.0% = 36.0%
    Effective usage: fairshare_tree_usage = own + (the group's - own) × portion of the level
      group2  1,001 / 1,201 = 0.833472
      suzy    1 / 1,201 = 0.000833; 0.000833 + (0.833472 - 0.000833) × 0.600000 = 0.500416
    Factor: fairshare_factor = 2^-(fairshare_tree_usage / fairshare_perc)
      suzy    2^-(0.500416 / 0.360000) = 0.381553
    Without a job_sort_formula: usage / fairshare_perc, level by level from the top; the smaller runs first
      group2  1,001 / 0.600000 = 1,668.333267; 2nd of 3 siblings
      suzy    1 / 0.360000 = 2.777778; ahead of its only sibling
    PBS starts every node at usage 1 and adds what was recorded below it; without that 1 the tree usage would be 0.500000 and the factor 0.381859.
    Neighbours in the ranking:
      just behind group1/cathy (1st): suzy has FsFactor 0.381553, cathy has 0.647718
      just ahead of group2/scott (4th): suzy has FsFactor 0.381553, scott has 0.090201
    Not known here: queues, reservations, preemption, limits, job size.
    ");
}

#[test]
fn a_user_with_all_usage_is_explained() {
    insta::assert_snapshot!(explained(SEED, &[], "group2/scott"), @"
    scott is 4th of 4: it has used 1,000 of group2's 1,001, and its effective usage 0.832973 is 3.47 times its target 0.240000.

    Target: fairshare_perc = shares / shares of the level × the group's target
      group2  60 / 100 shares = 60.0%
      scott   40 / 100 shares = 40.0%; 40.0% × 60.0% = 24.0%
    Effective usage: fairshare_tree_usage = own + (the group's - own) × portion of the level
      group2  1,001 / 1,201 = 0.833472
      scott   1,000 / 1,201 = 0.832639; 0.832639 + (0.833472 - 0.832639) × 0.400000 = 0.832973
    Factor: fairshare_factor = 2^-(fairshare_tree_usage / fairshare_perc)
      scott   2^-(0.832973 / 0.240000) = 0.090201
    Without a job_sort_formula: usage / fairshare_perc, level by level from the top; the smaller runs first
      group2  1,001 / 0.600000 = 1,668.333267; 2nd of 3 siblings
      scott   1,000 / 0.240000 = 4,166.666501; behind its only sibling
    PBS starts every node at usage 1 and adds what was recorded below it; without that 1 the tree usage would be 0.833333 and the factor 0.090107.
    Neighbours in the ranking:
      just behind group2/suzy (3rd): scott has FsFactor 0.090201, suzy has 0.381553
    Not known here: queues, reservations, preemption, limits, job size.
    ");
}

#[test]
fn a_user_without_shares_never_runs() {
    insta::assert_snapshot!(explained(SEED, &["shares bob=0"], "bob"), @"
    bob is 4th of 4: it has no shares, so its target is 0%, its factor is 0, and PBS never runs its jobs while fairshare_enforce_no_shares is true.

    Target: fairshare_perc = shares / shares of the level × the group's target
      group1  40 / 100 shares = 40.0%
      bob     0 / 50 shares = 0.0%; 0.0% × 40.0% = 0.0%
    Effective usage: fairshare_tree_usage = own + (the group's - own) × portion of the level
      group1  201 / 1,201 = 0.167361
      bob     100 / 1,201 = 0.083264; 0.083264 + (0.167361 - 0.083264) × 0.000000 = 0.083264
    Factor: fairshare_factor = 2^-(fairshare_tree_usage / fairshare_perc)
      bob     a target of 0% gives 0.000000
    Without a job_sort_formula: usage / fairshare_perc, level by level from the top; the smaller runs first
      group1  201 / 0.400000 = 502.499993; first of 3 siblings
      bob     a target of 0% ranks last; behind its only sibling
    PBS starts every node at usage 1 and adds what was recorded below it; without that 1 the tree usage would be 0.083333 and the factor 0.000000.
    Neighbours in the ranking:
      just behind group2/scott (3rd): bob has FsFactor 0.000000, scott has 0.090201
    Not known here: queues, reservations, preemption, limits, job size.
    ");
}

#[test]
fn two_nodes_diverge_at_their_common_account() {
    insta::assert_snapshot!(compared(SEED, "suzy", "cathy"), @r#"
    group2/suzy and group1/cathy diverge at TREEROOT.
      group2: target 0.600000, usage 1,001, effective usage 0.833472, factor 0.381798, usage/perc 1,668.333267
      group1: target 0.400000, usage 201, effective usage 0.167361, factor 0.748253, usage/perc 502.499993

    By factor: group1/cathy is ahead with 0.647718 against 0.381553; the higher factor runs first.
    Without a job_sort_formula: group1/cathy is ahead; group1's usage/perc 502.499993 comes before group2's 1,668.333267.
    "#);
    insta::assert_snapshot!(compared(SEED, "bob", "cathy"), @r#"
    group1/bob and group1/cathy diverge at group1.
      bob: target 0.200000, usage 100, effective usage 0.125312, factor 0.647718, usage/perc 499.999993
      cathy: target 0.200000, usage 100, effective usage 0.125312, factor 0.647718, usage/perc 499.999993

    By factor: a tie: both have 0.647718 at the six decimals that PBS compares. The order without a formula decides.
    Without a job_sort_formula: a tie: the job that was submitted first runs first.
    "#);
}

#[test]
fn an_account_that_contains_the_other_node_is_not_compared_with_it() {
    let (mut scenario, problems) =
        scenario("\na 60\n  a1 1 | 20\n  a2 1\nb 40\n  b1 1 | 500\n", &[]);
    let policies = [
        Policy::Pbs,
        Policy::PbsWalk,
        Policy::FairTree,
        Policy::Flux,
        Policy::LevelBased,
    ];
    for policy in policies {
        scenario.set_policy(policy);
        let view = View::of(&scenario, &problems);
        let [a, a1] =
            ["a", "a1"].map(|path| resolve(scenario.tree(), path.as_bytes()).expect("a node"));
        for pair in [[a, a1], [a1, a]] {
            let lines =
                explain::compared(&view, &explain::split(scenario.tree(), pair[0], pair[1]));
            let lines: Vec<String> = lines.iter().map(|line| line.text().to_string()).collect();
            let [verdict, level] = &lines[..] else {
                panic!("{lines:?}");
            };
            assert_eq!(
                verdict,
                "a contains a/a1, so neither is ahead of the other."
            );
            level.must_begin("  a1: ");
            level.must_end("; behind its only sibling");
        }
    }
}

#[test]
fn a_rank_without_a_formula_names_the_siblings_ahead() {
    let drawing = "\na 60\n  a1 1 | 20\n  a2 1 | 10\n  a3 1 | 1000000000\nb 40\n  b1 1 | 500\n";
    let (mut scenario, problems) = scenario(drawing, &[]);
    scenario.set_policy(Policy::PbsWalk);
    let explained = |path: &str| {
        let node = resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree");
        let view = View::of(&scenario, &problems);
        explain::lines(&view, &scenario.explain(node))[0].text()
    };
    assert_eq!(
        explained("a1"),
        "a1 is 3rd of 4: it is held back by a, which has used 100.0% of all usage, target 60.0% (2nd of 3 siblings, \
         just behind b). Inside a, it is 2nd of 3 siblings, just behind a2 (usage/perc 100 against 50)."
    );
    assert_eq!(
        explained("b1"),
        "b1 is 1st of 4: first of its siblings on every level of its path."
    );
}

#[test]
fn the_initial_usage_is_told_only_where_it_changes_a_digit() {
    let drawing = "\na 60\n  a1 1 | 20000000\n  a2 1\nb 40 | 50000000\n";
    explained(drawing, &[], "a1").must_lack("PBS starts every node at usage 1");
    explained(SEED, &[], "suzy").must_contain("without that 1 the tree usage would be");
}

#[test]
fn the_middle_of_a_long_path_is_left_out() {
    let mut drawing = String::from("n0 1");
    for depth in 1..3_000 {
        use std::fmt::Write as _;
        write!(drawing, "\n{:indent$}n{depth} 1", "", indent = 2 * depth)
            .expect("a string takes it");
    }
    let text = explained(&drawing, &[], "n2999");
    assert!(text.lines().count() < 70, "{text}");
    text.must_contain("\n  … 2,984 levels in between\n");
}
