//! Numbers of different moments in one dump.
//!
//! Slurm shows the current shares, `NormShares` and `RawUsage`. Everything else is of its last calculation, up to
//! `PriorityCalcPeriod` ago. A dump taken in between contradicts itself without being wrong. It is called stale only if
//! the older columns agree with each other and a later change explains all of them. A single altered number never does:
//! usage adds up through all accounts above, a share counts for all of a level, and the number of users for every rank.

use super::ColumnCheck;
use super::fair_tree::open_ranks;
use super::given_tree::{GivenTree, Interval, part};
use super::tally::Tally;
use crate::model::{Fact, Settings};
use crate::rules::policy::Policy;
use crate::rules::policy::fair_tree::ranks_by_level_fs;
use std::collections::BTreeMap;

/// How many rows must differ at least: every event in Slurm shows in more than one.
const FEWEST: usize = 2;

/// How many accounts up the fair-share parent of the last calculation is searched for.
const HIGHEST: usize = 64;

/// How many more users than now there may have been.
const MOST_REMOVED: u32 = 64;

/// Why recorded numbers are of another moment than the shares and usage beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub enum Stale {
    /// `DEPTH_OBLIVIOUS` after a start of Slurm.
    Unsettled,
    /// A change since Slurm's last calculation.
    Slurm(Vec<Older>),
    /// Flux has not recomputed its factors, so many of which are older.
    Flux { older: usize, rows: usize },
}

/// The part of a Slurm dump that is older than the shares, usage and users beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub enum Older {
    /// Effective usage.
    Usage,
    /// The Level FS, which is of other shares.
    Shares,
    /// The ranks, which are of another number of users.
    Users { then: u32, now: usize },
    /// All numbers except shares and usage, for users that were added since.
    NewUsers,
}

pub(super) fn explain(
    given_tree: &GivenTree,
    policy: Policy,
    settings: &Settings,
    tally: &Tally,
) -> Option<Stale> {
    let differing = |fact| tally.column(fact).map_or(0, ColumnCheck::differing);
    if differing(Fact::NormShares) > 0 {
        return None;
    }
    if policy == Policy::DepthOblivious && differing(Fact::EffectvUsage) > 0 {
        let mut unsettled = given_tree.with_usage(given_tree.usage.clone());
        unsettled.is_filling_in = true;
        if unsettled.check(policy, settings).misfits() == 0 {
            return Some(Stale::Unsettled);
        }
    }
    let older = EarlierSnapshot::of(given_tree, policy)?;
    if tally.misfits() < FEWEST && !older.has_new() {
        return None;
    }
    let usage_differs = differing(Fact::EffectvUsage) > 0;
    let reasons = match policy {
        Policy::FairTree => older.fair_tree(settings, usage_differs)?,
        Policy::Classic | Policy::DepthOblivious => {
            let earlier = given_tree.with_usage(older.usage.clone());
            let again = earlier.check(policy, settings);
            if !usage_differs || again.misfits() > 0 || !older.adds_up() {
                return None;
            }
            vec![Older::Usage]
        }
        _ => return None,
    };
    (!reasons.is_empty()).then_some(Stale::Slurm(reasons))
}

/// A snapshot at Slurm's last calculation, as far as its columns show that.
struct EarlierSnapshot<'a> {
    given_tree: &'a GivenTree<'a>,
    /// By position: the part of all usage that was recorded, or that follows from effective usage.
    usage: Vec<Interval>,
    /// By position: whether the association is newer than the last calculation.
    is_new: Vec<bool>,
}

