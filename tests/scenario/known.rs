//! Numbers that were computed before are not computed again.

use super::{edit, scenario};
use fairscope::model::{Shares, resolve};
use fairscope::rules::policy::{Evaluation, Policy};
use fairscope::scenario::{Edit, Scenario};

/// Returns where the present numbers are in memory.
fn place(scenario: &Scenario) -> *const Evaluation {
    scenario.evaluation()
}

fn shares(scenario: &Scenario, path: &str, shares: i64) -> Edit {
    let node = resolve(scenario.tree(), path.as_bytes()).unwrap();
    let shares = Shares::new(shares);
    Edit::SetShares { node, shares }
}

#[test]
fn an_edit_keeps_the_numbers_with_which_it_was_tried() {
    let mut scenario = scenario();
    let wanted = shares(&scenario, "bob", 7);
    scenario.try_out(wanted.clone()).unwrap();
    let tried = place(&scenario);
    scenario.apply(wanted).unwrap();
    assert_eq!(place(&scenario), tried);

    let other = shares(&scenario, "bob", 8);
    scenario.apply(other).unwrap();
    assert_ne!(place(&scenario), tried);
}

#[test]
fn typing_on_returns_to_the_numbers_before_without_computing_them() {
    let mut scenario = scenario();
    edit(&mut scenario, "shares bob=70").unwrap();
    let before = place(&scenario);
    for digits in [1, 12, 123] {
        let tried = shares(&scenario, "bob", digits);
        scenario.try_out(tried).unwrap();
        assert_ne!(place(&scenario), before);
    }
    scenario.end_trial();
    assert_eq!(place(&scenario), before);
}

#[test]
fn undo_and_redo_go_back_to_known_numbers() {
    let mut scenario = scenario();
    let untouched = place(&scenario);
    edit(&mut scenario, "shares bob=70").unwrap();
    let first = place(&scenario);
    edit(&mut scenario, "usage bob=123456").unwrap();
    let second = place(&scenario);
    scenario.undo();
    assert_eq!(place(&scenario), first);
    scenario.redo();
    assert_eq!(place(&scenario), second);
    scenario.undo();
    scenario.undo();
    assert_eq!(place(&scenario), untouched);
}

#[test]
fn numbers_of_another_policy_are_not_taken() {
    let mut scenario = scenario();
    edit(&mut scenario, "shares bob=70").unwrap();
    let _ = scenario.evaluation();
    edit(&mut scenario, "shares bob=71").unwrap();
    let _ = scenario.evaluation();
    scenario.set_policy(Policy::FairTree);
    scenario.undo();
    let anew = Policy::FairTree.evaluate(scenario.tree(), scenario.settings());
    assert!(*scenario.evaluation() == anew);
}

#[test]
fn a_node_that_is_added_again_has_numbers_of_its_own() {
    let mut scenario = scenario();
    edit(&mut scenario, "add dora shares=3").unwrap();
    let _ = scenario.evaluation();
    scenario.undo();
    edit(&mut scenario, "add dora shares=3").unwrap();
    let dora = resolve(scenario.tree(), b"dora").unwrap();
    assert!(scenario.evaluation().rank(dora).is_some());
    let anew = scenario
        .policy()
        .evaluate(scenario.tree(), scenario.settings());
    assert!(*scenario.evaluation() == anew);
}
