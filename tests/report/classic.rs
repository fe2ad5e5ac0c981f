//! Explanations under Slurm's older policies.

use super::text_of;
use fairscope::format::{Problems, Request, csv};
use fairscope::model::resolve;
use fairscope::report::{View, explain};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A tree with normal, `parent` and zero shares, and with a user without a job.
const TREE: &str = "\
parent,name,shares,usage,type,active
,A,50,,account,
A,a1,40,20,user,
A,ap,parent,20,user,
A,AP,parent,,account,
AP,ap1,30,10,user,
,rootp,parent,2,user,
,C,50,,account,
C,c1,1,100,user,0
C,c2,0,0,user,
,Z,0,,account,
Z,z1,5,3,user,
";

fn explained(policy: Policy, dampening: &str, path: &str) -> String {
    let bytes = TREE.as_bytes().to_vec();
    let loaded = csv::parse(bytes, &Request::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    let mut snapshot = loaded.expect("a tree").snapshot;
    snapshot
        .settings
        .set("FairShareDampeningFactor", dampening)
        .expect("a dampening factor");
    let scenario = Scenario::new(Arc::new(snapshot), policy);
    let node = resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree");
    let problems = Problems::default();
    let view = View::of(&scenario, &problems);
    let lines = explain::lines(&view, &scenario.explain(node));
    text_of(&lines)
}

/// The first sentence of the explanation alone.
fn sentence(policy: Policy, path: &str) -> String {
    let text = explained(policy, "1", path);
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn classic_explains_shares_usage_and_factor_level_by_level() {
    insta::assert_snapshot!(explained(Policy::Classic, "5", "a1"), @"
    a1 is 3rd of 7: it has used 20 of A's 50, and its effective usage 0.239631 is 83.9% of its target 0.285714.

    Target: Norm Shares = shares / shares of the level × the account's Norm Shares
      A   50 / 100 shares = 50.0%
      a1  40 / 70 shares = 57.1%; 57.1% × 50.0% = 28.6%
    Effective usage: Effectv Usage = own + (the account's - own) × portion of the level
      A   50 / 155 = 0.322581
      a1  20 / 155 = 0.129032; 0.129032 + (0.322581 - 0.129032) × 0.571429 = 0.239631
    Factor: 2^-(Effectv Usage / Norm Shares / FairShareDampeningFactor)
      a1  2^-(0.239631 / 0.285714 / 5) = 0.890235
    Neighbours in the ranking:
      just behind A/AP/ap1 (2nd): a1 has Factor 0.890235, ap1 has 0.892893
      just ahead of rootp (4th): a1 has Factor 0.890235, rootp has 0.870551
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(Policy::Classic, "1", "ap1"), @"
    ap1 is 2nd of 7: it has used 10 of A's 50, but 42.9% of the rest of A's effective usage 0.322581 counts against it. Its effective usage 0.175115 is 81.7% of its target 0.214286.

    Target: Norm Shares = shares / shares of the level × the account's Norm Shares
      A    50 / 100 shares = 50.0%
      AP   shares `parent`: it has A's 50.0%
      ap1  30 / 70 shares = 42.9%; 42.9% × 50.0% = 21.4%
    Effective usage: Effectv Usage = own + (the account's - own) × portion of the level
      A    50 / 155 = 0.322581
      AP   10 / 155 = 0.064516; with shares `parent` it has A's 0.322581
      ap1  10 / 155 = 0.064516; 0.064516 + (0.322581 - 0.064516) × 0.428571 = 0.175115
    Factor: 2^-(Effectv Usage / Norm Shares)
      ap1  2^-(0.175115 / 0.214286) = 0.567541
    Neighbours in the ranking:
      just behind A/ap (1st): ap1 has Factor 0.567541, ap has 0.639421
      just ahead of A/a1 (3rd): ap1 has Factor 0.567541, a1 has 0.559143
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn odd_cases_of_classic_are_explained() {
    for (policy, node, said) in [
        (
            Policy::Classic,
            "ap",
            "ap is 1st of 7: its shares are `parent`, so it counts as A. The effective usage of A 0.322581 is 64.5% of \
             the target 0.500000.",
        ),
        (
            Policy::Classic,
            "rootp",
            "rootp is 4th of 7: its shares are `parent` below the root, so it counts as the root. Its factor is 0.500000, whatever its usage.",
        ),
        (
            Policy::Classic,
            "c2",
            "c2 is 6th of 7, tied with 1 other: it has no shares, so its target is 0% and its factor is 0. It ranks after every node with a factor.",
        ),
        (
            Policy::Classic,
            "z1",
            "z1 is 6th of 7, tied with 1 other: Z above it has no shares, so its target is 0% and its factor is 0. It ranks after every node with a factor.",
        ),
        (
            Policy::Classic,
            "C",
            "C is an account: it has used 100 of root's 155, and its effective usage 0.645161 is 1.29 times its target 0.500000.",
        ),
    ] {
        assert_eq!(sentence(policy, node), said);
    }
}

#[test]
fn depth_oblivious_explains_its_ratios_and_exponents() {
    insta::assert_snapshot!(explained(Policy::DepthOblivious, "1", "a1"), @"
    a1 is 3rd of 7: it has used 20 of A's 50, and its effective usage 0.189295 is 66.3% of its target 0.285714.

    Target: Norm Shares = shares / shares of the level × the account's Norm Shares
      A   50 / 100 shares = 50.0%
      a1  40 / 70 shares = 57.1%; 57.1% × 50.0% = 28.6%
    Effective usage: Effectv Usage = R × r^k × target; R is the account's Effectv Usage / target, r the node's usage / target against that of its level
      A   50 / 155 = 0.322581
      a1  20 / 155 = 0.129032; 0.645161 × 1.166667^0.172364 × 0.285714 = 0.189295
    Factor: 2^-(Effectv Usage / Norm Shares)
      a1  2^-(0.189295 / 0.285714) = 0.631768
    Neighbours in the ranking:
      just behind A/ap (2nd): a1 has Factor 0.631768, ap has 0.639421
      just ahead of rootp (4th): a1 has Factor 0.631768, rootp has 0.500000
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn tickets_are_followed_from_the_root_down() {
    insta::assert_snapshot!(explained(Policy::Tickets, "1", "ap1"), @"
    ap1 is 3rd of 7: it has 10,405,315 of A's 42,314,948 tickets, 0.2% of the 4,231,494,871 that the user with the most has.

    Target: Norm Shares = shares / shares of the level × the account's Norm Shares
      A    50 / 100 shares = 50.0%
      AP   shares `parent`: it has A's 50.0%
      ap1  30 / 70 shares = 42.9%; 42.9% × 50.0% = 21.4%
    Effective usage: portion of all usage, but at least 1% of the portion of the level's shares
      A    50 / 155 = 0.322581
      AP   shares `parent`: it has A's 0.322581
      ap1  10 / 155 = 0.064516
    Tickets: the account's, split among active siblings by target × weight; weight = target / effective usage, at most 100
      A    0.500000 × weight 1.550000: 1.0% of root's 4,294,967,295 = 42,314,948
      AP   0.500000 × weight 1.550000: 26.8% of A's 42,314,948 = 11,330,231
      ap1  0.214286 × weight 3.321429: 24.6% of A's 42,314,948 = 10,405,315
    Factor: tickets / the most tickets that any user has
      ap1  10,405,315 / 4,231,494,871 = 0.002459
    Neighbours in the ranking:
      just behind A/ap (2nd): ap1 has Factor 0.002459, ap has 0.010000
      just ahead of A/a1 (4th): ap1 has Factor 0.002459, a1 has 0.002186
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(Policy::Tickets, "1", "rootp"), @"
    rootp is 1st of 7: its shares are `parent`, so its jobs use root's 4,294,967,295 tickets. Its factor is 1.015000.

    Target: Norm Shares = shares / shares of the level × the account's Norm Shares
      rootp  shares `parent`: it has root's 100.0%
    Effective usage: portion of all usage, but at least 1% of the portion of the level's shares
      rootp  2 / 155 = 0.012903
    Tickets: the account's, split among active siblings by target × weight; weight = target / effective usage, at most 100
      rootp  1.000000 × weight 77.500000: 98.5% of root's 4,294,967,295 = 4,231,494,871
    Factor: tickets / the most tickets that any user has
      rootp  4,294,967,295 / 4,231,494,871 = 1.015000; with shares `parent` root's tickets count
    Neighbours in the ranking:
      just ahead of A/ap (2nd): rootp has Factor 1.015000, ap has 0.010000
    No Served: with shares `parent` it has no target of its own.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn users_without_tickets_are_explained() {
    for (policy, node, said) in [
        (
            Policy::Tickets,
            "c1",
            "c1 is 5th of 7, tied with 2 others: it has no pending jobs, so it has no tickets, and its factor is 0.",
        ),
        (
            Policy::Tickets,
            "c2",
            "c2 is 5th of 7, tied with 2 others: it has no shares, so it has no tickets, and its factor is 0.",
        ),
        (
            Policy::Tickets,
            "z1",
            "z1 is 5th of 7, tied with 2 others: Z above it has no shares, so it has no tickets, and its factor is 0.",
        ),
        (
            Policy::Tickets,
            "C",
            "C is an account: it has 21,157,474 of root's 4,294,967,295 tickets to hand down.",
        ),
    ] {
        assert_eq!(sentence(policy, node), said);
    }
}

#[test]
fn the_root_is_explained() {
    for (policy, node, said) in [
        (
            Policy::Classic,
            "root",
            "root is the root: all of the shares, usage 155 in all, 7 users below it.",
        ),
        (
            Policy::Tickets,
            "root",
            "root is the root: all of the shares and all 4,294,967,295 tickets, usage 155 in all, 7 users below it.",
        ),
    ] {
        assert_eq!(sentence(policy, node), said);
    }
}
