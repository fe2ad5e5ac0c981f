//! A portion of the tree as a goal.

use crate::support::expected::Expected as _;
use crate::support::golden;
use crate::support::loading::load_quietly;
use fairscope::analysis::solve::{Goal, ShareQuestion, Solution, Standing, levels, solve};
use fairscope::format::{Request, csv};
use fairscope::model::{NodeId, Shares, resolve};
use fairscope::report::words::solve::reason;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Accounts without users.
const CENSUS: &str = "parent,name,shares,usage,type\n,physics,40,,account\n,chemistry,60,,account\n\
                      physics,optics,3,,account\nphysics,lasers,7,,account\n";

fn census(policy: Policy) -> Scenario {
    let loaded = csv::parse(CENSUS.into(), &Request::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    Scenario::new(Arc::new(loaded.expect("rows of a tree").snapshot), policy)
}

fn find(scenario: &Scenario, path: &str) -> NodeId {
    resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree")
}

fn solved(scenario: &Scenario, node: &str, goal: &str, change: &str) -> Solution {
    let question = ShareQuestion {
        node: find(scenario, node),
        goal: Goal::parse(goal.as_bytes(), scenario.tree()).expect("a goal"),
        change: find(scenario, change),
    };
    solve(scenario, question, &mut |_| ControlFlow::Continue(())).expect("a question")
}

#[test]
fn accounts_without_users_get_the_least_shares_for_a_portion_of_the_tree() {
    for policy in [Policy::FairTree, Policy::LevelBased, Policy::Flux] {
        let scenario = census(policy);
        let own = solved(&scenario, "physics", "share>=50%", "physics");
        let told = |solution| reason(scenario.tree(), solution);
        assert_eq!(own.shares, Some(60), "{}: {}", policy.name(), told(&own));
        let below = solved(&scenario, "physics/lasers", "share>=0.4", "physics/lasers");
        assert_eq!(below.shares, None, "{}", policy.name());
        told(&below).must_contain("; physics above it has 0.4");
        let above = solved(&scenario, "physics/lasers", "share>=0.35", "physics");
        assert_eq!(above.shares, Some(60), "{}", told(&above));
        assert_eq!(
            told(&above),
            "60 shares for physics: a share of 0.350000; with 59 it is a share of 0.347059"
        );
    }
}

#[test]
fn a_rank_goal_in_a_tree_without_users_suggests_a_portion() {
    let scenario = census(Policy::FairTree);
    let found = solved(&scenario, "physics", "rank<=1", "physics");
    assert_eq!(
        reason(scenario.tree(), &found),
        "physics has no rank: it has no users, or the policy excludes it; in a tree without users choose a goal such \
         as share>=5%"
    );
}

#[test]
fn portions_are_parsed_as_numbers_or_percentages() {
    let scenario = census(Policy::FairTree);
    let read = |text: &str| Goal::parse(text.as_bytes(), scenario.tree());
    assert_eq!(read("share >= 5 %"), Ok(Goal::Share(0.05)));
    assert_eq!(read("share>=0.05"), Ok(Goal::Share(0.05)));
    for wrong in ["share>=5", "share>=-1%", "share>=", "share>=many"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_search_covers_the_range_of_flux_shares() {
    let Some(folder) = golden("flux") else {
        return;
    };
    let request = Request::to_open(folder.join("25_big_shares/input.db"));
    let loaded = load_quietly(&request).expect("a database of Flux");
    let scenario = Scenario::new(Arc::new(loaded.snapshot), Policy::Flux);
    let node = find(&scenario, "A/a3");
    let found = levels(&scenario, node, Goal::Rank(2), &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("a question");
    assert!(
        found.iter().any(|solution| solution.shares.is_some()),
        "{found:#?}"
    );
    for solution in found {
        let Some(shares) = solution.shares else {
            continue;
        };
        let rank = |count: i64| {
            let mut scenario = scenario.clone();
            let edit = Edit::SetShares {
                node: solution.question.change,
                shares: Shares::new(count),
            };
            scenario.try_out(edit).expect("shares that Flux holds");
            Standing::of(Policy::Flux, scenario.tree(), scenario.evaluation(), node).rank
        };
        assert!(rank(shares) <= Some(2));
        if shares > *solution.range.start() {
            assert!(rank(shares - 1) > Some(2));
        }
    }
}

#[test]
fn a_portion_of_exactly_the_bound_reaches_it() {
    for policy in [
        Policy::FairTree,
        Policy::Classic,
        Policy::Flux,
        Policy::Pbs,
        Policy::PbsWalk,
    ] {
        let mut tried = 0;
        for percent in 1..100 {
            for sum in [100, 300, 700, 900] {
                let own = percent * sum / 100;
                let rows = format!(
                    "parent,name,shares,usage,type\n,a,1,,user\n,b,{},,user\n",
                    sum - own
                );
                let loaded = csv::parse(rows.into_bytes(), &Request::default(), &mut |_| {
                    ControlFlow::Continue(())
                });
                let snapshot = Arc::new(loaded.expect("rows of a tree").snapshot);
                let scenario = Scenario::new(snapshot, policy);
                let goal = format!("share>={percent}%");
                let solution = solved(&scenario, "a", &goal, "a");
                assert_eq!(solution.shares, Some(own), "{policy:?} {goal} of {sum}");
                tried += 1;
            }
        }
        assert_eq!(tried, 396);
    }
}

#[test]
fn more_than_a_portion_is_not_the_portion_itself() {
    let scenario = census(Policy::FairTree);
    let at_least = solved(&scenario, "physics", "share>=35%", "physics");
    let more = solved(&scenario, "physics", "share>35%", "physics");
    assert_eq!(at_least.shares, Some(33));
    assert_eq!(more.shares, Some(33));
    let exactly = solved(&scenario, "physics/optics", "share>12%", "physics/optics");
    assert_eq!(exactly.shares, Some(4));
}
