//! Reconstructs usages for Fair Tree.
//!
//! From the users up, each account's usage is narrowed to the values that leave room for its members (see
//! [`super::family`]). The result is exact, because all conditions are linear. From the root down, usages are then
//! chosen within the ranges.

use super::INWARD;
use super::Reconstruction;
use super::columns::Columns;
use super::family::{FENCE, Family, Member};
use super::order::Visits;
use super::range::Range;
use crate::base::extended::Extended;
use crate::model::{Fact, Kind, NodeId, Snapshot, TieOrder};
use crate::rules::policy::slurm::{Associations, listed_before};
use std::collections::{HashMap, HashSet};

/// How often a total is adjusted to the ranges that depend on it.
const MOST_APPROACHES: usize = 4;

/// The possible usage.
struct PossibleUsage {
    /// By position: the range given everything below.
    ranges: Vec<Range>,
    /// By position: how far inward the bounds of the node's members were moved.
    inward: Vec<f64>,
    /// The total to which the parts of all usage refer.
    total: Option<Extended>,
    /// Whether nothing fits somewhere.
    is_forced: bool,
}

/// The data of a tree under Fair Tree.
pub(super) struct GivenTree<'a> {
    columns: Columns<'a>,
    associations: Associations<'a>,
    visits: Option<Visits>,
    /// By position: where the members of each account begin in the list; one entry more than there are nodes.
    starts: Vec<u32>,
    /// The members of every account, in the order of visits.
    members: Vec<u32>,
}

