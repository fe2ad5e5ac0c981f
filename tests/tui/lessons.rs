//! Lessons in the explorer: from the first step to the last and back, questions, tasks, leaving and going on.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice, scenario};
use crate::support::lessons::{asked, holds_hidden, told_by};
use crate::support::loading::load_quietly;
use fairscope::base::shown::Shown;
use fairscope::format::Request;
use fairscope::open::opened::Opened;
use fairscope::report::lesson::{Lesson, Staged, fill};
use fairscope::rules::policy::Policy;
use fairscope::tui::{Message, Options, built_in_lesson, parse_lesson, usual_key};
use std::path::Path;
use std::sync::Arc;

/// Plays a lesson on a screen of this size.
fn playing(lesson: Lesson, (width, height): (u16, u16)) -> Journey {
    let mut journey = Journey::empty(Options::default()).size(width, height);
    journey.send(Message::Lesson(Arc::new(lesson)));
    journey.answer();
    journey
}

fn built_in(name: &str) -> Lesson {
    built_in_lesson(name).expect("it is built in")
}

fn staged(name: &str) -> Staged {
    let lesson = built_in(name);
    let request = Request::to_open(&lesson.source);
    let loaded = load_quietly(&request).expect("it is built in");
    let opened = Opened::new(loaded, None);
    Staged::new(Arc::new(lesson), &opened.scenario).expect("it fits its tree")
}

/// Returns the words of the screen in one line, without the frame.
fn words(journey: &mut Journey) -> String {
    let screen = journey.screen();
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Holds that the whole sentence is on the screen, and nothing of the strip was cut.
fn holds_sentence(journey: &mut Journey, said: &Shown, what: &str) {
    let screen = words(journey);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        screen.contains(&said),
        "{what}: no {said:?} in\n{}",
        journey.screen()
    );
}

#[test]
fn every_lesson_plays_to_its_end_and_back_on_screens_of_both_sizes() {
    let mut steps = 0;
    for name in Lesson::names() {
        let staged = staged(name);
        let count = staged.lesson.steps.len();
        for size in [(80, 24), (120, 40)] {
            let mut journey = playing(built_in(name), size);
            let mut forwards = Vec::new();
            for number in 0..count {
                let stage = staged.stage(number);
                let what = format!("{name} {} at {size:?}", number + 1);
                journey.must_show(&format!("─ {} of {count}", number + 1));
                if let Some(asked) = stage.asked(&usual_key) {
                    holds_sentence(&mut journey, &asked, &what);
                    let right = stage.reply().expect("answers");
                    let right = right.is_right.iter().position(|is_right| *is_right);
                    let digit = right.expect("an answer is right") + 1;
                    journey.press(&digit.to_string());
                    journey.answer();
                    journey.must_show("Right. ");
                }
                let said = stage
                    .said(&stage.step.text, &usual_key)
                    .expect("a sentence");
                holds_sentence(&mut journey, &said, &what);
                if let Some(task) = &stage.step.task {
                    let said = stage.said(&task.text, &usual_key).expect("a sentence");
                    holds_sentence(&mut journey, &said, &what);
                }
                if let Some((_, path)) = &stage.step.view.select
                    && number == 0
                {
                    assert_eq!(
                        journey.selected(),
                        path.rsplit('/').next().unwrap(),
                        "{what}"
                    );
                }
                let is_last = number + 1 == count;
                journey.must_show(if is_last {
                    "enter finish"
                } else {
                    "enter next"
                });
                forwards.push(scenario(&journey).tree().state_hash());
                if !is_last {
                    journey.press("<space>");
                    journey.answer();
                }
                steps += 1;
            }
            for number in (0..count).rev() {
                journey.must_show(&format!("─ {} of {count}", number + 1));
                assert_eq!(
                    scenario(&journey).tree().state_hash(),
                    forwards[number],
                    "{name} back at {}",
                    number + 1
                );
                let is_asked = staged.stage(number).step.question.is_some();
                journey.press(if is_asked {
                    "<backspace><backspace>"
                } else {
                    "<backspace>"
                });
                journey.answer();
            }
            assert_eq!(notice(&journey), "this is the first step");
        }
    }
    println!("{steps} steps played forwards and back");
}

