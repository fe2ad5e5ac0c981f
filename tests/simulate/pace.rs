//! Assumptions about future usage.

use super::{TAKEN, snapshot, users};
use crate::support::expected::Expected as _;
use crate::support::random::Random;
use fairscope::analysis::simulate::{Assumptions, PaceError, Preset, Simulation, assume, resting};
use fairscope::model::{Pace, Scheduler, Snapshot};
use fairscope::report::words::simulate::{decay, usage};
use fairscope::rules::clock::Clock;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, PaceChange, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The snapshot taken again after this number of seconds.
fn later(old: &Snapshot, seconds: u64) -> Snapshot {
    let mut clock = Clock::new(&old.tree, &old.settings);
    let _ = clock.advance(seconds, &mut |_| ControlFlow::Continue(()));
    let mut new = old.clone();
    for &node in old.tree.nodes() {
        new.tree.set_usage(node, clock.usage(node));
    }
    new.settings.pbs = clock.settings().pbs.clone();
    new.settings.time.taken = Some(TAKEN + seconds.cast_signed());
    new
}

/// The messages about the assumptions of a pace.
fn told(scenario: &Scenario, pace: &Pace) -> Vec<String> {
    let tree = scenario.tree();
    let assumed = Assumptions::of(tree, scenario.settings(), pace);
    let uses = assumed
        .usage
        .iter()
        .map(|it| usage(tree, &assumed.decay, it));
    let all = uses.chain([decay(&assumed.decay)]);
    all.map(String::from).collect()
}

#[test]
fn the_measured_pace_equals_the_real_one() {
    let mut random = Random::new(11);
    for scheduler in [None, Some(Scheduler::Slurm)] {
        for _ in 0..20 {
            let mut old = snapshot(&mut random, scheduler);
            let plain = Scenario::new(Arc::new(old.clone()), Policy::FairTree);
            let mut pace = Pace::default();
            for (number, &user) in users(&plain).iter().enumerate() {
                pace.set_rate(user, number as f64 * 3.5);
            }
            old.settings.time.pace = Arc::new(pace.clone());
            let new = later(&old, 4 * 86_400);
            let scenario = Scenario::new(Arc::new(new), Policy::FairTree);
            let measured = Preset::Measured(&old).pace(&scenario).unwrap();
            for user in users(&scenario) {
                let (rate, kept) = (measured.rate(user), pace.rate(user));
                assert!((rate - kept).abs() <= 1e-6 * kept.max(1.0), "{rate} {kept}");
            }
            told(&scenario, &measured)[0].must_contain("in the 4 d between");
        }
    }
}

#[test]
fn the_measured_pace_excludes_removed_users() {
    let mut random = Random::new(11);
    let mut old = snapshot(&mut random, None);
    let plain = Scenario::new(Arc::new(old.clone()), Policy::FairTree);
    let mut pace = Pace::default();
    for &user in &users(&plain) {
        pace.set_rate(user, 2.0);
    }
    old.settings.time.pace = Arc::new(pace);
    let mut scenario = Scenario::new(Arc::new(later(&old, 4 * 86_400)), Policy::FairTree);
    let there = users(&scenario);
    let node = there[0];
    scenario.apply(Edit::Remove { node }).expect("it is there");
    let measured = Preset::Measured(&old).pace(&scenario).unwrap();
    let said = format!(" by {} users", there.len() - 1);
    assert!(told(&scenario, &measured)[0].ends_with(&said), "{said}");
}

#[test]
fn snapshots_that_give_no_pace_are_refused() {
    let mut random = Random::new(12);
    let old = snapshot(&mut random, Some(Scheduler::Slurm));
    let pace = |old: &Snapshot, new: &Snapshot| {
        let scenario = Scenario::new(Arc::new(new.clone()), Policy::FairTree);
        Preset::Measured(old).pace(&scenario)
    };
    let refused = pace(&old, &old);
    assert!(matches!(refused, Err(PaceError::NotOlder { .. })));
    let mut undated = old.clone();
    undated.settings.time.taken = None;
    assert!(matches!(pace(&undated, &old), Err(PaceError::NoDate(_))));
    let mut other = later(&old, 86_400);
    other.settings.scheduler = Some(Scheduler::Pbs);
    let refused = pace(&old, &other);
    assert!(matches!(refused, Err(PaceError::Strangers { .. })));
    let mut gold = later(&old, 86_400);
    let mut lead = old;
    gold.source.cluster = "gold".to_owned();
    lead.source.cluster = "lead".to_owned();
    let refused = pace(&lead, &gold).unwrap_err();
    refused.to_string().must_contain("the cluster lead");
}

#[test]
fn a_steady_pace_keeps_usage_and_an_idle_users_usage_decays() {
    let mut random = Random::new(13);
    for scheduler in [None, Some(Scheduler::Slurm)] {
        let snapshot = snapshot(&mut random, scheduler);
        let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
        let before = Clock::new(scenario.tree(), scenario.settings());
        let resting = users(&scenario)[0];
        let pace = Preset::OnlyIdle(resting).pace(&scenario).unwrap();
        assert_eq!(pace.premises.len(), 2);
        let mut simulation = Simulation::of(&scenario).at_pace(Arc::new(pace));
        let _ = simulation.advance(10 * 86_400, &mut |_| ControlFlow::Continue(()));
        for user in users(&scenario) {
            let amount = |clock: &Clock| clock.in_memory(user);
            let (then, now) = (amount(&before), amount(&simulation.clock));
            if user == resting {
                assert!(now <= then / 900.0);
            } else {
                assert!((now - then).abs() <= 1e-6 * then, "{then} {now}");
            }
        }
    }
}

#[test]
fn assumptions_are_reported() {
    let mut random = Random::new(14);
    let snapshot = snapshot(&mut random, Some(Scheduler::Slurm));
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let (tree, settings) = (scenario.tree(), scenario.settings());
    let said = |pace| told(&scenario, &pace).join("; ");
    let decay = "Slurm halves usage in 1 d, applied every 30 min";
    let idle = Preset::Idle.pace(&scenario).unwrap();
    assert_eq!(said(idle.clone()), format!("nobody uses anything; {decay}"));
    let node = users(&scenario)[0];
    let name = fairscope::model::path_of(tree, node).unwrap();
    let change = PaceChange::Rate { node, rate: 2.5 };
    let charged = assume(idle, &change, tree, settings).unwrap();
    assert_eq!(
        said(charged),
        format!("{name} uses 2.5 a second; nobody else uses anything; {decay}")
    );
    let steady = Preset::Steady.pace(&scenario).unwrap();
    let charged = assume(steady, &change, tree, settings).unwrap();
    let rested = said(resting(charged, tree, node));
    rested.must_begin("everybody uses just enough to keep");
    rested.must_contain(&format!(
        "; but {name} uses 2.5 a second; but {name} uses nothing; "
    ));
}
