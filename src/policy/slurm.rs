//! What all of Slurm's rules start from: who competes with whom, for which part of the shares, with what usage.
//!
//! Follows `src/common/assoc_mgr.c` (`_set_assoc_parent_and_user`, `_normalize_assoc_shares`) and
//! `priority_multifactor.c` of Slurm 14.11, whose arithmetic has not changed since.
//!
//! A node with shares `parent` takes no part in the split. Who would stand below such an account competes with
//! the children of the nearest account above that is not `parent`: its *fair-share parent*.

mod usage;

use super::extended::Extended;
use crate::model::{Kind, NodeId, Tree};
use std::cmp::Ordering;

/// What the root's shares are divided by where nothing is inherited: Slurm's `NO_VAL`, as if it were a sum.
const ROOT_LEVEL_SHARES: f64 = 4_294_967_294.0;

/// A tree as Slurm's rules see it, by position in the tree's order.
pub(super) struct Associations {
    /// The nearest account above that is not `parent`; the root's is itself.
    pub(super) fair_share_parent: Vec<u32>,
    /// Whether the node has shares `parent`.
    pub(super) is_parent: Vec<bool>,
    /// Steps below the root, `parent` accounts not counted; 0 for the root's children, and for the root.
    pub(super) level: Vec<u32>,
    /// Raw shares, cut to 32 bits; 0 for `parent`.
    pub(super) shares: Vec<u32>,
    /// The shares of the node and its fair-share siblings: a sum of 32 bits, which wraps. 0 for the root.
    pub(super) level_shares: Vec<u32>,
    /// Decayed usage: users as recorded, accounts as recorded or the sum of the users below.
    pub(super) usage: Vec<Extended>,
    /// Whether the node is a user.
    pub(super) is_user: Vec<bool>,
}

impl Associations {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "Slurm holds shares in 32 bits"
    )]
    pub(super) fn of(tree: &Tree) -> Self {
        let above = tree.order().above();
        let count = tree.node_count();
        let mut fair_share_parent = vec![0_u32; count];
        let mut level = vec![0_u32; count];
        let mut shares = vec![0_u32; count];
        let mut is_parent = vec![false; count];
        let mut is_user = vec![false; count];
        let mut totals = vec![0_u32; count];
        for (position, &node) in tree.nodes().iter().enumerate() {
            is_user[position] = tree.kind(node) == Kind::User;
            if position == 0 {
                shares[0] = tree.shares(node).count().unwrap_or(0) as u32;
                continue;
            }
            let parent = above[position] as usize;
            let home = if is_parent[parent] {
                fair_share_parent[parent]
            } else {
                above[position]
            };
            fair_share_parent[position] = home;
            if home > 0 {
                level[position] = level[home as usize] + 1;
            }
            match tree.shares(node).count() {
                Some(count) => {
                    shares[position] = count as u32;
                    let total = &mut totals[home as usize];
                    *total = total.wrapping_add(count as u32);
                }
                None => is_parent[position] = true,
            }
        }
        let mut level_shares: Vec<u32> = fair_share_parent
            .iter()
            .map(|&home| totals[home as usize])
            .collect();
        level_shares[0] = 0;
        let usage = usage::usage(tree, &is_user);
        Self {
            fair_share_parent,
            is_parent,
            level,
            shares,
            level_shares,
            usage,
            is_user,
        }
    }

    /// The node's part of its level: shares / level's shares, 0 where the level has none.
    ///
    /// A `parent` node shows its fair-share parent's.
    pub(super) fn norm_shares(&self) -> Vec<f64> {
        let mut norm_shares = vec![0.0; self.shares.len()];
        norm_shares[0] = f64::from(self.shares[0]) / ROOT_LEVEL_SHARES;
        for position in 1..norm_shares.len() {
            norm_shares[position] = if self.is_parent[position] {
                norm_shares[self.fair_share_parent[position] as usize]
            } else {
                self.portion(position)
            };
        }
        norm_shares
    }

    /// Shares / level's shares of a node that is not `parent`.
    pub(super) fn portion(&self, position: usize) -> f64 {
        match self.level_shares[position] {
            0 => 0.0,
            total => f64::from(self.shares[position]) / f64::from(total),
        }
    }

    /// The node's part of its fair-share parent's usage; 0 where there is none.
    pub(super) fn usage_of_level(&self, position: usize) -> Extended {
        let home = self.fair_share_parent[position] as usize;
        self.usage[position]
            .over(self.usage[home])
            .unwrap_or(Extended::ZERO)
    }

    /// The node's part of all usage, at most 1; 0 where there is none.
    pub(super) fn norm_usage(&self, position: usize) -> Extended {
        self.usage[position]
            .over(self.usage[0])
            .unwrap_or(Extended::ZERO)
            .min(Extended::ONE)
    }

    /// Usage as doubles.
    pub(super) fn usage_as_doubles(&self) -> Vec<f64> {
        self.usage.iter().map(|usage| usage.to_f64()).collect()
    }
}

/// The order of Slurm's list of associations among the children of one account: as `TieOrder` says, users before
/// accounts.
pub(super) fn listed_before(
    tree: &Tree,
    tie_order: crate::model::TieOrder,
    a: NodeId,
    b: NodeId,
) -> Ordering {
    use crate::model::TieOrder;
    let is_account = |node| tree.kind(node) == Kind::Account;
    let partition = |node| tree.partition(node).unwrap_or_default();
    match tie_order {
        TieOrder::Name => is_account(a)
            .cmp(&is_account(b))
            .then_with(|| tree.name(a).cmp(tree.name(b)))
            .then_with(|| partition(a).cmp(partition(b))),
        TieOrder::Lineage => lineage(tree, a).cmp(&lineage(tree, b)),
        TieOrder::Newest => b.cmp(&a),
    }
}

/// The last part of Slurm's lineage: `name/` of an account, `0-name/` or `0-name-partition/` of a user.
fn lineage(tree: &Tree, node: NodeId) -> Vec<u8> {
    let name = tree.name(node);
    match tree.kind(node) {
        Kind::Account => [name, b"/"].concat(),
        Kind::User => match tree.partition(node) {
            Some(partition) => [b"0-", name, b"-", partition, b"/"].concat(),
            None => [b"0-", name, b"/"].concat(),
        },
    }
}

/// The nodes that have this account for their fair-share parent, in tree order.
pub(super) fn fair_share_children(tree: &Tree, account: NodeId) -> Vec<NodeId> {
    let mut children = Vec::new();
    let mut pending: Vec<_> = tree.children(account).collect();
    pending.reverse();
    while let Some(node) = pending.pop() {
        children.push(node);
        if tree.shares(node).is_parent() {
            let below: Vec<_> = tree.children(node).collect();
            pending.extend(below.into_iter().rev());
        }
    }
    children
}

/// The nearest account above a node that is not `parent`.
pub(super) fn fair_share_parent(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let mut parent = tree.parent(node)?;
    while parent != NodeId::ROOT && tree.shares(parent).is_parent() {
        parent = tree.parent(parent)?;
    }
    Some(parent)
}
