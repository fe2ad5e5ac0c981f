//! The search on small random trees finds the same answers as trying every number.

use crate::support::growth::{self, Accounts, random_tree};
use crate::support::random::Random;
use fairscope::analysis::solve::{Effort, Goal, ShareQuestion, Standing, solve_with};
use fairscope::model::{Settings, Shares, Snapshot, path_of};
use fairscope::report::words::solve::reason;
use fairscope::rules::policy::Policy;
use fairscope::rules::policy::formula::FORMULA;
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The largest number of shares tried.
const TRIED: i64 = 60;

/// Number of trees for each policy.
const TREES: u64 = 1000;

/// Number of trees of each policy for the tests with two searches or with targets.
const COMPARED: u64 = 40;

/// Number of trees with a formula, whose evaluation is slow.
const TREES_BY_FORMULA: u64 = 150;

/// Almost no counts are tried unconditionally, so that the search itself is tested.
const LEAST: Effort = Effort {
    scanned: 3,
    per_octave: 2,
    tried_back: 8,
    patience: 10_000,
};

/// A tree of 5 to 15 nodes with ties, idle users, nodes without shares, and `parent` shares if the policy has them.
fn tree(random: &mut Random, policy: Policy) -> Snapshot {
    let is_slurm = !matches!(
        policy,
        Policy::Pbs | Policy::PbsWalk | Policy::Flux | Policy::Formula
    );
    let count = random.between(4, 14);
    let tree = random_tree(
        random,
        count,
        Accounts {
            first: 2,
            one_in: Some(4),
        },
        |random| growth::shares(random, 12, is_slurm, 30),
        |random| {
            (random.below(5) > 0).then(|| match random.below(3) {
                0 => 100.0,
                1 => random.between(1, 50) as f64,
                _ => random.between(1, 100_000) as f64 / 7.0,
            })
        },
    );
    let mut settings = Settings::default();
    if policy == Policy::Formula {
        let formula = "100 * fairshare_perc - fairshare_factor + 2 * fairshare_tree_usage";
        settings.set(FORMULA, formula).unwrap();
    }
    growth::snapshot(tree, settings)
}

/// A random question: a node, a goal, and the node to change, which is the node itself or an account above it.
fn question(random: &mut Random, scenario: &Scenario) -> ShareQuestion {
    let tree = scenario.tree();
    let nodes = &tree.nodes()[1..];
    let node = nodes[random.below(nodes.len())];
    let line = tree.line(node);
    let change = line[random.below(line.len())];
    let other = nodes[random.below(nodes.len())];
    let is_apart = !tree.order().is_within(node, other) && !tree.order().is_within(other, node);
    let goal = match random.below(4) {
        0 if is_apart => Goal::AheadOf(other),
        3 => Goal::Share(random.between(1, 60) as f64 / 100.0),
        1 => Goal::Factor(random.between(1, 99) as f64 / 100.0),
        _ => Goal::Rank(u32::try_from(random.between(1, 5)).unwrap()),
    };
    ShareQuestion { node, goal, change }
}

fn has(scenario: &Scenario, question: ShareQuestion) -> bool {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let standing = |node| Standing::of(scenario.policy(), tree, evaluation, node);
    let own = standing(question.node);
    // Portions are compared as they can be read: by nine digits, under PBS by six.
    let read = |number: f64| {
        let text = match scenario.policy() {
            Policy::Pbs | Policy::PbsWalk | Policy::Formula => format!("{number:.5e}"),
            _ => format!("{number:.8e}"),
        };
        text.parse::<f64>().unwrap()
    };
    match question.goal {
        Goal::OnTarget => own.target.is_some_and(|target| target.is_met),
        Goal::Rank(rank) => own.rank.is_some_and(|own| own <= rank),
        Goal::Share(share) => own.share.is_some_and(|own| read(own) >= read(share)),
        Goal::Factor(factor) => own.factor.is_some_and(|own| read(own) >= read(factor)),
        Goal::AheadOf(other) => match (own.rank, standing(other).rank) {
            (Some(own), Some(other)) => own < other,
            (own, _) => own.is_some(),
        },
    }
}

/// The smallest number of shares, from `least` up, that meets the goal.
fn by_trying(scenario: &Scenario, question: ShareQuestion, least: i64) -> Option<i64> {
    let mut scenario = scenario.clone();
    (least..=TRIED).find(|&count| {
        let shares = Shares::new(count);
        let node = question.change;
        scenario.try_out(Edit::SetShares { node, shares }).unwrap();
        has(&scenario, question)
    })
}

