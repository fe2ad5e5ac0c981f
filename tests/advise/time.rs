//! The time until an idle owner or an over-served account is back at its share: the formula against a simulated machine.

use crate::support::growth::{self, Sprout, grown};
use fairscope::analysis::advise::{BackTime, measure};
use fairscope::analysis::contention::{Promise, promise};
use fairscope::model::{Kind, NodeId, Scheduler, Settings, Shares, resolve};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

const CASES: [(Policy, Scheduler); 5] = [
    (Policy::FairTree, Scheduler::Slurm),
    (Policy::LevelBased, Scheduler::Slurm),
    (Policy::PbsWalk, Scheduler::Pbs),
    (Policy::Pbs, Scheduler::Pbs),
    (Policy::Flux, Scheduler::Flux),
];

/// Four accounts with 10, 20, 30 and 40 shares and two users each. One used a portion of everything, and the others the rest,
/// by their shares.
fn scenario(policy: Policy, scheduler: Option<Scheduler>, one: usize, portion: f64) -> Scenario {
    let shares = [10.0, 20.0, 30.0, 40.0];
    let others: f64 = shares.iter().sum::<f64>() - shares[one];
    let tree = grown(12, |number, _| {
        let account = if number < 4 { number } else { (number - 4) / 2 };
        let used = if account == one {
            portion
        } else {
            (1.0 - portion) * shares[account] / others
        };
        Sprout {
            account: if number < 4 { 0 } else { account + 1 },
            kind: if number < 4 {
                Kind::Account
            } else {
                Kind::User
            },
            shares: Shares::new(if number < 4 {
                10 * (i64::try_from(number).unwrap() + 1)
            } else {
                1
            }),
            usage: (number >= 4).then_some((used * 1e6).round() / 2.0),
        }
    });
    let settings = Settings {
        scheduler,
        ..Settings::default()
    };
    Scenario::new(Arc::new(growth::snapshot(tree, settings)), policy)
}

fn back(scenario: &Scenario, path: &str) -> BackTime {
    let node: NodeId = resolve(scenario.tree(), path.as_bytes()).unwrap();
    let measured = measure(scenario, node, 100, &mut |_| ControlFlow::Continue(()));
    measured.expect("its share is neither nothing nor all")
}

#[test]
fn an_owner_is_back_when_the_formula_says() {
    for (policy, scheduler) in CASES {
        // An idle owner of a fifth, and somebody served twice its share.
        for (path, one, portion, half_lives) in
            [("n1", 1, 0.0, -(0.8_f64.log2())), ("n2", 2, 0.6, 1.0)]
        {
            let time = back(&scenario(policy, Some(scheduler), one, portion), path);
            let half_life = time.formula / half_lives;
            let off = time
                .measured
                .map(|measured| measured as f64 / time.formula - 1.0);
            println!(
                "{policy:?} {path}: {} s by the formula, off by {off:?}",
                time.formula
            );
            // PBS starts every usage at 1, which is little.
            let known = if scheduler == Scheduler::Pbs {
                86_400.0
            } else {
                604_800.0
            };
            assert!(
                (half_life / known - 1.0).abs() < 1e-3,
                "{policy:?} {path}: {half_life}"
            );
            if scheduler == Scheduler::Slurm && promise(policy) == Promise::Shares {
                let off = off.expect("it is back");
                assert!(
                    (-0.05..0.2).contains(&off),
                    "{policy:?} {path}: off by {off}"
                );
            }
        }
    }
}

#[test]
fn a_tree_without_a_scheduler_keeps_the_formula() {
    for (path, one, portion) in [("n1", 1, 0.0), ("n2", 2, 0.6)] {
        let time = back(&scenario(Policy::FairTree, None, one, portion), path);
        let measured = time.measured.expect("its usage is its share in time");
        let off = measured as f64 / time.formula - 1.0;
        assert!((-0.05..0.2).contains(&off), "{path}: off by {off}");
    }
}
