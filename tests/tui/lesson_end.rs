//! What is behind the last step of a lesson, what is kept of it, and the room that charts have in its steps.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use fairscope::format::Request;
use fairscope::open::opened::Opened;
use fairscope::report::lesson::{Lesson, Staged};
use fairscope::tui::{Effect, Memory, Message, Options, built_in_lesson};
use std::path::PathBuf;
use std::sync::Arc;

/// Plays a lesson on a screen of this size, in an explorer that keeps things in a folder.
fn playing(name: &str, (width, height): (u16, u16)) -> Journey {
    let options = Options {
        recent: Some(PathBuf::from("/nowhere/recent")),
        ..Options::default()
    };
    let mut journey = Journey::empty(options).size(width, height);
    let lesson = built_in_lesson(name).expect("it is built in");
    journey.send(Message::Lesson(Arc::new(lesson)));
    journey.answer();
    journey
}

/// Goes on behind the last step.
fn to_the_end(journey: &mut Journey) {
    for _ in 0..60 {
        if journey.screen().contains("· finished") {
            return;
        }
        journey.press("<enter>");
        journey.answer();
    }
    panic!("no end\n{}", journey.screen());
}

/// Returns the words of the screen in one line.
fn words(journey: &mut Journey) -> String {
    let screen = journey.screen();
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn finished(journey: &Journey) -> Vec<&'static str> {
    let mut names = Vec::new();
    for effect in &journey.effects {
        if let Effect::Memory(Memory::Finish(name)) = effect {
            names.push(*name);
        }
    }
    names
}

#[test]
fn behind_the_last_step_stands_what_the_lesson_comes_to_and_the_next_one() {
    let mut journey = playing("zero", (80, 24));
    to_the_end(&mut journey);
    assert_eq!(finished(&journey), ["zero"]);
    journey.must_show("Shares give a target");
    journey.must_show("L lists the lessons.");
    journey.must_show("next lesson: tour");
    // Back to the last step, and on again.
    journey.press("<backspace>");
    journey.must_hide("· finished");
    journey.press("<enter><enter>");
    journey.answer();
    journey.must_show("The tour: read the tree");
    journey.must_show("1 of 13");
    // The tree that was only read is closed.
    journey.press("<ctrl-n>");
    journey.must_show("The tour: read the tree");
}

#[test]
fn a_tree_that_the_reader_changed_stays_open_when_the_next_lesson_begins() {
    let mut journey = playing("zero", (120, 40));
    for _ in 0..20 {
        if journey.screen().contains("Now you") {
            break;
        }
        journey.press("<enter>");
        journey.answer();
    }
    to_the_end(&mut journey);
    journey.press("e+5<enter>");
    journey.answer();
    journey.press("<enter>");
    journey.answer();
    journey.must_show("The tour: read the tree");
    journey.press("<ctrl-n>");
    journey.must_show("the example two");
}

#[test]
fn behind_the_last_lesson_all_are_listed() {
    let mut journey = playing("errata", (120, 40));
    to_the_end(&mut journey);
    journey.must_show("all lessons");
    journey.press("<enter>");
    journey.must_show("Start here");
    journey.must_show("✓ errata");
}

#[test]
fn lessons_that_were_finished_in_earlier_runs_get_their_ticks_in_the_open_list() {
    let mut journey = playing("zero", (80, 24)).keys("L");
    journey.must_hide("✓");
    assert!(
        journey
            .effects
            .contains(&Effect::Memory(Memory::RecallFinished))
    );
    let words = [b"suzy".to_vec(), b"no lesson".to_vec()];
    journey.send(Message::Finished(words.to_vec()));
    journey.must_show("✓ suzy");
    let ticks = journey.screen().matches('✓').count();
    assert_eq!(ticks, 1);
}

#[test]
fn a_state_folder_that_cannot_be_written_is_told_once_and_no_tick_is_kept() {
    let mut journey = playing("zero", (120, 40));
    to_the_end(&mut journey);
    let reason = "/nowhere/lessons: no such directory";
    journey.send(Message::FinishedUnkept(reason.into()));
    assert_eq!(
        notice(&journey),
        format!("{reason}; finished lessons are not kept")
    );
    journey.press("<enter>");
    journey.answer();
    to_the_end(&mut journey);
    journey.send(Message::FinishedUnkept(reason.into()));
    journey.must_hide(reason);
    assert_eq!(finished(&journey), ["zero"]);
}

