//! The walk through the tree that gives users their ranks; and the numbers of each node, its part of the level's usage
//! and Level FS.

use crate::base::cores;
use crate::base::extended::Extended;
use crate::base::sort::rising;
use crate::model::{NodeId, TieOrder, Tree};
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

/// A member of a list, in the order of Level FS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    /// Level FS as an integer that is the lowest for the largest.
    key: u64,
    /// Its position in the tree's order.
    position: u32,
}

/// A member whose Level FS is the same double as that of others, in the order of the 80-bit numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ExactMember {
    /// False for infinity, which comes first.
    is_finite: bool,
    level_fs: Reverse<Option<Extended>>,
    is_account: bool,
    position: u32,
}

/// A tree with the numbers by which it is walked.
#[derive(Clone, Copy)]
pub(super) struct WalkedTree<'a> {
    pub(super) tree: &'a Tree,
    pub(super) associations: &'a Associations<'a>,
    /// Level FS by position.
    pub(super) level_fs: &'a [f64],
    /// Whether these are the rounded values of 80-bit numbers, which order siblings. Otherwise these do alone.
    pub(super) is_rounded: bool,
}

struct Walk<'a> {
    numbers: WalkedTree<'a>,
    variant: Variant,
    /// What is to be visited, the next one last.
    visits: Vec<Visit>,
    /// The accounts whose members are put in order.
    accounts: Vec<u32>,
    /// The members, while they are put in order.
    members: Vec<Member>,
    /// The places in Slurm's list, computed when first needed.
    places: Option<Vec<u32>>,
}

impl WalkedTree<'_> {
    /// Returns the scheduler's rank of each user by position: the number of users down to 1, and 0 elsewhere.
    pub(super) fn ranks(self, variant: Variant) -> Vec<u32> {
        let user_count = u32::try_from(self.tree.user_count()).unwrap_or(u32::MAX);
        let mut ranks = vec![0; self.tree.node_count()];
        let mut last_rank = user_count;
        let mut ranked_count = 0;
        let mut walk = Walk {
            numbers: self,
            variant,
            visits: Vec::new(),
            accounts: vec![0],
            members: Vec::new(),
            places: None,
        };
        walk.enter(None);
        while let Some(visit) = walk.visits.pop() {
            let is_tied = visit.ties || visit.ties_after == Some(ranked_count);
            let position = visit.position as usize;
            if self.associations.is_user[position] {
                if !is_tied {
                    last_rank = user_count - ranked_count;
                }
                ranks[position] = last_rank;
                ranked_count += 1;
                continue;
            }
            walk.accounts.push(visit.position);
            if variant == Variant::Documented {
                // Users come before accounts, so a member that ties with an account and follows it is an account.
                while let Some(other) = walk.visits.pop_if(|other| other.ties) {
                    walk.accounts.push(other.position);
                }
            }
            walk.enter(is_tied.then_some(ranked_count));
        }
        ranks
    }

    fn is_user(self, position: u32) -> bool {
        self.associations.is_user[position as usize]
    }

    fn is_parent(self, position: u32) -> bool {
        self.associations.is_parent(position as usize)
    }

    /// Returns whether Level FS is the number that marks "no value": for `parent` accounts, or by chance.
    fn is_no_value(self, position: usize) -> bool {
        if self.level_fs[position].to_bits() != NO_VALUE.to_bits() {
            return false;
        }
        !self.is_rounded
            || exact_level_fs(self.associations, position) == Extended::from_f64(NO_VALUE)
    }

    /// Returns whether members whose Level FS is this double tie, without a look at the 80-bit numbers.
    fn surely_tie(self, members: &[u32], level_fs: f64) -> bool {
        // Level FS is 0 or infinity for lack of shares or usage, so that the double is exact.
        let is_endless = level_fs == 0.0 || level_fs == f64::INFINITY;
        if !self.is_rounded || (is_endless && self.associations.usage.exact().is_some()) {
            return true;
        }
        let mut pairs = members.windows(2);
        pairs.all(|pair| are_alike(self.associations, pair[0] as usize, pair[1] as usize))
    }

    fn exact_member(self, position: u32) -> ExactMember {
        let level_fs = exact_level_fs(self.associations, position as usize);
        ExactMember {
            is_finite: level_fs.is_some(),
            level_fs: Reverse(level_fs),
            is_account: !self.is_user(position),
            position,
        }
    }
}

