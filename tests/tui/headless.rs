//! The explorer without a terminal: everything that it asks for is done before the next event, by its own clock.

use crate::support::data;
use crate::support::expected::Expected as _;
use fairscope::format::Request;
use fairscope::tui::picture::PictureForm;
use fairscope::tui::script::Script;
use fairscope::tui::{Delivery, Headless, Message, Options, built_in_lesson};
use ratatui::layout::Size;
use std::time::Duration;

fn explorer(source: &str) -> Headless {
    let mut explorer = Headless::new(Options::default(), Size::new(100, 30));
    let request = Request::to_open(data(source));
    explorer.open(Some(request)).expect("it can be opened");
    explorer
}

fn screen(explorer: &Headless) -> String {
    explorer.picture(PictureForm::Text)
}

fn played(source: &str, script: &str) -> Headless {
    let mut explorer = explorer(source);
    explorer.play(&Script::parse(script).expect("it can be read"));
    explorer
}

#[test]
fn pages_jobs_and_lists_are_there_when_the_keys_were_pressed() {
    for (script, text) in [
        ("3", "PBS Level Fair FairDoc"),
        ("4", "c this one stops"),
        ("j j j e \"80\" enter 5", "resource_group.new"),
        ("o", "assets/"),
        ("t d \"7d\" enter", "now day 7"),
    ] {
        let screen = screen(&played("seed", script));
        assert!(screen.contains(text), "{script}\n{screen}");
    }
}

#[test]
fn the_clock_of_the_explorer_runs_with_the_script_alone() {
    let before = played("seed", "4 enter");
    let later = played("seed", "4 enter +3");
    assert!(before.next_change().is_some(), "{}", screen(&before));
    assert!(later.next_change() > Some(Duration::from_secs(3)));
    assert_ne!(screen(&before), screen(&later));
    assert_eq!(screen(&later), screen(&played("seed", "4 enter +1 +1 +1")));
}

#[test]
fn no_file_is_written_and_the_screen_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.toml");
    let script = format!(
        "j j j e \"80\" enter w ctrl-u paste=\"{}\" enter",
        path.display()
    );
    let screen = screen(&played("seed", &script));
    screen.must_contain("no file is written while keys are played");
    assert!(!path.exists());
}

#[test]
fn nothing_happens_after_the_explorer_was_left() {
    let left = played("seed", "q j j j +100 4");
    assert!(left.has_quit());
    assert_eq!(screen(&left), screen(&played("seed", "q")));
}

#[test]
fn another_size_is_drawn_from_the_event_on() {
    let explorer = played("seed", "resize=60x20 j");
    let screen = screen(&explorer);
    assert_eq!(screen.lines().count(), 20, "{screen}");
    assert!(
        screen.lines().all(|line| line.chars().count() <= 60),
        "{screen}"
    );
}

#[test]
fn a_source_that_cannot_be_opened_is_an_error() {
    let mut explorer = Headless::new(Options::default(), Size::new(100, 30));
    let request = Request::to_open(data("no-such-file"));
    let error = explorer.open(Some(request)).unwrap_err();
    error.must_contain("no such file or directory");
}

#[test]
fn what_is_saved_and_copied_is_handed_over_where_that_is_asked_for() {
    let mut explorer = explorer("seed").delivering();
    explorer.play(&Script::parse("j j j e \"80\" enter w ctrl-u \"new.toml\" enter").unwrap());
    let text = screen(&explorer);
    let deliveries = explorer.take_deliveries();
    let [Delivery::File(path, bytes)] = &deliveries[..] else {
        panic!("{deliveries:?}\n{text}");
    };
    assert_eq!(path.file_name(), Some("new.toml".as_ref()));
    assert!(!bytes.is_empty());
    assert!(text.contains("new.toml"), "{text}");
    explorer.play(&Script::parse("y").unwrap());
    let deliveries = explorer.take_deliveries();
    assert!(
        matches!(&deliveries[..], [Delivery::Copied(_)]),
        "{deliveries:?}"
    );
    assert!(explorer.take_deliveries().is_empty());
}

#[test]
fn time_passes_and_the_time_of_day_is_told_from_outside() {
    let mut explorer = explorer("seed");
    explorer.play(&Script::parse("4 enter").unwrap());
    let due = explorer.next_change().expect("the clock plays");
    let before = screen(&explorer);
    explorer.pass(due);
    assert_ne!(before, screen(&explorer));
    assert!(explorer.next_change() > Some(due));
}

#[test]
fn a_screen_reader_hears_the_selected_row_and_why_and_the_lines_of_what_covers_them() {
    let mut explorer = explorer("seed");
    let said = explorer.spoken();
    let (row, why) = said.split_once('\n').unwrap();
    let text = screen(&explorer);
    assert!(row.contains("Shares "), "{row}");
    assert!(row.contains("Usage "), "{row}");
    let headline = why.lines().next().unwrap();
    assert!(text.contains(headline), "{headline}\n{text}");
    assert!(
        !said.contains(['│', '█', '─', '▸', '▾', '❯', '·']),
        "{said}"
    );
    explorer.play(&Script::parse("?").unwrap());
    let said = explorer.spoken();
    assert!(!said.contains(row), "{said}");
    assert!(said.contains("help"), "{said}");
}

#[test]
fn a_screen_reader_hears_what_is_said_and_typed_and_the_lesson() {
    let mut explorer = explorer("seed");
    explorer.play(&Script::parse("u").unwrap());
    explorer.spoken().must_contain("nothing to undo");
    explorer.play(&Script::parse("e \"80\"").unwrap());
    let said = explorer.spoken();
    assert_eq!(said.lines().count(), 1, "{said}");
    said.must_contain("80");
    let mut explorer = Headless::new(Options::default(), Size::new(100, 30));
    let lesson = built_in_lesson("zero").unwrap();
    explorer
        .begin(Message::Lesson(std::sync::Arc::new(lesson)))
        .unwrap();
    let said = explorer.spoken();
    said.must_contain("1 of 8");
    said.must_contain("Four users share a cluster");
}
