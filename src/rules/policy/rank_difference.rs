//! Why a user has another rank under one policy than under another: who comes first only under one of them, and on
//! which level of the user's path the two orders diverge.

use super::{Decision, Evaluation, Policy};
use crate::model::{NodeId, Tree};
use std::ops::Range;

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
    /// What decides between the user and the first of them, under each policy. The user is the first side.
    pub decisions: [Decision; 2],
}

impl RankDifference {
    /// Compares the ranks of a user under two policies. `None` if they are equal, or if one policy gives it none.
    pub fn of(tree: &Tree, trees: [RankedTree<'_>; 2], user: NodeId) -> Option<Self> {
        let [first, second] = trees.map(|ranked| ranked.evaluation.rank(user));
        let ranks = [first?, second?];
        if ranks[0] == ranks[1] {
            return None;
        }
        let mut ahead = [Vec::new(), Vec::new()];
        let mut unranked = [0_usize; 2];
        let [first, second] = trees.map(|ranked| ranked.evaluation.ranks());
        for (position, pair) in first.iter().zip(second).enumerate() {
            let others = [*pair.0, *pair.1];
            let is_ahead = |side: usize| (1..ranks[side]).contains(&others[side]);
            for side in [0, 1] {
                let other = 1 - side;
                if !is_ahead(side) || is_ahead(other) {
                    continue;
                }
                if others[other] == 0 {
                    unranked[side] += 1;
                } else {
                    ahead[side].push(position);
                }
            }
        }
        let worse = usize::from(ranks[1] > ranks[0]);
        let better = 1 - worse;
        let lacking = unranked[worse].saturating_sub(unranked[better]);
        let is_cause = lacking == 0 || ahead[worse].len() > ahead[better].len();
        let order = is_cause.then(|| OrderDifference::of(tree, trees, user, worse, &ahead[worse]));
        Some(Self {
            worse,
            order: order.flatten(),
            unranked: lacking,
        })
    }
}

impl OrderDifference {
    /// Finds the level for the users at these positions, in tree order, that come first only under the policy at a place.
    /// `None` without any.
    fn of(
        tree: &Tree,
        trees: [RankedTree<'_>; 2],
        user: NodeId,
        place: usize,
        ahead: &[usize],
    ) -> Option<Self> {
        let within = |span: &Range<usize>| {
            let start = ahead.partition_point(|&position| position < span.start);
            let end = ahead.partition_point(|&position| position < span.end);
            start..end
        };
        let order = tree.order();
        let mut outer = 0..ahead.len();
        let mut most: Option<(usize, NodeId, [Range<usize>; 2])> = None;
        for level in tree.line(user) {
            let inner = within(&order.span(level));
            let diverging = [outer.start..inner.start, inner.end..outer.end];
            let count = outer.len() - inner.len();
            if count > most.as_ref().map_or(0, |(most, ..)| *most) {
                most = Some((count, level, diverging));
            }
            outer = inner;
        }
        let (_, level, diverging) = most?;
        let above = tree.parent(level);
        let mut siblings: Option<(NodeId, Range<usize>)> = None;
        let mut next = 0;
        for place in diverging.into_iter().flatten() {
            if place < next {
                continue;
            }
            let mut sibling = tree.nodes()[ahead[place]];
            while tree.parent(sibling) != above {
                sibling = tree.parent(sibling)?;
            }
            let members = within(&order.span(sibling));
            next = members.end;
            if siblings
                .as_ref()
                .is_none_or(|(_, most)| members.len() > most.len())
            {
                siblings = Some((sibling, members));
            }
        }
        let (sibling, members) = siblings?;
        let user_count = members.len();
        let ranks = trees[place].evaluation.ranks();
        let first = ahead[members]
            .iter()
            .min_by_key(|&&position| ranks[position])?;
        let first = tree.nodes()[*first];
        let decide =
            |ranked: RankedTree<'_>| ranked.policy.decision(tree, ranked.evaluation, user, first);
        Some(Self {
            level,
            sibling,
            user_count,
            decisions: trees.map(decide),
        })
    }
}
