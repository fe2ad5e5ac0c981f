//! A line being typed, and what for.

use crate::model::NodeId;
use crate::rules::policy::Policy;
use crate::tui::state::family::FamilyEdit;
use tui_input::Input;

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
    pub(crate) fn goes_on_with(&self, char: char) -> bool {
        match self {
            // A blank goes on to the words behind the cores.
            Self::Machine => char == ' ',
            // So it does with `shares PATH=`, as do signs and `parent`; the word of another edit does not.
            Self::Edit => char.is_ascii_digit() || "+-*.p".contains(char),
            _ => false,
        }
    }
}
