//! One tree under several policies: the rank each gives, and how far they agree.

use super::evaluation::some_rank;
use super::{Basis, Policy, Ranking, formula};
use crate::base::cores;
use crate::model::{NodeId, Order, Settings};
use std::cmp::Reverse;
use std::sync::Arc;

/// How many policies are evaluated at the same time. Each needs memory.
const AT_A_TIME: usize = 4;

/// One tree under several policies.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The policies compared.
    pub policies: Vec<Policy>,
    order: Arc<Order>,
    /// By policy, then by position: the rank; 0 where there is none.
    ranks: Vec<Vec<u32>>,
    /// By policy, then by position: the rank among the users that have one under every policy; 0 for the others.
    places: Vec<Vec<u32>>,
    /// How many users have a rank under every policy.
    pub common: usize,
    /// By position: the difference between the best and the worst place.
    spreads: Vec<u32>,
    /// The users, those with the largest spread first, then in tree order.
    pub users: Vec<NodeId>,
    /// By pair of policies: Kendall's tau.
    taus: Vec<Vec<Option<f64>>>,
}

impl Comparison {
    /// Returns the policies that are worth comparing: all of them, but a formula only if one is set.
    pub fn usual(settings: &Settings) -> Vec<Policy> {
        let mut policies = Policy::ALL.to_vec();
        // `fairshare_factor` alone gives the order of `pbs`.
        let has_formula = settings.formula.set.is_some() && formula::order(settings) != Policy::Pbs;
        if !has_formula {
            policies.retain(|&policy| policy != Policy::Formula);
        }
        policies
    }

    /// Evaluates a tree under each of the policies and compares the ranks.
    pub fn new(basis: Basis<'_>, policies: &[Policy]) -> Self {
        let tree = basis.tree;
        // Only the ranks of each evaluation are kept: a million nodes under nine policies would take much memory.
        let cores = cores::count().min(AT_A_TIME);
        let ranks = cores::each(policies, cores, |policy| {
            policy.evaluate_as_printed(basis).ranks().to_vec()
        });
        let places = places(&ranks, tree.node_count());
        let common = match places.first() {
            Some(places) => places.iter().filter(|&&place| place > 0).count(),
            None => 0,
        };
        let spreads = spreads(&places, tree.node_count());
        let mut positions: Vec<usize> = Vec::new();
        for (position, node) in tree.positions() {
            if tree.is_user(node) {
                positions.push(position);
            }
        }
        positions.sort_by_key(|&position| Reverse(spreads[position]));
        let mut users = Vec::with_capacity(positions.len());
        for position in positions {
            users.push(tree.nodes()[position]);
        }
        Self {
            policies: policies.to_vec(),
            order: tree.shared_order(),
            users,
            taus: taus(&ranks),
            ranks,
            places,
            common,
            spreads,
        }
    }

    /// Returns the rank of a user under a policy, given by its place among the policies compared.
    pub fn rank(&self, policy: usize, user: NodeId) -> Option<u32> {
        let position = self.order.position(user)?;
        let rank = self.ranks.get(policy)?[position];
        some_rank(rank)
    }

    /// Returns the rank of a user under a policy among the users that have one under every policy compared: the ranks of
    /// 32 users and those of 40 are not of the same scale. `None` for the other users.
    pub fn place(&self, policy: usize, user: NodeId) -> Option<u32> {
        let position = self.order.position(user)?;
        let place = self.places.get(policy)?[position];
        some_rank(place)
    }

    /// Returns the difference between the best and the worst [place](Self::place) of a user. `None` if it has none.
    pub fn spread(&self, user: NodeId) -> Option<u32> {
        self.place(0, user)?;
        Some(self.spreads[self.order.position(user)?])
    }

    /// Returns Kendall's tau-b of the ranks of two policies, given by their places: 1 for the same order, -1 for the
    /// reverse, corrected for ties. Only users that have a rank under both count. `None` if there are fewer than two,
    /// or if one policy ties all of them.
    pub fn tau(&self, a: usize, b: usize) -> Option<f64> {
        *self.taus.get(a)?.get(b)?
    }
}

/// Returns the ranks by policy and position as they are among the users that have one under each; 0 for the others.
fn places(ranks: &[Vec<u32>], count: usize) -> Vec<Vec<u32>> {
    let mut is_common = vec![true; count];
    let mut is_ranked = vec![false; count];
    for ranks in ranks {
        for (position, &rank) in ranks.iter().enumerate() {
            is_common[position] &= rank > 0;
            is_ranked[position] |= rank > 0;
        }
    }
    if is_common == is_ranked {
        return ranks.to_vec();
    }
    let mut places = Vec::with_capacity(ranks.len());
    for ranks in ranks {
        places.push(places_among(&is_common, ranks));
    }
    places
}

