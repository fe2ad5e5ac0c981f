//! Dialogs: they cover the table and take the keys.

use crate::base::fuzzy::ranked;
use crate::base::shown::Shown;
use crate::format::{Example, Problem};
use crate::model::NodeId;
use crate::report::manual::Topic;
use crate::report::outline::{Filter, Sort};
use crate::rules::policy::{ColumnId, Policy};
use crate::tui::input::action::Action;
use crate::tui::state::family::FamilyEdit;
use crate::tui::state::help::Help;
use crate::tui::state::prompt::Prompt;
use std::sync::Arc;

/// A dialog. At most one is open.
#[derive(Clone, Debug)]
pub enum Dialog {
    /// A line being typed.
    Prompt(Prompt),
    /// A list to choose from.
    Menu(Menu),
    /// A question before something that cannot be undone.
    Confirm(Confirm),
    /// The help: the keys that have an effect on what is in front.
    Help(Help),
    /// What was verified of the source, its problems, and those of its tree.
    Source(OpenSource),
    /// The curves of the factor over usage.
    Curves,
    /// The maps of the factor over usage and share.
    Surface,
    /// The list of edits, done and undone.
    History {
        /// The number of edits that are done in the state under the cursor.
        cursor: usize,
    },
}

/// What a line of a menu does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Sorts siblings; `None` restores the default order.
    Sort(Option<Sort>),
    /// Shows only some nodes.
    Filter(Filter),
    /// Shows a column or hides it.
    Column(ColumnId),
    /// Makes a policy the current one.
    Policy(Policy),
    /// Asks for another value of a setting.
    Setting(&'static str),
    /// Keeps a theme, by its name.
    Theme(&'static str),
    /// Opens a built-in tree.
    Example(Example),
    /// Plays a built-in lesson, by its name.
    Lesson(&'static str),
    /// Goes on with the lesson that was left.
    ResumeLesson,
    /// Marks many nodes at once, or none.
    Mark(MarkScope),
    /// Edits the shares of a family.
    Family(FamilyEdit),
    /// Puts the scenario at this place in front.
    Scenario(usize),
    /// Asks for another name of the scenario in front.
    RenameScenario,
    /// Asks whether to remove the scenario in front.
    RemoveScenario,
    /// Lists what the scenario in front can be compared with.
    CompareScenario,
    /// Compares the scenario in front with the one at this place; `None` is the snapshot.
    Against(Option<usize>),
    /// Opens a topic of the manual.
    Topic(Topic),
    /// Does what a key would do.
    Action(Action),
}

/// The open dialog about the source.
#[derive(Clone, Debug)]
pub struct OpenSource {
    /// The entry on top: 0 is what was verified, then come the kinds of problems.
    pub(crate) cursor: usize,
    /// How many problems were found while reading the source.
    pub(crate) about_source: usize,
    /// How many probable mistakes there are in the tree.
    pub(crate) about_tree: usize,
    /// How many of both were not kept.
    pub(crate) left_off: usize,
    /// The problems by kind, those of the source first.
    pub(crate) kinds: Arc<Vec<Vec<Problem>>>,
}

/// Which marks are set or removed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkScope {
    /// Marks the children of the account, except PBS's group `unknown`.
    Children,
    /// Marks every row of the list as it is filtered and folded.
    Rows,
    /// Inverts the marks of the rows.
    Others,
    /// None.
    Nothing,
}

/// A line of a menu.
#[derive(Clone, Debug)]
pub struct Item {
    /// What choosing it does.
    pub choice: Choice,
    /// Its name.
    pub name: Shown,
    /// What it does, in one sentence.
    pub help: Shown,
    /// Other words that find it.
    pub words: &'static str,
}

impl Item {
    pub(crate) fn new(choice: Choice, name: impl Into<Shown>, help: impl Into<Shown>) -> Self {
        Self {
            choice,
            name: name.into(),
            help: help.into(),
            words: "",
        }
    }
}

/// A list to choose from; typing narrows it.
#[derive(Clone, Debug)]
pub struct Menu {
    /// Its heading.
    pub title: &'static str,
    /// Everything it offers.
    pub items: Vec<Item>,
    /// What was typed to narrow it.
    pub query: String,
    /// The line under the cursor, among those that match.
    pub cursor: usize,
}

impl Menu {
    /// Returns whether it lists settings.
    pub(crate) fn has_settings(&self) -> bool {
        let first = self.items.first();
        first.is_some_and(|item| matches!(item.choice, Choice::Setting(_)))
    }

    /// Replaces the items by newer ones. What was typed and the cursor stay.
    pub(crate) fn renew(&mut self, newer: Dialog) {
        if let Dialog::Menu(newer) = newer {
            self.items = newer.items;
        }
    }

    /// Returns the lines that match what was typed, the best match first.
    pub fn passing(&self) -> Vec<&Item> {
        let texts = |item: &&Item| {
            // A policy is found by its name alone, for its description has words of every other one.
            let is_policy = matches!(item.choice, Choice::Policy(_));
            let help = if is_policy { "" } else { &item.help };
            [&item.name, help, item.words].map(str::to_owned)
        };
        ranked(&self.query, self.items.iter(), texts)
    }
}

/// A question before something that cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Quit and lose unsaved edits.
    Quit,
    /// Replace a file that is already there.
    Replace {
        /// The file.
        path: std::path::PathBuf,
        /// What would be written.
        contents: String,
    },
    /// Replace a file that was changed since it was read or saved.
    Changed {
        /// The file.
        path: std::path::PathBuf,
        /// What would be written.
        contents: String,
    },
    /// Replace the scenario file that was read, and lose what of it was not understood.
    Unread {
        /// The file.
        path: std::path::PathBuf,
        /// What of it was not understood.
        unread: Shown,
    },
    /// Remove the scenario in front with its edits.
    RemoveScenario,
    /// Delete marked nodes other than the one under the cursor.
    RemoveNodes(Vec<NodeId>),
}

/// Returns a menu with the cursor on a line.
pub(crate) fn menu(title: &'static str, items: Vec<Item>, cursor: usize) -> Dialog {
    Dialog::Menu(Menu {
        title,
        items,
        query: String::new(),
        cursor,
    })
}
