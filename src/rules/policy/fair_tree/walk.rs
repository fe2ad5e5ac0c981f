//! The walk through the tree that gives users their ranks.

use super::super::slurm::{Associations, LevelUsage, listed_before};
use super::family::Families;
use super::level_fs;
use super::listing;
use crate::base::sort::rising;
use crate::model::{TieOrder, Tree};
use std::cmp::Reverse;
use std::ops::Range;

/// How accounts that tie are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// One after the other, in this order.
    Implemented(TieOrder),
    /// As one account that has the children of all of them.
    Documented,
}

/// Level FS by position, and how it orders siblings.
#[derive(Clone, Copy, Debug)]
pub(super) enum LevelFsOrder<'a> {
    /// By the 80-bit numbers, of which these are the rounded values.
    Rounded(&'a [f64]),
    /// By these doubles alone.
    Given(&'a [f64]),
}

impl LevelFsOrder<'_> {
    fn at(self, position: usize) -> f64 {
        let (Self::Rounded(numbers) | Self::Given(numbers)) = self;
        numbers[position]
    }
}

/// A member of a list, in the order of visits.
#[derive(Clone, Copy, Debug)]
struct Visit {
    position: u32,
    /// Whether Level FS equals that of the member before.
    ties: bool,
}

/// A list that is being visited.
struct Frame {
    /// Where the list begins among all open visits.
    start: usize,
    /// The next visit.
    cursor: usize,
    /// The end of the list.
    end: usize,
    /// Whether the account tied, so that the list begins tied.
    starts_tied: bool,
    /// How many users were ranked before the list.
    ranked_before: u32,
}

struct Walk<'a> {
    tree: &'a Tree,
    variant: Variant,
    associations: &'a Associations<'a>,
    level_fs: LevelFsOrder<'a>,
    families: Families<'a>,
    /// The open lists, each after the one that contains its account.
    visits: Vec<Visit>,
    /// Level FS as a whole number in descending order, and the position.
    keys: Vec<(u64, u32)>,
    /// The places in Slurm's list, computed when first needed.
    places: Option<Vec<u32>>,
    /// By position: the scheduler's rank of each user; 0 elsewhere.
    ranks: Vec<u32>,
    /// The rank given last, and how many users were ranked.
    last: u32,
    ranked: u32,
}

/// Returns the scheduler's rank of each user by position in the tree's order: the number of users down to 1, and 0
/// elsewhere.
pub(super) fn walk(
    tree: &Tree,
    variant: Variant,
    associations: &Associations,
    level_fs: LevelFsOrder,
) -> Vec<u32> {
    let user_count = u32::try_from(tree.user_count()).unwrap_or(u32::MAX);
    let mut walk = Walk {
        tree,
        variant,
        associations,
        level_fs,
        families: Families::of(tree, associations),
        visits: vec![Visit {
            position: 0,
            ties: false,
        }],
        keys: Vec::new(),
        places: None,
        ranks: vec![0; tree.node_count()],
        last: user_count,
        ranked: 0,
    };
    let first = walk.enter(0..1, false, 0);
    walk.visit(first, user_count);
    walk.ranks
}

