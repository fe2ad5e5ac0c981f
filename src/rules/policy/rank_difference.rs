//! Why a user has another rank under one policy than under another: who comes first only under one of them, and on
//! which level of the user's path the two orders diverge.

use super::{Decision, Evaluation, Policy};
use crate::model::{NodeId, Tree};

/// A policy, and what it computed of a tree.
#[derive(Clone, Copy, Debug)]
pub struct RankedTree<'a> {
    /// The policy.
    pub policy: Policy,
    /// Its numbers.
    pub evaluation: &'a Evaluation,
}

/// Why a user has another rank under one of two policies.
#[derive(Clone, Debug, PartialEq)]
pub struct RankDifference {
    /// The place of the policy that gives the worse rank: 0 or 1.
    pub worse: usize,
    /// Who comes first only under that policy. `None` if it is nobody, or if fewer users than come first only under the
    /// other one and ranks are lacking.
    pub order: Option<OrderDifference>,
    /// How many users come first under that policy and have no rank under the other, beyond those that it is so with the
    /// other way round.
    pub unranked: usize,
}

/// The level on which most of the users diverge that come first only under the policy with the worse rank.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderDifference {
    /// The user, or the account above it on that level.
    pub level: NodeId,
    /// The sibling with the most of these users below it, or one of them itself.
    pub sibling: NodeId,
    /// How many of them it has.
    pub user_count: usize,
    /// What decides between the user and the first of them, under each policy. The user is the one spoken of.
    pub decisions: [Decision; 2],
}

/// The users that come first only under one of two policies.
#[derive(Default)]
struct UsersAhead {
    /// Their positions, without those that have no rank under the other policy.
    positions: Vec<usize>,
    /// How many have no rank under the other policy.
    unranked: usize,
}

impl UsersAhead {
    /// Finds those under a policy, by the ranks under both. `user` is the position of the user that they come before.
    fn new(ranks: &[u32], other_ranks: &[u32], user: usize) -> Self {
        let mut ahead = Self::default();
        for (position, (&rank, &other_rank)) in ranks.iter().zip(other_ranks).enumerate() {
            let is_ahead = (1..ranks[user]).contains(&rank);
            if !is_ahead {
                continue;
            }
            if other_rank == 0 {
                ahead.unranked += 1;
            } else if other_rank >= other_ranks[user] {
                ahead.positions.push(position);
            }
        }
        ahead
    }
}

impl RankDifference {
    /// Compares the ranks of a user under two policies. `None` if they are equal, or if one policy gives it none.
    pub fn between(tree: &Tree, trees: [RankedTree<'_>; 2], user: NodeId) -> Option<Self> {
        let [first, second] = trees.map(|ranked| ranked.evaluation);
        let first_rank = first.rank(user)?;
        let second_rank = second.rank(user)?;
        if first_rank == second_rank {
            return None;
        }
        let worse = usize::from(second_rank > first_rank);
        let worse_ranks = trees[worse].evaluation.ranks();
        let better_ranks = trees[1 - worse].evaluation.ranks();
        let position = tree.order().position(user)?;
        let ahead = UsersAhead::new(worse_ranks, better_ranks, position);
        let ahead_otherwise = UsersAhead::new(better_ranks, worse_ranks, position);
        let unranked = ahead.unranked.saturating_sub(ahead_otherwise.unranked);
        let is_cause = unranked == 0 || ahead.positions.len() > ahead_otherwise.positions.len();
        let order = if is_cause {
            OrderDifference::new(tree, trees, user, worse_ranks, &ahead.positions)
        } else {
            None
        };
        Some(Self {
            worse,
            order,
            unranked,
        })
    }
}

impl OrderDifference {
    /// Finds the level for the users at these positions, in tree order, that come first only under the policy with these
    /// ranks. `None` without any.
    fn new(
        tree: &Tree,
        trees: [RankedTree<'_>; 2],
        user: NodeId,
        ranks: &[u32],
        ahead: &[usize],
    ) -> Option<Self> {
        let mut outer = ahead;
        let mut most = 0;
        let mut deciding = None;
        for level in tree.line(user) {
            let inner = within(tree, level, outer);
            let diverging = outer.len() - inner.len();
            if diverging > most {
                most = diverging;
                deciding = Some((level, outer));
            }
            outer = inner;
        }
        let (level, users) = deciding?;
        let sibling = leading_sibling(tree, level, users)?;
        let members = within(tree, sibling, users);
        let first = members.iter().min_by_key(|&&position| ranks[position])?;
        let first = tree.nodes()[*first];
        Some(Self {
            level,
            sibling,
            user_count: members.len(),
            decisions: trees
                .map(|ranked| ranked.policy.decision(tree, ranked.evaluation, user, first)),
        })
    }
}

/// Returns the positions that are in a node's subtree, of positions in rising order.
fn within<'a>(tree: &Tree, node: NodeId, positions: &'a [usize]) -> &'a [usize] {
    let span = tree.order().span(node);
    let start = positions.partition_point(|&position| position < span.start);
    let end = positions.partition_point(|&position| position < span.end);
    &positions[start..end]
}

/// Returns the sibling of a node with the most of these users below it, the first of equals. `None` if all of them are
/// below the node itself.
fn leading_sibling(tree: &Tree, node: NodeId, users: &[usize]) -> Option<NodeId> {
    let account = tree.parent(node)?;
    let mut leading = None;
    let mut most = 0;
    let mut next = 0;
    while let Some(&position) = users.get(next) {
        let mut sibling = tree.nodes()[position];
        while tree.parent(sibling) != Some(account) {
            sibling = tree.parent(sibling)?;
        }
        let count = within(tree, sibling, users).len();
        if sibling != node && count > most {
            most = count;
            leading = Some(sibling);
        }
        next += count;
    }
    leading
}
