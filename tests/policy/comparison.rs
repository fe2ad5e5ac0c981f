//! One tree under several policies.

use fairscope::model::Settings;
use fairscope::model::generate::{Shape, generate};
use fairscope::rules::policy::{Basis, Comparison, Policy, Ranking, tau_b};
use proptest::collection::vec;
use proptest::prelude::*;

const POLICIES: [Policy; 4] = [
    Policy::Pbs,
    Policy::Classic,
    Policy::DepthOblivious,
    Policy::Tickets,
];

#[test]
fn the_formula_is_compared_only_if_one_is_set() {
    let mut settings = Settings::default();
    let usual = Comparison::usual(&settings);
    assert_eq!(usual.len() + 1, Policy::ALL.len());
    assert!(!usual.contains(&Policy::Formula), "{usual:?}");
    settings
        .set("job_sort_formula", "ncpus")
        .expect("a formula");
    assert_eq!(Comparison::usual(&settings), Policy::ALL);
}

#[test]
fn users_whose_ranks_differ_most_come_first() {
    let snapshot = generate(300, Shape::Skewed, 3);
    let comparison = Comparison::new(
        Basis::computed(&snapshot.tree, &snapshot.settings),
        &POLICIES,
    );
    let users = &comparison.users;
    assert_eq!(users.len(), 300);
    assert!(users.is_sorted_by_key(|&user| std::cmp::Reverse(comparison.spread(user))));
    for &user in users {
        let ranks = (0..POLICIES.len()).filter_map(|policy| comparison.rank(policy, user));
        let (best, worst) = (ranks.clone().min(), ranks.max());
        assert_eq!(comparison.spread(user), worst.zip(best).map(|(w, b)| w - b));
    }
}

#[test]
fn ranks_equal_those_of_each_policy() {
    let snapshot = generate(50, Shape::Balanced, 2);
    let comparison = Comparison::new(
        Basis::computed(&snapshot.tree, &snapshot.settings),
        &POLICIES,
    );
    for (place, policy) in POLICIES.iter().enumerate() {
        let numbers = policy.evaluate(&snapshot.tree, &snapshot.settings);
        for &user in &comparison.users {
            assert_eq!(comparison.rank(place, user), numbers.rank(user));
        }
    }
}

#[test]
fn agreement_is_symmetric_and_complete_with_itself() {
    let snapshot = generate(200, Shape::Skewed, 5);
    let comparison = Comparison::new(
        Basis::computed(&snapshot.tree, &snapshot.settings),
        &POLICIES,
    );
    for a in 0..POLICIES.len() {
        assert_eq!(comparison.tau(a, a), Some(1.0));
        for b in 0..a {
            let tau = comparison.tau(a, b).expect("users are told apart");
            assert_eq!(comparison.tau(b, a), Some(tau));
            assert!((-1.0..=1.0).contains(&tau));
        }
    }
    assert_eq!(comparison.tau(0, POLICIES.len()), None);
    assert_eq!(comparison.tau(POLICIES.len(), 0), None);
}

#[test]
fn a_single_user_gives_no_agreement() {
    let snapshot = generate(1, Shape::Flat, 1);
    let comparison = Comparison::new(
        Basis::computed(&snapshot.tree, &snapshot.settings),
        &POLICIES,
    );
    assert_eq!(comparison.tau(0, 1), None);
    let none = Comparison::new(Basis::computed(&snapshot.tree, &snapshot.settings), &[]);
    assert_eq!(none.users.len(), 1);
    assert_eq!(none.spread(none.users[0]), None);
}

fn tau(first: &[u32], second: &[u32]) -> Option<f64> {
    tau_b(&Ranking::from_ranks(first), first, second)
}

/// Computes Kendall's tau-b as it is defined: pair by pair.
fn by_definition(first: &[u32], second: &[u32]) -> Option<f64> {
    let both: Vec<_> = first
        .iter()
        .zip(second)
        .filter(|(a, b)| **a > 0 && **b > 0)
        .collect();
    let (mut surplus, mut told_first, mut told_second) = (0_i64, 0_i64, 0_i64);
    for (place, (a, b)) in both.iter().enumerate() {
        for (c, d) in &both[..place] {
            let [x, y] = [a.cmp(c) as i64, b.cmp(d) as i64];
            surplus += x * y;
            told_first += x * x;
            told_second += y * y;
        }
    }
    let scale = (told_first as f64 * told_second as f64).sqrt();
    (scale > 0.0).then(|| surplus as f64 / scale)
}

#[test]
fn the_same_order_is_1_and_the_reverse_is_minus_1() {
    assert_eq!(tau(&[1, 2, 3], &[1, 2, 3]), Some(1.0));
    assert_eq!(tau(&[1, 2, 3], &[3, 2, 1]), Some(-1.0));
    assert_eq!(tau(&[1, 1, 3], &[2, 2, 9]), Some(1.0));
}

#[test]
fn tau_is_none_if_all_ranks_tie() {
    assert_eq!(tau(&[], &[]), None);
    assert_eq!(tau(&[1], &[1]), None);
    assert_eq!(tau(&[1, 1], &[1, 2]), None);
    assert_eq!(tau(&[1, 2], &[1, 1]), None);
}

#[test]
fn only_users_ranked_by_both_policies_count() {
    assert_eq!(tau(&[1, 2, 0, 3], &[1, 2, 3, 0]), Some(1.0));
    assert_eq!(tau(&[1, 0], &[0, 1]), None);
}

proptest! {
    #![proptest_config(crate::support::laws(256))]

    #[test]
    fn the_fast_tau_equals_the_defined_tau(
        ranks in vec((0_u32..40, 0_u32..40), 0..120)
    ) {
        let (first, second): (Vec<u32>, Vec<u32>) = ranks.into_iter().unzip();
        let (quick, slow) = (tau(&first, &second), by_definition(&first, &second));
        prop_assert_eq!(quick.map(f64::to_bits), slow.map(f64::to_bits));
    }
}

#[test]
fn places_are_compared_among_the_users_that_every_policy_ranks() {
    let snapshot = fairscope::open::example(fairscope::format::Example::Site).snapshot;
    let policies = [Policy::FairTree, Policy::PbsWalk];
    let comparison = Comparison::new(
        Basis::computed(&snapshot.tree, &snapshot.settings),
        &policies,
    );
    // Eight users have `parent` instead of shares, which PBS does not know.
    assert_eq!((comparison.users.len(), comparison.common), (40, 32));
    let mut unranked = 0;
    for &user in &comparison.users {
        let places = [0, 1].map(|policy| comparison.place(policy, user));
        let Some(walk) = comparison.rank(1, user) else {
            assert_eq!((places, comparison.spread(user)), ([None; 2], None));
            unranked += 1;
            continue;
        };
        assert_eq!(places[1], Some(walk));
        let own = comparison.rank(0, user);
        let before = comparison.users.iter().filter(|&&other| {
            comparison.rank(0, other) < own && comparison.rank(1, other).is_some()
        });
        let place = u32::try_from(before.count() + 1).ok();
        assert_eq!(places[0], place);
        assert_eq!(
            comparison.spread(user),
            place.map(|place| place.abs_diff(walk))
        );
    }
    assert_eq!(unranked, 8);
}
