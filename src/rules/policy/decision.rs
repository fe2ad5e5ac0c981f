//! Where the order of two nodes is decided.

use super::ColumnId;
use crate::model::NodeId;

/// Where the order of two nodes is decided: which ancestors are compared, and in which column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The node spoken of, or the account above it whose number is compared.
    pub own: NodeId,
    /// The node that it is compared with, or the account above that one.
    pub other: NodeId,
    /// The column that is compared.
    pub column: ColumnId,
    /// Which side ranks first by that number; `None` if the numbers are equal.
    pub first: Option<DecisionSide>,
}

/// One of the two nodes of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionSide {
    /// The node spoken of.
    Own,
    /// The node that it is compared with.
    Other,
}

impl Decision {
    /// Returns the node or account that ranks behind; `None` if the numbers are equal.
    pub fn behind(&self) -> Option<NodeId> {
        match self.first? {
            DecisionSide::Own => Some(self.other),
            DecisionSide::Other => Some(self.own),
        }
    }
}
