//! The missing digits of usage under Fair Tree.
//!
//! From the root down, every node's usage is narrowed to what is printed as in the dump, given that of its account. Then
//! the members of an account are put in the order of their ranks.

use crate::base::extended::Extended;
use crate::model::{
    Amounts, Fact, Figures, Listing, NodeId, Snapshot, TieOrder, UsageEstimate, UsageState,
};
use crate::rules::policy::counter;
use crate::rules::policy::slurm::{Associations, Families, listed_before};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// How much further a sibling is from its target than the one ranked before it, where nothing tells more.
const STEP: f64 = 1e-9;

/// Estimates all usage, and the places of tied accounts that the ranks reveal.
pub(super) fn estimated_usage(snapshot: &Snapshot, order: TieOrder) -> UsageEstimate {
    let associations = Associations::new(&snapshot.tree);
    let mut estimate = Estimate {
        snapshot,
        order,
        ranks: rank_spans(snapshot, &associations),
        associations: &associations,
        families: &associations.families(),
        usage: vec![0.0; associations.len()],
        places: HashMap::new(),
        is_by_age: false,
    };
    estimate.usage[0] = estimate.choose(0, estimate.bounds(0));
    for account in 0..associations.len() {
        estimate.settle(account);
    }
    estimate.settle_others();
    let mut by_id = vec![Extended::ZERO; snapshot.tree.id_count()];
    for (&node, &usage) in snapshot.tree.nodes().iter().zip(&estimate.usage) {
        by_id[node.index()] = Extended::finite_or_zero(usage);
    }
    let mut listing = None;
    if !estimate.places.is_empty() {
        listing = Some(Arc::new(Listing::Revealed {
            tie_order: order,
            places: estimate.places,
            is_by_age: estimate.is_by_age,
        }));
    }
    UsageEstimate {
        usage_state: UsageState::of(&snapshot.tree, Amounts::Long(Arc::new(by_id))),
        listing,
    }
}

/// The counters of the users ranked in a subtree: the more deserving, the higher.
#[derive(Clone, Copy)]
struct RankSpan {
    /// The counter of the user ranked first.
    first: u32,
    /// The counter of the user ranked last.
    last: u32,
}

/// Returns the printed ranks of every subtree by position; none without ranks, or if their digits do not tell them apart.
fn rank_spans(snapshot: &Snapshot, associations: &Associations) -> Vec<Option<RankSpan>> {
    let mut spans = vec![None; associations.len()];
    let Some(factors) = snapshot.recorded.figures(Fact::FairShare) else {
        return spans;
    };
    for (position, counter) in counters(snapshot, factors) {
        spans[position] = Some(RankSpan {
            first: counter,
            last: counter,
        });
    }
    for position in (1..spans.len()).rev() {
        let parent = associations.parent(position);
        if let Some(own) = spans[position] {
            let all: &mut RankSpan = spans[parent].get_or_insert(own);
            all.first = all.first.max(own.first);
            all.last = all.last.min(own.last);
        }
    }
    spans
}

/// Returns the counters of the users that have a factor, by position; none if its digits do not tell them apart.
fn counters(snapshot: &Snapshot, factors: &Figures) -> Vec<(usize, u32)> {
    let tree = &snapshot.tree;
    let count = tree.user_count() as f64;
    let is_part = tree.part().is_some();
    let mut counters = Vec::with_capacity(tree.user_count());
    let mut printed = Vec::new();
    for (position, node) in tree.positions() {
        let Some(figure) = factors.get(node) else {
            continue;
        };
        if !tree.is_user(node) {
            continue;
        }
        if is_part {
            printed.push((figure.value.to_bits(), position));
        } else if figure.half_unit() * count < 0.5 {
            counters.push((position, counter(figure.value, count)));
        }
    }
    // The factors of a part of a tree count users that are not listed. Their order is that of the counters. Factors are
    // from 0 up, where the bits have the order of the numbers.
    printed.sort_unstable();
    let mut counter = 0;
    for same in printed.chunk_by(|one, other| one.0 == other.0) {
        counter += 1;
        for &(_, position) in same {
            counters.push((position, counter));
        }
    }
    counters
}

/// The least and the most that a number can be.
#[derive(Clone, Copy)]
struct Bounds {
    least: f64,
    most: f64,
}

impl Bounds {
    /// Names the bounds of a printed number.
    const fn new((least, most): (f64, f64)) -> Self {
        Self { least, most }
    }

