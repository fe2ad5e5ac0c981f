//! Dialogs: they cover the table and take the keys. A prompt is one: a line being typed, and what for.

#![expect(missing_docs, reason = "what has no word is what its name says")]

use super::ListState;
use crate::base::fuzzy::{Findable, Fuzzy, ranked};
use crate::base::shown::{Shown, sentence};
use crate::format::Example;
use crate::model::{NodeId, Tree};
use crate::report::label;
use crate::report::manual::Topic;
use crate::report::manual::search::search;
use crate::report::outline::{Filter, Sort};
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use crate::tui::input::action::Action;
use std::path::PathBuf;
use tui_input::Input;

/// A dialog. At most one is open.
#[derive(Clone, Debug)]
pub enum Dialog {
    Prompt(Prompt),
    Menu(Menu),
    Confirm(Confirm),
    /// The help: the keys that have an effect on what is in front.
    Help(Help),
    /// The curves of the factor over usage.
    Curves,
    /// The maps of the factor over usage and share.
    Surface,
    /// The list of edits, done and undone, with the cursor on the state in which so many are done.
    History(ListState),
}

impl Dialog {
    /// Returns a menu with the cursor on an item, if it has that choice, or else on the first.
    pub(crate) fn menu(
        title: &'static str,
        items: impl IntoIterator<Item = Item>,
        current: Option<Choice>,
    ) -> Self {
        let items: Vec<Item> = items.into_iter().collect();
        let is_current = |item: &Item| Some(item.choice) == current;
        Self::Menu(Menu {
            title,
            list: ListState::at(items.iter().position(is_current).unwrap_or(0)),
            items,
        })
    }
}

