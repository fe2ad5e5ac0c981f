//! The fewest lines that can do on a level, or that none do: what has to hold of fractions has to hold of whole shares.
//!
//! Between two sums at which a sibling reaches an end of what it may have, the same siblings have to be edited, and what is
//! missing and the rooms of the others are linear in the sum. So what the largest rooms lack is least at one of the two
//! sums, unless those that are edited anyway can have what is left for them in between.

use super::level::{Level, Sibling, fewest};
use std::cmp::Ordering;

/// The most siblings with bounds for which the sums are looked through.
const MOST_NAMED: usize = 64;

/// The part of a sum that the rounding of doubles may make up.
const NOISE: f64 = 1e-13;

/// Fractions of shares on a level.
struct Fractions<'a> {
    level: &'a Level,
    /// How far a portion may miss its bounds.
    slack: f64,
    /// Whether all siblings are edited, or only those that leave their bounds, and few others.
    are_all_edited: bool,
    /// The shares of those without bounds, and those that cannot be changed.
    rest: f64,
}

/// What a sum asks of siblings beside those that are edited anyway.
#[derive(Clone, Copy)]
struct Need {
    /// Whether less, or more, is left for those that are edited than they may have.
    side: Ordering,
    /// How many lines it takes. `None` if all others together do not do.
    lines: Option<usize>,
}

impl Level {
    /// Returns a number of lines with fewer of which portions are not within their bounds, nor miss them by `slack` at most.
    /// `None` if no shares do.
    pub(super) fn fewest_lines(&self, slack: f64) -> Option<usize> {
        if self.named.len() > MOST_NAMED {
            return Some(0);
        }
        let before = self.before();
        let all = before.iter().filter(|&&shares| shares > 0).count();
        let most_sum = self.most_sum.unwrap_or(i64::MAX);
        if let Some(sum) = self.sum {
            if sum <= most_sum {
                let rest = self.rest.iter().sum();
                return self.lines(sum, rest, usize::MAX, slack);
            }
            return self.is_reached_by_all(sum, slack).then_some(all);
        }
        let most = before.iter().map(|&shares| self.possible(shares)[1] as f64);
        let largest = most.sum::<f64>() + self.fixed as f64;
        let mut fractions = Fractions {
            level: self,
            slack,
            are_all_edited: false,
            rest: (self.rest.iter().sum::<i64>() + self.fixed) as f64,
        };
        let few = fractions.fewest_lines(largest.min(most_sum as f64));
        // Where all are edited, nobody is left to be diluted.
        fractions.are_all_edited = true;
        let may_dilute = self.most_sum.is_some() && fractions.fewest_lines(largest).is_some();
        // In a level without shares every portion is 0.
        let is_possible = |sibling: &Sibling| sibling.bounds[0] <= slack;
        let may_be_empty =
            self.range[0] == 0 && self.fixed == 0 && self.named.iter().all(is_possible);
        let all = (may_dilute || may_be_empty).then_some(all);
        few.into_iter().chain(all).min()
    }

    /// Returns whether all siblings together can have a sum.
    fn is_reached_by_all(&self, sum: i64, slack: f64) -> bool {
        let (mut least, mut most) = (self.fixed, self.fixed);
        for place in 0..self.before().len() {
            let Some(range) = self.range(place, sum, slack) else {
                return false;
            };
            least = least.saturating_add(range[0]);
            most = most.saturating_add(range[1]);
        }
        (least..=most).contains(&sum)
    }
}

