//! The fewest changes on one level: siblings whose portions of the level's shares have bounds, and the rest.
//!
//! With the sum of a level given, its siblings are independent: each keeps its shares where these are within its bounds
//! times the sum, else gets the nearest number that is; what is missing to the sum is made up by as few others as can.
//! Between two sums at which a sibling leaves its bounds the cost is linear, but for rounding and for where the rest need not
//! change. So those sums are tried, with those near them, and all small ones.

use super::bounds::{Bounds, ShareRange};
use super::division::Division;
use crate::analysis::solve::SolveError;
use crate::base::number::readable;
use crate::scenario::shared_out;
use std::cmp::Reverse;
use std::ops::RangeInclusive;

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
    pub(super) bounds: Bounds,
    /// Whether a goal names it, rather than somebody below it.
    pub(super) is_named: bool,
}

/// The siblings of a level. Their places are those of the ones with bounds, then those of the rest.
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
    pub(super) range: ShareRange,
}

/// What shares cost. Of two costs the first number that differs decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    lines: usize,
    /// Lines of nodes that no goal names.
    unnamed: usize,
    /// The largest loss of such a node, as the bits of a number from 0 up.
    loss: u64,
    /// By how many shares they change.
    change: i64,
    sum: i64,
}

/// The shares of the siblings, by place, and what they cost.
struct PricedShares {
    cost: Cost,
    shares: Vec<i64>,
}

impl Level {
    /// Returns the shares of the siblings, by place, with the fewest lines, then at the least cost; `None` if none are within
    /// all bounds. `progress` is asked now and then, and its error ends the search.
    pub(super) fn best(
        &self,
        progress: &mut dyn FnMut() -> Result<(), SolveError>,
    ) -> Result<Option<Vec<i64>>, SolveError> {
        let mut best: Option<PricedShares> = None;
        let rest = self.rest.iter().sum();
        for (place, sum) in self.sums().into_iter().enumerate() {
            if place.is_multiple_of(AT_ONCE) {
                progress()?;
            }
            let most_lines = match &best {
                Some(best) => best.cost.lines,
                None => usize::MAX,
            };
            if self.lines(sum, rest, most_lines, UNREAD).is_some() {
                self.keep_cheaper(&mut best, self.shares_at(sum, true));
                self.keep_cheaper(&mut best, self.shares_at(sum, false));
            }
        }
        // Where all are edited, nobody is left to be diluted.
        if best.is_none() && self.most_sum.is_some() && self.count() as i64 <= MOST_EDITED {
            for sum in self.sums_of_all_edited() {
                if let Some(shares) = self.all_edited(sum) {
                    self.keep_cheaper(&mut best, shares);
                }
            }
        }
        Ok(best.map(|best| best.shares))
    }

    /// Returns how many siblings there are.
    fn count(&self) -> usize {
        self.named.len() + self.rest.len()
    }

    /// Returns the present sum.
    fn now(&self) -> i64 {
        self.before().iter().sum::<i64>() + self.fixed
    }

    /// Returns the present shares of the siblings, by place.
    pub(super) fn before(&self) -> Vec<i64> {
        let mut shares = Vec::with_capacity(self.count());
        for sibling in &self.named {
            shares.push(sibling.shares);
        }
        shares.extend(&self.rest);
        shares
    }

    /// Returns the sibling at a place. Those of the rest have no bounds.
    fn sibling(&self, place: usize) -> Sibling {
        match self.named.get(place) {
            Some(sibling) => *sibling,
            None => Sibling {
                shares: self.rest[place - self.named.len()],
                bounds: Bounds::ALL,
                is_named: false,
            },
        }
    }

    /// Returns how many shares one of them may have in a level with this sum, if its portion may miss its bounds by `slack`.
    /// `None` if there is no such number.
    pub(super) fn range(&self, place: usize, sum: i64, slack: f64) -> Option<ShareRange> {
        let Sibling { shares, bounds, .. } = self.sibling(place);
        // In a level without shares every portion is 0.
        if sum == 0 && bounds.least > slack {
            return None;
        }
        let lower = (bounds.least - slack) * sum as f64;
        let upper = (bounds.most + slack) * sum as f64;
        let possible = self.possible(shares);
        let least = possible.least.max(lower.ceil() as i64);
        let most = possible.most.min(upper.floor() as i64);
        (least <= most).then_some(ShareRange { least, most })
    }

