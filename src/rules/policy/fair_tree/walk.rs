//! The walk through the tree that gives users their ranks; and the numbers of each node, its part of the level's usage
//! and Level FS.

use crate::base::cores;
use crate::base::extended::Extended;
use crate::base::sort::rising;
use crate::model::{Kind, NodeId, TieOrder, Tree};
use crate::rules::policy::slurm::{Associations, listed_before};
use std::cmp::Reverse;

/// How accounts that tie are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// One after the other, in this order.
    Implemented(TieOrder),
    /// As one account that has the children of all of them.
    Documented,
}

/// A member of a list that is to be visited.
#[derive(Clone, Copy, Debug)]
struct Visit {
    position: u32,
    /// Whether Level FS equals that of the member before.
    ties: bool,
    /// It also ties if its account tied and no more than so many users were ranked before.
    ties_after: Option<u32>,
}

struct Walk<'a> {
    tree: &'a Tree,
    variant: Variant,
    associations: &'a Associations<'a>,
    level_fs: &'a [f64],
    /// Whether these are the rounded values of 80-bit numbers, which order siblings. Otherwise these do alone.
    is_rounded: bool,
    /// What is to be visited, the next one last.
    visits: Vec<Visit>,
    /// The accounts whose members are put in order, and the members: the position with Level FS as a falling number.
    accounts: Vec<u32>,
    keys: Vec<(u64, u32)>,
    /// The places in Slurm's list, computed when first needed.
    places: Option<Vec<u32>>,
}

/// Returns the scheduler's rank of each user by position: the number of users down to 1, and 0 elsewhere.
pub(super) fn walk(
    tree: &Tree,
    variant: Variant,
    associations: &Associations,
    level_fs: &[f64],
    is_rounded: bool,
) -> Vec<u32> {
    let user_count = u32::try_from(tree.user_count()).unwrap_or(u32::MAX);
    let mut ranks = vec![0; tree.node_count()];
    let (mut last, mut ranked) = (user_count, 0);
    let mut walk = Walk {
        tree,
        variant,
        associations,
        level_fs,
        is_rounded,
        visits: Vec::new(),
        accounts: vec![0],
        keys: Vec::new(),
        places: None,
    };
    walk.enter(None);
    while let Some(visit) = walk.visits.pop() {
        let is_tied = visit.ties || visit.ties_after == Some(ranked);
        let position = visit.position as usize;
        if associations.is_user[position] {
            if !is_tied {
                last = user_count - ranked;
            }
            ranks[position] = last;
            ranked += 1;
            continue;
        }
        walk.accounts.push(visit.position);
        if variant == Variant::Documented {
            // Users come before accounts, so a member that ties with an account and follows it is an account.
            while let Some(other) = walk.visits.pop_if(|other| other.ties) {
                walk.accounts.push(other.position);
            }
        }
        walk.enter(is_tied.then_some(ranked));
    }
    ranks
}

impl Walk<'_> {
    /// Puts members in the order of visits. If their accounts tied after so many users, the members begin tied.
    fn enter(&mut self, tied_after: Option<u32>) {
        let start = self.visits.len();
        self.keys.clear();
        let (order, associations) = (self.tree.order(), self.associations);
        // Nothing is visited below a `parent` account: its members are in the list of the account above.
        self.accounts
            .retain(|&account| !associations.is_parent(account as usize));
        while let Some(account) = self.accounts.pop() {
            for child in order.children(account) {
                let at = child as usize;
                if associations.is_parent(at) && !associations.is_user[at] {
                    self.accounts.push(child);
                    // The document does not know of `parent` accounts.
                    if self.variant == Variant::Documented {
                        continue;
                    }
                }
                self.keys.push((!rising(self.level_fs[at]), child));
            }
        }
        self.keys.sort_unstable();
        let mut first = 0;
        while first < self.keys.len() {
            let (key, position) = self.keys[first];
            let others = self.keys[first + 1..].iter();
            let end = first + 1 + others.take_while(|&&(other, _)| other == key).count();
            if end == first + 1 {
                self.tie(&mut [position]);
            } else {
                self.settle(first, end);
            }
            first = end;
        }
        let members = &mut self.visits[start..];
        match (self.variant, members.first_mut()) {
            (Variant::Implemented(_), Some(first)) => {
                // The program compares the first member with its mark for "no value", as if that were a number.
                let (at, numbers) = (first.position as usize, self.level_fs);
                first.ties = if self.is_rounded {
                    is_no_value(associations, numbers, at)
                } else {
                    numbers[at].to_bits() == NO_VALUE.to_bits()
                };
                // The program asks whether this is the first of the list, even if it is an account without users.
                first.ties_after = tied_after;
            }
            // The document promises the tie to the account's highest ranked user.
            _ => (members.iter_mut()).for_each(|visit| visit.ties_after = tied_after),
        }
        members.reverse();
    }

    /// Sorts members whose Level FS is the same double by their 80-bit values.
    fn settle(&mut self, first: usize, end: usize) {
        let associations = self.associations;
        let level_fs = self.level_fs[self.keys[first].1 as usize];
        let mut members = Vec::with_capacity(end - first);
        // Users come before accounts.
        for are_users in [true, false] {
            let tied = self.keys[first..end].iter().map(|&(_, position)| position);
            members.extend(tied.filter(|&at| associations.is_user[at as usize] == are_users));
        }
        let are_all_alike = || {
            let mut pairs = members.windows(2);
            pairs.all(|pair| are_alike(associations, pair[0] as usize, pair[1] as usize))
        };
        if !self.is_rounded || is_endless(associations, level_fs) || are_all_alike() {
            self.tie(&mut members);
            return;
        }
        let exact = |position: u32| {
            let place = position as usize;
            let number = exact_level_fs(associations, place);
            let falling = (number.is_some(), Reverse(number));
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
            ties_after: None,
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
        let is_sibling = |&account: &u32| above[account as usize] == parent;
        if accounts.iter().all(is_sibling) || accounts.iter().all(is_listed) {
            accounts.sort_by(|&a, &b| listed_before(tree, order, node(a), node(b)));
        } else {
            let places = self.places.get_or_insert_with(|| places(tree, order));
            accounts.sort_by_key(|&account| places[account as usize]);
        }
    }
}

