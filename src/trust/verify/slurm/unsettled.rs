//! `DEPTH_OBLIVIOUS` before its first settled period.
//!
//! After a start every association's part of all usage is Slurm's `NO_VAL` until it is computed, one association after
//! the other, and a user's only when it is first asked for. Effective usage that is computed meanwhile is relative to
//! siblings that seem to have used 4,294,967,294 times everything, so most factors are near 1.

use super::possible::powers;
use super::{GivenTree, Interval};
use crate::model::Fact;

/// The part of all usage of a sibling that Slurm has not yet computed: its `NO_VAL`.
const UNKNOWN: f64 = 4_294_967_294.0;

/// Up to this number of siblings every possible number of unknown ones is tried; with more, all numbers at once.
const MOST_TRIED: u32 = 64;

/// The usage of siblings, some of which may be unknown.
#[derive(Clone, Copy)]
struct LevelUsage {
    /// The known usage of all of them.
    usage: Interval,
    /// How many have shares of their own.
    members: u32,
}

impl LevelUsage {
    /// Returns the sums that Slurm may have computed: of all siblings first, then with one unknown and more. A node's
    /// own usage is never unknown.
    fn sums(self) -> impl Iterator<Item = Interval> {
        let others = self.members.saturating_sub(1);
        let unknown = move |count: u32| {
            let unknown = UNKNOWN * f64::from(count);
            Interval::between(unknown, unknown + self.usage.high)
        };
        let tried = (1..=others)
            .take_while(move |_| others <= MOST_TRIED)
            .map(unknown);
        let at_once = (others > MOST_TRIED).then(|| unknown(1).or(unknown(others)));
        std::iter::once(self.usage).chain(tried).chain(at_once)
    }
}

impl GivenTree<'_> {
    /// Returns, by position, effective usage under `DEPTH_OBLIVIOUS` while siblings are filled in: all possible values
    /// that can be printed as recorded.
    pub(super) fn unsettled_usage(&self, shares: &[Interval]) -> Vec<Interval> {
        let own = self.norm_usages();
        let none = LevelUsage {
            usage: Interval::ZERO,
            members: 0,
        };
        let mut levels = vec![none; own.len()];
        for (position, &own) in own.iter().enumerate().skip(1) {
            if !self.associations.is_parent(position) {
                let parent = self.associations.fair_share_parent[position] as usize;
                let level = &mut levels[parent];
                level.usage = level.usage.plus(own);
                level.members += 1;
            }
        }
        self.handed_down(|position, parent, above| {
            let (own, share) = (own[position], shares[position]);
            if parent == 0 {
                return own;
            }
            if self.associations.is_parent(position) {
                return above;
            }
            if share.high == 0.0 || own.high == 0.0 || above.high == 0.0 {
                return own;
            }
            let account = above.over(shares[parent]);
            let effective = |sum: Interval| {
                let ratio = own.over(share).over(sum.over(shares[parent]));
                account.times(powers(ratio, account)).times(share)
            };
            let recorded = self.recorded(Fact::EffectvUsage, position);
            let is_recorded =
                |number: &Interval| recorded.is_none_or(|recorded| recorded.meets(*number));
            let possible = levels[parent].sums().map(effective).filter(is_recorded);
            let found = possible.reduce(Interval::or);
            let settled = found.unwrap_or_else(|| effective(levels[parent].usage));
            if own.low == 0.0 || above.low == 0.0 {
                settled.or(own)
            } else {
                settled
            }
        })
    }
}