impl Walk<'_> {
    /// Puts members in the order of visits. If their accounts tied after so many users, the members begin tied.
    fn enter(&mut self, tied_after: Option<u32>) {
        let start = self.visits.len();
        self.collect_members();
        self.members.sort_unstable();
        let mut first = 0;
        while first < self.members.len() {
            let Member { key, position } = self.members[first];
            let mut end = first + 1;
            while end < self.members.len() && self.members[end].key == key {
                end += 1;
            }
            if end == first + 1 {
                self.visit_tied(&mut [position]);
            } else {
                self.settle(first, end);
            }
            first = end;
        }
        let visits = &mut self.visits[start..];
        match self.variant {
            Variant::Implemented(_) => {
                if let Some(first) = visits.first_mut() {
                    // The program compares the first member with its mark for "no value", as if that were a number.
                    first.ties = self.numbers.is_no_value(first.position as usize);
                    // The program asks whether this is the first of the list, even if it is an account without users.
                    first.ties_after = tied_after;
                }
            }
            Variant::Documented => {
                // The document promises the tie to the account's highest ranked user.
                for visit in &mut *visits {
                    visit.ties_after = tied_after;
                }
            }
        }
        visits.reverse();
    }

    /// Collects the members of the accounts. Nothing is visited below a `parent` account: its members are in the list of
    /// the account above.
    fn collect_members(&mut self) {
        let numbers = self.numbers;
        self.members.clear();
        self.accounts.retain(|&account| !numbers.is_parent(account));
        while let Some(account) = self.accounts.pop() {
            for child in numbers.tree.order().children(account) {
                if numbers.is_parent(child) && !numbers.is_user(child) {
                    self.accounts.push(child);
                    // The document does not know of `parent` accounts.
                    if self.variant == Variant::Documented {
                        continue;
                    }
                }
                self.members.push(Member {
                    key: !rising(numbers.level_fs[child as usize]),
                    position: child,
                });
            }
        }
    }

    /// Sorts members whose Level FS is the same double by their 80-bit values.
    fn settle(&mut self, first: usize, end: usize) {
        let numbers = self.numbers;
        let level_fs = numbers.level_fs[self.members[first].position as usize];
        let mut tied = Vec::with_capacity(end - first);
        for member in &self.members[first..end] {
            tied.push(member.position);
        }
        // Users come before accounts. A stable sort keeps the order among either.
        tied.sort_by_key(|&member| !numbers.is_user(member));
        if numbers.surely_tie(&tied, level_fs) {
            self.visit_tied(&mut tied);
            return;
        }
        let mut exactly: Vec<ExactMember> = Vec::with_capacity(tied.len());
        for &member in &tied {
            exactly.push(numbers.exact_member(member));
        }
        exactly.sort_unstable();
        for same in exactly.chunk_by(|a, b| a.level_fs == b.level_fs) {
            tied.clear();
            for member in same {
                tied.push(member.position);
            }
            self.visit_tied(&mut tied);
        }
    }

    /// Visits members that tie, one after the other.
    fn visit_tied(&mut self, tied: &mut [u32]) {
        if let Variant::Implemented(order) = self.variant {
            let users = tied.partition_point(|&member| self.numbers.is_user(member));
            self.list_accounts(&mut tied[users..], order);
        }
        for (place, &position) in tied.iter().enumerate() {
            self.visits.push(Visit {
                position,
                ties: place > 0,
                ties_after: None,
            });
        }
    }

    /// Puts accounts that tie in the order in which Slurm lists them.
    fn list_accounts(&mut self, accounts: &mut [u32], order: TieOrder) {
        let numbers = self.numbers;
        // Nothing is visited below a `parent` account.
        if accounts.len() < 2 || accounts.iter().all(|&account| numbers.is_parent(account)) {
            return;
        }
        let tree = numbers.tree;
        let above = tree.above();
        let parent = above[accounts[0] as usize];
        let node = |position: u32| tree.nodes()[position as usize];
        let are_siblings = accounts
            .iter()
            .all(|&account| above[account as usize] == parent);
        let are_listed = tree.listing().is_some_and(|listing| {
            let mut accounts = accounts.iter();
            accounts.all(|&account| listing.has(order, node(account)))
        });
        if are_siblings || are_listed {
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
        for child in tree.children(account) {
            if tree.is_account(child) {
                pending.push(child);
            }
        }
        // The first of them is pushed last, so that it is popped first.
        pending[first..].sort_by(|&a, &b| listed_before(tree, order, b, a));
    }
    places
}

