//! Numbers of different moments in one dump.
//!
//! Slurm shows the current shares, `NormShares` and `RawUsage`. Everything else is of its last calculation, up to
//! `PriorityCalcPeriod` ago. A dump taken in between contradicts itself without being wrong. It is called stale only if
//! the older columns agree with each other and a later change explains all of them. A single altered number never does:
//! usage adds up through all accounts above, a share counts for all of a level, and the number of users for every rank.

use super::fair_tree::open_ranks;
use super::given_tree::GivenTree;
use super::interval::{Interval, part};
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
pub enum Stale {
    /// `DEPTH_OBLIVIOUS` after a start of Slurm.
    Unsettled,
    /// A change since Slurm's last calculation.
    Slurm(Vec<Older>),
    /// Flux has not recomputed its factors.
    Flux {
        /// How many factors are older.
        older: usize,
        /// How many were recorded.
        rows: usize,
    },
}

/// The part of a Slurm dump that is older than the shares, usage and users beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// Effective usage.
    Usage,
    /// The Level FS, which is of other shares.
    Shares,
    /// The ranks, which are of another number of users.
    Users {
        /// The number of users when ranks were given.
        then: u32,
        /// The present number.
        now: usize,
    },
    /// All numbers except shares and usage, for users that were added since.
    NewUsers,
}