impl<'a> EarlierSnapshot<'a> {
    fn of(given_tree: &'a GivenTree, policy: Policy) -> Option<Self> {
        let count = given_tree.usage.len();
        let has_parts = given_tree.figures(Fact::NormUsage).is_some();
        given_tree.figures(Fact::EffectvUsage)?;
        let mut older = Self {
            given_tree,
            usage: vec![Interval::ONE; count],
            is_new: vec![false; count],
        };
        for position in 1..count {
            let parent = given_tree.parent(position);
            let part = if has_parts {
                given_tree.recorded(Fact::NormUsage, position)
            } else if policy == Policy::Classic {
                older.part_of_classic(position, parent)
            } else {
                let part = given_tree.recorded(Fact::EffectvUsage, position);
                part.map(|part| part.times(older.usage[parent]))
            };
            // A ranked user has a factor above 0.
            let is_unranked = policy == Policy::FairTree
                && given_tree.is_user(position)
                && given_tree.printed(Fact::FairShare, position) == Some(0.0);
            let part = part.filter(|_| !is_unranked);
            older.is_new[position] = part.is_none();
            older.usage[position] = part.unwrap_or(Interval::ZERO);
        }
        Some(older)
    }

    /// Returns the part of all usage from which classic computed the recorded effective usage, or `None`.
    fn part_of_classic(&self, position: usize, parent: usize) -> Option<Interval> {
        let own = self.given_tree.recorded(Fact::EffectvUsage, position)?;
        if parent == 0 {
            return Some(own);
        }
        let above = self.given_tree.recorded(Fact::EffectvUsage, parent)?;
        let share = self.given_tree.share(position);
        let rest = 1.0 - share.high;
        if self.given_tree.is_parent(position)
            || self.given_tree.associations.level_shares(position) == 0
            || rest <= 0.0
        {
            // It is the account's, whatever its own part is.
            return Some(Interval::ZERO.or(Interval::exactly(self.usage[parent].high)));
        }
        let least = (own.low - above.high * share.high).max(0.0) / rest;
        let most = (own.high - above.low * share.low).max(0.0) / rest;
        Some(Interval::between(least, most))
    }

    /// Returns whether there is a user without a part of all usage, without a rank and with a Level FS of 0. A single
    /// altered number does not change all three.
    fn has_new(&self) -> bool {
        let given_tree = self.given_tree;
        given_tree.figures(Fact::NormUsage).is_some()
            && (1..self.usage.len()).any(|at| {
                given_tree.is_user(at)
                    && given_tree.printed(Fact::NormUsage, at).is_none()
                    && given_tree.printed(Fact::FairShare, at) == Some(0.0)
                    && given_tree.printed(Fact::LevelFs, at) == Some(0.0)
            })
    }

    fn differing_parts(&self) -> usize {
        (1..self.usage.len())
            .filter(|&at| !self.is_new[at] && !self.usage[at].meets(self.given_tree.norm_usage(at)))
            .count()
    }

    /// Returns whether the usage of an account beyond its members is the same now as then: everything charged or reset
    /// since was so all the way up. Differences below the older digits are allowed, because removed users leave their
    /// usage behind, but not if the parts of all usage hardly change, which then cannot confirm them.
    fn adds_up(&self) -> bool {
        let is_seen = self.differing_parts() >= FEWEST;
        let above = self.given_tree.snapshot.tree.order().above();
        let count = above.len();
        let mut now = vec![Interval::ZERO; count];
        let mut then = vec![Interval::ZERO; count];
        let mut has_members = vec![false; count];
        for (position, &parent) in above.iter().enumerate().skip(1) {
            let parent = parent as usize;
            now[parent] = now[parent].plus(self.given_tree.usage[position]);
            then[parent] = then[parent].plus(self.usage[position]);
            has_members[parent] = true;
        }
        let total = self.given_tree.usage[0];
        (0..count).filter(|&at| has_members[at]).all(|at| {
            let own = self.given_tree.usage[at];
            let (left, most) = (own.low - now[at].high, own.high - now[at].low);
            if left <= 0.0 && most >= 0.0 {
                return true;
            }
            let was_least = self.usage[at].low - then[at].high;
            let was_most = self.usage[at].high - then[at].low;
            // The total may have been smaller or larger then, but not by that much.
            left > 0.0
                && (is_seen || was_least > 0.0)
                && was_most * total.high * 2.0 >= left
                && was_least * total.low <= most * 2.0
        })
    }

