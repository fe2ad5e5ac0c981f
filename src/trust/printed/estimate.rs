//! The missing digits of usage under Fair Tree.
//!
//! From the root down, every node's usage is narrowed to what is printed as in the dump, given that of its account. Then
//! the members of an account are put in the order of their ranks.

use crate::base::extended::Extended;
use crate::model::{
    Amounts, Fact, Kind, Listing, NodeId, Snapshot, TieOrder, UsageEstimate, UsageState,
};
use crate::rules::policy::counter;
use crate::rules::policy::slurm::{Associations, listed_before};
use std::collections::HashMap;
use std::sync::Arc;

/// How much further a sibling is from its target than the one ranked before it, where nothing tells more.
const STEP: f64 = 1e-9;

/// Estimates all usage, and the places of tied accounts that the ranks reveal.
pub(super) fn estimated_usage(snapshot: &Snapshot, order: TieOrder) -> UsageEstimate {
    let associations = Associations::new(&snapshot.tree);
    let (starts, members) = associations.families();
    let mut estimate = Estimate {
        snapshot,
        order,
        ranks: rank_spans(snapshot, &associations),
        associations: &associations,
        usage: vec![0.0; associations.len()],
        places: HashMap::new(),
    };
    let family = |account: usize| &members[starts[account] as usize..starts[account + 1] as usize];
    estimate.usage[0] = estimate.choose(0, estimate.with_members(0, family(0)));
    for account in 0..associations.len() {
        estimate.settle(account, family);
    }
    let mut by_id = vec![Extended::ZERO; snapshot.tree.id_count()];
    for (&node, &usage) in snapshot.tree.nodes().iter().zip(&estimate.usage) {
        by_id[node.index()] = Extended::finite_or_zero(usage);
    }
    let listing = (!estimate.places.is_empty()).then(|| {
        Arc::new(Listing::Revealed {
            tie_order: order,
            places: estimate.places,
        })
    });
    UsageEstimate {
        usage_state: UsageState::of(&snapshot.tree, Amounts::Long(Arc::new(by_id))),
        listing,
    }
}

/// The counters of the first and the last user ranked in a subtree.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RankSpan {
    first: u32,
    last: u32,
}

/// Returns the printed ranks of every subtree by position; none without ranks, or if their digits do not tell them apart.
fn rank_spans(snapshot: &Snapshot, associations: &Associations) -> Vec<Option<RankSpan>> {
    let mut spans = vec![None; associations.len()];
    let Some(factors) = snapshot.recorded.figures(Fact::FairShare) else {
        return spans;
    };
    let count = snapshot.tree.user_count() as f64;
    for (position, &node) in snapshot.tree.nodes().iter().enumerate() {
        let figure = factors.get(node).filter(|_| associations.is_user[position]);
        if let Some(figure) = figure.filter(|figure| figure.half_unit() * count < 0.5) {
            let counter = counter(figure.value, count);
            let (first, last) = (counter, counter);
            spans[position] = Some(RankSpan { first, last });
        }
    }
    for position in (1..spans.len()).rev() {
        let parent = associations.fair_share_parent[position] as usize;
        if let Some(own) = spans[position] {
            let all: &mut RankSpan = spans[parent].get_or_insert(own);
            all.first = all.first.max(own.first);
            all.last = all.last.min(own.last);
        }
    }
    spans
}

struct Member {
    position: u32,
    share: f64,
    /// Usage / share: chosen, and its bounds.
    pressure: f64,
    least: f64,
    most: f64,
    ranks: RankSpan,
}

struct Estimate<'a> {
    snapshot: &'a Snapshot,
    /// The order in which Slurm visits accounts that tie.
    order: TieOrder,
    associations: &'a Associations<'a>,
    ranks: Vec<Option<RankSpan>>,
    /// By position: the usage, once it is chosen.
    usage: Vec<f64>,
    places: HashMap<NodeId, u32>,
}