/// What a line of a menu does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `None` restores the default order.
    Sort(Option<Sort>),
    Filter(Filter),
    Column(RuleColumn),
    Policy(Policy),
    Setting(&'static str),
    Theme(&'static str),
    Example(Example),
    /// The cluster that the item names, of the source that is being opened.
    Cluster,
    Lesson(&'static str),
    ResumeLesson,
    /// Opens the draft of an earlier run.
    OpenDraft,
    DiscardDraft,
    /// Leaves the draft for the next start.
    PutOffDraft,
    Mark(MarkScope),
    Family(FamilyEdit),
    /// Puts the scenario at this place in front.
    Scenario(usize),
    RenameScenario,
    RemoveScenario,
    /// Lists what the scenario in front can be compared with.
    CompareScenario,
    /// Compares the scenario in front with the one at this place; `None` is the snapshot.
    Against(Option<usize>),
    Topic(Topic),
    Action(Action),
}

/// Which marks are set or removed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkScope {
    /// All but PBS's group `unknown`.
    Children,
    /// Every row of the list as it is filtered and folded.
    Rows,
    /// Inverts the marks of the rows.
    Others,
    Nothing,
    /// Changes none, but keeps them for the source.
    Kept,
}

/// A line of a menu.
#[derive(Clone, Debug)]
pub struct Item {
    pub choice: Choice,
    pub name: Shown,
    /// The heading of the lines that belong together; empty for none.
    pub group: Shown,
    /// What it does, in one sentence.
    pub help: Shown,
    /// Other words that find it.
    pub words: Shown,
}

impl Item {
    /// Returns a line of a menu. Other words that find it can be added.
    pub(crate) fn new(choice: Choice, name: impl Into<Shown>, help: impl Into<Shown>) -> Self {
        Self {
            choice,
            name: name.into(),
            group: Shown::default(),
            help: help.into(),
            words: Shown::default(),
        }
    }

    /// Returns what the line is found by.
    fn findable(&self) -> Findable {
        // A policy is found by its name alone, for its description has words of every other one.
        let beside = match self.choice {
            Choice::Policy(_) => String::new(),
            _ => self.help.to_string(),
        };
        Findable {
            name: self.name.to_string(),
            beside,
            synonyms: format!("{} {}", self.words, self.group),
        }
    }

    /// Returns a line with a mark where it is the current one.
    pub(crate) fn marked(is_now: bool, choice: Choice, name: &str, help: impl Into<Shown>) -> Self {
        let mark = if is_now { "●" } else { " " };
        Self::new(choice, sentence!("{mark} {name}"), help)
    }
}

/// A list to choose from; typing narrows it.
#[derive(Clone, Debug)]
pub struct Menu {
    pub title: &'static str,
    pub items: Vec<Item>,
    /// The cursor, and what was typed to narrow it.
    pub list: ListState,
}

impl Menu {
    /// Returns whether its lines are settings, whose steps have keys.
    /// Returns whether a line begins with a letter.
    pub(crate) fn has_line_with(&self, letter: char) -> bool {
        for item in &self.items {
            let name = item
                .name
                .trim_start_matches(|char: char| !char.is_alphanumeric());
            if name.to_lowercase().starts_with(letter) {
                return true;
            }
        }
        false
    }

    pub(crate) fn has_settings(&self) -> bool {
        let first = self.items.first();
        first.is_some_and(|item| matches!(item.choice, Choice::Setting(_)))
    }

    /// Returns the line under the cursor; `None` if none passes the filter.
    pub(crate) fn item_under_cursor(&self) -> Option<&Item> {
        self.passing().get(self.list.cursor).copied()
    }

    /// Returns the choice of the line under the cursor; `None` if none passes the filter.
    pub(crate) fn under_cursor(&self) -> Option<Choice> {
        self.item_under_cursor().map(|item| item.choice)
    }

    /// Returns the lines that match what was typed, the best match first.
    pub fn passing(&self) -> Vec<&Item> {
        let topics = self.topics_about(&self.list.query);
        if !topics.is_empty() {
            return topics;
        }
        ranked(&self.list.query, self.items.iter(), |item| item.findable())
    }

    /// Returns the topics whose names begin with what was typed, then those that a search of the manual finds; none if
    /// nothing was typed, or if the lines are no topics.
    fn topics_about(&self, typed: &str) -> Vec<&Item> {
        let first = self.items.first();
        let lists_topics = first.is_some_and(|item| matches!(item.choice, Choice::Topic(_)));
        let mut passing: Vec<&Item> = Vec::new();
        if typed.is_empty() || !lists_topics {
            return passing;
        }
        let small = typed.to_lowercase();
        for item in &self.items {
            if item.name.starts_with(&small) {
                passing.push(item);
            }
        }
        for hit in search(typed).hits {
            for item in &self.items {
                let is_found = *item.name == *hit.topic.name;
                if is_found && !item.name.starts_with(&small) {
                    passing.push(item);
                }
            }
        }
        passing
    }
}

/// A question before something that cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Quit and lose unsaved edits.
    Quit,
    /// Replace a file that is already there by these contents.
    Replace(PathBuf, String),
    /// Replace a file that was changed since it was read or saved by these contents.
    Changed(PathBuf, String),
    /// Replace the scenario file that was read, and lose this, which was not understood.
    Unread(PathBuf, Shown),
    /// Remove the scenario in front with its edits.
    RemoveScenario,
    /// Delete marked nodes other than the one under the cursor.
    RemoveNodes(Vec<NodeId>),
}

/// An action in the help.
#[derive(Clone, Debug)]
pub struct HelpEntry {
    /// The heading that it stands under, with the entries beside it.
    pub section: &'static str,
    pub keys: Vec<Shown>,
    /// Its name in the keymap; empty for the mouse.
    pub name: &'static str,
    pub help: &'static str,
}

impl HelpEntry {
    /// Returns whether it has this key, or this text in its name or in what it does.
    fn has(&self, typed: &str) -> bool {
        for key in &self.keys {
            if **key == *typed {
                return true;
            }
        }
        let query = typed.to_lowercase();
        self.name.contains(&query) || self.help.to_lowercase().contains(&query)
    }
}

/// The open help.
#[derive(Clone, Debug)]
pub struct Help {
    /// What is in front, as the title says.
    pub place: &'static str,
    /// All that has an effect there, section by section.
    pub entries: Vec<HelpEntry>,
    /// The first row shown, and what was typed to narrow it.
    pub list: ListState,
}

impl Help {
    /// Returns the entries that match what was typed; if none does, those with similar words.
    pub fn passing(&self) -> Vec<&HelpEntry> {
        let typed = &*self.list.query;
        let mut passing = Vec::new();
        for entry in &self.entries {
            if entry.has(typed) {
                passing.push(entry);
            }
        }
        if passing.is_empty() {
            let mut fuzzy = Fuzzy::new(typed);
            passing.extend(&self.entries);
            passing.retain(|entry| fuzzy.score(entry.help).is_some());
        }
        passing
    }
}