/// Compares answers with trying every number.
fn hold(policy: Policy, is_about_targets: bool) {
    let trees = match policy {
        // One test covers targets under all policies.
        _ if is_about_targets => COMPARED,
        Policy::Formula => TREES_BY_FORMULA,
        _ => TREES,
    };
    let mut wrong = Vec::new();
    let (mut searched, mut impossible) = (0, 0);
    for seed in 0..trees {
        let mut random = Random::new(seed);
        let scenario = Scenario::new(Arc::new(tree(&mut random, policy)), policy);
        let mut question = question(&mut random, &scenario);
        if is_about_targets {
            question.goal = Goal::OnTarget;
            let (tree, numbers) = (scenario.tree(), scenario.evaluation());
            if policy.target(tree, numbers, question.node).is_none() {
                continue;
            }
        }
        let solution = solve_with(&scenario, question, LEAST, &mut |_| {
            ControlFlow::Continue(())
        });
        let solution = solution.unwrap();
        assert!(!reason(scenario.tree(), &solution).is_empty());
        match solution.shares {
            Some(0) => searched += u64::from(solution.shares_from_one.is_some()),
            Some(shares) => searched += u64::from(shares > LEAST.scanned.cast_signed()),
            None => impossible += 1,
        }
        let answer = solution.shares.filter(|&shares| shares <= TRIED);
        let tried = by_trying(&scenario, question, *solution.range.start());
        if answer != tried {
            let path = |node| path_of(scenario.tree(), node).unwrap();
            wrong.push(format!(
                "seed {seed}: {} {} by {}: {answer:?}, trying says {tried:?}",
                path(question.node),
                question.goal.write(scenario.tree()),
                path(question.change),
            ));
        }
        if solution.shares == Some(0) {
            let from_one = by_trying(&scenario, question, 1).filter(|&shares| shares > 1);
            let found = solution.shares_from_one.filter(|&shares| shares <= TRIED);
            assert_eq!(found, from_one, "{}: seed {seed}", policy.name());
        }
        // Answers beyond the tried numbers are checked directly.
        if let (Some(edit), Some(count)) = (solution.edit(), solution.shares) {
            let mut after = scenario.clone();
            after.try_out(edit).unwrap();
            assert!(has(&after, question), "{}: seed {seed}", policy.name());
            if count > *solution.range.start() {
                let node = question.change;
                let shares = Shares::new(count - 1);
                after.try_out(Edit::SetShares { node, shares }).unwrap();
                assert!(!has(&after, question), "{}: seed {seed}", policy.name());
            }
        }
    }
    let name = policy.name();
    assert!(
        wrong.is_empty(),
        "{name}: {}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(searched > trees / 20, "{name}: {searched} searched for");
    assert!(impossible > trees / 20, "{name}: {impossible} without one");
}

/// A search with little effort finds the same answers as one with much effort, far beyond the tried numbers.
#[test]
fn more_effort_finds_no_smaller_answer() {
    for &policy in Policy::ALL {
        let trees = if policy == Policy::Formula {
            2
        } else {
            COMPARED
        };
        for seed in 0..trees {
            let mut random = Random::new(seed.wrapping_mul(7919));
            let scenario = Scenario::new(Arc::new(tree(&mut random, policy)), policy);
            let question = question(&mut random, &scenario);
            let answers = [LEAST, Effort::for_nodes(20_000)].map(|effort| {
                let go_on = &mut |_| ControlFlow::Continue(());
                solve_with(&scenario, question, effort, go_on)
                    .unwrap()
                    .shares
            });
            assert_eq!(answers[0], answers[1], "{}: seed {seed}", policy.name());
        }
    }
}

macro_rules! policies {
    ($($test:ident: $policy:ident;)*) => {
        $(#[test]
        fn $test() {
            hold(Policy::$policy, false);
        })*

        #[test]
        fn the_smallest_shares_to_be_on_target_are_found_under_every_policy() {
            for policy in [$(Policy::$policy),*] {
                hold(policy, true);
            }
        }

        #[test]
        fn the_search_agrees_with_trying_every_number_under_every_policy() {
            for policy in Policy::ALL {
                assert!([$(Policy::$policy),*].contains(policy), "{}", policy.name());
            }
        }
    };
}

policies! {
    least_shares_under_pbs: Pbs;
    least_shares_under_level_based: LevelBased;
    least_shares_under_fair_tree: FairTree;
    least_shares_under_fair_tree_as_documented: FairTreeDocumented;
    least_shares_under_classic: Classic;
    least_shares_under_depth_oblivious: DepthOblivious;
    least_shares_under_tickets: Tickets;
    least_shares_under_flux: Flux;
    least_shares_under_pbs_walk: PbsWalk;
    least_shares_under_a_formula: Formula;
}
