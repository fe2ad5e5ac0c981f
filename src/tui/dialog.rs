//! What stands over the table and takes the keys.

use super::family::FamilyEdit;
use super::marks::Marking;
use crate::model::NodeId;
use crate::report::outline::{Filter, Sort};
use crate::rules::policy::{ColumnId, Policy};
use crate::source::format::{Example, Problems};
use std::sync::Arc;
use tui_input::Input;

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

/// What a line is typed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// New shares of a node.
    Shares(NodeId),
    /// New usage of a node.
    Usage(NodeId),
    /// New shares of all marked nodes.
    MarkedShares,
    /// New usage of all marked nodes.
    MarkedUsage,
    /// A node to be added under an account.
    Add(NodeId),
    /// Another name for a node.
    Rename(NodeId),
    /// The account that a node moves to.
    MoveTo(NodeId),
    /// A number for the shares of a family.
    Family(FamilyEdit),
    /// An edit in the edit language.
    Edit,
    /// Another value for a setting.
    Setting {
        /// Its key.
        key: &'static str,
        /// The policy that was in force before this prompt put another in force.
        before: Option<Policy>,
    },
    /// A name to find; where the cursor was before.
    Search(NodeId),
    /// Where to save the scenario.
    Save,
    /// What a copy of the scenario is to be called.
    NewScenario,
    /// Another name for the scenario.
    RenameScenario,
    /// Why the last edit was made.
    Reason,
    /// What to open.
    Open,
    /// What a node is to reach.
    Goal(NodeId),
    /// What the Time screen estimates: when the selected node reaches this.
    TimeGoal,
    /// How long to wait, or until when.
    Jump,
    /// The half-life that lines are also drawn under.
    OtherHalfLife,
    /// The file to hold against the open tree.
    DiffWith,
    /// A machine that hands out cores.
    Machine,
    /// Where to save a page.
    SavePage,
    /// The name of the cluster that the commands of a plan are for.
    Cluster,
}

impl Purpose {
    /// Whether the line is an edit, shown at once and kept with enter.
    #[must_use]
    pub const fn is_edit(&self) -> bool {
        matches!(
            self,
            Self::Shares(_)
                | Self::Usage(_)
                | Self::MarkedShares
                | Self::MarkedUsage
                | Self::Add(_)
                | Self::Rename(_)
                | Self::MoveTo(_)
                | Self::Family(_)
                | Self::Edit
                | Self::Setting { .. }
        )
    }
}

/// A line being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What for.
    pub purpose: Purpose,
    /// The text so far.
    pub input: Input,
    /// Why it would not do as it stands.
    pub error: Option<String>,
    /// Whether the first character typed replaces what stands there.
    pub is_fresh: bool,
}

impl Prompt {
    /// A line with something on it already.
    #[must_use]
    pub fn new(purpose: Purpose, text: String) -> Self {
        let is_fresh = match purpose {
            Purpose::Shares(_)
            | Purpose::Usage(_)
            | Purpose::MarkedShares
            | Purpose::MarkedUsage
            | Purpose::Family(_)
            | Purpose::Edit
            | Purpose::NewScenario
            | Purpose::OtherHalfLife
            | Purpose::Goal(_)
            | Purpose::TimeGoal
            | Purpose::Machine => true,
            // A formula is changed rather than written anew.
            Purpose::Setting { key, .. } => key != "job_sort_formula",
            _ => false,
        };
        Self {
            purpose,
            input: Input::new(text),
            error: None,
            is_fresh,
        }
    }
}

impl Purpose {
    /// Whether a first character goes on with what stands there, in place of beginning anew.
    pub(super) fn goes_on_with(&self, char: char) -> bool {
        match self {
            // A blank goes on to the words behind the cores.
            Self::Machine => char == ' ',
            // So it does with `shares PATH=`, as do signs and `parent`; the word of another edit does not.
            Self::Edit => char.is_ascii_digit() || "+-*.p".contains(char),
            _ => false,
        }
    }
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
    Action(super::Action),
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
    pub(super) fn new(choice: Choice, name: impl Into<String>, help: impl Into<String>) -> Self {
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
