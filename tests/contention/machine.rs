//! The simulated machine: it conserves cores, is deterministic, and refuses impossible settings.

use super::trees::scenario;
use crate::support::trees::{SEED, pbs};
use fairscope::analysis::contention::{Contention, Machine, MachineError, contend};
use fairscope::model::{NodeId, resolve};
use fairscope::rules::policy::Policy;
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

/// FNV-1a hash of all delivered shares.
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

/// The digest of the first seed.
const DIGEST: u64 = 3_223_851_937_209_401_350;

#[test]
fn one_seed_gives_the_same_delivery_on_every_machine() {
    let scenario = scenario(Policy::FairTree, 3, false);
    let mut machine = Machine {
        spread: 50,
        until: 5 * DAY,
        ..Machine::default()
    };
    let nodes = scenario.tree().nodes();
    let first = run(&scenario, &machine).unwrap();
    assert_eq!(first, run(&scenario, &machine).unwrap());
    assert_eq!(digest(&first, nodes), DIGEST);
    machine.seed = 2;
    assert_ne!(digest(&run(&scenario, &machine).unwrap(), nodes), DIGEST);
}

#[test]
fn accounts_receive_the_sum_of_their_users_within_the_machine() {
    let scenario = scenario(Policy::FairTree, 5, false);
    let machine = Machine {
        until: 3 * DAY,
        spread: 30,
        ..Machine::default()
    };
    let run = run(&scenario, &machine).unwrap();
    let tree = scenario.tree();
    for window in 0..run.windows() {
        assert!(run.delivered(window, NodeId::ROOT) <= machine.cores * run.timing.window);
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
fn unrequested_cores_go_to_siblings() {
    let scenario = seed();
    let suzy = node(&scenario, "group2/suzy");
    let machine = Machine {
        demands: vec![(suzy, Some(6))],
        until: DAY,
        ..Machine::default()
    };
    let run = run(&scenario, &machine).unwrap();
    let target = |path| run.target(node(&scenario, path)).expect("it wants some");
    // suzy's target is 36 of 100 cores.
    assert!((target("group2/suzy") - 0.06).abs() < 1e-12);
    assert!((target("group2/scott") - 0.54).abs() < 1e-12);
    assert!((target("group1/bob") - 0.20).abs() < 1e-12);
    let got = run.portion_of(0..run.windows(), suzy).unwrap();
    assert!(got <= 0.0601, "{got}");
}

#[test]
fn a_user_without_demand_receives_nothing_and_has_no_target() {
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
fn long_jobs_make_delivered_shares_oscillate() {
    let scenario = scenario(Policy::FairTree, 7, true);
    let swing = |job_time| {
        let machine = Machine {
            job_time,
            window: Some(2 * 60 * 60),
            until: 10 * DAY,
            ..Machine::default()
        };
        let run = run(&scenario, &machine).unwrap();
        run.fit(scenario.tree().nodes(), 0.05).amplitude
    };
    let (short, long) = (swing(10 * 60), swing(12 * 60 * 60));
    assert!(long > 2.0 * short, "{long} against {short}");
}

#[test]
fn impossible_machines_are_refused_with_the_accepted_range() {
    let refused = |machine: Machine| {
        let error = run(&seed(), &machine);
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
    insta::assert_snapshot!(sentences.join("\n"), @"
    a machine needs 1 to 1073741824 cores, not 0
    a job on this machine needs 1 to 100 cores, not 101
    a run cannot last 0 s; expected 1 s to 100 years
    a job cannot last 0 s; expected 1 s to 100 years
    a cycle of 450 s does not fit the calculation of usage every 600 s; expected a multiple of 600 s
    a window of 60 s is shorter than a cycle; expected at least 600 s
    no demand: the policy ranks no users, or each user wants fewer cores than a job needs
    ");
}

#[test]
fn too_many_windows_are_refused_with_the_shortest_accepted_one() {
    let scenario = scenario(Policy::FairTree, 3, false);
    let machine = |window: u64| Machine {
        until: 36_500 * DAY,
        cycle: Some(60),
        window: Some(window),
        ..Machine::default()
    };
    let Err(MachineError::Windows { nodes, least, .. }) = run(&scenario, &machine(60)) else {
        panic!("a century of minutes is kept");
    };
    assert_eq!(nodes, scenario.tree().id_count() as u64);
    let stop = &mut |_| ControlFlow::Break(());
    let error = contend(&scenario, &machine(least), stop);
    assert_eq!(error, Err(MachineError::Stopped));
    let error = contend(&scenario, &machine(least - 60), stop);
    assert!(matches!(error, Err(MachineError::Windows { .. })));
}

#[test]
fn a_simulation_can_be_stopped() {
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
