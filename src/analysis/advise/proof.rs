//! The fewest lines that can do on a level, or that none do: what has to hold of fractions has to hold of whole shares.
//!
//! Between two sums at which a sibling reaches an end of what it may have, the same siblings have to be edited, and what is
//! missing and the rooms of the others are linear in the sum. So what the largest rooms lack is least at one of the two
//! sums, unless those that are edited anyway can have what is left for them in between.

use super::bounds::Bounds;
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
        let rest: i64 = self.rest.iter().sum();
        if let Some(sum) = self.sum {
            if sum <= most_sum {
                return self.lines(sum, rest, usize::MAX, slack);
            }
            return self.is_reached_by_all(sum, slack).then_some(all);
        }
        let mut largest = 0.0;
        for shares in before {
            largest += self.possible(shares).most as f64;
        }
        largest += self.fixed as f64;
        let mut fractions = Fractions {
            level: self,
            slack,
            are_all_edited: false,
            rest: (rest + self.fixed) as f64,
        };
        let few = fractions.fewest_lines(largest.min(most_sum as f64));
        // Where all are edited, nobody is left to be diluted.
        fractions.are_all_edited = true;
        let may_dilute = self.most_sum.is_some() && fractions.fewest_lines(largest).is_some();
        if may_dilute || self.may_be_empty(slack) {
            return Some(all.min(few.unwrap_or(all)));
        }
        few
    }

    /// Returns whether all siblings can be left without shares: every portion is 0 then.
    fn may_be_empty(&self, slack: f64) -> bool {
        for sibling in &self.named {
            if sibling.bounds.least > slack {
                return false;
            }
        }
        self.range.least == 0 && self.fixed == 0
    }

    /// Returns whether all siblings together can have a sum.
    fn is_reached_by_all(&self, sum: i64, slack: f64) -> bool {
        let mut least = self.fixed;
        let mut most = self.fixed;
        for place in 0..self.before().len() {
            let Some(range) = self.range(place, sum, slack) else {
                return false;
            };
            least = least.saturating_add(range.least);
            most = most.saturating_add(range.most);
        }
        least <= sum && sum <= most
    }
}

impl Fractions<'_> {
    /// Returns the fewest lines for sums up to the last. `None` if none of these can be reached.
    fn fewest_lines(&self, last: f64) -> Option<usize> {
        let turns = self.turns(last);
        let mut lines = Vec::new();
        for &turn in &turns {
            if let Some(need) = self.need(turn, turn) {
                lines.extend(need.lines);
            }
        }
        for pair in turns.windows(2) {
            let middle = f64::midpoint(pair[0], pair[1]);
            let Some(first) = self.need(pair[0], middle) else {
                continue;
            };
            let Some(last) = self.need(pair[1], middle) else {
                continue;
            };
            lines.extend(first.lines);
            lines.extend(last.lines);
            if first.side != last.side {
                lines.push(self.forced(middle));
            }
        }
        lines.into_iter().min()
    }

    /// Returns the sums from 1 to the last at which a sibling reaches an end of what it may have, sorted.
    fn turns(&self, last: f64) -> Vec<f64> {
        let mut turns = vec![1.0, last.max(1.0)];
        for &sibling in &self.level.named {
            let possible = self.level.possible(sibling.shares);
            let bounds = self.bounds(sibling);
            for shares in [sibling.shares, possible.least, possible.most] {
                for bound in [bounds.least, bounds.most] {
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

    /// Returns the bounds of a sibling's portion with what it may miss them by.
    fn bounds(&self, sibling: Sibling) -> Bounds {
        Bounds {
            least: sibling.bounds.least - self.slack,
            most: sibling.bounds.most + self.slack,
        }
    }

    /// Returns what a sibling may have in a level with a sum, in shares. `None` if there is nothing that it may have.
    fn ends(&self, sibling: Sibling, sum: f64) -> Option<Bounds> {
        let possible = self.level.possible(sibling.shares);
        let mut ends = self.bounds(sibling).times(sum);
        ends.narrow(Bounds {
            least: possible.least as f64,
            most: possible.most as f64,
        });
        if ends.least > ends.most + NOISE * sum {
            return None;
        }
        ends.most = ends.most.max(ends.least);
        Some(ends)
    }

    /// Returns whether a sibling cannot keep its shares in a level with a sum.
    fn is_forced(&self, sibling: Sibling, sum: f64) -> bool {
        if self.are_all_edited {
            return true;
        }
        let Some(ends) = self.ends(sibling, sum) else {
            return true;
        };
        let shares = sibling.shares as f64;
        let noise = NOISE * sum;
        shares < ends.least - noise || shares > ends.most + noise
    }

    /// Returns how many lines a sum takes at least.
    fn forced(&self, sum: f64) -> usize {
        let mut forced = 0;
        for &sibling in &self.level.named {
            forced += usize::from(self.is_forced(sibling, sum));
        }
        forced
    }

    /// Returns what a sum asks for if those are edited that another sum forces. `None` if one of them cannot be within its
    /// bounds.
    fn need(&self, sum: f64, forced_at: f64) -> Option<Need> {
        let level = self.level;
        let mut lines = 0;
        let mut left = sum - self.rest;
        // What those that are edited may have together.
        let mut wanted = Bounds {
            least: 0.0,
            most: 0.0,
        };
        // The rooms of the others.
        let mut down = Vec::new();
        let mut up = Vec::new();
        for &sibling in &level.named {
            let ends = self.ends(sibling, sum)?;
            if self.is_forced(sibling, forced_at) {
                lines += 1;
                wanted.least += ends.least;
                wanted.most += ends.most;
            } else {
                let shares = sibling.shares as f64;
                left -= shares;
                down.push((shares - ends.least).ceil() as i64);
                up.push((ends.most - shares).ceil() as i64);
            }
        }
        let mut payers = &level.rest[..];
        if self.are_all_edited {
            payers = &[];
            for &shares in &level.rest {
                let possible = level.possible(shares);
                left += shares as f64;
                wanted.least += possible.least as f64;
                wanted.most += possible.most as f64;
            }
        }
        let missing = wanted.least - left - NOISE * sum;
        let over = left - wanted.most - NOISE * sum;
        let mut further = Some(0);
        let mut side = Ordering::Equal;
        if missing > 0.0 {
            let rooms = level.rooms_down(payers);
            further = fewest(down, rooms, missing.ceil() as i64, usize::MAX);
            side = Ordering::Less;
        } else if over > 0.0 {
            let rooms = level.rooms_up(payers);
            further = fewest(up, rooms, over.ceil() as i64, usize::MAX);
            side = Ordering::Greater;
        }
        let lines = further.map(|further| lines + further);
        Some(Need { side, lines })
    }
}
