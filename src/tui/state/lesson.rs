//! A lesson that is being played: its step, and what the reader answered and did.

use super::TABS;
use crate::base::shown::{Shown, sentence, shown};
use crate::open::opened::TreeSource;
use crate::report::lesson::{Lesson, Reply, Stage, Staged, Until};
use crate::scenario::{EditEntry, Scenario};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Keymap;
use std::collections::BTreeSet;
use std::path::Path;

/// A lesson on a tree, and how far the reader is in it.
#[derive(Clone, Debug)]
pub(crate) struct OpenLesson {
    pub(crate) staged: Staged,
    /// Where the lesson's tree comes from; that of a step may be another one.
    pub(crate) source: TreeSource,
    /// The step, from 0.
    pub(crate) step: usize,
    pub(crate) chosen: Option<usize>,
    /// Whether the step's question was answered, or it has none.
    pub(crate) is_revealed: bool,
    pub(crate) is_done: bool,
    /// The tree with which the task was done, of which is said what came of it.
    pub(crate) done_with: Option<Scenario>,
    pub(crate) place: LessonPlace,
    /// The number of changes of the tree when the step was set up.
    pub(crate) changes: u64,
}

/// Where the reader of a lesson is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LessonPlace {
    /// In the step.
    Step,
    /// Behind the last step, where it is said what the lesson comes to.
    End,
    /// Outside of it. The reader may go on with it.
    Left,
}

impl OpenLesson {
    /// Returns a lesson at its first step.
    pub(crate) fn new(staged: Staged, source: TreeSource) -> Self {
        Self {
            staged,
            source,
            step: 0,
            chosen: None,
            is_revealed: false,
            is_done: false,
            done_with: None,
            place: LessonPlace::Step,
            changes: 0,
        }
    }

    /// Returns the step with its trees.
    pub(crate) fn stage(&self) -> Stage<'_> {
        self.staged.stage(self.step)
    }

    /// Returns how many steps there are.
    pub(crate) fn count(&self) -> usize {
        self.staged.lesson.steps.len()
    }

    /// Returns the tree of the step as it is to be seen: before the answer of its question, or after.
    pub(crate) fn scenario(&self) -> &Scenario {
        let Stage { before, now, .. } = self.stage();
        if self.is_revealed { now } else { before }
    }

    /// Returns what the question can be answered with, as long as it is open.
    pub(crate) fn open_question(&self) -> Option<Reply> {
        let reply = self.stage().reply()?;
        if self.is_revealed {
            return None;
        }
        Some(reply)
    }

    /// Returns the edits that the reader made in this step and did not undo, the last one last. `latest` is the tree with
    /// them.
    pub(crate) fn tried<'a>(&self, latest: &'a Scenario) -> Vec<&'a EditEntry> {
        let before = self.scenario().history().edits().len();
        let mut edits = latest.history().edits();
        edits.drain(..before.min(edits.len()));
        edits
    }

    /// Returns what ends the task of the step; `None` if it has no task.
    pub(crate) fn until(&self) -> Option<&Until> {
        let task = self.stage().step.task.as_ref()?;
        Some(&task.until)
    }
}

/// The built-in lessons that the reader finished, in this run or before.
#[derive(Clone, Debug, Default)]
pub(crate) struct FinishedLessons {
    /// Their names.
    names: BTreeSet<&'static str>,
    /// Whether they cannot be kept from run to run, which was said.
    pub(crate) is_unkept: bool,
}

impl FinishedLessons {
    /// Takes in a lesson.
    pub(crate) fn add(&mut self, name: &'static str) {
        self.names.insert(name);
    }

    /// Takes in the lessons of a list that may have other words.
    pub(crate) fn add_known(&mut self, words: &[Vec<u8>]) {
        for name in Lesson::names() {
            if words.iter().any(|word| word == name.as_bytes()) {
                self.add(name);
            }
        }
    }

    /// Returns the mark of a lesson in lists: a tick if it was finished.
    pub(crate) fn mark(&self, name: &str) -> &'static str {
        if self.names.contains(name) {
            "✓"
        } else {
            " "
        }
    }

    /// Returns the name of a lesson behind its mark.
    pub(crate) fn listed(&self, name: &str) -> Shown {
        let mark = self.mark(name);
        sentence!("{mark} {name}")
    }
}

/// Returns the key of an action by its name, as the keymap has it; empty if there is no such action.
pub(crate) fn key_of(keymap: &Keymap, name: &str) -> Shown {
    match Action::named(name) {
        Some(action) => shown(keymap.hint(action).as_bytes()),
        None => Shown::default(),
    }
}

/// Returns the key of an action by its name, as the keymap has it that comes with the program.
pub fn usual_key(name: &str) -> Shown {
    key_of(&Keymap::default(), name)
}

/// Reads a lesson that may name the explorer's screens and actions. `file` is its name in messages, and a source that is
/// a file is seen from `folder`. The error has a sentence for each thing that is not understood, with its line.
pub fn parse_lesson(file: &Shown, text: &str, folder: &Path) -> Result<Lesson, Vec<Shown>> {
    let mut actions = Vec::new();
    for action in Action::ALL {
        actions.push(action.name());
    }
    let mut screens = Vec::new();
    for (screen, _) in TABS {
        screens.push(screen.name());
    }
    Lesson::parse(file, text, folder, [&actions, &screens])
}