impl Estimate<'_> {
    /// Chooses the usage of an account's members. That of the account is known.
    fn settle<'b>(&mut self, account: usize, family: impl Fn(usize) -> &'b [u32]) {
        let mut ordered = Vec::new();
        for &position in family(account) {
            let place = position as usize;
            let mut bounds = self.with_members(place, family(place));
            self.narrow_by_account(&mut bounds, place, account);
            let usage = self.choose(place, bounds);
            self.usage[place] = usage;
            let ((least, most), share) = (bounds, self.associations.portion(place));
            let has_order = share > 0.0 && !self.associations.is_parent(place);
            if let Some(ranks) = self.ranks[place].filter(|_| has_order) {
                ordered.push(Member {
                    position,
                    share,
                    pressure: usage / share,
                    least: least / share,
                    most: most / share,
                    ranks,
                });
            }
        }
        self.put_in_order(&mut ordered);
        for member in &ordered {
            self.usage[member.position as usize] = member.pressure * member.share;
        }
    }

    /// Puts members in the order of their ranks: the more deserving one has used less of its share.
    fn put_in_order(&mut self, members: &mut [Member]) {
        let (tree, order) = (&self.snapshot.tree, self.order);
        let node = |member: &Member| tree.nodes()[member.position as usize];
        let is_account = |member: &Member| tree.kind(node(member)) == Kind::Account;
        members.sort_by(|a, b| {
            let key = |member: &Member| (member.ranks.first, member.ranks.last);
            key(b)
                .cmp(&key(a))
                .then_with(|| is_account(a).cmp(&is_account(b)))
                .then_with(|| {
                    if is_account(a) {
                        listed_before(tree, order, node(a), node(b))
                    } else {
                        a.position.cmp(&b.position)
                    }
                })
        });
        let ties = |before: &Member, after: &Member| before.ranks.last == after.ranks.first;
        for place in 1..members.len() {
            let (before, after) = members.split_at_mut(place);
            let (before, after) = (&before[place - 1], &mut after[0]);
            if ties(before, after) {
                after.pressure = before.pressure.clamp(after.least, after.most);
            } else if after.pressure <= before.pressure {
                let step = (before.pressure * STEP).max(after.most * STEP);
                after.pressure = (before.pressure + step).clamp(after.least, after.most);
            }
        }
        for place in (1..members.len()).rev() {
            let (before, after) = members.split_at_mut(place);
            let (before, after) = (&mut before[place - 1], &after[0]);
            if ties(before, after) {
                before.pressure = after.pressure.clamp(before.least, before.most);
            } else if before.pressure >= after.pressure {
                let below = after.pressure * (1.0 - STEP);
                before.pressure = below.clamp(before.least, before.most);
            }
        }
        for tied in members.chunk_by(|before, after| ties(before, after)) {
            let accounts: Vec<&Member> = tied.iter().filter(|member| is_account(member)).collect();
            let is_listed_so =
                |a: &&Member, b: &&Member| listed_before(tree, order, node(a), node(b)).is_lt();
            if !accounts.is_sorted_by(is_listed_so) {
                for (place, account) in (0_u32..).zip(accounts) {
                    self.places.insert(node(account), place);
                }
            }
        }
    }

    /// Returns the usage to go on from: as printed, if that is in the bounds.
    fn choose(&self, position: usize, (least, most): (f64, f64)) -> f64 {
        let printed = self.printed_usage(position).0;
        if printed >= least {
            printed
        } else {
            f64::midpoint(least, most)
        }
    }

    /// Returns the bounds of usage by its printed digits, and by its members' parts, which are good to six decimals.
    fn with_members(&self, position: usize, members: &[u32]) -> (f64, f64) {
        let mut bounds = self.printed_usage(position);
        for &member in members {
            let member = member as usize;
            let (least, most) = self.printed_usage(member);
            if let Some((part, more)) = self.printed(Fact::EffectvUsage, member) {
                narrow(&mut bounds, (least / more, most / part));
            }
            if let Some((share, (ratio, more))) = self.level_fs(member) {
                narrow(&mut bounds, (least * ratio / share, most * more / share));
            }
        }
        bounds
    }

    /// Narrows the bounds of usage by what is printed of its part of all usage and of the account's.
    fn narrow_by_account(&self, bounds: &mut (f64, f64), position: usize, account: usize) {
        let (all, of_account) = (self.usage[0], self.usage[account]);
        let of_all = self.printed(Fact::NormUsage, position);
        // A part above 1 is printed as 1.
        if let Some((least, most)) = of_all.filter(|&(_, most)| most < 1.0) {
            narrow(bounds, (least * all, most * all));
        }
        if let Some((least, most)) = self.printed(Fact::EffectvUsage, position) {
            narrow(bounds, (least * of_account, most * of_account));
        }
        if let Some((share, (least, most))) = self.level_fs(position) {
            let shared = share * of_account;
            narrow(bounds, (shared / most, shared / least));
        }
    }

    /// Returns a node's part of the level's shares, and the bounds of its Level FS. `None` without either.
    fn level_fs(&self, position: usize) -> Option<(f64, (f64, f64))> {
        let share = self.associations.portion(position);
        let has_own = share > 0.0 && !self.associations.is_parent(position);
        let level_fs = self.printed(Fact::LevelFs, position).filter(|_| has_own)?;
        Some((share, level_fs))
    }

    fn printed_usage(&self, position: usize) -> (f64, f64) {
        let node = self.snapshot.tree.nodes()[position];
        match self.snapshot.tree.usage(node).amount() {
            Some(amount) => self.snapshot.recorded.usage_precision.bounds(amount),
            None => (0.0, f64::INFINITY),
        }
    }

    fn printed(&self, fact: Fact, position: usize) -> Option<(f64, f64)> {
        let node = self.snapshot.tree.nodes()[position];
        Some(self.snapshot.recorded.figure(fact, node)?.bounds())
    }
}

/// Narrows bounds by others, unless they have nothing in common.
fn narrow(bounds: &mut (f64, f64), others: (f64, f64)) {
    let (least, most) = (bounds.0.max(others.0), bounds.1.min(others.1));
    if least <= most {
        *bounds = (least, most);
    }
}