impl Fractions<'_> {
    /// Returns the fewest lines for sums up to the last. `None` if none of these can be reached.
    fn fewest_lines(&self, last: f64) -> Option<usize> {
        let turns = self.turns(last);
        let needs = turns.iter().filter_map(|&turn| self.need(turn, turn));
        let mut fewest = needs.filter_map(|need| need.lines).min();
        for pair in turns.windows(2) {
            let middle = f64::midpoint(pair[0], pair[1]);
            let [first, last] = [pair[0], pair[1]].map(|sum| self.need(sum, middle));
            let Some((first, last)) = first.zip(last) else {
                continue;
            };
            let forced = (first.side != last.side).then(|| self.forced(middle));
            let lines = [fewest, first.lines, last.lines, forced];
            fewest = lines.into_iter().flatten().min();
        }
        fewest
    }

    /// Returns the sums from 1 to the last at which a sibling reaches an end of what it may have, sorted.
    fn turns(&self, last: f64) -> Vec<f64> {
        let mut turns = vec![1.0, last.max(1.0)];
        for sibling in &self.level.named {
            let [least, most] = self.level.possible(sibling.shares);
            for shares in [sibling.shares, least, most] {
                for bound in self.bounds(*sibling) {
                    let turn = shares as f64 / bound;
                    if turn > 1.0 && turn < last {
                        turns.push(turn);
                    }
                }
            }
        }
        turns.sort_by(f64::total_cmp);
        turns
    }

    fn bounds(&self, sibling: Sibling) -> [f64; 2] {
        let [least, most] = sibling.bounds;
        [least - self.slack, most + self.slack]
    }

    /// Returns the fewest and the most shares that a sibling may have in a level with a sum. `None` if there are none.
    fn ends(&self, sibling: Sibling, sum: f64) -> Option<[f64; 2]> {
        let [least, most] = self.level.possible(sibling.shares);
        let bounds = self.bounds(sibling).map(|bound| bound * sum);
        let lower = bounds[0].max(least as f64);
        let upper = bounds[1].min(most as f64);
        (lower <= upper + NOISE * sum).then_some([lower, upper.max(lower)])
    }

    /// Returns whether a sibling cannot keep its shares in a level with a sum.
    fn is_forced(&self, sibling: Sibling, sum: f64) -> bool {
        let shares = sibling.shares as f64;
        let is_kept = |[lower, upper]: [f64; 2]| {
            (lower - NOISE * sum..=upper + NOISE * sum).contains(&shares)
        };
        self.are_all_edited || !self.ends(sibling, sum).is_some_and(is_kept)
    }

    /// Returns how many lines a sum takes at least.
    fn forced(&self, sum: f64) -> usize {
        let named = self.level.named.iter();
        named.filter(|it| self.is_forced(**it, sum)).count()
    }

    /// Returns what a sum asks for if those are edited that another sum forces. `None` if one of them cannot be within its
    /// bounds.
    fn need(&self, sum: f64, forced_at: f64) -> Option<Need> {
        let level = self.level;
        let (mut lines, mut left) = (0, sum - self.rest);
        let mut wanted = [0.0_f64; 2];
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for &sibling in &level.named {
            let [least, most] = self.ends(sibling, sum)?;
            let shares = sibling.shares as f64;
            if self.is_forced(sibling, forced_at) {
                lines += 1;
                wanted = [wanted[0] + least, wanted[1] + most];
            } else {
                left -= shares;
                down.push((shares - least).ceil() as i64);
                up.push((most - shares).ceil() as i64);
            }
        }
        if self.are_all_edited {
            for &shares in &level.rest {
                let [least, most] = level.possible(shares);
                left += shares as f64;
                wanted = [wanted[0] + least as f64, wanted[1] + most as f64];
            }
        }
        let [missing, over] = [wanted[0] - left, left - wanted[1]].map(|it| it - NOISE * sum);
        let may_pay = !self.are_all_edited;
        let (side, further) = if missing > 0.0 {
            let rest = level.rest.iter().filter(|_| may_pay);
            let rest = rest.map(|&shares| shares - level.possible(shares)[0]);
            (
                Ordering::Less,
                fewest(down, rest, missing.ceil() as i64, usize::MAX),
            )
        } else if over > 0.0 {
            let rest = level.rest.iter().rev().filter(|_| may_pay);
            let rest = rest.map(|&shares| level.possible(shares)[1] - shares);
            (
                Ordering::Greater,
                fewest(up, rest, over.ceil() as i64, usize::MAX),
            )
        } else {
            (Ordering::Equal, Some(0))
        };
        let lines = further.map(|further| lines + further);
        Some(Need { side, lines })
    }
}
