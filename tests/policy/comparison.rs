//! One tree under several policies.

use fairscope::model::Settings;
use fairscope::model::generate::{Shape, generate};
use fairscope::rules::policy::{Comparison, Policy};

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
    assert!(!usual.contains(&Policy::Formula));
    settings
        .set("job_sort_formula", "ncpus")
        .expect("a formula");
    assert_eq!(Comparison::usual(&settings), Policy::ALL);
}

#[test]
fn users_whose_ranks_differ_most_come_first() {
    let snapshot = generate(300, Shape::Skewed, 3);
    let comparison = Comparison::of(&snapshot.tree, &snapshot.settings, &POLICIES);
    let users = &comparison.users;
    assert_eq!(users.len(), 300);
    assert!(users.is_sorted_by_key(|&user| std::cmp::Reverse(comparison.spread(user))));
    for &user in users {
        let ranks = (0..POLICIES.len()).filter_map(|policy| comparison.rank(policy, user));
        let (best, worst) = (ranks.clone().min(), ranks.max());
        assert_eq!(
            Some(comparison.spread(user)),
            worst.zip(best).map(|(w, b)| w - b)
        );
    }
}

#[test]
fn ranks_equal_those_of_each_policy() {
    let snapshot = generate(50, Shape::Balanced, 2);
    let comparison = Comparison::of(&snapshot.tree, &snapshot.settings, &POLICIES);
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
    let comparison = Comparison::of(&snapshot.tree, &snapshot.settings, &POLICIES);
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
    let comparison = Comparison::of(&snapshot.tree, &snapshot.settings, &POLICIES);
    assert_eq!(comparison.tau(0, 1), None);
    let none = Comparison::of(&snapshot.tree, &snapshot.settings, &[]);
    assert_eq!(none.users.len(), 1);
    assert_eq!(none.spread(none.users[0]), 0);
}
