//! Users found one after the other are served as by the ranks of all.

use crate::support::growth;
use fairscope::analysis::contention::{Machine, Ranks, contend_by};
use fairscope::model::{Kind, NodeId, Position, Scheduler, Settings, Shares, TreeBuilder};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A node to add: its account among those so far, whether it is an account, its shares and its usage.
type Seedling = (Index, bool, i64, Option<f64>);

fn seedling() -> impl Strategy<Value = Seedling> {
    let shares = prop_oneof![6 => 1_i64..4, 1 => Just(0)];
    let usage = prop_oneof![
        3 => Just(None),
        2 => (1_u32..4).prop_map(|amount| Some(f64::from(amount) * 1e4)),
        2 => (0.1..1e6).prop_map(Some),
    ];
    (any::<Index>(), any::<bool>(), shares, usage)
}

/// Returns a PBS tree under its own policy. Names are not unique, and some are such that PBS does not read them.
fn pbs(seedlings: Vec<Seedling>, settings: Settings) -> Scenario {
    let mut builder = TreeBuilder::new(b"TREEROOT");
    let unknown = builder.intern(b"unknown");
    let unknown = builder.push(NodeId::ROOT, unknown, Kind::User, Position::Last);
    builder.set_shares(unknown, Shares::new(1));
    builder.follow_pbs(unknown);
    let mut accounts = vec![NodeId::ROOT];
    let mut used = Vec::new();
    for (number, (account, is_account, shares, usage)) in seedlings.into_iter().enumerate() {
        let name = match number % 9 {
            7 => format!("n%{number}"),
            _ => format!("n{number}"),
        };
        let name = builder.intern(name.as_bytes());
        let parent = *account.get(&accounts);
        let node = builder.push(parent, name, Kind::User, Position::Last);
        builder.set_shares(node, Shares::new(shares));
        if is_account {
            accounts.push(node);
        }
        used.extend(usage.map(|usage| (node, usage)));
    }
    for (node, usage) in used {
        if !builder.has_children(node) {
            builder.record(node, usage, true);
        }
    }
    let snapshot = growth::snapshot(builder.build(), settings);
    Scenario::new(Arc::new(snapshot), Policy::PbsWalk)
}

/// Returns a PBS tree of groups whose users have the same amounts, each group in an order of its own.
fn groups(amounts: &[f64], turns: Vec<usize>, settings: Settings) -> Scenario {
    let mut builder = TreeBuilder::new(b"TREEROOT");
    let unknown = builder.intern(b"unknown");
    let unknown = builder.push(NodeId::ROOT, unknown, Kind::User, Position::Last);
    builder.follow_pbs(unknown);
    let push = |builder: &mut TreeBuilder, parent, name: String| {
        let name = builder.intern(name.as_bytes());
        let node = builder.push(parent, name, Kind::User, Position::Last);
        builder.set_shares(node, Shares::new(1));
        node
    };
    for (number, turn) in turns.into_iter().enumerate() {
        let group = push(&mut builder, NodeId::ROOT, format!("g{number}"));
        for place in 0..amounts.len() {
            let user = push(&mut builder, group, format!("u{number}_{place}"));
            builder.record(user, amounts[(place + turn) % amounts.len()], true);
        }
    }
    let snapshot = growth::snapshot(builder.build(), settings);
    Scenario::new(Arc::new(snapshot), Policy::PbsWalk)
}

/// Returns a tree of Slurm. Some accounts have no users.
fn slurm(seedlings: Vec<Seedling>, policy: Policy, settings: Settings) -> Scenario {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for (number, (account, is_account, shares, usage)) in seedlings.into_iter().enumerate() {
        let name = builder.intern(format!("n{number}").as_bytes());
        let kind = if is_account {
            Kind::Account
        } else {
            Kind::User
        };
        let node = builder.push(*account.get(&accounts), name, kind, Position::Last);
        builder.set_shares(node, Shares::new(shares));
        if is_account {
            accounts.push(node);
        } else if let Some(usage) = usage {
            builder.record(node, usage, true);
        }
    }
    let snapshot = growth::snapshot(builder.build(), settings);
    Scenario::new(Arc::new(snapshot), policy)
}

fn runs_alike(scenario: &Scenario, machine: &Machine) -> Result<(), TestCaseError> {
    let run = |ranks| contend_by(scenario, machine, ranks, &mut |_| ControlFlow::Continue(()));
    prop_assert_eq!(run(Ranks::Needed), run(Ranks::All));
    Ok(())
}

fn machine() -> impl Strategy<Value = Machine> {
    let demand = prop_oneof![Just(None), (1_u64..5).prop_map(Some)];
    (1_u64..20, 1_u64..8, demand, 0_u8..60).prop_map(|(cores, quarters, demand, spread)| Machine {
        cores,
        job_time: quarters * 900,
        demand,
        spread,
        until: 3 * 24 * 60 * 60,
        ..Machine::default()
    })
}

proptest! {
    #![proptest_config(crate::support::laws(64))]

    #[test]
    fn pbs_serves_the_same_users_without_the_ranks_of_all(
        seedlings in vec(seedling(), 1..40),
        machine in machine(),
        hours in 1_i64..30,
        factor in prop_oneof![Just(0.5_f32), Just(1.0), 0.1_f32..0.99],
    ) {
        let mut settings = Settings {
            scheduler: Some(Scheduler::Pbs),
            ..Settings::default()
        };
        settings.pbs.fairshare_decay_time = hours * 3600;
        settings.pbs.fairshare_decay_factor = factor;
        let scenario = pbs(seedlings, settings);
        runs_alike(&scenario, &machine)?;
    }

    #[test]
    fn groups_that_only_rounding_tells_apart_are_served_as_by_the_ranks_of_all(
        amounts in vec(1e3..1e5, 2..5),
        turns in vec(0_usize..4, 2..8),
        machine in machine(),
        factor in 0.3_f32..1.0,
    ) {
        let mut settings = Settings {
            scheduler: Some(Scheduler::Pbs),
            ..Settings::default()
        };
        settings.pbs.fairshare_decay_time = 6 * 3600;
        settings.pbs.fairshare_decay_factor = factor;
        runs_alike(&groups(&amounts, turns, settings), &machine)?;
    }

    #[test]
    fn fair_tree_serves_the_same_users_without_the_ranks_of_all(
        seedlings in vec(seedling(), 1..40),
        machine in machine(),
        half_life in prop_oneof![Just(0_u32), 3600_u32..1_000_000],
        policy in prop_oneof![Just(Policy::FairTree), Just(Policy::FairTreeDocumented)],
    ) {
        let mut settings = Settings {
            scheduler: Some(Scheduler::Slurm),
            ..Settings::default()
        };
        settings.slurm.decay_half_life = half_life;
        runs_alike(&slurm(seedlings, policy, settings), &machine)?;
    }
}
