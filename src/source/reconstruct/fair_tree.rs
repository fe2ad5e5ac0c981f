//! Reconstructs usages for Fair Tree.
//!
//! From the users up, each account's usage is narrowed to the values that leave room for its members (see
//! [`super::family`]). The result is exact, because all conditions are linear. From the root down, usages are then
//! chosen within the ranges. Subtrees do not depend on each other, so all cores work on them.

mod members;

use super::INWARD;
use super::Reconstruction;
use super::columns::Columns;
use super::family::Family;
use super::order::Visits;
use super::parts::Parts;
use super::range::Range;
use crate::base::cores;
use crate::base::extended::Extended;
use crate::model::{Fact, Kind, NodeId, Snapshot, TieOrder};
use crate::rules::policy::slurm::{Associations, listed_before};
use std::collections::{HashMap, HashSet};
use std::ops::IndexMut;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most nodes in a part for one core. Small enough that the cores have parts of about the same size.
const PART: usize = 16_384;

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
    /// Parts for which usage is found at the same time, on at most so many threads.
    parts: Parts,
    threads: usize,
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
            parts: Parts::of(snapshot.tree.order(), PART),
            threads: cores::count(),
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
        let count = self.associations.len();
        let (mut ranges, mut inward) = (vec![Range::ANY; count], vec![0.0; count]);
        let is_forced = AtomicBool::new(false);
        let has_ended = || ends && is_forced.load(Ordering::Relaxed);
        let note = |fits: bool| {
            is_forced.fetch_or(!fits, Ordering::Relaxed);
        };
        let columns = self.parts.split(&mut ranges).into_iter();
        let parts = columns.zip(self.parts.split(&mut inward));
        cores::share_out(
            parts,
            self.threads_for_parts(),
            |(mut ranges, mut moved)| {
                let mut family = Family::default();
                for position in ranges.positions().rev().take_while(|_| !has_ended()) {
                    let (inward, fits) =
                        self.fit_node(&mut family, position, total, least, &mut ranges);
                    moved[position] = inward;
                    note(fits);
                }
            },
        );
        let mut family = Family::default();
        let above = self.parts.above().iter().rev();
        for &position in above.take_while(|_| !has_ended()) {
            let (moved, fits) = self.fit_node(&mut family, position, total, least, &mut ranges[..]);
            inward[position] = moved;
            note(fits);
        }
        PossibleUsage {
            ranges,
            inward,
            total,
            is_forced: is_forced.into_inner(),
        }
    }

    /// Computes the possible usage of one node, given the ranges below it. Returns how far inward the bounds of its
    /// members were moved, and whether everything fits.
    fn fit_node<R: IndexMut<usize, Output = Range> + ?Sized>(
        &self,
        family: &mut Family,
        position: usize,
        total: Option<Extended>,
        least: usize,
        ranges: &mut R,
    ) -> (f64, bool) {
        /// The part of the least usage that is left out if the order of an account's members needs room.
        const ROOM: f64 = 0.25;
        let printed = self.columns.usage(position);
        let has_members = self.starts[position] < self.starts[position + 1];
        let mut moved = 0.0;
        for &inward in &INWARD[least..] {
            let own = match position {
                0 => Some(printed),
                _ => printed.and(self.columns.norm(position, total, inward)),
            };
            let mut usage = own.unwrap_or(printed);
            let mut is_forced = own.is_none();
            if has_members {
                self.gather(family, position, ranges, inward);
                let fit = family.fit(usage);
                is_forced |= fit.is_forced;
                usage = fit.usage;
                if fit.needs_room {
                    usage.low = usage.at(ROOM);
                }
            }
            ranges[position] = usage;
            moved = inward;
            if !is_forced {
                return (moved, true);
            }
        }
        (moved, false)
    }

    /// Returns how many threads work on the parts.
    fn threads_for_parts(&self) -> usize {
        self.threads.min(self.parts.count())
    }

    /// Returns, by position, usages within the ranges.
    fn choose(&self, fits: &PossibleUsage, total: Extended) -> Vec<Extended> {
        let count = self.associations.len();
        let mut usage = vec![Extended::ZERO; count];
        usage[0] = total;
        let mut family = Family::default();
        for &account in self.parts.above() {
            self.choose_below(&mut family, account, fits, &mut usage[..]);
        }
        let parts = self.parts.split(&mut usage).into_iter();
        cores::share_out(parts, self.threads_for_parts(), |mut usage| {
            let mut family = Family::default();
            for account in usage.positions() {
                self.choose_below(&mut family, account, fits, &mut usage);
            }
        });
        usage
    }

    /// Chooses the usage of an account's members, given its own.
    fn choose_below<U: IndexMut<usize, Output = Extended> + ?Sized>(
        &self,
        family: &mut Family,
        account: usize,
        fits: &PossibleUsage,
        usage: &mut U,
    ) {
        if self.starts[account] == self.starts[account + 1] {
            return;
        }
        self.gather(family, account, &fits.ranges[..], fits.inward[account]);
        let of_account = usage[account];
        family.share_out(of_account, |position, used| usage[position as usize] = used);
        if self.associations.has_parents() {
            self.sum_up_parent_accounts(account, fits, usage);
        }
    }

    /// Gives `parent` accounts of a family the sum of the usage below them.
    fn sum_up_parent_accounts<U: IndexMut<usize, Output = Extended> + ?Sized>(
        &self,
        account: usize,
        fits: &PossibleUsage,
        usage: &mut U,
    ) {
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
    use super::{Extended, GivenTree, MOST_APPROACHES, PART, Parts};
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
    fn usages_do_not_depend_on_parts_and_threads() {
        let nothing = HashSet::new();
        for seed in 0..48 {
            let sort = Sort::of(seed);
            let snapshot = printed(seed, Sort { size: 300, ..sort });
            let mut given_tree = GivenTree::of(&snapshot, &nothing);
            // One part is the plain way through the tree.
            assert_eq!(given_tree.parts.count(), 1);
            for least in 0..INWARD.len() {
                given_tree.parts = Parts::of(snapshot.tree.order(), PART);
                let plain = given_tree.solve_usage(least);
                for (most, threads) in [(1, 1), (1, 8), (20, 2), (20, 8), (100, 2)] {
                    given_tree.parts = Parts::of(snapshot.tree.order(), most);
                    given_tree.threads = threads;
                    assert_eq!(given_tree.solve_usage(least), plain, "seed {seed}");
                }
            }
        }
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
