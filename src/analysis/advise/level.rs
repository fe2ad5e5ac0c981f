//! The fewest changes on one level: siblings whose portions of the level's shares have bounds, and the rest.
//!
//! With the sum of a level given, its siblings are independent: each keeps its shares where these are within its bounds
//! times the sum, else gets the nearest number that is; what is missing to the sum is made up by as few others as can.
//! Between two sums at which a sibling leaves its bounds the cost is linear, but for rounding and for where the rest need not
//! change. So those sums are tried, with those near them, and all small ones.

use super::goal::ROUNDING;
use crate::analysis::solve::SolveError;
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// The largest sum up to which all are tried.
const MOST_SUMS: i64 = 1 << 16;

/// How many sums are tried between two looks at whether to stop.
const AT_ONCE: usize = 1 << 10;

/// How many sums are tried on both sides of one that can be the best.
const NEAR: i64 = 64;

/// A sibling whose portion of the level has bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sibling {
    pub(super) shares: i64,
    pub(super) bounds: [f64; 2],
}

impl Sibling {
    /// Returns the fewest and the most shares that it may have in a level with this sum. `None` if there are none.
    fn range(self, sum: i64, most: i64) -> Option<[i64; 2]> {
        let [lower, upper] = self.bounds.map(|bound| bound * sum as f64);
        let lower = (lower * (1.0 - ROUNDING)).ceil() as i64;
        let upper = (upper * (1.0 + ROUNDING)).floor() as i64;
        // Nobody is given 0 shares, but whoever has none may keep them.
        let has_none = self.shares <= 0 && self.bounds[0] == 0.0;
        let range = [lower.max(i64::from(!has_none)), upper.min(most)];
        (range[0] <= range[1]).then_some(range)
    }
}

/// The siblings of a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    pub(super) named: Vec<Sibling>,
    /// The shares above 0 of the others, from the most to the least.
    pub(super) rest: Vec<i64>,
    /// What the sum has to be.
    pub(super) sum: Option<i64>,
    /// The largest sum that leaves their portions to those who are not edited.
    pub(super) most_sum: Option<i64>,
    /// The most shares that one node can get.
    pub(super) most: i64,
}

/// What a sum costs: lines, shares by which they change, and the sum.
type Cost = (usize, i64, i64);

