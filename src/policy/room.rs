//! How many shares a node can be given.

use super::{Policy, Precedence, slurm};
use crate::model::{Kind, NodeId, Shares, Tree};
use std::ops::RangeInclusive;

/// The most shares that any scheduler holds; the next number is how Slurm stores the word `parent`.
const MOST: u32 = 2_147_483_646;

impl Policy {
    /// Whether the order is decided level by level, from the root down; else every user has a number of its own.
    #[must_use]
    pub const fn orders_by_level(self) -> bool {
        !matches!(self.rules().precedence, Precedence::Factor { .. })
    }

    /// The shares that a node can be given without the sum of its level running over: a sum of 32 bits, in PBS with
    /// a sign. Where its siblings' run over without it, all that a scheduler holds. Flux refuses banks without shares.
    #[must_use]
    pub fn possible_shares(self, tree: &Tree, node: NodeId) -> RangeInclusive<u32> {
        let least = u32::from(self == Self::Flux && tree.kind(node) == Kind::Account);
        let count = |sibling: NodeId| tree.shares(sibling).count().unwrap_or(0);
        let others = |siblings: &[NodeId]| -> i128 {
            let others = siblings.iter().filter(|&&sibling| sibling != node);
            others.map(|&sibling| i128::from(count(sibling))).sum()
        };
        let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
        let room = match self {
            Self::Flux => return least..=MOST,
            Self::Pbs | Self::Formula => {
                let siblings: Vec<NodeId> = tree.children(parent).collect();
                i128::from(i32::MAX) - others(&siblings)
            }
            _ => {
                let mut given = tree.clone();
                given.set_shares(node, Shares::new(0));
                let account = slurm::fair_share_parent(&given, node).unwrap_or(NodeId::ROOT);
                let siblings = slurm::fair_share_children(&given, account);
                i128::from(u32::MAX) - others(&siblings)
            }
        };
        let most = u32::try_from(room).map_or(MOST, |room| room.min(MOST));
        least..=most
    }
}
