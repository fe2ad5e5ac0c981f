//! Edits of a level as a whole.

use crate::model::{NodeId, Tree};
use crate::report::label;

/// An edit of the shares of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyEdit {
    /// Gives the children of the account a sum that is asked for, in the ratio they have.
    Scale(NodeId),
    /// Gives them the sum they had in the snapshot, in the ratio they have now.
    Normalise(NodeId),
    /// Gives every child the same, while their sum stays.
    Split(NodeId),
    /// Gives every child the same, of a sum that is asked for.
    SplitTotal(NodeId),
    /// Gives the node shares that are asked for, while its level keeps its sum.
    Trade(NodeId),
}

impl FamilyEdit {
    /// What is asked for in the prompt; the edit on the line follows.
    pub(crate) fn label(self, tree: &Tree) -> String {
        match self {
            Self::Scale(account) => format!("scale children of {} to", label(tree, account)),
            Self::SplitTotal(account) => format!("split below {}", label(tree, account)),
            Self::Trade(node) => format!("shares of {}, sum stays", label(tree, node)),
            Self::Normalise(account) | Self::Split(account) => label(tree, account),
        }
    }
}
