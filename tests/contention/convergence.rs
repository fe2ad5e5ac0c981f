//! Delivered shares compared with targets on random trees.

use super::trees::scenario;
use fairscope::analysis::contention::{Contention, Machine, Promise, contend, promise};
use fairscope::model::NodeId;
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::ops::ControlFlow;

/// Number of trees for each policy.
const TREES: u64 = 20;

/// Largest accepted distance of a delivered share from its target, as a fraction of the target.
const NEAR: f64 = 0.01;

/// A machine that gives all its cores to the first-ranked user in each cycle; every user requests all of them.
fn machine(cycles: u64) -> Machine {
    let cycle = 600;
    Machine {
        cycle: Some(cycle),
        job_time: cycle,
        until: cycles * cycle,
        ..Machine::default()
    }
}

fn contended(scenario: &Scenario, cycles: u64) -> Contention {
    contend(scenario, &machine(cycles), &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("it runs")
}

/// Number of cycles after which two cycles are less than [`NEAR`] of the smallest target.
fn cycles_for(scenario: &Scenario) -> u64 {
    let glance = contended(scenario, 1);
    let targets = scenario
        .tree()
        .nodes()
        .iter()
        .filter_map(|&node| glance.target(node));
    let least = targets.fold(1.0, f64::min);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousands"
    )]
    let cycles = (2.0 / (NEAR * least)) as u64;
    cycles
}

/// The largest distance of a delivered share from its target, as a fraction of the target.
fn furthest(scenario: &Scenario, run: &Contention) -> f64 {
    let distance = |&node: &NodeId| {
        let portion = run.portion_of(0..run.windows(), node)?;
        let target = run.target(node)?;
        Some((portion - target).abs() / target)
    };
    let nodes = scenario.tree().nodes().iter();
    nodes.filter_map(distance).fold(0.0, f64::max)
}

fn assert_converges(policy: Policy, is_flat: bool) {
    let mut worst = 0.0_f64;
    for seed in 1..=TREES {
        let scenario = scenario(policy, seed, is_flat);
        let run = contended(&scenario, cycles_for(&scenario));
        let distance = furthest(&scenario, &run);
        assert!(
            distance < NEAR,
            "{} on tree {seed}: {distance:.4} off",
            policy.name()
        );
        worst = worst.max(distance);
    }
    println!("{}: {TREES} trees, {worst:.4} off at most", policy.name());
}

#[test]
fn fair_tree_delivers_shares() {
    assert_converges(Policy::FairTree, false);
}

#[test]
fn fair_tree_as_documented_delivers_shares() {
    assert_converges(Policy::FairTreeDocumented, false);
}

#[test]
fn depth_oblivious_delivers_shares() {
    assert_converges(Policy::DepthOblivious, false);
}

#[test]
fn flux_delivers_shares() {
    assert_converges(Policy::Flux, false);
}

#[test]
fn pbs_without_a_formula_delivers_shares() {
    assert_converges(Policy::PbsWalk, false);
}

#[test]
fn pbs_delivers_shares_directly_below_the_root() {
    assert_converges(Policy::Pbs, true);
}

#[test]
fn classic_delivers_shares_directly_below_the_root() {
    assert_converges(Policy::Classic, true);
}

#[test]
fn every_policy_that_promises_shares_has_a_test_above() {
    use Promise::{FlatTrees, Shares};
    let promising = Policy::ALL
        .iter()
        .filter(|policy| promise(**policy) != Promise::Nothing);
    let promising: Vec<_> = promising.map(|&policy| (policy, promise(policy))).collect();
    assert_eq!(
        promising,
        [
            (Policy::Pbs, FlatTrees),
            (Policy::FairTree, Shares),
            (Policy::FairTreeDocumented, Shares),
            (Policy::Classic, FlatTrees),
            (Policy::DepthOblivious, Shares),
            (Policy::Flux, Shares),
            (Policy::PbsWalk, Shares),
        ]
    );
}

#[test]
fn policies_without_a_promise_miss_shares() {
    for policy in [
        Policy::Pbs,
        Policy::Classic,
        Policy::LevelBased,
        Policy::Tickets,
    ] {
        let scenario = scenario(policy, 1, false);
        let run = contended(&scenario, 2000);
        assert!(furthest(&scenario, &run) > 0.05, "{}", policy.name());
        let course = run.fit(scenario.tree().nodes(), 0.02);
        assert_eq!(course.converged, None, "{}", policy.name());
    }
}