/// The Level FS that Slurm gives `parent` accounts: its mark for "no value", which it compares like any number.
pub(crate) const NO_VALUE: f64 = 4_294_967_294.0;

/// The numbers of each node, by position in the tree's order: Slurm's 80-bit values rounded to doubles.
pub(super) struct Ratios {
    /// The part of the level's shares.
    pub(super) norm_shares: Vec<f64>,
    /// The part of all usage.
    pub(super) norm_usage: Vec<f64>,
    /// The part of the level's usage.
    pub(super) effective_usage: Vec<f64>,
    pub(super) level_fs: Vec<f64>,
}

/// The numbers of one node that depend on usage.
#[derive(Clone, Copy, Default)]
struct UsageRatios {
    norm_usage: f64,
    effective_usage: f64,
    level_fs: f64,
}

impl Ratios {
    /// Computes the numbers.
    pub(super) fn new(associations: &Associations) -> Self {
        let count = associations.len();
        let all = cores::by_position(count, |position| UsageRatios::of(associations, position));
        let mut ratios = Self {
            norm_shares: associations.norm_shares(),
            norm_usage: Vec::with_capacity(count),
            effective_usage: Vec::with_capacity(count),
            level_fs: Vec::with_capacity(count),
        };
        for of_node in all {
            ratios.norm_usage.push(of_node.norm_usage);
            ratios.effective_usage.push(of_node.effective_usage);
            ratios.level_fs.push(of_node.level_fs);
        }
        ratios
    }
}

impl UsageRatios {
    /// Computes the numbers of a node. The root has no siblings, and Slurm shows it with all of its own usage.
    fn of(associations: &Associations, position: usize) -> Self {
        if position == 0 {
            return Self {
                norm_usage: 0.0,
                effective_usage: 1.0,
                level_fs: 0.0,
            };
        }
        let usage = &associations.usage;
        let of_all = usage.at(position).ratio(usage.at(0));
        let of_level = associations.level_ratio(position);
        let level_fs = match divided_share(associations, position) {
            Some(share) => of_level.divide(share),
            None => fixed_level_fs(associations, position).map(Extended::to_f64),
        };
        Self {
            norm_usage: of_all.to_f64().min(1.0),
            effective_usage: of_level.to_f64(),
            level_fs: level_fs.unwrap_or(f64::INFINITY),
        }
    }
}

/// Returns whether Slurm shows a Level FS for the node: not for the root and `parent` accounts.
pub(super) fn is_shown(associations: &Associations, position: usize) -> bool {
    position > 0 && (associations.is_user[position] || !associations.is_parent(position))
}

/// Returns whether two nodes have the same Level FS because all its terms are the same.
fn are_alike(associations: &Associations, a: usize, b: usize) -> bool {
    associations.fair_share_parent[a] == associations.fair_share_parent[b]
        && associations.is_parent(a) == associations.is_parent(b)
        && associations.shares[a] == associations.shares[b]
        && associations.usage.at(a) == associations.usage.at(b)
}

/// Returns Level FS with all its bits, or `None` for infinity.
fn exact_level_fs(associations: &Associations, position: usize) -> Option<Extended> {
    match divided_share(associations, position) {
        Some(share) => share.over(associations.level_usage(position)),
        None => fixed_level_fs(associations, position),
    }
}

/// Returns S, the dividend of Level FS. `None` for nodes whose usage makes no difference.
fn divided_share(associations: &Associations, position: usize) -> Option<Extended> {
    if associations.is_parent(position) {
        return None;
    }
    let share = Extended::from_f64(associations.portion(position))?;
    if share.is_zero() {
        return None;
    }
    Some(share)
}

/// Returns Level FS, or `None` for infinity, of nodes with shares `parent` and of those without shares.
fn fixed_level_fs(associations: &Associations, position: usize) -> Option<Extended> {
    if !associations.is_parent(position) {
        return Some(Extended::ZERO);
    }
    if associations.is_user[position] {
        return None;
    }
    Extended::from_f64(NO_VALUE)
}
