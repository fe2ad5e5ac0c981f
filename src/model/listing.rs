//! The order in which a scheduler lists accounts, if the tree does not show it.

use super::{NodeId, TieOrder};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The order of accounts in Slurm's list of associations. Accounts that tie are visited in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Places among siblings that tie, which the printed ranks reveal. Slurm up to 23.02 lists the newest association
    /// first after slurmctld starts, and only some of its outputs show which that is.
    Revealed {
        /// The order of ties over which the places take precedence; they mean nothing under another.
        tie_order: TieOrder,
        /// The places.
        places: HashMap<NodeId, u32>,
    },
    /// By name instead of age: Slurm up to 23.02 sorts its list so when an association is updated, until slurmctld
    /// restarts.
    Updated,
}

impl Listing {
    /// Returns the order of ties in place of the setting.
    pub fn tie_order(&self, setting: TieOrder) -> TieOrder {
        match (self, setting) {
            (Self::Updated, TieOrder::Newest) => TieOrder::Name,
            _ => setting,
        }
    }

    /// Returns whether the place of an account is known.
    pub fn has(&self, setting: TieOrder, node: NodeId) -> bool {
        match self {
            Self::Revealed { tie_order, places } => {
                *tie_order == setting && places.contains_key(&node)
            }
            Self::Updated => false,
        }
    }

    /// Compares the places of two accounts. Returns `None` unless both are known.
    pub fn order(&self, setting: TieOrder, a: NodeId, b: NodeId) -> Option<Ordering> {
        match self {
            Self::Revealed { tie_order, places } if *tie_order == setting => {
                Some(places.get(&a)?.cmp(places.get(&b)?))
            }
            _ => None,
        }
    }
}