/// Each account has one user, so the ranks would tell whose bucket is fuller.
#[test]
fn ranks_wait_for_the_answer_to_a_question_about_buckets() {
    let keys = "<space>".repeat(7) + " /acct149<enter>";
    let mut journey = playing(built_in("asymptote"), (90, 24)).keys(&keys);
    journey.must_show("1 acct149  2 acct148");
    let screen = journey.screen();
    let mut rows = screen.lines().filter(|line| line.contains("user148"));
    let row = rows.next().expect("the user of acct148");
    assert!(row.trim_end().ends_with('?'), "{screen}");
}

#[test]
fn a_wrong_answer_is_told_and_an_answer_can_be_shown_without_one() {
    let mut journey = playing(built_in("suzy"), (80, 24)).keys("<space>");
    journey.must_show_all(&["ranks higher?", "1 suzy", "2 bob", "enter show the answer"]);
    journey.press("3");
    journey.must_show("ranks higher?");
    journey.press("1");
    journey.must_show("No: suzy ranks 3rd, bob ranks 1st. ");
    journey.press("<backspace>");
    journey.must_show("ranks higher?");
    journey.press("<space>");
    journey.must_hide("No: ");
    journey.must_show("though she has the larger target");
}

#[test]
fn a_task_waits_for_the_reader_and_tells_what_came_of_it() {
    let last = "<space>".repeat(9);
    let mut journey = playing(built_in("suzy"), (80, 24)).keys(&last);
    journey.must_show("Now you: choose group2 or suzy, press e");
    journey.press("/group2<enter> e61<enter>");
    // The task stays in view.
    let not_yet = words(&mut journey);
    not_yet.must_contain("Now you: choose group2 or suzy, press e");
    not_yet.must_contain("Not yet with shares group2=61. suzy ranks 3rd");
    journey.press("e200<enter>");
    journey.must_show("Done. suzy ranks 1st");
    // What came of it stays true when the edit is undone.
    journey.press("u");
    journey.must_show("Done. suzy ranks 1st");
    // What the reader did is not part of the next step.
    journey.press("<space><space>");
    assert_eq!(scenario(&journey).history().edits().len(), 1);
}

#[test]
fn a_task_may_wait_for_a_node_to_be_selected() {
    let mut journey = playing(built_in("tour"), (120, 40));
    while !journey.screen().contains("Now you: press /") {
        journey.press("<space>");
    }
    journey.press("/<esc>");
    journey.must_show("Now you: press /");
    journey.press("/zoe<enter>");
    journey.must_show("Done. This is zoe.");
}

#[test]
fn a_task_may_wait_for_an_action() {
    let text = "title = \"t\"\nabout = \"a\"\nsource = \"example:small\"\n[[step]]\ntext = \"x\"\n[step.try]\n\
                text = \"press {key curves}\"\naction = \"curves\"\ndone = \"These are they.\"\n";
    let lesson = parse_lesson(&"our.toml".into(), text, Path::new("")).expect("a lesson");
    let mut journey = playing(lesson, (120, 40));
    journey.must_show("press C");
    journey.press("C");
    journey.must_show("Done. These are they.");
}

#[test]
fn what_would_tell_the_answer_is_hidden_until_it_is_given() {
    let mut journey = playing(built_in("objective"), (120, 40));
    for key in ["", "<space>"] {
        journey.press(key);
        journey.row("bigu").must_end("?");
        journey.must_hide("─ why");
    }
    journey.press("2");
    journey.row("bigu").must_contain("3/3");
    journey.must_show("─ why");
}

#[test]
fn a_lesson_left_beside_another_tree_tells_the_way_back_to_it() {
    let mut journey = Journey::example("small").keys("L<enter><esc>");
    let told = "L goes on with the lesson, ^N shows the other tree";
    assert_eq!(notice(&journey), told);
    journey.press("<ctrl-n>");
    journey.must_show("the example small");
}

#[test]
fn a_lesson_is_left_and_taken_up_again() {
    let mut journey = playing(built_in("suzy"), (80, 24)).keys("<space> 2 <space>");
    journey.must_show("─ 3 of 9");
    journey.press("<esc>");
    assert_eq!(
        notice(&journey),
        "L goes on with the lesson, and the tree is yours to play with"
    );
    journey.must_hide("─ 3 of 9");
    journey.press("e70<enter>");
    assert!(!scenario(&journey).history().is_untouched());
    journey.press("L");
    journey.must_show_all(&["go on", "step 3 of 9", "tour"]);
    journey.press("<enter>");
    journey.must_show("─ 3 of 9");
    assert!(scenario(&journey).history().is_untouched());
    assert_eq!(
        notice(&journey),
        "your edits are in another tree: ^N shows it"
    );
    journey.press("<ctrl-n>");
    assert!(!scenario(&journey).history().is_untouched());
    journey.must_hide("─ 3 of 9");
}

