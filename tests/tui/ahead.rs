//! Large trees: what takes long is worked out aside, and no key is lost meanwhile.

use crate::support::journey::{Journey, said, scenario};
use fairscope::rules::policy::Policy;
use fairscope::tui::Effect;
use std::fmt::Write as _;
use std::path::Path;

/// A tree of so many users that their numbers are not there at once.
fn large() -> Journey {
    let mut drawing = String::from("a 3\nb 1\n");
    for user in 0..50_001 {
        let _ = writeln!(drawing, "  u{user} {}", user % 7 + 1);
    }
    Journey::on(&drawing)
}

fn policy(journey: &Journey) -> Policy {
    scenario(journey).policy()
}

fn done(journey: &Journey) -> usize {
    let session = journey.app.session().unwrap();
    session.scenario.history().done().len()
}

fn asked(journey: &Journey) -> usize {
    let is_asked = |effect: &&Effect| matches!(effect, Effect::Evaluate(_));
    journey.effects.iter().filter(is_asked).count()
}

#[test]
fn another_policy_says_at_once_that_it_is_computing_and_comes_when_it_is_there() {
    let mut journey = large().keys("p");
    assert_eq!(
        policy(&journey),
        Policy::Pbs,
        "its numbers are on the screen"
    );
    assert!(said(&journey).starts_with("computing: Slurm LEVEL_BASED"));
    assert!(journey.screen().contains("computing…"));
    journey.answer();
    assert_eq!(policy(&journey), Policy::LevelBased);
    assert!(said(&journey).starts_with("in force: Slurm LEVEL_BASED"));
    assert!(!journey.screen().contains("computing…"));
    assert!(journey.screen().contains("FairShare Raw"));
}

#[test]
fn keys_move_the_cursor_during_a_computation() {
    let mut journey = large().keys("p j");
    assert_eq!(policy(&journey), Policy::Pbs);
    assert_eq!(journey.selected(), "b");
    journey.answer();
    assert_eq!(policy(&journey), Policy::LevelBased);
    assert_eq!(journey.selected(), "b");
    assert_eq!(said(&journey), "", "the notice went with the key");
}

#[test]
fn policies_pressed_meanwhile_are_counted_and_one_question_is_under_way() {
    let mut journey = large().keys("p p p");
    assert_eq!(asked(&journey), 1);
    journey.answer();
    assert_eq!(
        policy(&journey),
        Policy::Pbs,
        "that one is no longer wanted"
    );
    assert_eq!(asked(&journey), 1, "but this one is");
    journey.answer();
    assert_eq!(policy(&journey), Policy::FairTreeDocumented);
    assert_eq!(asked(&journey), 0);
}

#[test]
fn settings_and_undo_wait_their_turn() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("] ]");
    assert_eq!(said(&journey), "PriorityLevels is now 4");
    assert_eq!(done(&journey), 0);
    journey.press("u");
    assert_eq!(said(&journey), "took back: set PriorityLevels=4");
    journey.answer();
    journey.answer();
    assert_eq!(done(&journey), 1);
    journey.press("U");
    journey.answer();
    assert_eq!(done(&journey), 2);
}

#[test]
fn an_edit_made_meanwhile_is_made_on_what_was_asked_for() {
    let mut journey = large().keys("p +");
    assert_eq!(policy(&journey), Policy::LevelBased);
    assert!(journey.row("a ").contains("*4"), "{}", journey.row("a "));
    assert_eq!(done(&journey), 1);
    journey.answer();
    assert_eq!(policy(&journey), Policy::LevelBased);
    assert_eq!(
        done(&journey),
        1,
        "an answer that comes too late is dropped"
    );
}

#[test]
fn an_edit_of_shares_needs_no_waiting() {
    let mut journey = large().keys("+ u U");
    assert!(journey.row("a ").contains("*4"));
    assert_eq!(asked(&journey), 0);
}

#[test]
fn what_is_kept_and_asked_about_on_quitting_has_every_edit() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("] q");
    assert!(journey.screen().contains("1 edit is not saved"));
    let session = journey.app.session().unwrap();
    let text = session.scenario_text(Path::new("x.toml"), Path::new("/"));
    assert!(text.contains("set PriorityLevels=3"), "{text}");
}

#[test]
fn a_refused_setting_says_so() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("[ [ [");
    journey.answer();
    assert!(
        said(&journey).starts_with("PriorityLevels cannot be 0"),
        "{}",
        said(&journey)
    );
}
