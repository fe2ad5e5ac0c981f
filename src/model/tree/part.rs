//! What a source does not list: a part of a tree, as a user without privileges gets it, or one account of it.

use super::{NodeId, Tree};

/// The name of what is not listed, in paths.
pub(crate) const OTHERS: &[u8] = "…".as_bytes();

/// What the source of a tree does not list.
///
/// Each level of which the sum of shares is known has what it lacks as one node, so that every rule computes with all of
/// the level. The listed users are not all users, so no rank among them is a rank in the cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The levels that are completed by a node, in ascending order of their accounts.
    pub(crate) levels: Vec<UnlistedLevel>,
    /// Whether nothing tells the rule's own settings, so that no factor of a user can be computed.
    pub(crate) hides_factors: bool,
    /// The accounts whose level is not known, in ascending order.
    pub(crate) unknown: Vec<NodeId>,
}

/// What is known of a level's unlisted members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnlistedLevel {
    /// The account whose members they are.
    pub(crate) account: NodeId,
    /// The node that stands for them.
    pub(crate) others: NodeId,
    /// The least and the most shares that they can have, by the printed digits; `None` if nothing tells.
    pub(crate) shares: Option<ShareBounds>,
}

/// The least and the most that shares can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareBounds {
    /// The least.
    pub least: i64,
    /// The most.
    pub most: i64,
}

impl Part {
    /// Returns whether nothing tells the sum of the shares, or the usage, of an account's level.
    pub(crate) fn is_unknown(&self, account: NodeId) -> bool {
        self.unknown.binary_search(&account).is_ok()
    }

    /// Returns what is known of the unlisted members of an account; `None` if it has none.
    pub(crate) fn level(&self, account: NodeId) -> Option<&UnlistedLevel> {
        let place = self
            .levels
            .binary_search_by_key(&account, |level| level.account);
        Some(&self.levels[place.ok()?])
    }
}

impl Tree {
    /// Returns the shares that a node can have that stands for what is not listed. `None` if nothing tells them, and for
    /// other nodes.
    pub fn unlisted_shares(&self, others: NodeId) -> Option<ShareBounds> {
        let level = self.part()?.level(self.parent(others)?)?;
        if level.others == others {
            level.shares
        } else {
            None
        }
    }
}