#[test]
fn lessons_are_listed_and_the_last_step_leaves_the_tree_to_the_reader() {
    let mut journey =
        Journey::example("small").keys("L <down><down><down><down><down><down> <enter>");
    journey.must_show_all(&["Suzy and Bob", "─ 1 of 9"]);
    while !journey.screen().contains("enter finish") {
        journey.press("<space>");
    }
    journey.press("<space>");
    journey.must_show_all(&["finished", "next lesson"]);
    journey.press("q");
    assert!(
        journey.effects.contains(&fairscope::tui::Effect::Quit),
        "the edits of a lesson are not asked about"
    );
}

#[test]
fn a_screen_that_is_too_small_says_how_to_read_the_lesson() {
    let mut journey = playing(built_in("suzy"), (50, 14));
    journey.must_show("too small: a lesson needs 60x16;");
    journey.resize(60, 16);
    journey.must_show("suzy holds 60.0%");
}

#[test]
fn a_lesson_that_does_not_fit_its_tree_is_not_played() {
    let text = "title = \"t\"\nabout = \"a\"\nsource = \"example:small\"\n[[step]]\ntext = \"{factor zoe}\"\n";
    let lesson = parse_lesson(&"our.toml".into(), text, Path::new("")).expect("a lesson");
    let mut journey = playing(lesson, (120, 40));
    notice(&journey).must_begin("our.toml:5: unknown node 'zoe'");
    journey.must_show("suzy");
    journey.must_hide("step 1");
}