impl Level {
    /// Returns the shares of the named siblings, then of the rest, with the fewest lines, then the least change, then the
    /// least sum; `None` if none are within all bounds.
    pub(super) fn best(
        &self,
        progress: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<i64>>, SolveError> {
        let rest = self.rest.iter().sum();
        let mut best: Option<Cost> = None;
        for (place, sum) in self.sums().into_iter().enumerate() {
            if place.is_multiple_of(AT_ONCE) && progress().is_break() {
                return Err(SolveError::Cancelled);
            }
            let cost = self.cost(sum, rest, best.map_or(usize::MAX, |best| best.0));
            best = cost.into_iter().chain(best).min();
        }
        Ok(best.map(|(_, _, sum)| self.shares_at(sum)))
    }

    /// Returns the sums to try, the present one first.
    fn sums(&self) -> Vec<i64> {
        let most_sum = self.most_sum.unwrap_or(i64::MAX);
        if let Some(sum) = self.sum {
            return Vec::from_iter((sum <= most_sum).then_some(sum));
        }
        let rest: i64 = self.rest.iter().sum();
        let now = self.named.iter().map(|it| it.shares).sum::<i64>() + rest;
        let least: f64 = self.named.iter().map(|it| it.bounds[0]).sum();
        let count = (self.named.len() + self.rest.len()) as i64;
        if least > 1.0 + ROUNDING {
            return Vec::new();
        }
        let turns = self
            .named
            .iter()
            .flat_map(|it| it.bounds.map(|bound| it.shares as f64 / bound));
        let mut turns: Vec<f64> = turns.filter(|turn| turn.is_finite()).collect();
        turns.extend([1.0, now as f64, count as f64 * self.most as f64]);
        turns.extend(self.most_sum.map(|most| most as f64));
        turns.sort_by(f64::total_cmp);
        // Between two of them the same siblings change, each to one bound: with this sum nobody else need change.
        let balanced = turns.windows(2).map(|pair| {
            let middle = f64::midpoint(pair[0], pair[1]);
            let (mut kept, mut changed) = (rest as f64, 0.0);
            for &Sibling { shares, bounds } in &self.named {
                match bounds.map(|bound| bound * middle) {
                    [least, _] if (shares as f64) < least => changed += bounds[0],
                    [_, most] if shares as f64 > most => changed += bounds[1],
                    _ => kept += shares as f64,
                }
            }
            kept / (1.0 - changed).max(1e-12)
        });
        let last = most_sum.min(count.saturating_mul(self.most));
        let mut sums = Vec::from_iter((now <= last).then_some(now));
        let around = turns.iter().copied().chain(balanced).flat_map(|sum| {
            let sum = sum as i64;
            sum.saturating_sub(NEAR)..=sum.saturating_add(NEAR)
        });
        sums.extend(
            around
                .chain(1..=MOST_SUMS.min(last))
                .filter(|sum| (1..=last).contains(sum)),
        );
        sums
    }

    /// Returns what a sum costs. `None` if it cannot be reached, or takes more than so many lines.
    fn cost(&self, sum: i64, rest: i64, most_lines: usize) -> Option<Cost> {
        let (mut lines, mut change, mut kept) = (0, 0, rest);
        // What the siblings that must change get together: nearest to now, at least, at most.
        let mut forced = [0; 3];
        // How far those that may keep their shares can go up, and down.
        let (mut up, mut down) = (Vec::new(), Vec::new());
        for sibling in &self.named {
            let [least, most] = sibling.range(sum, self.most)?;
            let nearest = sibling.shares.clamp(least, most);
            if nearest == sibling.shares {
                kept += nearest;
                up.push(most - nearest);
                down.push(nearest - least);
                continue;
            }
            lines += 1;
            change += (nearest - sibling.shares).abs();
            for (forced, shares) in forced.iter_mut().zip([nearest, least, most]) {
                *forced += shares;
            }
        }
        let wanted = sum - kept;
        let others = if wanted > forced[2] {
            let rest = self.rest.iter().rev().map(|shares| self.most - shares);
            fewest(up, rest, wanted - forced[2], most_lines)?
        } else if wanted < forced[1] {
            let rest = self.rest.iter().map(|shares| shares - 1);
            fewest(down, rest, forced[1] - wanted, most_lines)?
        } else {
            0
        };
        lines += others;
        let cost = (lines, change + (wanted - forced[0]).abs(), sum);
        (lines <= most_lines).then_some(cost)
    }

    /// Returns the new shares for a sum that can be reached.
    fn shares_at(&self, sum: i64) -> Vec<i64> {
        let range = |place: usize| match self.named.get(place) {
            Some(sibling) => sibling.range(sum, self.most).unwrap_or_default(),
            None => [1, self.most],
        };
        let named = self.named.iter().map(|it| it.shares);
        let before: Vec<i64> = named.chain(self.rest.iter().copied()).collect();
        let mut shares = before.clone();
        for (place, shares) in shares.iter_mut().enumerate().take(self.named.len()) {
            let [least, most] = range(place);
            *shares = (*shares).clamp(least, most);
        }
        let mut missing = sum - shares.iter().sum::<i64>();
        // Those that change anyway come first; then the largest room, as far as it is needed, and the first of them.
        let room = |place: usize| {
            let [least, most] = range(place);
            if missing < 0 {
                shares[place] - least
            } else {
                most - shares[place]
            }
        };
        let rooms = (0..shares.len()).map(|place| Room {
            is_kept: shares[place] == before[place],
            amount: room(place),
            place,
        });
        let mut rooms: Vec<Room> = rooms.filter(|room| room.amount > 0).collect();
        rooms.sort_unstable_by_key(|room| (room.is_kept, Reverse(room.amount), room.place));
        for (rank, next) in rooms.iter().enumerate() {
            let mut taker = next;
            if next.amount >= missing.abs() {
                // The first that has room for all of it.
                let enough = rooms[rank..]
                    .iter()
                    .filter(|room| room.is_kept == next.is_kept && room.amount >= missing.abs());
                taker = enough.min_by_key(|room| room.place).unwrap_or(next);
            }
            let part = taker.amount.min(missing.abs()) * missing.signum();
            shares[taker.place] += part;
            missing -= part;
            if missing == 0 {
                break;
            }
        }
        shares
    }
}

/// How far the shares of a sibling can go up, or down.
struct Room {
    /// Whether it would keep its shares otherwise.
    is_kept: bool,
    amount: i64,
    place: usize,
}

/// Returns how many of the named siblings and the rest make up an amount together, by their rooms, the largest first; those
/// of the rest are sorted. `None` if all together do not, or it takes more than so many.
fn fewest(
    mut named: Vec<i64>,
    rest: impl Iterator<Item = i64>,
    amount: i64,
    most_lines: usize,
) -> Option<usize> {
    named.sort_unstable_by_key(|&room| Reverse(room));
    let (mut named, mut rest) = (named.into_iter().peekable(), rest.peekable());
    let (mut left, mut lines) = (amount, 0);
    while left > 0 {
        let is_named = named.peek() >= rest.peek();
        let room = if is_named { named.next() } else { rest.next() };
        left -= room.filter(|&room| room > 0 && lines < most_lines)?;
        lines += 1;
    }
    Some(lines)
}
