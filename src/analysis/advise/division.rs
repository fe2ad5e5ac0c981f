//! The shares of a level on the way to a sum.

use super::bounds::ShareRange;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The shares of the siblings of a level, by place, and what they may be.
pub(super) struct Division {
    pub(super) before: Vec<i64>,
    pub(super) ranges: Vec<ShareRange>,
    pub(super) shares: Vec<i64>,
    /// What is missing to the sum; below 0 if there is too much.
    pub(super) missing: i64,
}

impl Division {
    /// Gives a sibling more shares, or fewer, as far as its range has room.
    pub(super) fn give(&mut self, place: usize, more: i64) {
        let before = self.shares[place];
        self.shares[place] = given(before, self.ranges[place], more);
        self.missing -= self.shares[place] - before;
    }

    /// Gives what is missing to siblings, one after the other, as far as each has room.
    pub(super) fn give_missing(&mut self, places: impl IntoIterator<Item = usize>) {
        for place in places {
            self.give(place, self.missing);
        }
    }

    /// Returns whether a sibling has other shares than before.
    pub(super) fn is_edited(&self, place: usize) -> bool {
        self.shares[place] != self.before[place]
    }

    /// Returns how much of what is missing a sibling has room for that keeps its shares so far.
    pub(super) fn room(&self, place: usize) -> i64 {
        let before = self.before[place];
        (given(before, self.ranges[place], self.missing) - before).abs()
    }

    /// Gives siblings what is missing in proportion to their shares.
    pub(super) fn give_in_proportion(&mut self, places: &[usize]) {
        let mut weight = 0;
        for &place in places {
            weight += self.weight(place);
        }
        let all = self.missing;
        for &place in places {
            let weighted = i128::from(all) * i128::from(self.weight(place));
            let part = i64::try_from(weighted / i128::from(weight));
            self.give(place, part.unwrap_or(all));
        }
    }

    /// Returns the weight of a sibling where shares are given in proportion: its shares, or 1 without any.
    fn weight(&self, place: usize) -> i64 {
        self.before[place].max(1)
    }

    /// Gives siblings what is missing one by one, each time to the one that it costs least; at most as many shares as there
    /// are siblings.
    pub(super) fn give_one_by_one(&mut self, places: &[usize]) {
        let one = self.missing.signum();
        let mut able = BinaryHeap::new();
        for (rank, &place) in places.iter().enumerate() {
            if let Some(portion) = self.portion_with(place, one) {
                able.push((portion, rank));
            }
        }
        for _ in places {
            if self.missing == 0 {
                break;
            }
            let Some((_, rank)) = able.pop() else {
                break;
            };
            let place = places[rank];
            self.shares[place] += one;
            self.missing -= one;
            if let Some(portion) = self.portion_with(place, one) {
                able.push((portion, rank));
            }
        }
    }

    /// Returns what a sibling with one more share, or one fewer, keeps of its shares, as the bits of a number from 0 up.
    /// `None` if it has no room.
    fn portion_with(&self, place: usize, one: i64) -> Option<u64> {
        let shares = self.shares[place] + one;
        if !self.ranges[place].contains(shares) {
            return None;
        }
        let portion = shares as f64 / self.weight(place) as f64;
        Some(portion.to_bits())
    }

    /// Returns the first siblings, from the largest room to the least, that have room for all that is missing together.
    /// Those for which `is_preferred` come first if they have any.
    pub(super) fn payers(&self, is_preferred: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut others = Vec::new();
        for place in 0..self.shares.len() {
            if !self.is_edited(place) {
                others.push(place);
            }
        }
        others.sort_by_key(|&place| {
            let room = self.room(place);
            Reverse((room > 0 && is_preferred(place), room))
        });
        let mut payers = Vec::new();
        let mut rooms = 0;
        for place in others {
            if rooms >= self.missing.abs() {
                break;
            }
            rooms += self.room(place);
            payers.push(place);
        }
        payers
    }

    /// Gives a sibling that would keep its shares one more or one fewer, and takes it from another one, or gives it to
    /// another. Neither ends up with the shares that it had before.
    pub(super) fn trade(&mut self, place: usize) {
        if self.is_edited(place) {
            return;
        }
        for other in 0..self.shares.len() {
            for more in [1, -1] {
                let own = self.shares[place] + more;
                let others = self.shares[other] - more;
                if other != place && self.may_trade(place, own) && self.may_trade(other, others) {
                    self.shares[place] = own;
                    self.shares[other] = others;
                    return;
                }
            }
        }
    }

    /// Returns whether a sibling may have so many shares, and had others or none.
    fn may_trade(&self, place: usize, shares: i64) -> bool {
        (shares != self.before[place] || shares == 0) && self.ranges[place].contains(shares)
    }

    /// Returns whether nothing is missing, and all siblings with shares have others than before.
    pub(super) fn edits_all(&self) -> bool {
        let mut keeps_none = true;
        for (place, &before) in self.before.iter().enumerate() {
            keeps_none &= before == 0 || self.is_edited(place);
        }
        self.missing == 0 && keeps_none
    }
}

/// Returns a number of shares with more, or fewer, as far as a range has room.
fn given(shares: i64, range: ShareRange, more: i64) -> i64 {
    let least = range.least.min(shares);
    let most = range.most.max(shares);
    shares.saturating_add(more).clamp(least, most)
}
