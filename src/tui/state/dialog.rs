//! Dialogs: they cover the table and take the keys.

use crate::base::fuzzy::ranked;
use crate::base::shown::Shown;
use crate::model::NodeId;
use crate::report::manual::Topic;
use crate::report::outline::{Filter, Sort};
use crate::rules::policy::{ColumnId, Policy};
use crate::source::format::{Example, Problems};
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
    /// What was verified of the source, its problems, and the findings about its tree.
    Source {
        /// The entry on top: 0 is what was verified, then come problems, then findings.
        cursor: usize,
        /// What in the tree is probably a mistake.
        findings: Arc<Problems>,
    },
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
    /// Puts a policy in force.
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
}

impl Item {
    pub(crate) fn new(choice: Choice, name: impl Into<Shown>, help: impl Into<Shown>) -> Self {
        Self {
            choice,
            name: name.into(),
            help: help.into(),
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
    /// Whether typing narrows it; else characters keep the meaning of the keymap.
    pub takes_text: bool,
}

impl Menu {
    /// Returns the lines that match what was typed, the best match first.
    #[must_use]
    pub fn passing(&self) -> Vec<&Item> {
        let texts = |item: &&Item| [item.name.to_string(), item.help.to_string()];
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
pub(crate) fn menu(
    title: &'static str,
    items: Vec<Item>,
    cursor: usize,
    takes_text: bool,
) -> Dialog {
    Dialog::Menu(Menu {
        title,
        items,
        query: String::new(),
        cursor,
        takes_text,
    })
}
