//! The tasks of the lessons: each can be done with a few keys, on screens of both sizes.

use crate::support::journey::Journey;
use crate::support::loading::load_quietly;
use fairscope::format::Request;
use fairscope::open::opened::Opened;
use fairscope::report::lesson::{Lesson, Staged};
use fairscope::tui::{Message, Options, built_in_lesson};
use std::sync::Arc;

/// The keys that do the tasks of each lesson, in the order of its steps.
const SOLUTIONS: [(&str, &[&str]); 18] = [
    ("zero", &["e100<enter>"]),
    ("tour", &["/zoe<enter>", "e200<enter>"]),
    ("suzy", &["/group2<enter> e200<enter>"]),
    ("dilution", &["e45<enter>"]),
    ("user", &["8 ts )))"]),
    ("fair-tree", &["/physics<enter> e80<enter>"]),
    ("classic", &["/rest<enter> e25<enter>"]),
    ("walk", &["e100<enter>"]),
    ("flux", &["/account1<enter> e2000<enter>"]),
    ("half-life", &["ts )"]),
    ("errata", &["ts )))"]),
    ("level-based", &["/Biology<enter> e50<enter>"]),
    ("asymptote", &["]]"]),
    ("objective", &["/small<enter> e10<enter>"]),
    ("ties", &["<up><up><up> e2<enter>"]),
    ("strangers", &["e1<enter>"]),
    ("waiting", &["ts ))"]),
    ("myths", &["e1<enter>"]),
];

fn example_of(lesson: &Lesson) -> Opened {
    let request = Request::to_open(&lesson.source);
    let loaded = load_quietly(&request).expect("it is built in");
    Opened::new(loaded, None)
}

/// Returns the text of the strip, without its title and its keys.
fn told(journey: &mut Journey) -> String {
    let screen = journey.screen();
    let is_title = |line: &str| line.starts_with('─') && line.contains(" · ");
    let below = screen.lines().skip_while(|line| !is_title(line));
    let lines = below.skip(1);
    let lines = lines.take_while(|line| !line.contains("  backspace back"));
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_lesson_has_a_task_and_each_is_done_by_a_few_keys() {
    for name in Lesson::names() {
        let keys = SOLUTIONS.iter().find(|(lesson, _)| *lesson == name);
        let (_, keys) = keys.unwrap_or_else(|| panic!("{name} has no keys for its tasks"));
        let lesson = built_in_lesson(name).expect("it is built in");
        let opened = example_of(&lesson);
        let staged = Staged::new(Arc::new(lesson.clone()), &opened.scenario).expect("it fits");
        let count = staged.lesson.steps.len();
        let tasks = (1..).zip(&staged.lesson.steps);
        let tasks = tasks.filter_map(|(step, does)| does.task.is_some().then_some(step));
        let tasks: Vec<usize> = tasks.collect();
        assert_eq!(tasks.len(), keys.len(), "the tasks of {name}");
        assert!(!tasks.is_empty(), "{name} has no task");
        for size in [(80, 24), (120, 40)] {
            let mut journey = Journey::empty(Options::default()).size(size.0, size.1);
            journey.send(Message::Lesson(Arc::new(lesson.clone())));
            journey.answer();
            let mut keys = tasks.iter().zip(*keys);
            for step in 1..=count {
                journey.must_show(&format!("─ {step} of {count}"));
                if journey.screen().contains("show the answer") {
                    journey.press("<space>");
                    journey.answer();
                }
                if tasks.contains(&step) {
                    let (_, keys) = keys.next().expect("keys for each task");
                    let before = told(&mut journey);
                    assert!(before.contains("Now you: "), "{name}: {before}");
                    journey.press(keys);
                    journey.answer();
                    let after = told(&mut journey);
                    assert!(after.contains("Done. "), "{name} {step}: {after}");
                    // Its last sentence is not cut.
                    assert!(after.ends_with(['.', '?']), "{name} {step}: {after}");
                    // It tells what was reached, so it stays as it is when that is undone.
                    journey.press("u");
                    journey.answer();
                    let undone = told(&mut journey);
                    let [kept, done] = [&undone, &after]
                        .map(|told| told.split_once("Done. ").map(|(_, done)| done));
                    assert_eq!(kept, done, "{name} {step}");
                }
                journey.press("<space>");
                journey.answer();
            }
        }
    }
}