    /// Returns how many shares a sibling with so many may be given, whatever its bounds.
    pub(super) fn possible(&self, shares: i64) -> ShareRange {
        ShareRange {
            least: self.range.least.min(shares.max(0)),
            most: self.range.most.max(shares),
        }
    }

    /// Keeps shares if they are cheaper than the best so far.
    fn keep_cheaper(&self, best: &mut Option<PricedShares>, shares: Vec<i64>) {
        let cost = self.cost(&shares);
        match best {
            Some(best) if best.cost <= cost => {}
            _ => *best = Some(PricedShares { cost, shares }),
        }
    }

    /// Returns what shares cost.
    fn cost(&self, shares: &[i64]) -> Cost {
        let old_sum = self.now() as f64;
        let sum = shares.iter().sum::<i64>() + self.fixed;
        let new_sum = sum as f64;
        let mut cost = Cost {
            lines: 0,
            unnamed: 0,
            loss: 0,
            change: 0,
            sum,
        };
        let mut loss = 0.0_f64;
        for (place, &new) in shares.iter().enumerate() {
            let Sibling {
                shares: old,
                is_named,
                ..
            } = self.sibling(place);
            if old != new {
                cost.lines += 1;
                cost.unnamed += usize::from(!is_named);
                cost.change += (new - old).abs();
            }
            if !is_named && old > 0 {
                loss = loss.max(1.0 - new as f64 / new_sum * old_sum / old as f64);
            }
        }
        cost.loss = readable(loss, 9).to_bits();
        cost
    }

    /// Returns the sums to try, the present one first.
    fn sums(&self) -> Vec<i64> {
        let most_sum = self.most_sum.unwrap_or(i64::MAX);
        if let Some(sum) = self.sum {
            return if sum <= most_sum { vec![sum] } else { vec![] };
        }
        let now = self.now();
        let largest_of_all = self.range.most.saturating_mul(self.count() as i64);
        let largest = largest_of_all.saturating_add(self.fixed);
        let last = most_sum.min(largest);
        let mut sums = Vec::new();
        if now <= last {
            sums.push(now);
        }
        if self.range.least == 0 && self.fixed == 0 {
            sums.push(0);
        }
        let mut further = Vec::new();
        for turn in self.turns(largest) {
            let turn = turn as i64;
            further.extend(turn.saturating_sub(NEAR)..=turn.saturating_add(NEAR));
        }
        // A sum may have to be large for the least shares of many to be within a small bound.
        for bits in 0..i64::BITS - 1 {
            further.push(1 << bits);
        }
        further.extend(1..=MOST_SUMS.min(last));
        further.retain(|&sum| 1 <= sum && sum <= last);
        sums.extend(further);
        sums
    }

    /// Returns the sums at which a sibling reaches a bound with its shares, then those between two of them that need nobody
    /// else to change.
    fn turns(&self, largest: i64) -> Vec<f64> {
        let mut turns = vec![1.0, self.now() as f64, largest as f64];
        for &Sibling { shares, bounds, .. } in &self.named {
            for bound in [bounds.least, bounds.most] {
                let turn = shares as f64 / bound;
                if turn.is_finite() {
                    turns.push(turn);
                }
            }
        }
        if let Some(most_sum) = self.most_sum {
            turns.push(most_sum as f64);
        }
        turns.sort_by(f64::total_cmp);
        for next in 1..turns.len() {
            let middle = f64::midpoint(turns[next - 1], turns[next]);
            turns.push(self.balanced(middle));
        }
        turns
    }

    /// Returns the sum with which nobody else need change if those change that a sum between two turns forces, each to one
    /// bound.
    fn balanced(&self, middle: f64) -> f64 {
        let rest = self.rest.iter().sum::<i64>() + self.fixed;
        let mut kept = rest as f64;
        let mut changed = 0.0;
        for &Sibling { shares, bounds, .. } in &self.named {
            let shares = shares as f64;
            let limits = bounds.times(middle);
            if shares < limits.least {
                changed += bounds.least;
            } else if shares > limits.most {
                changed += bounds.most;
            } else {
                kept += shares;
            }
        }
        kept / (1.0 - changed).max(1e-12)
    }