impl<'a> GivenTree<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, impossible: &'a HashSet<(Fact, NodeId)>) -> Self {
        let associations = Associations::of(&snapshot.tree);
        let visits = Visits::of(snapshot, &associations, impossible);
        let (starts, members) = associations.families();
        let mut ground = Self {
            columns: Columns {
                snapshot,
                impossible,
            },
            associations,
            visits,
            starts,
            members,
        };
        ground.put_in_order(snapshot.settings.slurm.tie_order);
        ground
    }

    /// Sorts the members of every account into the order of visits, those without a place in it last.
    fn put_in_order(&mut self, order: TieOrder) {
        let Some(visits) = &self.visits else {
            return;
        };
        let mut members = std::mem::take(&mut self.members);
        let tree = &self.columns.snapshot.tree;
        let node = |position: u32| tree.nodes()[position as usize];
        for account in 0..self.associations.len() {
            let family = self.starts[account] as usize..self.starts[account + 1] as usize;
            let is_account = |position: u32| !self.associations.is_user[position as usize];
            members[family].sort_by(|&a, &b| {
                let key = |position: u32| {
                    let block = visits.below(position).filter(|_| self.is_ordered(position));
                    block.map(|block| (block.first, block.last))
                };
                let by_printed = key(b).cmp(&key(a));
                if !visits.are_ranks {
                    // Nodes with the same printed number need not tie.
                    return by_printed.then_with(|| self.pressure(a).total_cmp(&self.pressure(b)));
                }
                by_printed
                    .then_with(|| is_account(a).cmp(&is_account(b)))
                    .then_with(|| {
                        if is_account(a) {
                            listed_before(tree, order, node(a), node(b))
                        } else {
                            a.cmp(&b)
                        }
                    })
            });
        }
        self.members = members;
    }

    /// Returns whether a node has shares of its own and users with ranks.
    fn is_ordered(&self, position: u32) -> bool {
        let place = position as usize;
        !self.associations.is_parent(place)
            && self.associations.portion(place) > 0.0
            && self
                .visits
                .as_ref()
                .is_some_and(|visits| visits.below(position).is_some())
    }

    /// Returns the printed usage divided by the share.
    fn pressure(&self, position: u32) -> f64 {
        let place = position as usize;
        let node = self.columns.snapshot.tree.nodes()[place];
        let usage = self
            .columns
            .snapshot
            .tree
            .usage(node)
            .amount()
            .unwrap_or(0.0);
        usage / self.associations.portion(place)
    }

    /// Returns the possible part of the fair-share parent's usage.
    fn part(&self, position: usize, inward: f64) -> Range {
        let mut part = self.columns.ratio(Fact::EffectvUsage, position, inward);
        let share = Extended::from_f64(self.associations.portion(position));
        let share = share.filter(|share| !share.is_zero());
        if let Some(share) = share
            && !self.associations.is_parent(position)
            && let Some(level_fs) = self.columns.figure(Fact::LevelFs, position)
        {
            let by_level_fs = if level_fs.value.is_infinite() {
                Some(Range::exactly(Extended::ZERO))
            } else {
                Range::printed(level_fs, inward).map(|level_fs| level_fs.divides(share))
            };
            if let Some(by_level_fs) = by_level_fs {
                part = by_level_fs.narrowed(part);
            }
        }
        part
    }

    /// Returns usages, with bounds moved inward by at most the part at the place `least` of the table, and whether all
    /// of them fit.
    pub(super) fn solve(&self, least: usize) -> (Reconstruction, bool) {
        let (usage, is_whole) = self.solve_usage(least);
        let found = Reconstruction {
            usage,
            listing: self.listing(),
        };
        (found, is_whole)
    }

    fn solve_usage(&self, least: usize) -> (Vec<Extended>, bool) {
        let fits = self.fit(None, least, false);
        let printed = self.columns.usage(0).low;
        let root = fits.ranges[0];
        if !self.columns.has_norm_usage() {
            let total = if root.contains(printed) {
                printed
            } else {
                root.at(0.5)
            };
            return (self.choose(&fits, total), !fits.is_forced);
        }
        let range = root.narrowed(self.columns.total(0.0));
        let mut best = None;
        for first in super::totals(printed, range) {
            let mut total = first;
            // The ranges depend on the total, and the total on the ranges.
            for _ in 0..MOST_APPROACHES {
                // Of the totals that leave no room somewhere only the first one is used.
                let fits = self.fit(Some(total), least, best.is_some());
                if !fits.is_forced && fits.ranges[0].contains(total) {
                    return (self.choose(&fits, total), true);
                }
                best.get_or_insert_with(|| self.choose(&fits, total));
                let nearer = range.clamp(fits.ranges[0].at(0.5));
                if fits.is_forced || nearer == total {
                    break;
                }
                total = nearer;
            }
        }
        (best.unwrap_or_default(), false)
    }

    /// Computes the possible usage, given everything below. Bounds are moved inward as far as possible, family by
    /// family, but at most by the part at the place `least` of the table. If it `ends`, that is at the first family
    /// without room, and the ranges above have no meaning.
    fn fit(&self, total: Option<Extended>, least: usize, ends: bool) -> PossibleUsage {
        /// The part of the least usage that is left out if the order of an account's members needs room.
        const ROOM: f64 = 0.25;
        let count = self.associations.len();
        let mut fits = PossibleUsage {
            ranges: vec![Range::ANY; count],
            inward: vec![0.0; count],
            total,
            is_forced: false,
        };
        let mut family = Family::default();
        for position in (0..count).rev() {
            let printed = self.columns.usage(position);
            let has_members = self.starts[position] < self.starts[position + 1];
            let mut is_forced = true;
            for &inward in &INWARD[least..] {
                let own = match position {
                    0 => Some(printed),
                    _ => printed.and(self.columns.norm(position, total, inward)),
                };
                let mut usage = own.unwrap_or(printed);
                is_forced = own.is_none();
                if has_members {
                    self.gather(&mut family, position, &fits.ranges, inward);
                    let fit = family.fit(usage);
                    is_forced |= fit.is_forced;
                    usage = fit.usage;
                    if fit.needs_room {
                        usage.low = usage.at(ROOM);
                    }
                }
                fits.ranges[position] = usage;
                fits.inward[position] = inward;
                if !is_forced {
                    break;
                }
            }
            fits.is_forced |= is_forced;
            if ends && is_forced {
                break;
            }
        }
        fits
    }

    /// Collects an account's members.
    fn gather(&self, family: &mut Family, account: usize, ranges: &[Range], inward: f64) {
        let members = self.starts[account] as usize..self.starts[account + 1] as usize;
        family.members.clear();
        let mut last: Option<(u32, u32)> = None;
        if let Some(visits) = &self.visits {
            // Users with shares `parent` have the Level FS of nodes without usage.
            let parent_accounts = self.members[members.clone()].iter().copied();
            let parent_accounts =
                parent_accounts.filter(|&at| self.associations.is_parent(at as usize));
            let ranks = parent_accounts
                .filter_map(|at| visits.below(at))
                .map(|block| block.last);
            if let Some(rank) = ranks.min() {
                family.members.push(Member {
                    position: FENCE,
                    share: Extended::ONE,
                    usage: Range::exactly(Extended::ZERO),
                    part: Range::ANY,
                    ties: false,
                    counts: false,
                    may_be_idle: true,
                });
                last = Some((rank, 0));
            }
        }
        let mut empty: Option<u32> = None;
        for &position in &self.members[members.clone()] {
            if empty == Some(position) {
                continue;
            }
            let is_ordered = self.is_ordered(position);
            let mut ties = false;
            if let Some(visits) = &self.visits
                && is_ordered
                && let Some(block) = visits.below(position)
            {
                ties = last.is_some_and(|(last, before)| {
                    last == block.first
                        && (visits.are_ranks
                            || self.pressure(before).to_bits() == self.pressure(position).to_bits())
                });
                if ties
                    && empty.is_none()
                    && let Some((_, before)) = last
                    && before != 0
                    && !self.can_tie(before, position, ranges, inward)
                {
                    // An account without users passed the rank on: it ties with this one, and has no rank of its own.
                    let others = self.members[members.clone()].iter().copied();
                    empty = others
                        .filter(|&other| self.is_empty_account(other))
                        .find(|&other| self.can_tie(other, position, ranges, inward));
                    if let Some(empty) = empty {
                        family
                            .members
                            .push(self.member(empty, true, false, ranges, inward));
                    }
                }
                last = Some((block.last, position));
            }
            family
                .members
                .push(self.member(position, is_ordered, ties, ranges, inward));
        }
    }

    fn member(
        &self,
        position: u32,
        is_ordered: bool,
        ties: bool,
        ranges: &[Range],
        inward: f64,
    ) -> Member {
        let place = position as usize;
        let share = if is_ordered {
            self.associations.portion(place)
        } else {
            0.0
        };
        let part = self.part(place, inward);
        Member {
            position,
            share: Extended::from_f64(share).unwrap_or(Extended::ZERO),
            usage: ranges[place],
            part,
            ties,
            counts: self.associations.is_user[place] || !self.associations.is_parent(place),
            may_be_idle: part.low.is_zero(),
        }
    }

    /// Returns whether two siblings can have the same Level FS.
    fn can_tie(&self, one: u32, other: u32, ranges: &[Range], inward: f64) -> bool {
        let members =
            [one, other].map(|position| self.member(position, true, false, ranges, inward));
        let meet = |of: fn(&Member) -> Range| {
            let [one, other] = members
                .each_ref()
                .map(|member| of(member).over(member.share));
            one.and(other).is_some()
        };
        meet(|member| member.usage) && meet(|member| member.part)
    }

    /// Returns whether a node is an account with shares of its own and without users.
    fn is_empty_account(&self, position: u32) -> bool {
        let place = position as usize;
        let has_users = self
            .visits
            .as_ref()
            .is_some_and(|visits| visits.below(position).is_some());
        !self.associations.is_user[place]
            && !self.associations.is_parent(place)
            && self.associations.portion(place) > 0.0
            && !has_users
    }

    /// Returns, by position, usages within the ranges.
    fn choose(&self, fits: &PossibleUsage, total: Extended) -> Vec<Extended> {
        let count = self.associations.len();
        let mut usage = vec![Extended::ZERO; count];
        usage[0] = total;
        let mut family = Family::default();
        for account in 0..count {
            if self.starts[account] == self.starts[account + 1] {
                continue;
            }
            self.gather(&mut family, account, &fits.ranges, fits.inward[account]);
            let of_account = usage[account];
            family.share_out(of_account, |position, used| usage[position as usize] = used);
            if self.associations.has_parents() {
                self.sum_up_parent_accounts(account, fits, &mut usage);
            }
        }
        usage
    }

    /// Gives `parent` accounts of a family the sum of the usage below them.
    fn sum_up_parent_accounts(&self, account: usize, fits: &PossibleUsage, usage: &mut [Extended]) {
        let inward = fits.inward[account];
        let above = self.columns.snapshot.tree.order().above();
        let members = self.starts[account] as usize..self.starts[account + 1] as usize;
        let mut parent_accounts: Vec<u32> = self.members[members].to_vec();
        parent_accounts.sort_unstable();
        let is_parent_account = |position: u32| {
            let place = position as usize;
            !self.associations.is_user[place] && self.associations.is_parent(place)
        };
        for &position in parent_accounts
            .iter()
            .filter(|&&position| is_parent_account(position))
        {
            usage[position as usize] = Extended::ZERO;
        }
        for &position in parent_accounts.iter().rev() {
            let place = position as usize;
            if is_parent_account(position) {
                let part = self.part(place, inward).times(usage[account]);
                let norm = self.columns.norm(place, fits.total, inward);
                let range = fits.ranges[place].narrowed(part).narrowed(norm);
                usage[place] = range.clamp(usage[place]);
            }
            let parent = above[place];
            if parent as usize != account && is_parent_account(parent) {
                usage[parent as usize] = usage[parent as usize].plus(usage[place]);
            }
        }
    }

    /// Returns the places of accounts in Slurm's list, if the ranks reveal them and they differ from the tree's order.
    fn listing(&self) -> HashMap<NodeId, u32> {
        let mut places = HashMap::new();
        let Some(visits) = self.visits.as_ref().filter(|visits| visits.are_ranks) else {
            return places;
        };
        let tree = &self.columns.snapshot.tree;
        let order = self.columns.snapshot.settings.slurm.tie_order;
        let node = |position: u32| tree.nodes()[position as usize];
        for account in 0..self.associations.len() {
            let members = self.starts[account] as usize..self.starts[account + 1] as usize;
            let ordered = self.members[members].iter().copied();
            let ordered: Vec<u32> = ordered.filter(|&at| self.is_ordered(at)).collect();
            let ties = |pair: (&u32, &u32)| {
                let blocks = visits.below(*pair.0).zip(visits.below(*pair.1));
                blocks.is_some_and(|(before, after)| before.last == after.first)
            };
            for group in ordered.chunk_by(|a, b| ties((a, b))) {
                let accounts = group.iter().copied();
                let accounts: Vec<u32> = accounts
                    .filter(|&at| tree.kind(node(at)) == Kind::Account)
                    .collect();
                let is_as_listed = accounts
                    .windows(2)
                    .all(|pair| listed_before(tree, order, node(pair[0]), node(pair[1])).is_lt());
                if !is_as_listed {
                    for (place, &account) in (0_u32..).zip(&accounts) {
                        places.insert(node(account), place);
                    }
                }
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::super::{INWARD, totals};
    use super::{Extended, GivenTree, MOST_APPROACHES};
    use crate::source::reconstruct::sample::{Sort, printed};
    use std::collections::HashSet;

    /// The usages of [`GivenTree::solve_usage`], with every total tried to its end.
    fn plain(given_tree: &GivenTree, least: usize) -> (Vec<Extended>, bool) {
        let root = given_tree.fit(None, least, false).ranges[0];
        let range = root.narrowed(given_tree.columns.total(0.0));
        let mut best = None;
        for first in totals(given_tree.columns.usage(0).low, range) {
            let mut total = first;
            for _ in 0..MOST_APPROACHES {
                let fits = given_tree.fit(Some(total), least, false);
                if !fits.is_forced && fits.ranges[0].contains(total) {
                    return (given_tree.choose(&fits, total), true);
                }
                best.get_or_insert_with(|| given_tree.choose(&fits, total));
                let nearer = range.clamp(fits.ranges[0].at(0.5));
                if fits.is_forced || nearer == total {
                    break;
                }
                total = nearer;
            }
        }
        (best.unwrap_or_default(), false)
    }

    #[test]
    fn totals_that_are_given_up_early_change_no_usage() {
        let nothing = HashSet::new();
        let (mut whole, mut forced) = (0, 0);
        for seed in 0..60 {
            let sort = Sort::of(seed);
            let snapshot = printed(seed, Sort { size: 600, ..sort });
            let given_tree = GivenTree::of(&snapshot, &nothing);
            for least in 0..INWARD.len() {
                let found = given_tree.solve_usage(least);
                assert_eq!(found, plain(&given_tree, least), "seed {seed}");
                *if found.1 { &mut whole } else { &mut forced } += 1;
            }
        }
        assert!(whole > 5 && forced > 5, "{whole} {forced}");
    }

    #[test]
    fn a_total_that_leaves_no_room_ends_at_the_first_family_without() {
        let nothing = HashSet::new();
        let snapshot = printed(1, Sort::of(1));
        let given_tree = GivenTree::of(&snapshot, &nothing);
        let far = Some(Extended::from_u64(1 << 60));
        let (all, ended) = (given_tree.fit(far, 0, false), given_tree.fit(far, 0, true));
        assert!(all.is_forced && ended.is_forced);
        assert_ne!(all.ranges[0], ended.ranges[0]);
        assert_eq!(ended.ranges[0], super::Range::ANY);
    }
}