/// Returns why the numbers are of different moments under a policy, or `None` if that does not explain them.
pub(super) fn explain(
    given_tree: &GivenTree,
    policy: Policy,
    settings: &Settings,
    tally: &Tally,
) -> Option<Stale> {
    if tally.differing_in(Fact::NormShares) > 0 {
        return None;
    }
    let usage_differs = tally.differing_in(Fact::EffectvUsage) > 0;
    if policy == Policy::DepthOblivious && usage_differs {
        let mut unsettled = given_tree.with_usage(given_tree.usage.clone());
        unsettled.is_filling_in = true;
        if unsettled.check(policy, settings).misfits() == 0 {
            return Some(Stale::Unsettled);
        }
    }
    let earlier = EarlierSnapshot::new(given_tree, policy)?;
    if tally.misfits() < FEWEST && !earlier.has_new() {
        return None;
    }
    let reasons = match policy {
        Policy::FairTree => earlier.reasons_of_fair_tree(settings, usage_differs)?,
        Policy::Classic | Policy::DepthOblivious => {
            let given_then = given_tree.with_usage(earlier.usage.clone());
            let tally_then = given_then.check(policy, settings);
            if !usage_differs || tally_then.misfits() > 0 || !earlier.adds_up() {
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

/// What the members of an account have used together.
#[derive(Clone, Copy, Default)]
struct MemberUsage {
    now: Interval,
    /// At the last calculation, as a part of all usage.
    then: Interval,
    has_members: bool,
}

/// What is known of the former shares of a level.
#[derive(Default)]
struct FormerLevel {
    /// All known parts of the shares together; `None` without any.
    sum: Option<Interval>,
    /// Whether another part is not known.
    has_unknown: bool,
    /// Whether it had one member less.
    has_new: bool,
    /// How many parts can be as now.
    same: usize,
    /// How many parts were others.
    differing: usize,
}

impl FormerLevel {
    /// Adds a former part of the shares, beside the present one.
    fn add(&mut self, then: Interval, now: Interval) {
        self.sum = Some(match self.sum {
            Some(sum) => sum.plus(then),
            None => then,
        });
        if then.meets(now) {
            self.same += 1;
        } else {
            self.differing += 1;
        }
    }

    /// Returns how many parts differ because shares were changed, or `None` if no shares give these parts.
    fn changed(&self, has_removed: bool) -> Option<usize> {
        let Some(sum) = self.sum else {
            return Some(0);
        };
        if self.differing == 0 {
            return Some(0);
        }
        let is_whole = sum.high >= 1.0 || self.has_unknown || has_removed;
        // A changed share changes the parts of all siblings.
        if sum.low > 1.0 || !is_whole || self.same > self.differing {
            return None;
        }
        // If a member was added or removed, the change of all others may show in only one of them.
        let is_explained = self.has_new || (has_removed && sum.high < 1.0);
        Some(if is_explained { 0 } else { self.differing })
    }
}

impl<'a> EarlierSnapshot<'a> {
    /// Reads the older columns of a snapshot, or returns `None` without effective usage.
    fn new(given_tree: &'a GivenTree, policy: Policy) -> Option<Self> {
        given_tree.figures(Fact::EffectvUsage)?;
        let count = given_tree.usage.len();
        let mut earlier = Self {
            given_tree,
            usage: vec![Interval::ONE; count],
            is_new: vec![false; count],
        };
        for position in 1..count {
            let part = earlier.former_part(position, policy);
            earlier.is_new[position] = part.is_none();
            earlier.usage[position] = part.unwrap_or(Interval::ZERO);
        }
        Some(earlier)
    }

    /// Returns the part of all usage that was recorded or follows from effective usage, or `None` if there was none. The
    /// parts of accounts above are known.
    fn former_part(&self, position: usize, policy: Policy) -> Option<Interval> {
        let given_tree = self.given_tree;
        // A ranked user has a factor above 0.
        if policy == Policy::FairTree
            && given_tree.is_user(position)
            && self.has_zero(Fact::FairShare, position)
        {
            return None;
        }
        if given_tree.figures(Fact::NormUsage).is_some() {
            return given_tree.recorded(Fact::NormUsage, position);
        }
        let effective = given_tree.recorded(Fact::EffectvUsage, position)?;
        let parent = given_tree.parent(position);
        if policy == Policy::Classic {
            self.part_of_classic(effective, position, parent)
        } else {
            Some(effective.times(self.usage[parent]))
        }
    }

    /// Returns the part of all usage from which classic computed effective usage, or `None`.
    fn part_of_classic(
        &self,
        effective: Interval,
        position: usize,
        parent: usize,
    ) -> Option<Interval> {
        if parent == 0 {
            return Some(effective);
        }
        let above = self.given_tree.recorded(Fact::EffectvUsage, parent)?;
        let share = self.given_tree.share(position);
        let rest = 1.0 - share.high;
        let associations = &self.given_tree.associations;
        let has_own = !associations.is_parent(position) && associations.level_shares(position) > 0;
        if !has_own || rest <= 0.0 {
            // It is the account's, whatever its own part is.
            return Some(Interval {
                low: 0.0,
                high: self.usage[parent].high,
            });
        }
        let least = (effective.low - above.high * share.high).max(0.0) / rest;
        let most = (effective.high - above.low * share.low).max(0.0) / rest;
        Some(Interval::between(least, most))
    }

    /// Returns whether there is a user without a part of all usage, without a rank and with a Level FS of 0. A single
    /// altered number does not change all three.
    fn has_new(&self) -> bool {
        let given_tree = self.given_tree;
        if given_tree.figures(Fact::NormUsage).is_none() {
            return false;
        }
        (1..self.usage.len()).any(|position| {
            given_tree.is_user(position)
                && given_tree.printed(Fact::NormUsage, position).is_none()
                && self.has_zero(Fact::FairShare, position)
                && self.has_zero(Fact::LevelFs, position)
        })
    }

    /// Returns whether a number was recorded as 0.
    fn has_zero(&self, fact: Fact, position: usize) -> bool {
        self.given_tree.printed(fact, position) == Some(0.0)
    }

    /// Returns how many parts of all usage were others than now.
    fn differing_parts(&self) -> usize {
        let mut count = 0;
        for position in 1..self.usage.len() {
            let now = self.given_tree.norm_usage(position);
            if !self.is_new[position] && !self.usage[position].meets(now) {
                count += 1;
            }
        }
        count
    }

    /// Returns whether the usage of an account beyond its members is the same now as then: everything charged or reset
    /// since was so all the way up. Differences below the older digits are allowed, because removed users leave their
    /// usage behind, but not if the parts of all usage hardly change, which then cannot confirm them.
    fn adds_up(&self) -> bool {
        let is_seen = self.differing_parts() >= FEWEST;
        let above = self.given_tree.tree.above();
        let mut accounts = vec![MemberUsage::default(); above.len()];
        for (position, &parent) in above.iter().enumerate().skip(1) {
            let account = &mut accounts[parent as usize];
            account.now = account.now.plus(self.given_tree.usage[position]);
            account.then = account.then.plus(self.usage[position]);
            account.has_members = true;
        }
        for (position, &members) in accounts.iter().enumerate() {
            if members.has_members && !self.is_unchanged_beyond(members, position, is_seen) {
                return false;
            }
        }
        true
    }

    /// Returns whether an account's usage beyond that of its members can be the same now as then.
    fn is_unchanged_beyond(&self, members: MemberUsage, position: usize, is_seen: bool) -> bool {
        let now = self.given_tree.usage[position];
        let least = now.low - members.now.high;
        let most = now.high - members.now.low;
        if least <= 0.0 && most >= 0.0 {
            return true;
        }
        let then = self.usage[position];
        let was_least = then.low - members.then.high;
        let was_most = then.high - members.then.low;
        let total = self.given_tree.usage[0];
        // The total may have been smaller or larger then, but not by that much.
        least > 0.0
            && (is_seen || was_least > 0.0)
            && was_most * total.high * 2.0 >= least
            && was_least * total.low <= most * 2.0
    }

    /// Returns why Fair Tree's columns are older: nothing if they are not, `None` if they contradict each other.
    fn reasons_of_fair_tree(&self, settings: &Settings, usage_differs: bool) -> Option<Vec<Older>> {
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
        let now = self.given_tree.tree.user_count();
        let has_removed = then.is_some_and(|then| then as usize > now);
        let changed = self.changed_shares(&parents, has_removed)?;
        if changed >= FEWEST || has_moved {
            reasons.push(Older::Shares);
        } else if changed > 0 {
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
        let given_tree = self.given_tree;
        let above = given_tree.tree.above();
        let mut parents = given_tree.associations.fair_share_parent.to_vec();
        for position in 1..parents.len() {
            let Some(effective) = given_tree.recorded(Fact::EffectvUsage, position) else {
                continue;
            };
            if self.is_new[position]
                || effective.meets(self.former_usage(position, parents[position]))
            {
                continue;
            }
            // Shares that were changed to or from `parent` since give another fair-share parent.
            let parent = self.nearest_parent(effective, position)?;
            let own = above[position];
            let is_passed = |account: u32| given_tree.is_parent(account as usize);
            if parent != own && !is_passed(own) && !is_passed(parent) {
                // No change of a node on the path can explain this.
                return None;
            }
            parents[position] = parent;
        }
        Some(parents)
    }

    /// Returns the nearest account above a position whose usage gives this effective usage.
    fn nearest_parent(&self, effective: Interval, position: usize) -> Option<u32> {
        let above = self.given_tree.tree.above();
        let mut account = above[position];
        for _ in 0..=HIGHEST {
            if effective.meets(self.former_usage(position, account)) {
                return Some(account);
            }
            if account == 0 {
                break;
            }
            account = above[account as usize];
        }
        None
    }

    /// Returns the part of an account's usage then.
    fn former_usage(&self, position: usize, account: u32) -> Interval {
        part(self.usage[position], self.usage[account as usize])
    }

    /// Returns how many rows have a Level FS of other shares than now, or `None` if there are no such shares.
    fn changed_shares(&self, parents: &[u32], has_removed: bool) -> Option<usize> {
        let mut levels: BTreeMap<u32, FormerLevel> = BTreeMap::new();
        for (position, &parent) in parents.iter().enumerate().skip(1) {
            let level = levels.entry(parent).or_default();
            if self.is_new[position] {
                level.has_new = true;
            } else if let Some(level_fs) = self.given_tree.recorded(Fact::LevelFs, position)
                && level_fs.low < f64::INFINITY
                && let Some(used) = self.given_tree.recorded(Fact::EffectvUsage, position)
                && used.low > 0.0
            {
                // The part of the usage is known with more digits than its printed value.
                let by_usage = self.former_usage(position, parent);
                let share = level_fs.times(used.narrowed(by_usage));
                level.add(share, self.given_tree.share(position));
            } else {
                level.has_unknown = true;
            }
        }
        let mut changed = 0;
        for level in levels.into_values() {
            changed += level.changed(has_removed)?;
        }
        Some(changed)
    }

    /// Returns the number of users when ranks were given: one for which every FairShare is a multiple of its inverse,
    /// nearest to the present number without new users. `None` if there is no such number.
    fn user_count(&self) -> Option<u32> {
        let given_tree = self.given_tree;
        let mut factors = Vec::new();
        for position in 1..self.usage.len() {
            if given_tree.is_user(position) && !self.is_new[position] {
                factors.extend(given_tree.recorded(Fact::FairShare, position));
            }
        }
        let fewest = u32::try_from(factors.len()).ok()?;
        let now = u32::try_from(given_tree.tree.user_count()).ok()?;
        if fewest == 0 || are_ranks(&factors, now) {
            return Some(now);
        }
        let most = fewest.saturating_add(MOST_REMOVED);
        (fewest..=most).find(|&count| are_ranks(&factors, count))
    }

    /// Returns the Level FS of a row by its present shares and its former usage, or `None` if it has none.
    fn level_fs(&self, position: usize) -> Option<Interval> {
        let share = self.given_tree.share(position);
        if position == 0 || self.given_tree.is_parent(position) || share.high == 0.0 {
            return None;
        }
        let used = self.given_tree.recorded(Fact::EffectvUsage, position)?;
        let parent = self.given_tree.associations.fair_share_parent[position];
        let by_usage = self.former_usage(position, parent);
        Some(share.over(used.narrowed(by_usage)))
    }

    /// Returns whether the recorded ranks fall exactly where the walk on the recorded Level FS lets them fall. With
    /// users removed, they must only not rise.
    fn is_in_order(&self, settings: &Settings, has_removed: bool) -> bool {
        let given_tree = self.given_tree;
        if given_tree.figures(Fact::LevelFs).is_none() {
            return true;
        }
        let tree = given_tree.tree;
        let order = settings.slurm.tie_order;
        let mut bounds = Vec::with_capacity(self.usage.len());
        let mut level_fs = Vec::with_capacity(self.usage.len());
        for position in 0..self.usage.len() {
            let printed = given_tree.printed(Fact::LevelFs, position);
            let recorded = given_tree.recorded(Fact::LevelFs, position);
            let printed_bounds = recorded.unwrap_or(Interval::ZERO);
            let known = printed_bounds.narrowed(self.level_fs(position));
            level_fs.push(known.nearest(printed.unwrap_or(0.0)));
            bounds.push(known);
        }
        let ranks = ranks_by_level_fs(tree, order, &given_tree.associations, level_fs);
        let open = open_ranks(given_tree, order, &bounds);
        let mut users = Vec::new();
        for (position, &rank) in ranks.iter().enumerate() {
            let is_certain = !self.is_new[position] && open[position].is_none();
            if is_certain
                && given_tree.is_user(position)
                && let Some(factor) = given_tree.printed(Fact::FairShare, position)
            {
                users.push(FormerRank { rank, factor });
            }
        }
        users.sort_by(|a, b| {
            let by_rank = b.rank.cmp(&a.rank);
            by_rank.then(b.factor.total_cmp(&a.factor))
        });
        users.is_sorted_by(|user, next| {
            // A removed user may have been between two that tie now.
            (has_removed && next.factor <= user.factor)
                || (next.factor < user.factor) == (next.rank < user.rank)
        })
    }
}

/// A user's rank by Level FS, beside the recorded factor.
struct FormerRank {
    rank: u32,
    factor: f64,
}

/// Returns whether every factor is a rank among so many users.
fn are_ranks(factors: &[Interval], count: u32) -> bool {
    let count = f64::from(count);
    factors.iter().all(|factor| {
        let rank = ((factor.low + factor.high) * 0.5 * count).round();
        rank >= 1.0 && factor.contains(rank / count)
    })
}
