//! Large trees: long computations run in the background, and no key is lost meanwhile.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, caption, notice, scenario};
use fairscope::rules::policy::Policy;
use fairscope::tui::{Effect, Task, Work};
use std::fmt::Write as _;
use std::path::Path;

/// Opens a tree with so many users that its numbers take noticeable time.
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
    session.scenario.history().edits().len()
}

fn asked(journey: &Journey) -> usize {
    let is_asked = |effect: &&Effect| matches!(effect, Effect::Work(Work::Run(job)) if matches!(job.task, Task::Evaluation(_)));
    journey.effects.iter().filter(is_asked).count()
}

#[test]
fn a_new_policy_shows_that_it_is_computing_until_its_result_arrives() {
    let mut journey = large().keys("p");
    assert_eq!(
        policy(&journey),
        Policy::Pbs,
        "its numbers are on the screen"
    );
    notice(&journey).must_begin("computing: Slurm LEVEL_BASED");
    journey.must_show("computing…");
    journey.answer();
    assert_eq!(policy(&journey), Policy::LevelBased);
    notice(&journey).must_begin("policy: Slurm LEVEL_BASED");
    journey.must_hide("computing…");
    journey.must_show("FairShare Raw");
}

#[test]
fn keys_move_the_cursor_during_a_computation() {
    let mut journey = large().keys("gj p <down>");
    assert_eq!(policy(&journey), Policy::Pbs);
    assert_eq!(journey.selected(), "b");
    journey.answer();
    assert_eq!(policy(&journey), Policy::LevelBased);
    assert_eq!(journey.selected(), "b");
    assert_eq!(notice(&journey), "", "the notice went with the key");
}

#[test]
fn every_press_of_next_policy_counts_while_one_computation_runs() {
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
    assert_eq!(policy(&journey), Policy::Classic);
    assert_eq!(asked(&journey), 0);
}

#[test]
fn settings_and_undo_are_queued_during_a_computation() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("] ]");
    assert_eq!(notice(&journey), "PriorityLevels is now 4");
    assert_eq!(done(&journey), 0);
    journey.press("u");
    assert_eq!(notice(&journey), "undid: set PriorityLevels=4");
    journey.answer();
    journey.answer();
    assert_eq!(done(&journey), 1);
    journey.press("U");
    journey.answer();
    assert_eq!(done(&journey), 2);
}

#[test]
fn an_edit_during_a_computation_applies_to_the_requested_state() {
    let mut journey = large().keys("gj p +");
    assert_eq!(policy(&journey), Policy::LevelBased);
    journey.row("a ").must_contain("*4");
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
fn an_edit_of_shares_is_applied_immediately() {
    let mut journey = large().keys("gj + u U");
    journey.row("a ").must_contain("*4");
    assert_eq!(asked(&journey), 0);
}

#[test]
fn the_saved_text_and_the_question_on_quitting_include_queued_edits() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("] q");
    journey.must_show("1 edit is not saved");
    let session = journey.app.session().unwrap();
    let text = session.scenario_text(Path::new("x.toml"), Path::new("/"));
    text.must_contain("set PriorityLevels=3");
}

#[test]
fn a_refused_setting_is_reported() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("[ [ [");
    journey.answer();
    notice(&journey).must_begin("PriorityLevels cannot be 0");
}

#[test]
fn the_sentence_of_a_setting_tells_ranks_once_they_are_computed() {
    let mut journey = large().keys("p");
    journey.answer();
    journey.press("]");
    assert_eq!(caption(&journey), "set PriorityLevels=3; u undoes it");
    journey.answer();
    let told = caption(&journey);
    told.must_begin("set PriorityLevels=3: ");
    told.must_end("; u undoes it");
    journey.press("p");
    assert_eq!(caption(&journey), "", "another policy is being computed");
    journey.answer();
    assert_eq!(caption(&journey), "");
}