    /// Returns how many lines a sum takes, if portions may miss their bounds by `slack`. `None` if it cannot be reached, or takes
    /// more than so many. `rest` is the sum of the rest.
    pub(super) fn lines(
        &self,
        sum: i64,
        rest: i64,
        most_lines: usize,
        slack: f64,
    ) -> Option<usize> {
        let mut lines = 0;
        let mut kept = rest + self.fixed;
        // What the siblings that must change get together.
        let mut forced = ShareRange::default();
        // How far those that may keep their shares can go.
        let mut up = Vec::new();
        let mut down = Vec::new();
        for (place, sibling) in self.named.iter().enumerate() {
            let range = self.range(place, sum, slack)?;
            if range.contains(sibling.shares) {
                kept += sibling.shares;
                up.push(range.most - sibling.shares);
                down.push(sibling.shares - range.least);
            } else {
                lines += 1;
                forced.least += range.least;
                forced.most = forced.most.saturating_add(range.most);
            }
        }
        let wanted = sum - kept;
        if wanted > forced.most {
            let rooms = self.rooms_up(&self.rest);
            lines += fewest(up, rooms, wanted - forced.most, most_lines)?;
        } else if wanted < forced.least {
            let rooms = self.rooms_down(&self.rest);
            lines += fewest(down, rooms, forced.least - wanted, most_lines)?;
        }
        (lines <= most_lines).then_some(lines)
    }

    /// Returns how many shares more some of the rest may be given, the largest number first.
    pub(super) fn rooms_up(&self, rest: &[i64]) -> impl Iterator<Item = i64> {
        rest.iter()
            .rev()
            .map(|&shares| self.possible(shares).most - shares)
    }

    /// Returns how many shares fewer some of the rest may be given, the largest number first.
    pub(super) fn rooms_down(&self, rest: &[i64]) -> impl Iterator<Item = i64> {
        rest.iter()
            .map(|&shares| shares - self.possible(shares).least)
    }

    /// Returns the new shares for a sum that can be reached. Those that change anyway make up what is missing; then others, in
    /// proportion to their shares: as few as can, or those that goals name first.
    fn shares_at(&self, sum: i64, are_named_first: bool) -> Vec<i64> {
        let before = self.before();
        let mut ranges = Vec::with_capacity(before.len());
        for place in 0..before.len() {
            ranges.push(self.range(place, sum, UNREAD).unwrap_or_default());
        }
        let mut shares = before.clone();
        let mut forced = Vec::new();
        for (place, sibling) in self.named.iter().enumerate() {
            shares[place] = ranges[place].nearest(sibling.shares);
            if shares[place] != sibling.shares {
                forced.push(place);
            }
        }
        let mut division = Division {
            missing: sum - self.fixed - shares.iter().sum::<i64>(),
            before,
            ranges,
            shares,
        };
        division.give_missing(forced);
        let payers = division.payers(|place| are_named_first && self.sibling(place).is_named);
        division.give_in_proportion(&payers);
        // What rounding left goes to whom it costs least, and what had no room to whoever has some.
        division.give_one_by_one(&payers);
        division.give_missing(payers);
        division.shares
    }

    /// Returns the sums to try where all siblings are edited.
    fn sums_of_all_edited(&self) -> RangeInclusive<i64> {
        if let Some(sum) = self.sum {
            return sum..=sum;
        }
        let now = self.now();
        let many_times = now.saturating_mul(MOST_EDITED);
        now..=many_times.min(now.saturating_add(MOST_SUMS))
    }

    /// Returns shares for a sum, near the present portions, with which everybody that has shares has others. `None` if there
    /// are none.
    fn all_edited(&self, sum: i64) -> Option<Vec<i64>> {
        let before = self.before();
        let total = sum - self.fixed;
        let has_shares = before.iter().any(|&shares| shares > 0);
        if total < before.len() as i64 || !has_shares {
            return None;
        }
        let mut shares = shared_out(total, &before);
        let mut ranges = Vec::with_capacity(before.len());
        for (place, shares) in shares.iter_mut().enumerate() {
            let range = self.range(place, sum, UNREAD)?;
            *shares = range.nearest(*shares);
            ranges.push(range);
        }
        let mut division = Division {
            missing: total - shares.iter().sum::<i64>(),
            before,
            ranges,
            shares,
        };
        division.give_missing(0..self.count());
        // Who would keep the same shares trades one of them.
        for place in 0..self.count() {
            if division.before[place] > 0 {
                division.trade(place);
            }
        }
        division.edits_all().then_some(division.shares)
    }
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
    let mut named = named.into_iter().peekable();
    let mut rest = rest.peekable();
    let mut left = amount;
    let mut lines = 0;
    while left > 0 {
        let is_named = named.peek() >= rest.peek();
        let room = if is_named { named.next() } else { rest.next() }?;
        if room <= 0 || lines == most_lines {
            return None;
        }
        left -= room;
        lines += 1;
    }
    Some(lines)
}