    /// Narrows the bounds by others, unless they have nothing in common.
    fn narrow(&mut self, least: f64, most: f64) {
        let least = self.least.max(least);
        let most = self.most.min(most);
        if least <= most {
            *self = Self { least, most };
        }
    }
}

/// A member of an account that has a place among its siblings by rank.
struct Member {
    position: usize,
    node: NodeId,
    is_account: bool,
    /// The part of the level's shares, above 0.
    share: f64,
    /// Usage / share.
    pressure: f64,
    /// What usage / share can be.
    bounds: Bounds,
    ranks: RankSpan,
}

impl Member {
    /// Returns whether it ties with the member ranked after it.
    fn ties_with(&self, after: &Self) -> bool {
        self.ranks.last == after.ranks.first
    }

    /// Sets usage / share as near to a number as the bounds allow.
    fn set_pressure(&mut self, pressure: f64) {
        self.pressure = pressure.clamp(self.bounds.least, self.bounds.most);
    }
}

/// The usage of a dump while it is estimated, from the root down.
struct Estimate<'a> {
    snapshot: &'a Snapshot,
    /// The order in which Slurm visits accounts that tie.
    order: TieOrder,
    associations: &'a Associations<'a>,
    families: &'a Families,
    /// By position: the printed ranks of the subtree.
    ranks: Vec<Option<RankSpan>>,
    /// By position: the usage, once it is chosen.
    usage: Vec<f64>,
    /// The places of accounts that tie, where the ranks show another order than Slurm's list.
    places: HashMap<NodeId, u32>,
    /// Whether some of these places are neither by name, as printed, nor by lineage, as since 23.11.
    is_by_age: bool,
}

