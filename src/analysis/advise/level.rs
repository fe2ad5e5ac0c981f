//! The fewest changes on one level: siblings whose portions of the level's shares have bounds, and the rest.
//!
//! With the sum of a level given, its siblings are independent: each keeps its shares where these are within its bounds
//! times the sum, else gets the nearest number that is; what is missing to the sum is made up by as few others as can.
//! Between two sums at which a sibling leaves its bounds the cost is linear, but for rounding and for where the rest need not
//! change. So those sums are tried, with those near them, and all small ones.

use crate::analysis::solve::SolveError;
use crate::base::number::readable;
use crate::scenario::shared_out;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// The largest sum up to which all are tried.
const MOST_SUMS: i64 = 1 << 12;

/// How many sums are tried between two looks at whether to stop.
const AT_ONCE: usize = 1 << 8;

/// How many sums are tried on both sides of one that can be the best.
const NEAR: i64 = 64;

/// The most siblings that are all given other shares, and the most times their sum that they get then.
const MOST_EDITED: i64 = 64;

/// How far a portion may miss a bound by the rounding of doubles.
pub(super) const UNREAD: f64 = 1e-12;

/// A sibling whose portion of the level has bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sibling {
    pub(super) shares: i64,
    pub(super) bounds: [f64; 2],
    /// Whether a goal names it, rather than somebody below it.
    pub(super) is_named: bool,
}

/// The siblings of a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    pub(super) named: Vec<Sibling>,
    /// The shares of the others, from the most to the least.
    pub(super) rest: Vec<i64>,
    /// Shares that cannot be changed: those of PBS's group `unknown`.
    pub(super) fixed: i64,
    /// What the sum has to be.
    pub(super) sum: Option<i64>,
    /// The largest sum that leaves their portions to those who are not edited.
    pub(super) most_sum: Option<i64>,
    /// The fewest and the most shares that one node can be given; whoever has fewer or more may keep them.
    pub(super) range: [i64; 2],
}

/// What shares cost: lines, lines of nodes that no goal names, the largest loss of such a node as the bits of a number from 0
/// up, shares by which they change, and the sum.
type Cost = (usize, usize, u64, i64, i64);

