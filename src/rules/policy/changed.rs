//! Which part of a tree an edit of shares changes, and the ranks after it.

use super::ranking::{Ranking, rank_in_order};
use crate::model::Order;
use std::ops::Range;

/// From this part of the tree on, everything is computed: the ranks of so many users are faster sorted than merged.
pub(super) const LARGE_PART: usize = 8;

/// Returns the lowest account below which all nodes are that have other shares than before, by position; `None` if there
/// are none.
pub(super) fn changed_family<T: Copy + PartialEq>(
    order: &Order,
    before: impl Iterator<Item = T>,
    now: &[T],
) -> Option<usize> {
    let (above, ends) = (order.above(), order.ends());
    let mut account: Option<usize> = None;
    for (position, (before, &now)) in before.zip(now).enumerate() {
        if before == now {
            continue;
        }
        let parent = above[position] as usize;
        // Up to the account that holds this family too.
        let mut common = account.unwrap_or(parent);
        while !(common..ends[common] as usize).contains(&parent) {
            common = above[common] as usize;
        }
        account = Some(common);
    }
    account
}

/// Returns the ranks by rising keys, and the users in this order, if only users of one span have other keys than before.
/// Only the places between the first and the last of theirs, before and after, are filled anew.
pub(super) fn ranks_after<K: Copy + Ord>(
    (ranks, ranking): (&[u32], &Ranking),
    changed: Range<usize>,
    before: impl Fn(u32) -> K,
    now: impl Fn(u32) -> K,
) -> (Vec<u32>, Ranking) {
    let mut ranks = ranks.to_vec();
    let mut positions = ranking.positions().to_vec();
    let mut moved: Vec<(K, u32)> = changed
        .clone()
        .filter(|&at| ranks[at] > 0)
        .map(|at| {
            let position = u32::try_from(at).expect("positions are 32 bits wide");
            (now(position), position)
        })
        .collect();
    moved.sort_unstable();
    let (Some(&(first, _)), Some(&(last, _))) = (moved.first(), moved.last()) else {
        return (ranks, Ranking::in_order(positions));
    };
    let were = moved.iter().map(|&(_, position)| before(position));
    let first = were.clone().fold(first, Ord::min);
    let last = were.fold(last, Ord::max);
    let start = positions.partition_point(|&other| before(other) < first);
    let end = positions.partition_point(|&other| before(other) <= last);
    let stayed = positions[start..end].iter().copied();
    let stayed = stayed.filter(|&position| !changed.contains(&(position as usize)));
    let mut stayed = stayed.map(|position| (now(position), position)).peekable();
    let mut moved = moved.into_iter().peekable();
    let between = std::iter::from_fn(|| match (stayed.peek(), moved.peek()) {
        (Some(one), Some(other)) if other < one => moved.next(),
        (None, Some(_)) => moved.next(),
        _ => stayed.next(),
    });
    let between: Vec<(K, u32)> = between.collect();
    rank_in_order(between.iter().copied(), start, &mut ranks);
    for (place, (_, position)) in positions[start..end].iter_mut().zip(between) {
        *place = position;
    }
    (ranks, Ranking::in_order(positions))
}
