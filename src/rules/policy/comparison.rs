//! One tree under several policies: the rank each gives, and how far they agree.

use super::{Basis, Policy, Ranking, formula};
use crate::base::cores;
use crate::model::{Kind, NodeId, Order, Settings};
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
        // `fairshare_factor` alone gives the order of `pbs`.
        let has_formula = settings.formula.set.is_some() && formula::order(settings) != Policy::Pbs;
        let policies = Policy::ALL.iter().copied();
        let worthwhile = policies.filter(|&policy| policy != Policy::Formula || has_formula);
        worthwhile.collect()
    }

    /// Evaluates a tree under each of the policies and compares the ranks.
    pub fn of(basis: Basis<'_>, policies: &[Policy]) -> Self {
        let tree = basis.tree;
        // Only the ranks of each evaluation are kept: a million nodes under nine policies would take much memory.
        let cores = cores::count().min(AT_A_TIME);
        let ranks: Vec<Vec<u32>> = cores::each(policies, cores, |policy| {
            policy.evaluate_as_printed(basis).ranks().to_vec()
        });
        let places = places(&ranks, tree.node_count());
        let spreads = spreads(&places, tree.node_count());
        let common = places.first().map_or(0, |places| {
            places.iter().filter(|&&place| place > 0).count()
        });
        let nodes = tree.nodes().iter().copied().zip(&spreads);
        let users = nodes.filter(|&(node, _)| tree.kind(node) == Kind::User);
        let mut users: Vec<(NodeId, &u32)> = users.collect();
        users.sort_by_key(|&(_, spread)| Reverse(spread));
        Self {
            policies: policies.to_vec(),
            order: tree.shared_order(),
            users: users.into_iter().map(|(user, _)| user).collect(),
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
        Some(rank).filter(|&rank| rank > 0)
    }

    /// Returns the rank of a user under a policy among the users that have one under every policy compared: the ranks of
    /// 32 users and those of 40 are not of the same scale. `None` for the other users.
    pub fn place(&self, policy: usize, user: NodeId) -> Option<u32> {
        let position = self.order.position(user)?;
        let place = self.places.get(policy)?[position];
        Some(place).filter(|&place| place > 0)
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
    let is_common = |position: usize| ranks.iter().all(|ranks| ranks[position] > 0);
    let is_common: Vec<bool> = (0..count).map(is_common).collect();
    let is_ranked = |position: usize| ranks.iter().any(|ranks| ranks[position] > 0);
    if (0..count).all(|position| is_common[position] == is_ranked(position)) {
        return ranks.to_vec();
    }
    let among_common = |ranks: &Vec<u32>| {
        let most = ranks.iter().copied().max().unwrap_or(0) as usize;
        // By rank: how many of the common users have it, and then how many rank before it.
        let mut before = vec![0_u32; most + 2];
        for (&rank, _) in ranks.iter().zip(&is_common).filter(|&(_, &is)| is) {
            before[rank as usize + 1] += 1;
        }
        for rank in 1..before.len() {
            before[rank] += before[rank - 1];
        }
        let place = |(&rank, &is_common): (&u32, &bool)| {
            if is_common {
                before[rank as usize] + 1
            } else {
                0
            }
        };
        ranks.iter().zip(&is_common).map(place).collect()
    };
    ranks.iter().map(among_common).collect()
}

fn spreads(ranks: &[Vec<u32>], count: usize) -> Vec<u32> {
    let mut best = vec![u32::MAX; count];
    let mut worst = vec![0; count];
    for ranks in ranks {
        for (position, &rank) in ranks.iter().enumerate().filter(|&(_, &rank)| rank > 0) {
            best[position] = rank.min(best[position]);
            worst[position] = rank.max(worst[position]);
        }
    }
    let both = worst.into_iter().zip(best);
    both.map(|(worst, best)| worst.saturating_sub(best))
        .collect()
}

fn taus(ranks: &[Vec<u32>]) -> Vec<Vec<Option<f64>>> {
    let rankings = cores::each(ranks, cores::count(), |ranks| Ranking::of(ranks));
    let pairs = (0..ranks.len()).flat_map(|a| (a..ranks.len()).map(move |b| (a, b)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let found = cores::each(&pairs, cores::count(), |&(a, b)| {
        tau_b(&rankings[a], &ranks[a], &ranks[b])
    });
    let mut taus = vec![vec![None; ranks.len()]; ranks.len()];
    for ((a, b), tau) in pairs.into_iter().zip(found) {
        taus[a][b] = tau;
        taus[b][a] = tau;
    }
    taus
}

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
    let (mut tied_first, mut tied_both) = (0, 0);
    let rank = |position: u32| first[position as usize];
    for tied in order.positions().chunk_by(|&a, &b| rank(a) == rank(b)) {
        let start = ranks.len();
        let others = tied.iter().map(|&position| second[position as usize]);
        ranks.extend(others.filter(|&other| other > 0));
        let tied = &mut ranks[start..];
        if tied.len() > 1 {
            tied.sort_unstable();
            tied_first += pairs(tied.len());
            let equal = tied.chunk_by(PartialEq::eq);
            tied_both += equal.map(|equal| pairs(equal.len())).sum::<u64>();
        }
    }
    let all = pairs(ranks.len());
    let (tied_second, against) = tied_and_wrong(&ranks);
    let (told_first, told_second) = (all - tied_first, all - tied_second);
    if told_first == 0 || told_second == 0 {
        return None;
    }
    // The pairs that both rankings distinguish, whether they agree or not.
    let both = told_first + tied_both - tied_second;
    let surplus = (both - against) as f64 - against as f64;
    Some(surplus / (told_first as f64 * told_second as f64).sqrt())
}

/// Returns how many pairs of ranks are equal, and how many are in the wrong order.
fn tied_and_wrong(ranks: &[u32]) -> (u64, u64) {
    let most = ranks.iter().copied().max().unwrap_or(0) as usize;
    let mut met = vec![0_u64; most + 1];
    // A Fenwick tree: how many of the ranks that were met are in the range that ends at each place.
    let mut ranges = vec![0_u64; most + 1];
    let (mut tied, mut wrong) = (0, 0);
    for (before, &rank) in (0..).zip(ranks) {
        let rank = rank as usize;
        tied += met[rank];
        met[rank] += 1;
        let (mut not_above, mut end) = (0, rank);
        while end > 0 {
            not_above += ranges[end];
            end &= end - 1;
        }
        wrong += before - not_above;
        let mut end = rank;
        while end <= most {
            ranges[end] += 1;
            end += end & end.wrapping_neg();
        }
    }
    (tied, wrong)
}