/// Returns the ranks of the marked users among themselves, by position; 0 for the others.
fn places_among(is_marked: &[bool], ranks: &[u32]) -> Vec<u32> {
    let most = ranks.iter().copied().max().unwrap_or(0) as usize;
    // By rank: how many of the marked users have it, and then how many rank before it.
    let mut before = vec![0_u32; most + 2];
    for (&rank, &is_marked) in ranks.iter().zip(is_marked) {
        if is_marked {
            before[rank as usize + 1] += 1;
        }
    }
    for rank in 1..before.len() {
        before[rank] += before[rank - 1];
    }
    let mut places = vec![0; ranks.len()];
    for (position, &rank) in ranks.iter().enumerate() {
        if is_marked[position] {
            places[position] = before[rank as usize] + 1;
        }
    }
    places
}

/// Returns, by position, the difference between the best and the worst place; 0 where there is none.
fn spreads(places: &[Vec<u32>], count: usize) -> Vec<u32> {
    let mut best = vec![u32::MAX; count];
    let mut worst = vec![0_u32; count];
    for places in places {
        for (position, &place) in places.iter().enumerate() {
            if place > 0 {
                best[position] = place.min(best[position]);
                worst[position] = place.max(worst[position]);
            }
        }
    }
    for (worst, best) in worst.iter_mut().zip(best) {
        *worst = worst.saturating_sub(best);
    }
    worst
}

/// Two policies, by their places among those compared.
struct PolicyPair {
    first: usize,
    second: usize,
}

/// Returns Kendall's tau of every pair of policies.
fn taus(ranks: &[Vec<u32>]) -> Vec<Vec<Option<f64>>> {
    let rankings = cores::each(ranks, cores::count(), |ranks| Ranking::from_ranks(ranks));
    let mut pairs = Vec::new();
    for first in 0..ranks.len() {
        for second in first..ranks.len() {
            pairs.push(PolicyPair { first, second });
        }
    }
    let found = cores::each(&pairs, cores::count(), |pair| {
        tau_b(
            &rankings[pair.first],
            &ranks[pair.first],
            &ranks[pair.second],
        )
    });
    let mut taus = vec![vec![None; ranks.len()]; ranks.len()];
    for (pair, tau) in pairs.into_iter().zip(found) {
        taus[pair.first][pair.second] = tau;
        taus[pair.second][pair.first] = tau;
    }
    taus
}

/// Returns how many pairs there are of so many users.
fn pairs(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

/// Returns Kendall's tau-b over the users that have a rank in both, or `None` if there are fewer than two, or if all of
/// them tie in one of the rankings. Ranks are given by position, and `order` is that of the first.
///
/// Uses the method of W. R. Knight, "A computer method for calculating Kendall's tau with ungrouped data", Journal of
/// the American Statistical Association 61, 1966. With the users in the order of one ranking, the pairs on which the
/// other disagrees are those that it has in the wrong order.
pub fn tau_b(order: &Ranking, first: &[u32], second: &[u32]) -> Option<f64> {
    let mut ranks = Vec::with_capacity(order.positions().len());
    let mut tied_first = 0;
    let mut tied_both = 0;
    let is_tied = |&a: &u32, &b: &u32| first[a as usize] == first[b as usize];
    for tied in order.positions().chunk_by(is_tied) {
        let start = ranks.len();
        for &position in tied {
            let other = second[position as usize];
            if other > 0 {
                ranks.push(other);
            }
        }
        let others = &mut ranks[start..];
        if others.len() > 1 {
            others.sort_unstable();
            tied_first += pairs(others.len());
            for equal in others.chunk_by(PartialEq::eq) {
                tied_both += pairs(equal.len());
            }
        }
    }
    let all = pairs(ranks.len());
    let counts = PairCounts::new(&ranks);
    // The pairs that a ranking distinguishes.
    let told_first = all - tied_first;
    let told_second = all - counts.tied;
    if told_first == 0 || told_second == 0 {
        return None;
    }
    // The pairs that both rankings distinguish, whether they agree or not.
    let both = told_first + tied_both - counts.tied;
    let surplus = (both - counts.reversed) as f64 - counts.reversed as f64;
    Some(surplus / (told_first as f64 * told_second as f64).sqrt())
}

/// The pairs of ranks in a sequence.
struct PairCounts {
    /// How many are equal.
    tied: u64,
    /// How many are in the wrong order: the larger rank comes first.
    reversed: u64,
}

impl PairCounts {
    fn new(ranks: &[u32]) -> Self {
        let most = ranks.iter().copied().max().unwrap_or(0) as usize;
        let mut counts = Self {
            tied: 0,
            reversed: 0,
        };
        let mut met = vec![0_u64; most + 1];
        // A Fenwick tree: how many of the ranks that were met are in the range that ends at each place.
        let mut ranges = vec![0_u64; most + 1];
        for (before, &rank) in cores::in_turn((0_u64..).zip(ranks)) {
            let rank = rank as usize;
            counts.tied += met[rank];
            met[rank] += 1;
            let mut not_above = 0;
            let mut end = rank;
            while end > 0 {
                not_above += ranges[end];
                end &= end - 1;
            }
            counts.reversed += before - not_above;
            let mut end = rank;
            while end <= most {
                ranges[end] += 1;
                end += end & end.wrapping_neg();
            }
        }
        counts
    }
}
