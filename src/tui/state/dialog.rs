//! What stands over the table and takes the keys.

use crate::model::NodeId;
use crate::report::outline::{Filter, Sort};
use crate::rules::policy::{ColumnId, Policy};
use crate::source::format::{Example, Problems};
use crate::tui::input::action::Action;
use crate::tui::state::family::FamilyEdit;
use crate::tui::state::prompt::Prompt;
use std::sync::Arc;

/// At most one thing is open over the table.
#[derive(Clone, Debug)]
pub enum Dialog {
    /// A line being typed.
    Prompt(Prompt),
    /// A list to choose from.
    Menu(Menu),
    /// A question before something that cannot be taken back.
    Confirm(Confirm),
    /// Keys and what they do, from this line on.
    Help {
        /// The first line shown.
        offset: usize,
    },
    /// What was verified of the source, what was odd in it, and what its tree says that was probably not meant.
    Source {
        /// The entry under the cursor: what was verified, then problems, then findings.
        cursor: usize,
        /// What the tree says that was probably not meant.
        findings: Arc<Problems>,
    },
    /// How the factor falls with usage.
    Curves,
    /// Every edit done and undone.
    History {
        /// How many of them are done in the state under the cursor.
        cursor: usize,
    },
}

/// What choosing from a menu does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Sorts siblings; nothing is the source's order.
    Sort(Option<Sort>),
    /// Shows only some nodes.
    Filter(Filter),
    /// Shows a column or hides it.
    Column(ColumnId),
    /// Puts a policy in force.
    Policy(Policy),
    /// Asks for another value of a setting.
    Setting(&'static str),
    /// Opens a built-in tree.
    Example(Example),
    /// Marks many nodes at once, or none.
    Mark(Marking),
    /// Edits the shares of a family.
    Family(FamilyEdit),
    /// Puts the scenario at this place in front.
    Scenario(usize),
    /// Asks for another name of the scenario in front.
    RenameScenario,
    /// Asks whether the scenario in front is to go.
    RemoveScenario,
    /// Lists what the scenario in front can be held against.
    CompareScenario,
    /// Holds the scenario in front against the one at this place; nothing is the snapshot.
    Against(Option<usize>),
    /// Does what a key would do.
    Action(Action),
}

/// Which marks are set or taken away together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// What lies directly below the account, but for PBS's group `unknown`.
    Children,
    /// Every row on the list, as it is filtered and folded.
    Rows,
    /// Every row that is not marked, and no other.
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
    pub name: String,
    /// What it is, in one sentence.
    pub help: String,
}

impl Item {
    pub(crate) fn new(choice: Choice, name: impl Into<String>, help: impl Into<String>) -> Self {
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
    /// The line under the cursor, among those that pass.
    pub cursor: usize,
    /// Whether typing narrows it; else the keymap's keys move the cursor.
    pub takes_text: bool,
}

impl Menu {
    /// What passes the text typed.
    #[must_use]
    pub fn passing(&self) -> Vec<&Item> {
        let query = self.query.to_lowercase();
        let passes = |text: &str| text.to_lowercase().contains(&query);
        let mut passing: Vec<_> = self
            .items
            .iter()
            .filter(|item| passes(&item.name) || passes(&item.help))
            .collect();
        // Names that begin with what was typed come before those that only hold it.
        passing.sort_by_key(|item| !item.name.starts_with(&query));
        passing
    }
}

/// A question before something that cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Quit and lose the edits of so many trees.
    Quit,
    /// Replace a file that is already there.
    Replace {
        /// The file.
        path: std::path::PathBuf,
        /// What would stand in it.
        contents: String,
    },
    /// Replace a file that somebody changed since it was read or saved.
    Changed {
        /// The file.
        path: std::path::PathBuf,
        /// What would stand in it.
        contents: String,
    },
    /// Replace the scenario file that was read by one without what of it is not read.
    Unread {
        /// The file.
        path: std::path::PathBuf,
        /// What of it is not read, as it may be shown.
        unread: String,
    },
    /// Drop the scenario in front with its edits.
    RemoveScenario,
    /// Delete nodes that are marked, and not just the one under the cursor.
    RemoveNodes(Vec<NodeId>),
}

/// A menu with the cursor on that line.
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