#[test]
fn keys_of_a_lesson_are_clicked() {
    let mut journey = playing(built_in("suzy"), (80, 24));
    let screen = journey.screen();
    let row = screen
        .lines()
        .position(|line| line.contains("enter next"))
        .expect("keys");
    let line = screen.lines().nth(row).expect("a line");
    let column = line.find("enter next").expect("keys");
    journey.click(u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    journey.must_show("─ 2 of 9");
}

#[test]
fn lines_of_a_node_that_the_reader_added_are_gone_with_the_next_step() {
    let mut journey = playing(built_in("waiting"), (120, 40));
    journey.press("1anew<enter>4");
    journey.answer();
    journey.must_show("Factor of new");
    // The next step has a tree without that node.
    journey.press("<space><space>4");
    journey.must_hide("Factor of new");
    journey.answer();
    journey.must_show("Factor of");
}

#[test]
fn the_readers_own_tree_gets_its_lines_when_the_lesson_goes_on() {
    let mut journey = playing(built_in("suzy"), (120, 40));
    // The edits are made, and their lines are asked for, when the lesson goes on.
    journey.press("<esc>anew<enter>4L<enter>");
    journey.must_show("─ 1 of");
    journey.answer();
    journey.press("<ctrl-n>");
    journey.answer();
    journey.must_show("Factor of new");
    journey.must_hide("computing…");
}

#[test]
fn no_screen_shows_the_answer_before_the_question_is_answered() {
    let mut hidden = 0;
    for name in Lesson::names() {
        let staged = staged(name);
        let asked = asked(name, &staged);
        let mut journey = playing(built_in(name), (120, 40));
        for step in 0..staged.lesson.steps.len() {
            let stage = staged.stage(step);
            let has_question = stage.step.question.is_some();
            for (tree, from) in [(stage.before, step), (stage.now, step + 1)] {
                if from == step && !has_question {
                    continue;
                }
                let what = format!("{name} {}", step + 1);
                let told = told_by(&staged, &asked, tree, from);
                for asked in &told {
                    let screen = journey.screen();
                    hidden += holds_hidden(&screen, asked, &what);
                    assert!(!screen.contains("─ why"), "{what}: {screen}");
                }
                if !told.is_empty() {
                    // The digits of an open question are its answers.
                    let keys: &[&str] = if from == step {
                        &["C"]
                    } else {
                        &["2", "3", "4", "5", "1C"]
                    };
                    for key in keys {
                        journey.press(key);
                        journey.answer();
                        journey.must_show("hidden until the answer of step ");
                    }
                    journey.press("<esc>");
                    assert!(!journey.screen().contains("hidden until"), "{what}");
                    // Neither a sorted table nor the why pane tells it.
                    journey.press("dd");
                    assert!(!journey.screen().contains("─ why"), "{what}");
                }
                journey.press("<space>");
                journey.answer();
            }
        }
    }
    assert!(hidden > 40, "{hidden}");
}

/// Returns a lesson on another tree.
fn elsewhere(name: &str, source: &str, policy: Option<Policy>) -> Option<Lesson> {
    let request = Request::to_open(data(source));
    let loaded = load_quietly(&request).expect("it can be loaded");
    let opened = Opened::new(loaded, policy);
    let cast = built_in(name).pick?.cast(&opened.scenario).ok()?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
    let text = std::fs::read_to_string(file.join(name).with_extension("toml")).expect("a lesson");
    let lesson = parse_lesson(&"our.toml".into(), &fill(&text, &cast), Path::new(""));
    let mut lesson = lesson.expect("it can be read");
    lesson.other = Some(Box::new(request));
    Some(lesson)
}

/// The lessons that can fit another tree, each with the keys that do its task.
const TASKS: [(&str, &str); 7] = [
    ("suzy", "e*10<enter>"),
    ("dilution", "u"),
    ("ties", "E+7200<enter>"),
    ("fair-tree", "e*100<enter>"),
    ("half-life", ")"),
    ("classic", "u"),
    ("user", "e*10<enter>"),
];

/// Own trees of each scheduler, with the lessons that do not fit them.
const OTHERS: [(&str, Option<Policy>, &[&str]); 6] = [
    ("pbs/01-seed-example", None, &[]),
    ("pbs/01-seed-example", Some(Policy::Pbs), &["fair-tree"]),
    ("slurm/partitions/sshare_a_m_P.txt", None, &["ties"]),
    (
        "slurm/partitions/sshare_a_m_P.txt",
        Some(Policy::LevelBased),
        &["ties"],
    ),
    (
        "slurm/partitions/sshare_a_m_P.txt",
        Some(Policy::Classic),
        &["ties", "fair-tree"],
    ),
    ("flux/44_real_shares/input.db", None, &["ties"]),
];

#[test]
fn lessons_are_played_on_other_trees_and_their_tasks_are_done() {
    for (source, policy, unfit) in OTHERS {
        for (name, keys) in TASKS {
            let fitting = elsewhere(name, source, policy);
            let is_fit = fitting.is_some();
            assert_ne!(is_fit, unfit.contains(&name), "{name} {source} {policy:?}");
            let Some(fitting) = fitting else { continue };
            for size in [(80, 24), (120, 40)] {
                let lesson = fitting.clone();
                let options = Options {
                    policy,
                    ..Options::default()
                };
                let mut journey = Journey::empty(options).size(size.0, size.1);
                journey.send(Message::Lesson(Arc::new(lesson)));
                let what = format!("{name} {source} {policy:?}");
                open_as(&mut journey, policy);
                let mut tasks = 0;
                for presses in 0.. {
                    assert!(presses < 12, "{what}: {}", journey.screen());
                    let screen = journey.screen();
                    assert!(
                        screen.contains("backspace back"),
                        "{what}: {} {screen}",
                        notice(&journey)
                    );
                    if screen.contains("Now you: ") {
                        journey.press(keys);
                        assert!(
                            words(&mut journey).contains("Done. "),
                            "{what}: {}",
                            journey.screen()
                        );
                        tasks += 1;
                    }
                    if screen.contains("enter finish") {
                        break;
                    }
                    journey.press("<space>");
                    journey.answer();
                }
                assert_eq!(tasks, 1, "{what}");
            }
        }
    }
}

/// Opens what a lesson is played on, under this policy.
fn open_as(journey: &mut Journey, policy: Option<Policy>) {
    for effect in std::mem::take(&mut journey.effects) {
        if let fairscope::tui::Effect::Work(fairscope::tui::Work::Load(request)) = effect {
            let loaded = load_quietly(&request);
            let opened = Opened::new(loaded.expect("it can be loaded"), policy);
            journey.send(Message::Loaded(Box::new(opened)));
        }
    }
}
