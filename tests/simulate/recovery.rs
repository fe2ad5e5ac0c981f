//! At the answer the goal is there, and one step before it is not.

use super::{scheduler, snapshot, some_pace, users};
use crate::support::random::Random;
use fairscope::model::{NodeId, Pace, Scheduler};
use fairscope::policy::Policy;
use fairscope::scenario::Scenario;
use fairscope::simulate::{Outcome, Preset, RecoveryError, Simulation, recovery};
use fairscope::solve::{Goal, Standing};
use std::ops::ControlFlow;
use std::sync::Arc;

/// How many cases there are for each policy.
const CASES: usize = 200;

/// How far is looked, in seconds.
const HORIZON: u64 = 5 * 86_400;

/// Whether a goal is there after a run straight to a moment.
fn holds(start: &Simulation, seconds: u64, node: NodeId, goal: Goal) -> bool {
    let mut simulation = start.clone();
    let _ = simulation.advance(seconds, &mut |_| ControlFlow::Continue(()));
    let policy = simulation.policy();
    let (tree, evaluation) = simulation.look();
    let standing = Standing::of(policy, &tree, evaluation, node);
    goal.is_reached(&tree, evaluation, standing)
}

/// A goal that is not quite out of reach: one that the node has after some other pace.
fn goal(random: &mut Random, scenario: &Scenario, node: NodeId) -> Goal {
    let users = users(scenario);
    let other = users[random.below(users.len())];
    let evaluation = scenario.evaluation();
    let now = Standing::of(scenario.policy(), scenario.tree(), evaluation, node);
    match random.below(3) {
        0 if other != node => Goal::AheadOf(other),
        1 => {
            let factor = now.factor.unwrap_or(0.1);
            Goal::Factor(factor * (1.0 + random.between(1, 100) as f64 / 100.0))
        }
        _ => {
            let rank = now.rank.unwrap_or(3);
            let places = u32::try_from(random.between(1, 3)).unwrap();
            Goal::Rank(rank.saturating_sub(places).max(1))
        }
    }
}

fn check(policy: Policy, scheduler: Option<Scheduler>) {
    let mut random = Random::new(0x5eed);
    let (mut now, mut after, mut not) = (0, 0, 0);
    for case in 0..CASES {
        let snapshot = snapshot(&mut random, scheduler);
        let scenario = Scenario::new(Arc::new(snapshot), policy);
        let users = users(&scenario);
        let node = users[random.below(users.len())];
        let goal = goal(&mut random, &scenario, node);
        let pace = match random.below(6) {
            0 => Pace::default(),
            1 => Preset::OnlyIdle(node).pace(&scenario).unwrap(),
            _ => {
                let mut pace = some_pace(&mut random, &users);
                if random.below(3) > 0 {
                    pace.set_rate(node, 0.0);
                }
                pace
            }
        };
        let start = Simulation::of(&scenario).at_pace(Arc::new(pace));
        let go = &mut |_| ControlFlow::Continue(());
        let found = start.recovery(node, goal, HORIZON, go).unwrap();
        match found.outcome {
            Outcome::Now => {
                now += 1;
                assert!(holds(&start, 0, node, goal));
            }
            Outcome::After(seconds) => {
                after += 1;
                let step = start.clock().cycle();
                assert_eq!(seconds % step, 0);
                let told = format!("{policy:?} case {case}: {goal:?} after {seconds}");
                assert!(holds(&start, seconds, node, goal), "{told}");
                assert!(!holds(&start, seconds - step, node, goal), "{told}");
            }
            Outcome::NotYet | Outcome::Never => {
                not += 1;
                assert!(!found.reason.is_empty());
                assert!(!holds(&start, HORIZON, node, goal));
            }
        }
    }
    println!("{policy:?} {scheduler:?}: {now} now, {after} after a while, {not} not");
    assert!(after >= CASES / 20, "{policy:?}: only {after} were reached");
}

macro_rules! each_policy {
    ($($name:ident: $policy:ident;)*) => {
        $(#[test]
        fn $name() {
            check(Policy::$policy, scheduler(Policy::$policy));
        })*
    };
}

each_policy! {
    answers_hold_and_not_a_step_before_under_pbs: Pbs;
    answers_hold_and_not_a_step_before_under_level_based: LevelBased;
    answers_hold_and_not_a_step_before_under_fair_tree: FairTree;
    answers_hold_and_not_a_step_before_under_documented_fair_tree: FairTreeDocumented;
    answers_hold_and_not_a_step_before_under_classic: Classic;
    answers_hold_and_not_a_step_before_under_depth_oblivious: DepthOblivious;
    answers_hold_and_not_a_step_before_under_tickets: Tickets;
    answers_hold_and_not_a_step_before_under_flux: Flux;
}

#[test]
fn answers_hold_and_not_a_second_before_where_usage_decays_smoothly() {
    check(Policy::FairTree, None);
}

#[test]
fn idle_decay_alone_changes_nothing_where_only_ratios_count() {
    let mut random = Random::new(5);
    for policy in [Policy::FairTree, Policy::Classic, Policy::Flux] {
        for scheduler in [None, Some(Scheduler::Slurm)] {
            let snapshot = snapshot(&mut random, scheduler);
            let scenario = Scenario::new(Arc::new(snapshot), policy);
            let last = |&node: &NodeId| scenario.evaluation().rank(node);
            let node = users(&scenario).into_iter().max_by_key(last).unwrap();
            let go = &mut |_| ControlFlow::Continue(());
            let found = recovery(&scenario, node, Goal::Rank(1), HORIZON, go).unwrap();
            assert_eq!(found.outcome, Outcome::Never);
            let said = format!("idle decay alone changes nothing under {}: ", policy.name());
            assert!(found.reason.starts_with(&said), "{}", found.reason);
        }
    }
}

#[test]
fn who_takes_more_than_the_target_is_told_so() {
    let mut random = Random::new(6);
    let snapshot = snapshot(&mut random, Some(Scheduler::Slurm));
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let last = |&node: &NodeId| scenario.evaluation().rank(node);
    let node = users(&scenario).into_iter().max_by_key(last).unwrap();
    let mut pace = Pace::default();
    pace.set_rate(node, 100.0);
    let start = Simulation::of(&scenario).at_pace(Arc::new(pace));
    let go = &mut |_| ControlFlow::Continue(());
    let year = 365 * 86_400;
    let found = start.recovery(node, Goal::Rank(1), year, go).unwrap();
    assert_eq!(found.outcome, Outcome::Never, "{}", found.reason);
    assert!(found.reason.contains("of new usage"), "{}", found.reason);
    assert!(found.reason.contains(", 100.0%, exceeds its target, "));
}

#[test]
fn what_time_cannot_change_is_refused_and_a_search_can_be_given_up() {
    let mut random = Random::new(7);
    let snapshot = snapshot(&mut random, Some(Scheduler::Slurm));
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let last = |&node: &NodeId| scenario.evaluation().rank(node);
    let node = users(&scenario).into_iter().max_by_key(last).unwrap();
    let go = &mut |_| ControlFlow::Continue(());
    let refused = recovery(&scenario, node, Goal::Share(0.1), HORIZON, go);
    assert_eq!(refused, Err(RecoveryError::Share));
    let refused = recovery(&scenario, NodeId::ROOT, Goal::Rank(1), HORIZON, go);
    assert!(matches!(refused, Err(RecoveryError::Question(_))));
    let stop = &mut |passed| {
        if passed > 86_400 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let given_up = recovery(&scenario, node, Goal::Rank(1), HORIZON, stop);
    assert_eq!(given_up, Err(RecoveryError::Cancelled));
}
