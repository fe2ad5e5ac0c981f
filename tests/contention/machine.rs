//! The machine itself: nothing is lost, nothing is random, and what cannot be is refused.

use super::trees::scenario;
use crate::support::trees::{SEED, pbs};
use fairscope::contention::{Contention, Machine, MachineError, contend};
use fairscope::model::{NodeId, resolve};
use fairscope::policy::Policy;
use fairscope::scenario::Scenario;
use std::ops::ControlFlow;
use std::sync::Arc;

const DAY: u64 = 24 * 60 * 60;

fn seed() -> Scenario {
    Scenario::new(Arc::new(pbs(SEED)), Policy::Pbs)
}

fn run(scenario: &Scenario, machine: &Machine) -> Result<Contention, MachineError> {
    contend(scenario, machine, &mut |_| ControlFlow::Continue(()))
}

fn node(scenario: &Scenario, path: &str) -> NodeId {
    resolve(scenario.tree(), path.as_bytes()).expect("it is there")
}

/// FNV-1a over everything that was delivered.
fn digest(run: &Contention, nodes: &[NodeId]) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for window in 0..run.windows() {
        for &node in nodes {
            for byte in run.delivered(window, node).to_le_bytes() {
                digest = (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    digest
}

#[test]
fn the_same_seed_delivers_the_same_on_any_machine() {
    let scenario = scenario(Policy::FairTree, 3, false);
    let mut machine = Machine {
        spread: 50,
        until: 5 * DAY,
        ..Machine::default()
    };
    let nodes = scenario.tree().nodes();
    let first = run(&scenario, &machine).unwrap();
    assert_eq!(first, run(&scenario, &machine).unwrap());
    assert_eq!(digest(&first, nodes), 0);
    machine.seed = 2;
    assert_ne!(digest(&run(&scenario, &machine).unwrap(), nodes), 0);
}

#[test]
fn accounts_get_what_their_users_get_and_nobody_gets_more_than_there_is() {
    let scenario = scenario(Policy::FairTree, 5, false);
    let machine = Machine {
        until: 3 * DAY,
        spread: 30,
        ..Machine::default()
    };
    let run = run(&scenario, &machine).unwrap();
    let tree = scenario.tree();
    for window in 0..run.windows() {
        assert!(run.delivered(window, NodeId::ROOT) <= machine.cores * run.window);
        for &node in tree.nodes().iter().filter(|&&node| tree.has_children(node)) {
            let below = tree
                .children(node)
                .map(|child| run.delivered(window, child));
            assert_eq!(run.delivered(window, node), below.sum::<u64>());
        }
    }
    assert!(run.utilization() > 0.9);
}

#[test]
fn what_one_does_not_want_goes_to_the_others_of_its_account() {
    let scenario = seed();
    let suzy = node(&scenario, "group2/suzy");
    let machine = Machine {
        demands: vec![(suzy, Some(6))],
        until: DAY,
        ..Machine::default()
    };
    let run = run(&scenario, &machine).unwrap();
    let target = |path| run.target(node(&scenario, path)).expect("it wants some");
    // suzy's part would be 36 of 100 cores.
    assert!((target("group2/suzy") - 0.06).abs() < 1e-12);
    assert!((target("group2/scott") - 0.54).abs() < 1e-12);
    assert!((target("group1/bob") - 0.20).abs() < 1e-12);
    let got = run.portion_of(0..run.windows(), suzy).unwrap();
    assert!(got <= 0.0601, "{got}");
}

#[test]
fn who_wants_nothing_gets_nothing_and_has_no_target() {
    let scenario = seed();
    let group1 = node(&scenario, "group1");
    let machine = Machine {
        demands: vec![(group1, Some(0))],
        until: DAY,
        ..Machine::default()
    };
    let run = run(&scenario, &machine).unwrap();
    assert_eq!(run.target(group1), None);
    assert_eq!(run.delivered_in_all(group1), 0);
    assert!((run.target(node(&scenario, "group2")).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn a_short_half_life_lets_shares_swing() {
    let mut scenario = scenario(Policy::FairTree, 7, true);
    let swing = |scenario: &Scenario| {
        let machine = Machine {
            job_time: 12 * 60 * 60,
            window: Some(2 * 60 * 60),
            until: 20 * DAY,
            ..Machine::default()
        };
        let run = run(scenario, &machine).unwrap();
        run.course(scenario.tree().nodes(), 0.05).amplitude
    };
    let long = swing(&scenario);
    let edit = fairscope::scenario::Edit::SetSetting {
        key: "PriorityDecayHalfLife".to_owned(),
        value: "01:00:00".to_owned(),
    };
    scenario.apply(edit).unwrap();
    let short = swing(&scenario);
    assert!(short > 2.0 * long, "{short} against {long}");
}

#[test]
fn a_machine_that_cannot_be_is_refused_with_what_would_do() {
    let refused = |machine: Machine| {
        let error = run(&scenario(Policy::FairTree, 1, true), &machine);
        error.unwrap_err().to_string()
    };
    let usual = Machine::default;
    let sentences = [
        refused(Machine {
            cores: 0,
            ..usual()
        }),
        refused(Machine {
            job_cores: 101,
            ..usual()
        }),
        refused(Machine {
            until: 0,
            ..usual()
        }),
        refused(Machine {
            job_time: 0,
            ..usual()
        }),
        refused(Machine {
            cycle: Some(450),
            ..usual()
        }),
        refused(Machine {
            window: Some(60),
            ..usual()
        }),
        refused(Machine {
            demand: Some(0),
            ..usual()
        }),
    ];
    insta::assert_snapshot!(sentences.join("\n"), @"");
}

#[test]
fn it_can_be_stopped() {
    let mut asked = 0;
    let error = contend(&seed(), &Machine::default(), &mut |_| {
        asked += 1;
        if asked < 10 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(error, Err(MachineError::Stopped));
    assert_eq!(asked, 10);
}
