//! The order in which a scheduler lists accounts, if a dump shows it and the tree does not.

use super::{NodeId, TieOrder};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Places of accounts in Slurm's list of associations. Accounts that tie are visited in that order.
///
/// Slurm up to 23.02 lists the newest association first, and only some of its outputs show which that is. But the ranks
/// that it printed reveal the places of accounts that tied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    tie_order: TieOrder,
    places: HashMap<NodeId, u32>,
}

impl Listing {
    /// Creates a list of places among siblings that tie. They take precedence only over the tie order under which they
    /// were found.
    #[must_use]
    pub fn new(tie_order: TieOrder, places: HashMap<NodeId, u32>) -> Self {
        Self { tie_order, places }
    }

    /// Returns whether the place of an account is known.
    #[must_use]
    pub fn has(&self, tie_order: TieOrder, node: NodeId) -> bool {
        self.tie_order == tie_order && self.places.contains_key(&node)
    }

    /// Compares the places of two accounts. Returns `None` unless both are known.
    #[must_use]
    pub fn order(&self, tie_order: TieOrder, a: NodeId, b: NodeId) -> Option<Ordering> {
        if self.tie_order != tie_order {
            return None;
        }
        let place = |node| self.places.get(&node);
        Some(place(a)?.cmp(place(b)?))
    }
}
