//! Delivered shares compared with targets under each scheduler's own decay, with its usual settings.

use super::trees::with_settings;
use fairscope::analysis::contention::{Contention, Machine, contend};
use fairscope::model::{Kind, Scheduler, Settings};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::ops::ControlFlow;

/// Number of trees for each policy.
const TREES: u64 = 20;

/// Largest accepted distance of a delivered share from its target, as a fraction of the target.
const NEAR: f64 = 0.01;

const DAY: u64 = 24 * 60 * 60;

/// How many cores users request.
#[derive(Clone, Copy)]
enum Demand {
    /// All cores of the machine, so one user gets all of them in each cycle.
    Everything,
    /// Twice what each user would get under equal shares, which is more than any target in these trees.
    TwiceTheMean,
}

fn scenario(policy: Policy, seed: u64, is_flat: bool, settings: &Settings) -> Scenario {
    with_settings(policy, seed, is_flat, settings.clone())
}

fn contended(scenario: &Scenario, days: u64, cycle: u64, demand: Demand) -> Contention {
    let cores = 1000;
    let machine = Machine {
        cores,
        cycle: Some(cycle),
        job_time: cycle,
        demand: match demand {
            Demand::Everything => None,
            Demand::TwiceTheMean => Some(2 * cores / scenario.tree().user_count() as u64),
        },
        until: days * DAY,
        ..Machine::default()
    };
    contend(scenario, &machine, &mut |_| ControlFlow::Continue(())).expect("it runs")
}

/// The largest distance of a delivered share from its target over the last three quarters of the run: as a fraction of
/// the target, and as a fraction of the machine in units of one allocation.
fn furthest(scenario: &Scenario, run: &Contention) -> (f64, f64) {
    let mut furthest = (0.0_f64, 0.0_f64);
    for &node in scenario.tree().nodes() {
        let (Some(portion), Some(target)) = (
            run.portion_of(run.windows() / 4..run.windows(), node),
            run.target(node),
        ) else {
            continue;
        };
        let distance = (portion - target).abs();
        furthest.0 = furthest.0.max(distance / target);
        if scenario.tree().kind(node) == Kind::User {
            furthest.1 = furthest.1.max(distance / run.at_once());
        }
    }
    furthest
}

/// Simulates a policy on all trees; returns the largest distance, as a fraction and in allocations.
fn largest_distance(
    policy: Policy,
    is_flat: bool,
    settings: &Settings,
    (days, cycle, demand): (u64, u64, Demand),
) -> (f64, f64) {
    let mut worst = (0.0_f64, 0.0_f64);
    for seed in 1..=TREES {
        let scenario = scenario(policy, seed, is_flat, settings);
        let run = contended(&scenario, days, cycle, demand);
        let (distance, lumps) = furthest(&scenario, &run);
        worst = (worst.0.max(distance), worst.1.max(lumps));
    }
    println!(
        "{}: {TREES} trees, {:.4} off at most, {:.2} lumps",
        policy.name(),
        worst.0,
        worst.1
    );
    worst
}

fn of(scheduler: Scheduler) -> Settings {
    Settings {
        scheduler: Some(scheduler),
        ..Settings::default()
    }
}

#[test]
fn slurm_clock_delivers_shares_under_fair_tree() {
    let how = (28, 300, Demand::Everything);
    let (distance, _) = largest_distance(Policy::FairTree, false, &of(Scheduler::Slurm), how);
    assert!(distance < NEAR, "{distance}");
}

#[test]
fn slurm_clock_delivers_shares_under_classic_directly_below_the_root() {
    let how = (28, 300, Demand::Everything);
    let (distance, _) = largest_distance(Policy::Classic, true, &of(Scheduler::Slurm), how);
    assert!(distance < NEAR, "{distance}");
}

#[test]
fn slurm_clock_delivers_shares_under_depth_oblivious() {
    // With all cores going to one user at a time, a target of 5% is missed by 1.5% of it.
    let how = (20, 300, Demand::TwiceTheMean);
    let (distance, _) = largest_distance(Policy::DepthOblivious, false, &of(Scheduler::Slurm), how);
    assert!(distance < NEAR, "{distance}");
}

#[test]
fn pbs_clock_delivers_shares_to_users_with_limited_demand() {
    let how = (20, 600, Demand::TwiceTheMean);
    let (distance, _) = largest_distance(Policy::Pbs, true, &of(Scheduler::Pbs), how);
    assert!(distance < NEAR, "{distance}");
}

#[test]
fn pbs_clock_misses_shares_by_less_than_one_allocation() {
    let how = (20, 600, Demand::Everything);
    let (distance, lumps) = largest_distance(Policy::Pbs, true, &of(Scheduler::Pbs), how);
    assert!(distance > NEAR, "{distance}");
    assert!(lumps < 1.0, "{lumps}");
}

#[test]
fn flux_bins_miss_shares_by_less_than_one_allocation() {
    let how = (180, 3600, Demand::Everything);
    let (distance, lumps) = largest_distance(Policy::Flux, false, &of(Scheduler::Flux), how);
    assert!(distance > NEAR, "{distance}");
    assert!(lumps < 1.0, "{lumps}");
}

#[test]
fn flux_bins_deliver_shares_over_long_periods() {
    let mut settings = of(Scheduler::Flux);
    let longer = 12;
    settings.flux.decay_half_life *= longer;
    settings.flux.usage_reset_period *= longer;
    let how = (8 * 12 * 7, 3600, Demand::Everything);
    let (distance, _) = largest_distance(Policy::Flux, false, &settings, how);
    assert!(distance < NEAR, "{distance}");
}

#[test]
fn flux_counts_an_hour_of_usage_equally_for_any_cycle_length() {
    for seed in 1..=5 {
        let scenario = scenario(Policy::Flux, seed, false, &of(Scheduler::Flux));
        let machine = Machine {
            job_time: 30 * 60,
            spread: 50,
            until: 90 * DAY,
            ..Machine::default()
        };
        let run =
            contend(&scenario, &machine, &mut |_| ControlFlow::Continue(())).expect("it runs");
        assert_eq!((run.timing.cycle, run.timing.counted), (300, 3600));
        let (_, lumps) = furthest(&scenario, &run);
        assert!(lumps < 1.0, "{lumps} on tree {seed}");
    }
}