impl Walk<'_> {
    /// Visits a list and everything below it.
    fn visit(&mut self, first: Frame, user_count: u32) {
        let mut frames = vec![first];
        while let Some(frame) = frames.last_mut() {
            if frame.cursor == frame.end {
                self.visits.truncate(frame.start);
                frames.pop();
                continue;
            }
            let visit = self.visits[frame.cursor];
            let inherits = frame.starts_tied
                && match self.variant {
                    // The program asks whether this is the first of the list, even if it is an account without users.
                    Variant::Implemented(_) => frame.cursor == frame.start,
                    // The document promises the tie to the account's highest ranked user.
                    Variant::Documented => frame.ranked_before == self.ranked,
                };
            let is_tied = visit.ties || inherits;
            let position = visit.position as usize;
            if self.associations.is_user[position] {
                frame.cursor += 1;
                if !is_tied {
                    self.last = user_count - self.ranked;
                }
                self.ranks[position] = self.last;
                self.ranked += 1;
                continue;
            }
            let first = frame.cursor;
            frame.cursor += 1;
            if self.variant == Variant::Documented {
                // Users come before accounts, so a member that ties with an account and follows it is an account.
                while frame.cursor < frame.end && self.visits[frame.cursor].ties {
                    frame.cursor += 1;
                }
            }
            let accounts = first..frame.cursor;
            frames.push(self.enter(accounts, is_tied, self.ranked));
        }
    }

    /// Puts the children of the visited accounts in the order of visits.
    fn enter(&mut self, accounts: Range<usize>, starts_tied: bool, ranked_before: u32) -> Frame {
        let start = self.visits.len();
        self.keys.clear();
        for account in &self.visits[accounts] {
            let (variant, associations) = (self.variant, self.associations);
            self.families.for_each_member(account.position, |position| {
                let place = position as usize;
                // The document does not know of `parent` accounts. Nothing below them counts.
                if variant == Variant::Documented
                    && !associations.is_user[place]
                    && associations.is_parent(place)
                {
                    return;
                }
                self.keys.push((!rising(self.level_fs.at(place)), position));
            });
        }
        self.keys.sort_unstable();
        let mut first = 0;
        while first < self.keys.len() {
            let (key, position) = self.keys[first];
            let others = self.keys[first + 1..].iter();
            let end = first + 1 + others.take_while(|&&(other, _)| other == key).count();
            if end == first + 1 {
                self.visits.push(Visit {
                    position,
                    ties: false,
                });
            } else {
                self.settle(first, end);
            }
            first = end;
        }
        if let (Variant::Implemented(_), Some(first)) = (self.variant, self.visits.get_mut(start)) {
            // The program compares the first member with its mark for "no value", as if that were a number.
            let position = first.position as usize;
            first.ties = match self.level_fs {
                LevelFsOrder::Rounded(numbers) => {
                    level_fs::is_no_value(self.associations, numbers, position)
                }
                LevelFsOrder::Given(numbers) => {
                    numbers[position].to_bits() == level_fs::NO_VALUE.to_bits()
                }
            };
        }
        Frame {
            start,
            cursor: start,
            end: self.visits.len(),
            starts_tied,
            ranked_before,
        }
    }

    /// Sorts members whose Level FS is the same double by their 80-bit values.
    fn settle(&mut self, first: usize, end: usize) {
        let associations = self.associations;
        let level_fs = self.level_fs.at(self.keys[first].1 as usize);
        let mut members = Vec::with_capacity(end - first);
        // Users come before accounts.
        for are_users in [true, false] {
            let tied = self.keys[first..end].iter().map(|&(_, position)| position);
            members.extend(tied.filter(|&at| associations.is_user[at as usize] == are_users));
        }
        let are_alike = || {
            members
                .windows(2)
                .all(|pair| level_fs::are_alike(associations, pair[0] as usize, pair[1] as usize))
        };
        let is_given = matches!(self.level_fs, LevelFsOrder::Given(_));
        if is_given || level_fs::is_endless(associations, level_fs) || are_alike() {
            self.tie(&mut members);
            return;
        }
        let mut of_level = LevelUsage::of(associations);
        let mut exact = |position: u32| {
            let place = position as usize;
            let falling = Reverse(level_fs::exact(associations, &mut of_level, place));
            (falling, !associations.is_user[place], position)
        };
        let mut exactly: Vec<_> = members.iter().map(|&position| exact(position)).collect();
        exactly.sort_unstable();
        for tied in exactly.chunk_by(|a, b| a.0 == b.0) {
            members.clear();
            members.extend(tied.iter().map(|&(_, _, position)| position));
            self.tie(&mut members);
        }
    }

    /// Visits members that tie, one after the other.
    fn tie(&mut self, tied: &mut [u32]) {
        self.list_accounts(tied);
        let visits = tied.iter().enumerate();
        self.visits.extend(visits.map(|(index, &position)| Visit {
            position,
            ties: index > 0,
        }));
    }

    /// Puts accounts that tie in the order in which Slurm lists them.
    fn list_accounts(&mut self, tied: &mut [u32]) {
        let Variant::Implemented(order) = self.variant else {
            return;
        };
        let users = tied.partition_point(|&member| self.associations.is_user[member as usize]);
        let accounts = &mut tied[users..];
        let is_parent = |member: &u32| self.associations.is_parent(*member as usize);
        // Nothing is visited below a `parent` account.
        if accounts.len() < 2 || accounts.iter().all(is_parent) {
            return;
        }
        let (tree, above) = (self.tree, self.tree.order().above());
        let parent = above[accounts[0] as usize];
        let node = |position: u32| tree.nodes()[position as usize];
        let is_listed = |&account: &u32| {
            let listing = tree.listing();
            listing.is_some_and(|listing| listing.has(order, node(account)))
        };
        if accounts
            .iter()
            .all(|&account| above[account as usize] == parent)
            || accounts.iter().all(is_listed)
        {
            accounts.sort_by(|&a, &b| listed_before(tree, order, node(a), node(b)));
        } else {
            let places = self
                .places
                .get_or_insert_with(|| listing::places(tree, order));
            accounts.sort_by_key(|&account| places[account as usize]);
        }
    }
}
