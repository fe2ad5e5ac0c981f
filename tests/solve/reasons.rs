//! The sentences that explain an answer or its absence.

use crate::support::expected::Expected as _;
use crate::support::trees::{SEED, pbs};
use fairscope::analysis::solve::{
    Goal, GoalError, ShareQuestion, SmallestChange, Solution, SolveError, levels, solve,
};
use fairscope::model::{Shares, resolve};
use fairscope::report::words::solve::reason;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

fn scenario(policy: Policy) -> Scenario {
    Scenario::new(Arc::new(pbs(SEED)), policy)
}

fn question(scenario: &Scenario, node: &str, goal: &str, change: &str) -> ShareQuestion {
    let find = |name: &str| resolve(scenario.tree(), name.as_bytes()).unwrap();
    ShareQuestion {
        node: find(node),
        goal: Goal::parse(goal.as_bytes(), scenario.tree()).unwrap(),
        change: find(change),
    }
}

fn ask(policy: Policy, node: &str, goal: &str, change: &str) -> Solution {
    let scenario = scenario(policy);
    let question = question(&scenario, node, goal, change);
    solve(&scenario, question, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The sentence for an answer about the tree under a policy.
fn told(policy: Policy, solution: &Solution) -> String {
    reason(scenario(policy).tree(), solution).into()
}

#[test]
fn answers_state_the_result_with_one_share_less() {
    let solution = ask(Policy::Pbs, "bob", "rank<=2", "bob");
    assert_eq!(solution.shares, Some(11));
    assert!(solution.is_reached_now);
    assert_eq!(
        told(Policy::Pbs, &solution),
        "11 shares: rank 2 of 4; with 10 it is rank 3"
    );
    assert_eq!(solution.difference(), Some(-39));
    let solution = ask(Policy::FairTree, "scott", "rank<=2", "group2");
    assert_eq!(
        told(Policy::FairTree, &solution),
        "200 shares for group2: rank 2 of 4; with 199 it is rank 4"
    );
    assert!(!solution.is_reached_now);
}

#[test]
fn a_deciding_level_above_is_named() {
    let solution = ask(Policy::FairTree, "scott", "ahead-of bob", "scott");
    assert_eq!(solution.shares, None);
    assert_eq!(
        told(Policy::FairTree, &solution),
        "no shares inside group2 can pass group1/bob: group2 itself is behind group1, LevelFS 0.7200 against 2.4000; \
         group1/bob stays ahead"
    );
    let solution = ask(Policy::FairTree, "bob", "ahead-of cathy", "group1");
    assert_eq!(
        told(Policy::FairTree, &solution),
        "shares of group1 cannot reorder its own members: there group1/bob ties with group1/cathy, LevelFS \
         1.0000 against 1.0000"
    );
}

#[test]
fn the_account_that_limits_a_factor_is_named() {
    let solution = ask(Policy::Pbs, "scott", "factor>=0.5", "scott");
    assert_eq!(
        told(Policy::Pbs, &solution),
        "even with 2,147,483,587 shares the factor of group2/scott reaches only 0.381798, below 0.5; \
         group2 above it has 0.381798 itself"
    );
}

#[test]
fn shares_of_a_rival_are_lowered_only_as_far_as_needed() {
    let solution = ask(Policy::FairTree, "group2/scott", "ahead-of bob", "group1");
    let now = 40;
    let shares = solution.shares.unwrap();
    assert!(shares < now, "{}", told(Policy::FairTree, &solution));
    let mut scenario = scenario(Policy::FairTree);
    let asked = question(&scenario, "scott", "ahead-of bob", "group1");
    for (count, is_ahead) in [(shares, true), (shares + 1, false)] {
        let shares = Shares::new(count);
        let node = asked.change;
        scenario.try_out(Edit::SetShares { node, shares }).unwrap();
        let rank = |name: &str| {
            let node = resolve(scenario.tree(), name.as_bytes()).unwrap();
            scenario.evaluation().rank(node).unwrap()
        };
        assert_eq!(rank("scott") < rank("bob"), is_ahead, "{count}");
    }
}

#[test]
fn answers_never_overflow_the_sum_of_a_level() {
    let solution = ask(Policy::Pbs, "scott", "rank<=1", "scott");
    // PBS's sum is a signed 32-bit integer, and suzy has 60 shares.
    assert_eq!(*solution.range.end(), 2_147_483_647 - 60);
    let solution = ask(Policy::FairTree, "scott", "rank<=1", "scott");
    assert_eq!(*solution.range.end(), 2_147_483_646);
    let solution = ask(Policy::Flux, "group2", "rank<=1", "group2");
    assert_eq!(*solution.range.start(), 1);
}

#[test]
fn the_level_with_the_smallest_change_is_found() {
    let scenario = scenario(Policy::FairTree);
    let asked = question(&scenario, "scott", "rank<=2", "scott");
    let solutions = levels(&scenario, asked.node, asked.goal, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let shares: Vec<_> = solutions.iter().map(|solution| solution.shares).collect();
    assert_eq!(shares, [Some(200), None]);
    let smallest = SmallestChange::of(&solutions);
    assert_eq!((smallest.absolute, smallest.relative), (Some(0), Some(0)));
}

#[test]
fn questions_without_an_answer_are_refused() {
    let scenario = scenario(Policy::Pbs);
    let mut go_on = |_| ControlFlow::Continue(());
    let mut asked = question(&scenario, "bob", "ahead-of group1", "bob");
    let refused = solve(&scenario, asked, &mut go_on).unwrap_err();
    assert!(matches!(refused, SolveError::OneLine { .. }), "{refused}");
    asked.goal = Goal::Rank(1);
    asked.change = fairscope::model::NodeId::ROOT;
    let refused = solve(&scenario, asked, &mut go_on).unwrap_err();
    assert!(matches!(refused, SolveError::Edit(_)), "{refused}");
    asked.change = asked.node;
    let stopped = solve(&scenario, asked, &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err(), SolveError::Cancelled);
}

#[test]
fn goals_are_parsed_and_written() {
    let scenario = scenario(Policy::Pbs);
    let parse = |text: &str| Goal::parse(text.as_bytes(), scenario.tree());
    for text in ["rank<=3", "factor>=0.25", "ahead-of group1/bob"] {
        assert_eq!(parse(text).unwrap().write(scenario.tree()), text);
    }
    assert_eq!(parse(" rank <= 3 "), Ok(Goal::Rank(3)));
    assert_eq!(parse("rank<=0"), Err(GoalError::Rank("rank<=0".into())));
    assert_eq!(
        parse("factor>=x"),
        Err(GoalError::Factor("factor>=x".into()))
    );
    assert_eq!(parse("rank=3"), Err(GoalError::Form("rank=3".into())));
    assert!(matches!(parse("ahead-of nobody"), Err(GoalError::Path(_))));
    assert_eq!(parse("ahead-of TREEROOT"), Err(GoalError::Root));
}

#[test]
fn equivalent_comparisons_give_the_same_goal() {
    let scenario = scenario(Policy::Pbs);
    let parse = |text: &str| Goal::parse(text.as_bytes(), scenario.tree());
    for (text, goal, written) in [
        ("rank<3", Goal::Rank(2), "rank<=2"),
        ("rank < 3", Goal::Rank(2), "rank<=2"),
        ("Rank <= 3", Goal::Rank(3), "rank<=3"),
        ("rank≤3", Goal::Rank(3), "rank<=3"),
        ("factor>0.5", Goal::Factor(0.5_f64.next_up()), "factor>0.5"),
        ("factor >= 0.5", Goal::Factor(0.5), "factor>=0.5"),
        ("FACTOR≥0.5", Goal::Factor(0.5), "factor>=0.5"),
        ("factor>0", Goal::Factor(0.0_f64.next_up()), "factor>0"),
        ("factor>=0", Goal::Factor(0.0), "factor>=0"),
        ("share > 25%", Goal::Share(0.25_f64.next_up()), "share>0.25"),
    ] {
        assert_eq!(parse(text), Ok(goal), "{text}");
        assert_eq!(goal.write(scenario.tree()), written);
        assert_eq!(parse(written), Ok(goal), "{written}");
    }
    for (text, sentence) in [
        (
            "rank<1",
            "rank<1 is not a valid rank; expected a whole number from 1 up, as in rank<=3",
        ),
        (
            "rank<=1.5",
            "rank<=1.5 is not a valid rank; expected a whole number from 1 up, as in rank<=3",
        ),
        (
            "rank>3",
            "unknown goal 'rank>3' (on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH)",
        ),
        (
            "first",
            "unknown goal 'first' (on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH)",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), sentence);
    }
}

#[test]
fn the_value_of_a_formula_is_not_called_a_factor() {
    let mut snapshot = pbs(SEED);
    let formula = "1000*fairshare_factor";
    snapshot.settings.set("job_sort_formula", formula).unwrap();
    let scenario = Scenario::new(Arc::new(snapshot), Policy::Formula);
    let told = |node: &str, goal: &str| {
        let question = question(&scenario, node, goal, node);
        let solution = solve(&scenario, question, &mut |_| ControlFlow::Continue(())).unwrap();
        String::from(reason(scenario.tree(), &solution))
    };
    assert_eq!(
        told("bob", "factor>=500"),
        "18 shares: formula value 501.171997; with 17 it is formula value 489.493988"
    );
    let impossible = told("scott", "factor>=900");
    impossible.must_contain("the formula value of group2/scott reaches only");
}

#[test]
fn a_number_below_its_bound_is_shown_below_it() {
    let snapshot = pbs("a 20 | 5\nb 20 | 5\nc 20 | 5\n");
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let question = question(&scenario, "a", "share>=100%", "a");
    let solution = solve(&scenario, question, &mut |_| ControlFlow::Continue(())).unwrap();
    let told = String::from(reason(scenario.tree(), &solution));
    told.must_contain("in the tree reaches only 0.99999");
}
