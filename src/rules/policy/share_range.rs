//! How many shares a node can be given.

use super::{Policy, Precedence, slurm};
use crate::model::{Kind, NodeId, Scheduler, Settings, Shares, Tree};
use std::ops::RangeInclusive;

/// The most shares that both PBS and Slurm can hold. The next number is how Slurm stores the word `parent`.
const MOST: i64 = 2_147_483_646;

impl Policy {
    /// Returns whether the order is decided level by level, from the root down, and not by a number of each user.
    pub const fn orders_by_level(self) -> bool {
        !matches!(self.rules().precedence, Precedence::Factor(_))
    }

    /// Returns the shares that a node can be given without overflow of its level's sum: a sum of 32 bits, in PBS with a
    /// sign. If its siblings' shares overflow already, any number that the scheduler holds is allowed. The same applies
    /// to Flux, which holds 64 bits with a sign and refuses banks without shares.
    pub fn possible_shares(
        self,
        tree: &Tree,
        settings: &Settings,
        node: NodeId,
    ) -> RangeInclusive<i64> {
        let least = i64::from(self == Self::Flux && tree.kind(node) == Kind::Account);
        let count = |sibling: NodeId| tree.shares(sibling).count().unwrap_or(0);
        let others = |siblings: &[NodeId]| -> i128 {
            let others = siblings.iter().filter(|&&sibling| sibling != node);
            others.map(|&sibling| i128::from(count(sibling))).sum()
        };
        let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
        let room = match self {
            Self::Flux if settings.scheduler != Some(Scheduler::Flux) => return least..=MOST,
            // Its sum of 64 bits wraps. That changes all nodes of a level in the same way, and so no order in it.
            Self::Flux => return least..=i64::MAX,
            policy if policy.is_of_pbs() => {
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
        let most = match i64::try_from(room) {
            Ok(room) if room >= 0 => room.min(MOST),
            _ => MOST,
        };
        least..=most
    }
}