    /// Returns why Fair Tree's columns are older: nothing if they are not, `None` if they contradict each other.
    fn fair_tree(&self, settings: &Settings, usage_differs: bool) -> Option<Vec<Older>> {
        let mut reasons = Vec::new();
        let parents = self.parents()?;
        let has_moved = *parents != *self.given_tree.associations.fair_share_parent;
        if self.differing_parts() > 0 || (usage_differs && !has_moved) {
            if !self.adds_up() {
                return None;
            }
            reasons.push(Older::Usage);
        }
        let then = self.user_count();
        let now = self.given_tree.snapshot.tree.user_count();
        let has_removed = then.is_some_and(|then| then as usize > now);
        let differing = self.differing_shares(&parents, has_removed)?;
        if differing >= FEWEST || has_moved {
            reasons.push(Older::Shares);
        } else if differing > 0 {
            return None;
        }
        let then = then?;
        if then as usize != now {
            reasons.push(Older::Users { then, now });
        } else if self.has_new() {
            reasons.push(Older::NewUsers);
        }
        if !has_moved && !self.is_in_order(settings, has_removed) {
            return None;
        }
        Some(reasons)
    }

    /// Returns, by position, the account whose usage was the basis of effective usage then. `None` if a row fits none.
    fn parents(&self) -> Option<Vec<u32>> {
        let above = self.given_tree.snapshot.tree.order().above();
        let mut parents = self.given_tree.associations.fair_share_parent.to_vec();
        for position in 1..parents.len() {
            let Some(effective) = self.given_tree.recorded(Fact::EffectvUsage, position) else {
                continue;
            };
            let fits = |parent: u32| {
                effective.meets(part(self.usage[position], self.usage[parent as usize]))
            };
            if self.is_new[position] || fits(parents[position]) {
                continue;
            }
            // Shares that were changed to or from `parent` since give another fair-share parent.
            let higher = |&account: &u32| (account > 0).then(|| above[account as usize]);
            let mut line = std::iter::successors(Some(above[position]), higher).take(HIGHEST + 1);
            let parent = line.find(|&account| fits(account))?;
            let is_passed = |account: u32| self.given_tree.is_parent(account as usize);
            if !is_passed(above[position]) && parent != above[position] && !is_passed(parent) {
                // No change of a node on the path can explain this.
                return None;
            }
            parents[position] = parent;
        }
        Some(parents)
    }

    /// Returns how many rows have a Level FS of other shares than now, or `None` if there are no such shares.
    fn differing_shares(&self, parents: &[u32], has_removed: bool) -> Option<usize> {
        /// What is known of the former shares of a level.
        #[derive(Default)]
        struct ShareLevel {
            sum: Option<Interval>,
            has_unknown: bool,
            /// Whether it had one member less.
            has_new: bool,
            same: usize,
            differing: usize,
        }
        let mut levels: BTreeMap<u32, ShareLevel> = BTreeMap::new();
        for (position, &parent) in parents.iter().enumerate().skip(1) {
            let level = levels.entry(parent).or_default();
            if self.is_new[position] {
                level.has_new = true;
                continue;
            }
            let recorded = |fact| self.given_tree.recorded(fact, position);
            let level_fs = recorded(Fact::LevelFs).filter(|number| number.low < f64::INFINITY);
            let used = recorded(Fact::EffectvUsage).filter(|number| number.low > 0.0);
            let (Some(level_fs), Some(used)) = (level_fs, used) else {
                level.has_unknown = true;
                continue;
            };
            // The part of the usage is known with more digits than its printed value.
            let part = part(self.usage[position], self.usage[parent as usize]);
            let share = level_fs.times(used.narrowed(Some(part)));
            level.sum = Some(level.sum.map_or(share, |sum| sum.plus(share)));
            if share.meets(self.given_tree.share(position)) {
                level.same += 1;
            } else {
                level.differing += 1;
            }
        }
        let mut differing = 0;
        for level in levels.into_values() {
            let Some(sum) = level.sum.filter(|_| level.differing > 0) else {
                continue;
            };
            let is_whole = sum.high >= 1.0 || level.has_unknown || has_removed;
            // A changed share changes the parts of all siblings.
            if sum.low > 1.0 || !is_whole || level.same > level.differing {
                return None;
            }
            // If a member was added or removed, the change of all others may show in only one of them.
            let is_explained = level.has_new || (has_removed && sum.high < 1.0);
            if !is_explained {
                differing += level.differing;
            }
        }
        Some(differing)
    }