#[test]
fn while_a_question_is_open_keys_that_would_tell_its_answer_ask_for_one() {
    let mut journey = playing("suzy", (80, 24)).keys("<enter>");
    for key in ["d", "!", "9"] {
        journey.press(key);
        assert_eq!(
            notice(&journey),
            "first your answer: 1 to 2, or space to see it",
            "{key}"
        );
    }
    journey.press("1");
    journey.must_show("No: suzy ranks 3rd, bob ranks 1st.");
}

#[test]
fn a_task_says_what_was_tried_and_gives_a_hint_after_the_second_try() {
    let mut journey = playing("zero", (120, 40));
    for _ in 0..20 {
        if journey.screen().contains("Now you") {
            break;
        }
        journey.press("<enter>");
        journey.answer();
    }
    let hint = "many shares. arts has 40.";
    let try_out = |journey: &mut Journey, keys: &str| {
        journey.press(keys);
        journey.answer();
        words(journey)
    };
    let first = try_out(&mut journey, "e61<enter>");
    first.must_contain("Not yet with shares science=61.");
    first.must_contain("Now you: press e");
    first.must_lack(hint);
    let second = try_out(&mut journey, "e62<enter>");
    second.must_contain("Not yet with shares science=62.");
    second.must_contain(hint);
    second.must_contain("Now you: press e");
    try_out(&mut journey, "u").must_lack(hint);
    try_out(&mut journey, "e200<enter>").must_contain("Done. ann ranks 1st");
}

#[test]
fn a_step_that_begins_with_another_tree_names_that_tree() {
    let mut journey = playing("half-life", (120, 40));
    journey.must_show("the example two");
    for _ in 0..40 {
        if journey.screen().contains("PBS: half a decay time") {
            break;
        }
        journey.press("<enter>");
        journey.answer();
    }
    journey.must_show("the example small  toml · PBS fairshare");
    journey.must_hide("(source:");
    while !journey.screen().contains("─ 7 of ") {
        journey.press("<backspace>");
        journey.answer();
    }
    journey.must_show("the example two  toml · Slurm Fair Tree");
}

/// Returns the rows of the lowest chart of a screen above its axis; `None` without a chart.
fn chart_rows(screen: &str) -> Option<usize> {
    let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
    let is_axis = |line: &[char]| {
        let column = line
            .windows(4)
            .position(|cells| cells == ['└', '─', '─', '─'])?;
        let is_inside = column > 3;
        is_inside.then_some(column)
    };
    let (row, column) = lines
        .iter()
        .enumerate()
        .rev()
        .find_map(|(row, line)| Some((row, is_axis(line)?)))?;
    let above = lines[..row].iter().rev();
    Some(
        above
            .take_while(|line| line.get(column) == Some(&'│'))
            .count(),
    )
}

#[test]
fn charts_have_at_least_eight_rows_on_a_screen_of_80_by_24() {
    let mut charts = 0;
    for name in Lesson::names() {
        let mut journey = playing(name, (80, 24));
        for _ in 0..60 {
            let screen = journey.screen();
            if screen.contains("· finished") {
                break;
            }
            if let Some(rows) = chart_rows(&screen) {
                assert!(rows >= 8, "{name}: {rows} rows\n{screen}");
                charts += 1;
            }
            journey.press("<enter>");
            journey.answer();
        }
    }
    assert!(charts >= 5, "{charts}");
}

#[test]
fn a_task_that_is_done_before_it_begins_is_refused() {
    let text = "title = \"t\"\nabout = \"a\"\nsource = \"example:small\"\n[[step]]\ntext = \"x\"\n[step.try]\n\
                text = \"x\"\ndone = \"x\"\nnode = \"group2/suzy\"\ngoal = \"rank<=3\"\n";
    let file = "our.toml".into();
    let lesson = fairscope::tui::parse_lesson(&file, text, std::path::Path::new(""));
    let lesson = lesson.expect("a lesson");
    let request = Request::to_open(&lesson.source);
    let loaded = crate::support::loading::load_quietly(&request).expect("it is built in");
    let opened = Opened::new(loaded, None);
    let refused = Staged::new(Arc::new(lesson), &opened.scenario).expect_err("it is done");
    refused
        .must_begin("our.toml:10: the task is done before it begins: group2/suzy reaches rank<=3");
}