impl Level {
    /// Returns the shares of the named siblings, then of the rest, with the fewest lines, then at the least cost; `None` if
    /// none are within all bounds.
    pub(super) fn best(
        &self,
        progress: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<i64>>, SolveError> {
        let mut best: Option<(Cost, Vec<i64>)> = None;
        let rest = self.rest.iter().sum();
        for (place, sum) in self.sums().into_iter().enumerate() {
            if place.is_multiple_of(AT_ONCE) && progress().is_break() {
                return Err(SolveError::Cancelled);
            }
            let most_lines = best.as_ref().map_or(usize::MAX, |best| best.0.0);
            if self.lines(sum, rest, most_lines, UNREAD).is_some() {
                for are_named_first in [true, false] {
                    best = self.cheaper(best, self.shares_at(sum, are_named_first));
                }
            }
        }
        // Where all are edited, nobody is left to be diluted.
        if best.is_none() && self.most_sum.is_some() && self.count() <= MOST_EDITED {
            let now = self.now();
            let sums = match self.sum {
                Some(sum) => sum..=sum,
                None => {
                    now..=now
                        .saturating_mul(MOST_EDITED)
                        .min(now.saturating_add(MOST_SUMS))
                }
            };
            for sum in sums {
                if let Some(shares) = self.all_edited(sum) {
                    best = self.cheaper(best, shares);
                }
            }
        }
        Ok(best.map(|(_, shares)| shares))
    }

    /// Returns how many siblings there are.
    fn count(&self) -> i64 {
        (self.named.len() + self.rest.len()) as i64
    }

    /// Returns the present sum.
    fn now(&self) -> i64 {
        self.before().iter().sum::<i64>() + self.fixed
    }

    /// Returns the present shares of the named siblings, then of the rest.
    pub(super) fn before(&self) -> Vec<i64> {
        let named = self.named.iter().map(|it| it.shares);
        named.chain(self.rest.iter().copied()).collect()
    }

    /// Returns the fewest and the most shares that one of them may have in a level with this sum, if its portion may miss its
    /// bounds by `slack`. `None` if there are none.
    pub(super) fn range(&self, place: usize, sum: i64, slack: f64) -> Option<[i64; 2]> {
        let (shares, bounds) = match self.named.get(place) {
            Some(sibling) => (sibling.shares, sibling.bounds),
            None => (self.rest[place - self.named.len()], [0.0, f64::INFINITY]),
        };
        // In a level without shares every portion is 0.
        if sum == 0 && bounds[0] > slack {
            return None;
        }
        let lower = ((bounds[0] - slack) * sum as f64).ceil() as i64;
        let upper = ((bounds[1] + slack) * sum as f64).floor() as i64;
        let [least, most] = self.possible(shares);
        let range = [lower.max(least), upper.min(most)];
        (range[0] <= range[1]).then_some(range)
    }

    /// Returns the fewest and the most shares of a sibling with so many now.
    pub(super) fn possible(&self, shares: i64) -> [i64; 2] {
        let [least, most] = self.range;
        [least.min(shares.max(0)), most.max(shares)]
    }

    /// Returns the cheaper of two: the best so far, and other shares.
    fn cheaper(
        &self,
        best: Option<(Cost, Vec<i64>)>,
        shares: Vec<i64>,
    ) -> Option<(Cost, Vec<i64>)> {
        let before = self.before();
        let [old, new] = [&before, &shares].map(|it| (it.iter().sum::<i64>() + self.fixed) as f64);
        let (mut lines, mut unnamed, mut change, mut loss) = (0, 0, 0, 0.0_f64);
        for (place, (&was, &is)) in before.iter().zip(&shares).enumerate() {
            let is_named = self.named.get(place).is_some_and(|it| it.is_named);
            lines += usize::from(was != is);
            unnamed += usize::from(was != is && !is_named);
            change += (is - was).abs();
            if !is_named && was > 0 {
                loss = loss.max(1.0 - is as f64 / new * old / was as f64);
            }
        }
        let cost = (
            lines,
            unnamed,
            readable(loss, 9).to_bits(),
            change,
            new as i64,
        );
        let is_cheaper = best.as_ref().is_none_or(|best| cost < best.0);
        if is_cheaper {
            Some((cost, shares))
        } else {
            best
        }
    }

    /// Returns the sums to try, the present one first.
    fn sums(&self) -> Vec<i64> {
        let most_sum = self.most_sum.unwrap_or(i64::MAX);
        if let Some(sum) = self.sum {
            return Vec::from_iter((sum <= most_sum).then_some(sum));
        }
        let rest = self.rest.iter().sum::<i64>() + self.fixed;
        let now = self.now();
        let largest = self
            .count()
            .saturating_mul(self.range[1])
            .saturating_add(self.fixed);
        let turns = self
            .named
            .iter()
            .flat_map(|it| it.bounds.map(|bound| it.shares as f64 / bound));
        let mut turns: Vec<f64> = turns.filter(|turn| turn.is_finite()).collect();
        turns.extend([1.0, now as f64, largest as f64]);
        turns.extend(self.most_sum.map(|most| most as f64));
        turns.sort_by(f64::total_cmp);
        // Between two of them the same siblings change, each to one bound: with this sum nobody else need change.
        let balanced = turns.windows(2).map(|pair| {
            let middle = f64::midpoint(pair[0], pair[1]);
            let (mut kept, mut changed) = (rest as f64, 0.0);
            for &Sibling { shares, bounds, .. } in &self.named {
                match bounds.map(|bound| bound * middle) {
                    [least, _] if (shares as f64) < least => changed += bounds[0],
                    [_, most] if shares as f64 > most => changed += bounds[1],
                    _ => kept += shares as f64,
                }
            }
            kept / (1.0 - changed).max(1e-12)
        });
        let last = most_sum.min(largest);
        let mut sums = Vec::from_iter((now <= last).then_some(now));
        if self.range[0] == 0 && self.fixed == 0 {
            sums.push(0);
        }
        let around = turns.iter().copied().chain(balanced).flat_map(|sum| {
            let sum = sum as i64;
            sum.saturating_sub(NEAR)..=sum.saturating_add(NEAR)
        });
        // A sum may have to be large for the least shares of many to be within a small bound.
        let powers = (0..i64::BITS - 1).map(|bits| 1 << bits);
        sums.extend(
            around
                .chain(powers)
                .chain(1..=MOST_SUMS.min(last))
                .filter(|sum| (1..=last).contains(sum)),
        );
        sums
    }

    /// Returns how many lines a sum takes, if portions may miss their bounds by `slack`. `None` if it cannot be reached, or takes
    /// more than so many.
    pub(super) fn lines(
        &self,
        sum: i64,
        rest: i64,
        most_lines: usize,
        slack: f64,
    ) -> Option<usize> {
        let (mut lines, mut kept) = (0, rest + self.fixed);
        // What the siblings that must change get together: at least, at most.
        let mut forced = [0; 2];
        // How far those that may keep their shares can go up, and down.
        let (mut up, mut down) = (Vec::new(), Vec::new());
        for (place, sibling) in self.named.iter().enumerate() {
            let [least, most] = self.range(place, sum, slack)?;
            if (least..=most).contains(&sibling.shares) {
                kept += sibling.shares;
                up.push(most - sibling.shares);
                down.push(sibling.shares - least);
                continue;
            }
            lines += 1;
            forced[0] += least;
            forced[1] = most.saturating_add(forced[1]);
        }
        let wanted = sum - kept;
        lines += if wanted > forced[1] {
            let rest = self.rest.iter().rev();
            let rest = rest.map(|&shares| self.possible(shares)[1] - shares);
            fewest(up, rest, wanted - forced[1], most_lines)?
        } else if wanted < forced[0] {
            let rest = self.rest.iter();
            let rest = rest.map(|&shares| shares - self.possible(shares)[0]);
            fewest(down, rest, forced[0] - wanted, most_lines)?
        } else {
            0
        };
        (lines <= most_lines).then_some(lines)
    }

    /// Returns the new shares for a sum that can be reached. Those that change anyway make up what is missing; then others, in
    /// proportion to their shares: as few as can, or those that goals name first.
    fn shares_at(&self, sum: i64, are_named_first: bool) -> Vec<i64> {
        let before = self.before();
        let range = |place| self.range(place, sum, UNREAD).unwrap_or_default();
        let ranges = (0..before.len()).map(range);
        let ranges: Vec<[i64; 2]> = ranges.collect();
        let mut shares = before.clone();
        for (shares, [least, most]) in shares.iter_mut().zip(&ranges).take(self.named.len()) {
            *shares = (*shares).clamp(*least, *most);
        }
        let forced = (0..before.len()).filter(|&place| shares[place] != before[place]);
        let forced: Vec<usize> = forced.collect();
        let mut missing = sum - self.fixed - shares.iter().sum::<i64>();
        for place in forced {
            missing -= give(&mut shares[place], ranges[place], missing);
        }
        let room = |place: usize| {
            let mut shares = before[place];
            give(&mut shares, ranges[place], missing).abs()
        };
        let mut others: Vec<usize> = (0..before.len())
            .filter(|&it| shares[it] == before[it])
            .collect();
        let is_first = |place: usize| {
            let is_named = self.named.get(place).is_some_and(|it| it.is_named);
            are_named_first && is_named && room(place) > 0
        };
        others.sort_by_key(|&place| Reverse((is_first(place), room(place))));
        let mut rooms = 0;
        let enough = others.iter().take_while(|&&place| {
            let is_short = rooms < missing.abs();
            rooms += room(place);
            is_short
        });
        let payers: Vec<usize> = enough.copied().collect();
        let weight: i64 = payers.iter().map(|&place| before[place].max(1)).sum();
        let all = missing;
        for &place in &payers {
            let part = i128::from(all) * i128::from(before[place].max(1)) / i128::from(weight);
            let part = i64::try_from(part).unwrap_or(all);
            missing -= give(&mut shares[place], ranges[place], part);
        }
        // What rounding left goes one by one to whom it costs least, and what had no room to whoever has some.
        let one = missing.signum();
        let left = |rank: usize, shares: &[i64]| {
            let place = payers[rank];
            let [least, most] = ranges[place];
            let then = shares[place] + one;
            let portion = then as f64 / before[place].max(1) as f64;
            (least..=most)
                .contains(&then)
                .then_some((portion.to_bits(), rank))
        };
        let able = (0..payers.len()).filter_map(|rank| left(rank, &shares));
        let mut able: BinaryHeap<(u64, usize)> = able.collect();
        let mut units = payers.len();
        while units > 0
            && missing != 0
            && let Some((_, rank)) = able.pop()
        {
            shares[payers[rank]] += one;
            missing -= one;
            units -= 1;
            able.extend(left(rank, &shares));
        }
        for &place in &payers {
            missing -= give(&mut shares[place], ranges[place], missing);
        }
        shares
    }

    /// Returns shares for a sum, near the present portions, with which everybody that has shares has others. `None` if there
    /// are none.
    fn all_edited(&self, sum: i64) -> Option<Vec<i64>> {
        let before = self.before();
        let total = sum - self.fixed;
        if total < before.len() as i64 || before.iter().all(|&shares| shares <= 0) {
            return None;
        }
        let mut shares = shared_out(total, &before);
        let ranges = (0..before.len()).map(|place| self.range(place, sum, UNREAD));
        let ranges: Vec<[i64; 2]> = ranges.collect::<Option<_>>()?;
        for (shares, [least, most]) in shares.iter_mut().zip(&ranges) {
            *shares = (*shares).clamp(*least, *most);
        }
        let mut missing = total - shares.iter().sum::<i64>();
        for (shares, range) in shares.iter_mut().zip(&ranges) {
            missing -= give(shares, *range, missing);
        }
        // Who would keep the same shares trades one of them.
        let may_have = |place: usize, shares: i64| {
            let [least, most] = ranges[place];
            (shares != before[place] || shares == 0) && (least..=most).contains(&shares)
        };
        for place in (0..shares.len()).filter(|&place| before[place] > 0) {
            let trades = (0..shares.len()).flat_map(|other| [(other, 1), (other, -1)]);
            let mut trades = trades.filter(|&(other, more)| {
                other != place
                    && shares[place] == before[place]
                    && may_have(place, shares[place] + more)
                    && may_have(other, shares[other] - more)
            });
            if let Some((other, more)) = trades.next() {
                shares[place] += more;
                shares[other] -= more;
            }
        }
        let are_edited = before
            .iter()
            .zip(&shares)
            .all(|(&was, &is)| was != is || was == 0);
        (missing == 0 && are_edited).then_some(shares)
    }
}

/// Gives a node more shares, or fewer, as far as its range has room, and returns how many.
fn give(shares: &mut i64, [least, most]: [i64; 2], more: i64) -> i64 {
    let before = *shares;
    *shares = before
        .saturating_add(more)
        .clamp(least.min(before), most.max(before));
    *shares - before
}

/// Returns how many of the named siblings and the rest make up an amount together, by their rooms, the largest first; those
/// of the rest are sorted. `None` if all together do not, or it takes more than so many.
pub(super) fn fewest(
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
