//! The users of a tree in the order of their ranks.

use crate::base::sort::rising;
use std::ops::Range;

/// The positions of users by rank; those that share a rank in the order of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    positions: Vec<u32>,
}

impl Ranking {
    /// Sorts users by ranks that are given by position. Those with rank 0 are left out.
    pub fn from_ranks(ranks: &[u32]) -> Self {
        let highest = ranks.iter().copied().max().unwrap_or(0) as usize;
        // Where the users of each rank begin. Those without a rank come first and are cut off.
        let mut places = vec![0_u32; highest + 2];
        for &rank in ranks {
            places[rank as usize + 1] += 1;
        }
        let unranked = places.get(1).map_or(0, |&count| count as usize);
        for rank in 1..places.len() {
            places[rank] += places[rank - 1];
        }
        let mut positions = vec![0; ranks.len()];
        for (position, &rank) in (0..).zip(ranks) {
            let place = &mut places[rank as usize];
            positions[*place as usize] = position;
            *place += 1;
        }
        positions.drain(..unranked);
        Self { positions }
    }

    /// Returns the users of these positions, of which the first to run is in front.
    pub(super) const fn in_order(positions: Vec<u32>) -> Self {
        Self { positions }
    }

    /// Returns the positions in the tree's order, the first to run in front.
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// Returns the places in the ranking of the users with a rank. `ranks` are those of which the ranking was made. If
    /// nobody has this rank, the range is empty and begins where such users would be.
    pub(super) fn places(&self, ranks: &[u32], rank: u32) -> Range<usize> {
        let start = self.users_below(ranks, rank);
        let end = self.users_below(ranks, rank + 1);
        start..end
    }

    /// Returns how many users have a rank below a number.
    fn users_below(&self, ranks: &[u32], rank: u32) -> usize {
        self.positions
            .partition_point(|&position| ranks[position as usize] < rank)
    }
}

/// Ranks users that are in order, each given by key and position. Users with the same keys share the rank of the first.
pub(super) fn rank_in_order<K: Eq>(users: impl Iterator<Item = (K, u32)>, ranks: &mut [u32]) {
    let mut rank = 0;
    let mut last = None;
    for (place, (key, position)) in (1..).zip(users) {
        if last.as_ref() != Some(&key) {
            rank = place;
        }
        ranks[position as usize] = rank;
        last = Some(key);
    }
}

/// Returns, by position, the rank of every user, the smallest key first. Equal keys share a rank, and accounts have 0.
pub(super) fn ranks(is_user: &[bool], key: impl Fn(usize) -> u64) -> Vec<u32> {
    let mut users = Vec::new();
    for (position, &is_user) in (0_u32..).zip(is_user) {
        if is_user {
            users.push((key(position as usize), position));
        }
    }
    users.sort_unstable_by_key(|&(key, _)| key);
    let mut ranks = vec![0; is_user.len()];
    rank_in_order(users.into_iter(), &mut ranks);
    ranks
}

/// Returns a number as a key of [`ranks`]: the largest is ranked first, a NaN last.
pub(super) fn falling(number: f64) -> u64 {
    !rising(number)
}
