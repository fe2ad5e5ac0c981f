//! Findings: what an admin probably did not mean.

use super::scenario;
use crate::support::associations::drawn;
use crate::support::trees::SEED;
use fairscope::format::Problems;
use fairscope::policy::Policy;
use fairscope::report::{View, lint};
use fairscope::scenario::Scenario;
use std::sync::Arc;

fn found(drawing: &str, edits: &[&str]) -> Vec<String> {
    let (scenario, problems) = scenario(drawing, edits);
    let findings = lint::findings(&View::of(&scenario, &problems));
    let line =
        |finding: &fairscope::format::Problem| format!("{}: {}", finding.code, finding.message);
    findings.list().iter().map(line).collect()
}

#[test]
fn a_healthy_tree_has_no_findings() {
    assert_eq!(found(SEED, &[]), [] as [&str; 0]);
}

#[test]
fn usage_without_a_share_is_found_and_what_pbs_does_about_it() {
    assert_eq!(
        found(SEED, &["shares bob=0"]),
        [
            "zero-shares-with-usage: group1/bob used 100, but its target is 0%: PBS never runs its \
          jobs, for fairshare_enforce_no_shares is true"
        ]
    );
    let edits = ["shares bob=0", "set fairshare_enforce_no_shares=false"];
    assert_eq!(
        found(SEED, &edits),
        [
            "zero-shares-with-usage: group1/bob used 100, but its target is 0%: its factor is 0 and \
          its jobs come last"
        ]
    );
}

#[test]
fn usage_of_an_entity_nobody_named_is_found_unless_unknown_has_shares() {
    let edits = ["add unknown/zed shares=1 usage=5"];
    assert_eq!(
        found(SEED, &edits),
        [
            "unknown-usage-no-shares: unknown/zed used 5, but no resource_group names it and \
          unknown_shares is 0: PBS never runs its jobs, for fairshare_enforce_no_shares is true"
        ]
    );
    let edits = ["add unknown/zed shares=1 usage=5", "set unknown_shares=10"];
    assert_eq!(found(SEED, &edits), [] as [&str; 0]);
}

#[test]
fn shares_far_out_of_their_siblings_are_found_from_four_siblings_on() {
    assert_eq!(
        found("a 10\nb 12\nc 8\nd 60", &[]),
        [
            "share-outlier: d has 60 shares, 5 times the 12 in the middle of its siblings: each of \
          them gets little beside it"
        ]
    );
    assert_eq!(found("a 10\nb 12\nd 60", &[]), [] as [&str; 0]);
    assert_eq!(found("a 10\nb 12\nc 8\nd 59", &[]), [] as [&str; 0]);
}

#[test]
fn shares_that_reach_nobody_are_found() {
    assert_eq!(
        found("a 10\n  b 0\n  c 0\nd 10", &[]),
        [
            "account-share-unused: a has 10 shares, but everything below it has 0: nobody gets them \
          and the rest of the tree is no better off"
        ]
    );
}

#[test]
fn shares_of_a_level_that_do_not_fit_are_found() {
    assert_eq!(
        found("a 2147483647 | 1\nb 1 | 1", &[])[..1],
        [
            "level-shares-wrap: the shares below TREEROOT add up to 2147483648, more than the \
          2,147,483,647 that PBS can hold: its sum starts again from below, and the portions are wrong"
        ]
    );
}

#[test]
fn several_outliers_of_a_family_are_one_finding() {
    assert_eq!(
        found("a 10\nb 12\nc 8\nd 60\ne 70\nf 9\ng 10", &[]),
        [
            "share-outlier: 2 nodes below TREEROOT have 5 times the 10 shares in the middle of their siblings, or \
          more: d (60), e (70); each of the others gets little beside them"
        ]
    );
}

/// What is found in a tree of Slurm's under Fair Tree.
fn found_in_slurm(drawing: &str, settings: &[(&str, &str)]) -> Vec<String> {
    let mut snapshot = drawn(drawing);
    for (key, value) in settings {
        snapshot.settings.set(key, value).expect("a setting");
    }
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let problems = Problems::default();
    let findings = lint::findings(&View::of(&scenario, &problems));
    findings
        .list()
        .iter()
        .map(|finding| finding.code.to_owned())
        .collect()
}

#[test]
fn what_slurm_stores_for_parent_is_no_count() {
    assert_eq!(
        found_in_slurm("a/ 2147483647\n  u 1 | 5\nb/ 1\n  v 1 | 5", &[]),
        ["parent-sentinel"]
    );
}

#[test]
fn an_account_with_nobody_in_it_is_found_once_with_all_below() {
    assert_eq!(
        found_in_slurm("a/ 1\n  b/ 1\n  c/ 1\nd/ 1\n  u 1 | 5", &[]),
        ["account-without-users"]
    );
}

#[test]
fn usage_that_is_never_forgotten_is_found() {
    let never = [("PriorityDecayHalfLife", "0")];
    assert_eq!(
        found_in_slurm("u 1 | 5\nv 1 | 6", &never),
        ["half-life-zero"]
    );
    let monthly = [
        ("PriorityDecayHalfLife", "0"),
        ("PriorityUsageResetPeriod", "MONTHLY"),
    ];
    assert_eq!(
        found_in_slurm("u 1 | 5\nv 1 | 6", &monthly),
        [] as [&str; 0]
    );
}

#[test]
fn a_weight_below_the_number_of_users_is_found() {
    let weight =
        |weight| found_in_slurm("u 1 | 5\nv 1 | 6", &[("PriorityWeightFairShare", weight)]);
    assert_eq!(weight("1"), ["weight-too-small"]);
    assert_eq!(weight("0"), ["weight-too-small"]);
    assert_eq!(weight("2"), [] as [&str; 0]);
}

#[test]
fn an_account_without_shares_that_is_used_is_found_where_portions_are_of_the_level() {
    assert_eq!(
        found_in_slurm("a/ 0 | 5\n  u 1 | 5\nb/ 1\n  v 1 | 5", &[]),
        ["zero-shares-with-usage"]
    );
}
