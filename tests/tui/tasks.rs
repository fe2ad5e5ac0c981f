//! Ten things that a newcomer wants, done with what the screen says at 80 by 24: each key is offered where it is
//! pressed, by a hint, a tab, help or a list. `TASKS=1 cargo test newcomer -- --nocapture` lists the steps.

use crate::support::data;
use crate::support::journey::{Journey, scenario};
use fairscope::rules::policy::Policy;
use fairscope::tui::{Effect, Message, Options, Work};

/// The most keys of a task, names and numbers aside.
const MOST_KEYS: usize = 6;

/// The seconds that a person takes to press a key, and to find the next step on the screen: the keystroke-level model
/// of Card, Moran and Newell.
const SECONDS: (f64, f64) = (0.28, 1.35);

/// A task under way.
struct Task {
    name: &'static str,
    journey: Journey,
    steps: Vec<String>,
    keys: usize,
    letters: usize,
}

impl Task {
    /// Starts as `fairscope` does without arguments.
    fn start(name: &'static str) -> Self {
        let mut journey = Journey::empty(Options::default()).size(80, 24);
        journey.send(Message::Example);
        Self {
            name,
            journey,
            steps: Vec::new(),
            keys: 0,
            letters: 0,
        }
    }

    /// Presses keys that the screen offers with these words.
    #[track_caller]
    fn press(&mut self, keys: &str, offered: &str) {
        self.journey.must_show(offered);
        self.journey.press(keys);
        self.journey.answer();
        self.keys += keys.split_whitespace().count();
        self.steps.push(format!("{keys} ({})", offered.trim()));
    }

    /// Types a name or a number.
    fn say(&mut self, text: &str) {
        self.journey.press(text);
        self.letters += text.len();
        self.steps.push(format!("\"{text}\""));
    }

    /// Ends the task with what the screen must show then.
    #[track_caller]
    fn end(mut self, shown: &[&str]) -> Journey {
        self.journey.must_show_all(shown);
        let Self { name, keys, .. } = self;
        let (key, step) = SECONDS;
        let pressed = (self.keys + self.letters) as f64;
        let seconds = pressed * key + self.steps.len() as f64 * step;
        if std::env::var_os("TASKS").is_some() {
            let steps = self.steps.join(", ");
            println!("{name}: {keys} keys, {seconds:.0} s: {steps}");
        }
        assert!(keys <= MOST_KEYS, "{name}: {keys} keys");
        self.journey
    }
}

#[test]
fn a_newcomer_opens_a_dump() {
    let mut task = Task::start("open a dump");
    task.press("o", "o open");
    task.say(&data("slurm/gold").display().to_string());
    task.press("<enter>", "enter ");
    task.end(&["Slurm"]);
}

#[test]
fn a_newcomer_finds_out_why_somebody_is_low() {
    let mut task = Task::start("why is alice low");
    task.press("/", "/ find");
    task.say("alice");
    task.press("<enter>", "enter ");
    task.end(&["why physics/astro/alice", "alice is 35th of 40"]);
}

#[test]
fn a_newcomer_raises_a_share_and_sees_who_loses() {
    let mut task = Task::start("raise a share and see who loses");
    task.press("e", "e shares");
    task.say("60");
    task.press("<enter>", "enter ");
    task.press("5", "5 Plan");
    task.end(&["Impact", "each lose 23.1% of their share"]);
}

#[test]
fn a_newcomer_undoes_an_edit() {
    let mut task = Task::start("undo");
    task.journey.press("e 60 <enter>");
    task.press("u", "u undo");
    let journey = task.end(&["astro"]);
    assert!(scenario(&journey).history().edits().is_empty());
}

#[test]
fn a_newcomer_puts_one_user_ahead_of_another() {
    let mut task = Task::start("make alice beat lena");
    task.press("/", "/ find");
    task.say("alice");
    task.press("<enter>", "enter ");
    task.press(":", ": actions");
    task.say("solve");
    task.press("<enter>", "Solve for a goal");
    task.say("ahead-of<space>lena");
    task.press("<enter>", "ahead-of");
    task.press("<space>", "space apply it");
    let journey = task.end(&["alice"]);
    assert_eq!(scenario(&journey).history().edits().len(), 1);
}

#[test]
fn a_newcomer_plans_an_edit() {
    let mut task = Task::start("plan");
    task.journey.press("e 60 <enter>");
    task.press("5", "5 Plan");
    task.end(&["The plan"]);
}

#[test]
fn a_newcomer_sees_how_long_somebody_takes_to_recover() {
    let mut task = Task::start("how long until bob recovers");
    task.press("/", "/ find");
    task.say("bob");
    task.press("<enter>", "enter ");
    task.press("4", "4 Time");
    task.end(&["only bob", "on target after"]);
}

#[test]
fn a_newcomer_compares_policies() {
    let mut task = Task::start("compare policies");
    task.press("3", "3 Policies");
    task.end(&["Fair", "PBS"]);
}

#[test]
fn a_newcomer_sees_buckets() {
    let mut task = Task::start("buckets");
    task.press("?", "? help");
    task.press("<esc>", "All actions by name");
    task.press(":", "1 Tree");
    task.say("buckets");
    task.press("<enter>", Policy::LevelBased.title());
    let journey = task.end(&["LEVEL_BASED"]);
    assert_eq!(scenario(&journey).policy(), Policy::LevelBased);
}

#[test]
fn a_newcomer_saves_and_opens_again() {
    let mut task = Task::start("save and reopen");
    task.journey.press("e 60 <enter>");
    task.press("w", "w save");
    task.say("x.toml");
    task.press("<enter>", "enter ");
    let saved = task.journey.effects.iter();
    let mut saved = saved.filter_map(|effect| match effect {
        Effect::Work(Work::Save { contents, .. }) => Some(contents.clone()),
        _ => None,
    });
    let contents = saved.next().expect("it is saved");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("x.toml");
    std::fs::write(&path, contents).expect("the folder is ours");
    task.press("o", "o open");
    task.say(&path.display().to_string());
    task.press("<enter>", "enter ");
    let journey = task.end(&["1 edit"]);
    assert_eq!(scenario(&journey).history().edits().len(), 1);
}