impl Estimate<'_> {
    /// Chooses the usage of an account's members. That of the account is known.
    fn settle(&mut self, account: usize) {
        let mut ranked = Vec::new();
        for &position in self.families.members(account) {
            let position = position as usize;
            let mut bounds = self.bounds(position);
            self.narrow_by_account(&mut bounds, position, account);
            self.usage[position] = self.choose(position, bounds);
            ranked.extend(self.ranked_member(position, bounds));
        }
        self.put_in_order(&mut ranked);
        for member in &ranked {
            self.usage[member.position] = member.pressure * member.share;
        }
    }

    /// Gives what is not listed of an account what its listed members leave of its usage.
    fn settle_others(&mut self) {
        let tree = &self.snapshot.tree;
        let Some(part) = tree.part() else {
            return;
        };
        let order = tree.order();
        for level in &part.levels {
            let Some(account) = order.position(level.account) else {
                continue;
            };
            let Some(others) = order.position(level.others) else {
                continue;
            };
            let mut left = self.usage[account];
            for child in tree.children(level.account) {
                if child != level.others
                    && let Some(position) = order.position(child)
                {
                    left -= self.usage[position];
                }
            }
            self.usage[others] = left.max(0.0);
        }
    }

    /// Returns a member with its ranks, or `None` without ranks or without shares of its own.
    fn ranked_member(&self, position: usize, bounds: Bounds) -> Option<Member> {
        let ranks = self.ranks[position]?;
        let share = self.own_share(position)?;
        let node = self.snapshot.tree.nodes()[position];
        Some(Member {
            position,
            node,
            is_account: self.snapshot.tree.is_account(node),
            share,
            pressure: self.usage[position] / share,
            bounds: Bounds {
                least: bounds.least / share,
                most: bounds.most / share,
            },
            ranks,
        })
    }

    /// Puts members in the order of their ranks: the more deserving one has used less of its share.
    fn put_in_order(&mut self, members: &mut [Member]) {
        members.sort_by(|a, b| self.compare(a, b));
        for place in 1..members.len() {
            let ties = members[place - 1].ties_with(&members[place]);
            let before = members[place - 1].pressure;
            let after = &mut members[place];
            if ties {
                after.set_pressure(before);
            } else if after.pressure <= before {
                let step = (before * STEP).max(after.bounds.most * STEP);
                after.set_pressure(before + step);
            }
        }
        for place in (1..members.len()).rev() {
            let ties = members[place - 1].ties_with(&members[place]);
            let after = members[place].pressure;
            let before = &mut members[place - 1];
            if ties {
                before.set_pressure(after);
            } else if before.pressure >= after {
                before.set_pressure(after * (1.0 - STEP));
            }
        }
        for tied in members.chunk_by(Member::ties_with) {
            self.reveal_places(tied);
        }
    }

    /// Compares members by their ranks. Users that tie come before accounts, each in the order of the list.
    fn compare(&self, a: &Member, b: &Member) -> Ordering {
        let by_first = b.ranks.first.cmp(&a.ranks.first);
        let by_rank = by_first.then(b.ranks.last.cmp(&a.ranks.last));
        let by_kind = by_rank.then(a.is_account.cmp(&b.is_account));
        by_kind.then_with(|| {
            if a.is_account {
                self.listed_before(a, b)
            } else {
                a.position.cmp(&b.position)
            }
        })
    }

    /// Compares two accounts by their places in Slurm's list.
    fn listed_before(&self, a: &Member, b: &Member) -> Ordering {
        listed_before(&self.snapshot.tree, self.order, a.node, b.node)
    }

    /// Notes the places of accounts that tie, unless Slurm's list has them in this order.
    fn reveal_places(&mut self, tied: &[Member]) {
        let mut accounts: Vec<&Member> = tied.iter().collect();
        accounts.retain(|member| member.is_account);
        if accounts.is_sorted_by(|a, b| self.listed_before(a, b).is_lt()) {
            return;
        }
        if self.order == TieOrder::Name {
            let tree = &self.snapshot.tree;
            self.is_by_age |= !accounts.is_sorted_by(|a, b| {
                listed_before(tree, TieOrder::Lineage, a.node, b.node).is_lt()
            });
        }
        for (place, account) in (0..).zip(accounts) {
            self.places.insert(account.node, place);
        }
    }

    /// Returns the usage to go on from: as printed, if that is in the bounds.
    fn choose(&self, position: usize, bounds: Bounds) -> f64 {
        let printed = self.printed_usage(position).least;
        if printed >= bounds.least {
            printed
        } else {
            f64::midpoint(bounds.least, bounds.most)
        }
    }

    /// Returns the bounds of usage by its printed digits, and by its members' parts, which are good to six decimals.
    fn bounds(&self, account: usize) -> Bounds {
        let mut bounds = self.printed_usage(account);
        for &member in self.families.members(account) {
            let member = member as usize;
            let usage = self.printed_usage(member);
            if let Some(part) = self.printed(Fact::EffectvUsage, member) {
                bounds.narrow(usage.least / part.most, usage.most / part.least);
            }
            if let Some(share) = self.own_share(member)
                && let Some(level_fs) = self.printed(Fact::LevelFs, member)
            {
                let least = usage.least * level_fs.least / share;
                bounds.narrow(least, usage.most * level_fs.most / share);
            }
        }
        bounds
    }

    /// Narrows the bounds of usage by what is printed of its part of all usage and of the account's.
    fn narrow_by_account(&self, bounds: &mut Bounds, position: usize, account: usize) {
        let all = self.usage[0];
        let of_account = self.usage[account];
        // A part above 1 is printed as 1.
        if let Some(part) = self.printed(Fact::NormUsage, position)
            && part.most < 1.0
        {
            bounds.narrow(part.least * all, part.most * all);
        }
        if let Some(part) = self.printed(Fact::EffectvUsage, position) {
            bounds.narrow(part.least * of_account, part.most * of_account);
        }
        if let Some(share) = self.own_share(position)
            && let Some(level_fs) = self.printed(Fact::LevelFs, position)
        {
            let shared = share * of_account;
            bounds.narrow(shared / level_fs.most, shared / level_fs.least);
        }
    }

    /// Returns a node's part of the level's shares. `None` if that is 0, or if its shares are `parent`.
    fn own_share(&self, position: usize) -> Option<f64> {
        let share = self.associations.portion(position);
        let has_own = share > 0.0 && !self.associations.is_parent(position);
        has_own.then_some(share)
    }

    /// Returns the bounds of usage by its printed digits.
    fn printed_usage(&self, position: usize) -> Bounds {
        let node = self.snapshot.tree.nodes()[position];
        let usage = self.snapshot.tree.usage(node);
        match self.snapshot.recorded.usage_bounds(usage) {
            Some(bounds) => Bounds::new(bounds),
            None => Bounds::new((0.0, f64::INFINITY)),
        }
    }

    /// Returns the bounds of a printed number, or `None` if none was printed.
    fn printed(&self, fact: Fact, position: usize) -> Option<Bounds> {
        let node = self.snapshot.tree.nodes()[position];
        let figure = self.snapshot.recorded.figure(fact, node)?;
        Some(Bounds::new(figure.bounds()))
    }
}