/// What a line is typed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An edit, which is tried out while it is typed.
    Edit(EditPurpose),
    /// An answer that is no edit.
    Answer(AnswerPurpose),
}

/// What is edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditPurpose {
    /// New shares of a node, or of all marked ones.
    Shares(Option<NodeId>),
    /// New usage of a node, or of all marked ones.
    Usage(Option<NodeId>),
    /// A node to be added under an account.
    Add(NodeId),
    Rename(NodeId),
    MoveTo(NodeId),
    Family(FamilyEdit),
    /// An edit in the edit language.
    Line,
    /// Another value for the setting of this key, and the policy before, if this prompt chose another.
    Setting(&'static str, Option<Policy>),
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPurpose {
    Search,
    SearchPage,
    Save,
    NewScenario,
    RenameScenario,
    Reason,
    Open,
    Goal(NodeId),
    /// What the Time screen estimates: when the selected node reaches this.
    TimeGoal,
    /// How long to wait, or until when.
    Jump,
    /// The half-life that lines are also drawn under.
    OtherHalfLife,
    /// The file to hold against the open tree.
    DiffWith,
    Machine,
    SavePage,
    SaveScreen,
    /// The name of the cluster that the commands of a plan are for.
    Cluster,
}

impl From<EditPurpose> for Purpose {
    fn from(purpose: EditPurpose) -> Self {
        Self::Edit(purpose)
    }
}

impl From<AnswerPurpose> for Purpose {
    fn from(purpose: AnswerPurpose) -> Self {
        Self::Answer(purpose)
    }
}

impl Purpose {
    /// Returns whether the line names a source, so that a list above it shows what can be opened.
    pub(crate) const fn is_source(&self) -> bool {
        matches!(
            self,
            Self::Answer(AnswerPurpose::Open | AnswerPurpose::DiffWith)
        )
    }
}

/// An edit of the shares of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyEdit {
    /// Scales the children of the account to a sum that is asked for.
    Scale(NodeId),
    /// Scales them to the sum they had in the snapshot.
    Normalise(NodeId),
    /// Gives every child the same and keeps their sum.
    Split(NodeId),
    /// Gives every child the same part of a sum that is asked for.
    SplitTotal(NodeId),
    /// Gives the node shares that are asked for and keeps the sum of its level.
    Trade(NodeId),
}

impl FamilyEdit {
    /// Returns what the prompt for its amount is called.
    pub(crate) fn label(self, tree: &Tree) -> Shown {
        match self {
            Self::Scale(account) => sentence!("scale children of {} to", label(tree, account)),
            Self::SplitTotal(account) => sentence!("split below {}", label(tree, account)),
            Self::Trade(node) => sentence!("shares of {}, sum stays", label(tree, node)),
            Self::Normalise(account) | Self::Split(account) => label(tree, account),
        }
    }
}

/// The texts around a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptLabels {
    /// The subject of the line: `shares of alice`.
    pub label: Shown,
    /// The action of enter, as an imperative: `apply`.
    pub verb: &'static str,
    /// Examples of what can be typed.
    pub hint: Shown,
    /// The cell that is edited; `None` if the line is for none, or for several.
    pub cell: Option<EditedCell>,
}

/// A cell of the table that shows the line that is typed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedCell {
    /// The row.
    pub node: NodeId,
    /// The column.
    pub column: ColumnId,
    /// The value in the snapshot; empty for a new node.
    pub before: Shown,
}

impl PromptLabels {
    /// Returns whether what is typed is the value of this cell.
    pub(crate) fn is_of_cell(&self, node: NodeId, column: ColumnId) -> bool {
        match &self.cell {
            Some(cell) => cell.node == node && cell.column == column,
            None => false,
        }
    }
}

/// A line being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The purpose of the line.
    pub purpose: Purpose,
    /// The texts around it. Every update makes them again, because names may change with the typed text.
    pub labels: PromptLabels,
    /// The text so far.
    pub input: Input,
    /// The reason why the text is not valid; `None` if it is.
    pub error: Option<Shown>,
    /// Whether nothing has been typed yet, so that the first character may replace the text.
    pub is_fresh: bool,
}

impl Prompt {
    pub(crate) fn new(purpose: impl Into<Purpose>, text: String) -> Self {
        Self {
            purpose: purpose.into(),
            labels: PromptLabels::default(),
            input: Input::new(text),
            error: None,
            is_fresh: true,
        }
    }
}
