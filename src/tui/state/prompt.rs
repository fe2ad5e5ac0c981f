//! A line being typed, and what for.

use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree};
use crate::report::label;
use crate::rules::policy::{ColumnId, Policy};
use tui_input::Input;

/// What a line is typed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// New shares of a node, or of all marked ones.
    Shares(Option<NodeId>),
    /// New usage of a node, or of all marked ones.
    Usage(Option<NodeId>),
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
    /// Another value for the setting of this key, and the policy before, if this prompt chose another.
    Setting(&'static str, Option<Policy>),
    /// A name to find.
    Search,
    /// A text to find on the page in front.
    SearchPage,
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
    /// Where to save the screen as a picture.
    SaveScreen,
    /// The name of the cluster that the commands of a plan are for.
    Cluster,
}

impl Purpose {
    /// Returns whether the line names a source, so that a list above it shows what can be opened.
    pub(crate) const fn is_source(&self) -> bool {
        matches!(self, Self::Open | Self::DiffWith)
    }

    /// Returns whether a blank line only closes the prompt.
    pub(crate) const fn is_optional(&self) -> bool {
        matches!(
            self,
            Self::DiffWith | Self::Goal(_) | Self::Jump | Self::Machine | Self::Cluster
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
    /// The value of the cell in the snapshot; empty if the line is for no cell, or for a cell of a new node.
    pub before: Shown,
    /// The action of enter, as an imperative: `apply`.
    pub verb: &'static str,
    /// Examples of what can be typed.
    pub hint: Shown,
    /// The cell of the table that shows the line too.
    pub cell: Option<(NodeId, ColumnId)>,
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
    pub(crate) fn new(purpose: Purpose, text: String) -> Self {
        Self {
            purpose,
            labels: PromptLabels::default(),
            input: Input::new(text),
            error: None,
            is_fresh: true,
        }
    }
}