    /// Returns the number of users when ranks were given: one for which every FairShare is a multiple of its inverse,
    /// nearest to the present number without new users. `None` if there is no such number.
    fn user_count(&self) -> Option<u32> {
        let given = self.given_tree;
        let users = (1..given.usage.len()).filter(|&at| given.is_user(at) && !self.is_new[at]);
        let ranked = users.filter_map(|at| given.recorded(Fact::FairShare, at));
        let ranked: Vec<Interval> = ranked.collect();
        let count = u32::try_from(ranked.len()).ok()?;
        let now = u32::try_from(self.given_tree.snapshot.tree.user_count()).ok()?;
        if count == 0 {
            return Some(now);
        }
        let fits = |&count: &u32| {
            let users = f64::from(count);
            ranked.iter().all(|factor| {
                let rank = ((factor.low + factor.high) * 0.5 * users).round();
                rank >= 1.0 && factor.meets(Interval::exactly(rank / users))
            })
        };
        let counts = count..=count.saturating_add(MOST_REMOVED);
        std::iter::once(now).chain(counts).find(fits)
    }

    /// Returns the Level FS of a row by its present shares and its former usage, or `None` if it has none.
    fn level_fs(&self, position: usize) -> Option<Interval> {
        let parent = self.given_tree.parent(position);
        let share = self.given_tree.share(position);
        if position == 0 || self.given_tree.is_parent(position) || share.high == 0.0 {
            return None;
        }
        let used = self.given_tree.recorded(Fact::EffectvUsage, position)?;
        let used = used.narrowed(Some(part(self.usage[position], self.usage[parent])));
        Some(share.over(used))
    }

    /// Returns whether the recorded ranks fall exactly where the walk on the recorded Level FS lets them fall. With
    /// users removed, they must only not rise.
    fn is_in_order(&self, settings: &Settings, has_removed: bool) -> bool {
        let given_tree = self.given_tree;
        if given_tree.figures(Fact::LevelFs).is_none() {
            return true;
        }
        let (tree, order) = (&given_tree.snapshot.tree, settings.slurm.tie_order);
        let mut bounds = Vec::with_capacity(self.usage.len());
        let mut level_fs = Vec::with_capacity(self.usage.len());
        let recorded = |position| given_tree.recorded(Fact::LevelFs, position);
        for position in 0..self.usage.len() {
            let printed = given_tree.printed(Fact::LevelFs, position).unwrap_or(0.0);
            let (bound, by_usage) = (recorded(position), self.level_fs(position));
            let bound = bound.unwrap_or(Interval::ZERO).narrowed(by_usage);
            level_fs.push(bound.nearest(printed));
            bounds.push(bound);
        }
        let ranks = ranks_by_level_fs(tree, order, &given_tree.associations, level_fs);
        let open = open_ranks(given_tree, order, &bounds);
        let mut users: Vec<(u32, f64)> = Vec::new();
        for (position, &rank) in ranks.iter().enumerate() {
            let is_certain = !self.is_new[position] && open[position].is_none();
            if given_tree.is_user(position) && is_certain {
                let factor = given_tree.printed(Fact::FairShare, position);
                users.extend(factor.map(|factor| (rank, factor)));
            }
        }
        users.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        users.is_sorted_by(|(rank, factor), (next_rank, next)| {
            // A removed user may have been between two that tie now.
            (has_removed && next <= factor) || (next < factor) == (next_rank < rank)
        })
    }
}
