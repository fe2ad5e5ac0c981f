//! Edits of a whole level.

use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree};
use crate::report::label;

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
    /// Returns what the prompt asks for.
    pub(crate) fn label(self, tree: &Tree) -> Shown {
        match self {
            Self::Scale(account) => sentence!("scale children of {} to", label(tree, account)),
            Self::SplitTotal(account) => sentence!("split below {}", label(tree, account)),
            Self::Trade(node) => sentence!("shares of {}, sum stays", label(tree, node)),
            Self::Normalise(account) | Self::Split(account) => label(tree, account),
        }
    }
}
