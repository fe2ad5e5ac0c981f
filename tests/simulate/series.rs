//! Series: each point equals the scenario after waiting that long.

use super::{scheduler, snapshot, some_pace, users};
use crate::support::random::Random;
use fairscope::analysis::simulate::Simulation;
use fairscope::rules::policy::{ColumnId, Policy};
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

#[test]
fn each_point_equals_the_scenario_after_waiting() {
    let mut random = Random::new(1);
    for &policy in Policy::ALL {
        if policy == Policy::Formula {
            continue;
        }
        for _ in 0..10 {
            let mut snapshot = snapshot(&mut random, scheduler(policy));
            let plain = Scenario::new(Arc::new(snapshot.clone()), policy);
            snapshot.settings.time.pace = Arc::new(some_pace(&mut random, &users(&plain)));
            let mut scenario = Scenario::new(Arc::new(snapshot), policy);
            let nodes = scenario.tree().nodes().to_vec();
            let go = &mut |_| ControlFlow::Continue(());
            let seen = Simulation::of(&scenario)
                .series(&nodes, 250_000, 100_000, go)
                .unwrap();
            assert_eq!(seen.times, [0, 100_000, 200_000, 250_000]);
            for (moment, &time) in seen.times.iter().enumerate() {
                let seconds = time - scenario.settings().time.passed;
                scenario.apply(Edit::Wait { seconds }).unwrap();
                let evaluation = scenario.evaluation();
                for line in &seen.lines {
                    let bits = |number: Option<f64>| number.map(f64::to_bits);
                    let usage = evaluation.number(ColumnId::Usage, line.node);
                    let factor = evaluation.number(policy.factor_column(), line.node);
                    assert_eq!(bits(line.usage[moment]), bits(usage), "{policy:?}");
                    assert_eq!(bits(line.factor[moment]), bits(factor), "{policy:?}");
                    assert_eq!(line.rank[moment], evaluation.rank(line.node));
                }
            }
        }
    }
}

#[test]
fn portions_of_a_level_add_up_to_one() {
    let mut random = Random::new(2);
    for _ in 0..20 {
        let snapshot = snapshot(&mut random, scheduler(Policy::Classic));
        let scenario = Scenario::new(Arc::new(snapshot), Policy::Classic);
        let tree = scenario.tree().clone();
        let level: Vec<_> = tree.children(fairscope::model::NodeId::ROOT).collect();
        let go = &mut |_| ControlFlow::Continue(());
        let seen = Simulation::of(&scenario)
            .series(&level, 90_000, 30_000, go)
            .unwrap();
        for moment in 0..seen.times.len() {
            let sum: f64 = seen
                .lines
                .iter()
                .filter_map(|line| line.usage_share[moment])
                .sum();
            assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-9, "{sum}");
        }
    }
}

#[test]
fn a_series_leaves_the_scenario_unchanged_and_can_be_stopped() {
    let mut random = Random::new(3);
    let snapshot = snapshot(&mut random, scheduler(Policy::FairTree));
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let nodes = users(&scenario);
    let mut heard = Vec::new();
    let stop = &mut |passed| {
        heard.push(passed);
        if passed >= 50_000 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    assert!(
        Simulation::of(&scenario)
            .series(&nodes, 250_000, 10_000, stop)
            .is_none()
    );
    assert!(heard.is_sorted(), "{heard:?}");
    assert_eq!(scenario.settings().time.passed, 0);
    assert_eq!(Simulation::of(&scenario).clock.passed(), 0);
}