/// Returns the place of every account in Slurm's list, by position in the tree's order.
///
/// Members of one list may be at very different depths below `parent` accounts. Comparing paths from the root would
/// take time in proportion to the depth for every comparison, so the whole list is made once, when needed.
fn places(tree: &Tree, order: TieOrder) -> Vec<u32> {
    let mut places = vec![0_u32; tree.node_count()];
    let mut pending = vec![NodeId::ROOT];
    let mut next = 0;
    while let Some(account) = pending.pop() {
        if let Some(position) = tree.order().position(account) {
            places[position] = next;
        }
        next += 1;
        let first = pending.len();
        let is_account = |&child: &NodeId| tree.kind(child) == Kind::Account;
        pending.extend(tree.children(account).filter(is_account));
        pending[first..].sort_by(|&a, &b| listed_before(tree, order, b, a));
    }
    places
}

/// The Level FS that Slurm gives `parent` accounts: its mark for "no value", which it compares like any number.
pub(crate) const NO_VALUE: f64 = 4_294_967_294.0;

/// The numbers of each node, by position in the tree's order: Slurm's 80-bit values rounded to doubles.
pub(super) struct Ratios {
    pub(super) norm_shares: Vec<f64>,
    pub(super) norm_usage: Vec<f64>,
    pub(super) effective_usage: Vec<f64>,
    pub(super) level_fs: Vec<f64>,
}

impl Ratios {
    pub(super) fn of(associations: &Associations) -> Self {
        let count = associations.len();
        // The root has no siblings. Slurm shows it with all of its own usage.
        Self {
            norm_shares: associations.norm_shares(),
            norm_usage: cores::by_position(count, |position| match position {
                0 => 0.0,
                _ => associations.norm_usage(position).to_f64(),
            }),
            effective_usage: cores::by_position(count, |position| match position {
                0 => 1.0,
                _ => associations.level_usage(position).to_f64(),
            }),
            level_fs: cores::by_position(count, |position| match position {
                0 => 0.0,
                _ => exact_level_fs(associations, position).map_or(f64::INFINITY, Extended::to_f64),
            }),
        }
    }
}

/// Returns whether Slurm shows a Level FS for the node: not for the root and `parent` accounts.
pub(super) fn is_shown(associations: &Associations, position: usize) -> bool {
    position > 0 && (associations.is_user[position] || !associations.is_parent(position))
}

/// Returns whether two nodes have the same Level FS because all its terms are the same.
fn are_alike(associations: &Associations, a: usize, b: usize) -> bool {
    let inputs = |position: usize| {
        (
            associations.fair_share_parent[position],
            associations.is_parent(position),
            associations.shares[position],
            associations.usage.at(position),
        )
    };
    inputs(a) == inputs(b)
}

/// Returns whether Level FS is the number that marks "no value": for `parent` accounts, or by chance.
fn is_no_value(associations: &Associations, level_fs: &[f64], position: usize) -> bool {
    level_fs[position].to_bits() == NO_VALUE.to_bits()
        && exact_level_fs(associations, position) == Extended::from_f64(NO_VALUE)
}

/// Returns whether Level FS is 0 or infinity for lack of shares or usage, so that the double is exact.
fn is_endless(associations: &Associations, level_fs: f64) -> bool {
    associations.usage.exact().is_some() && (level_fs == 0.0 || level_fs == f64::INFINITY)
}

/// Returns Level FS with all its bits, or `None` for infinity.
fn exact_level_fs(associations: &Associations, position: usize) -> Option<Extended> {
    if associations.is_parent(position) {
        let is_user = associations.is_user[position];
        return Extended::from_f64(NO_VALUE).filter(|_| !is_user);
    }
    // S / U is 0 without shares, even without usage.
    match Extended::from_f64(associations.portion(position)) {
        Some(share) if !share.is_zero() => share.over(associations.level_usage(position)),
        _ => Some(Extended::ZERO),
    }
}
