//! One tree under several policies: the rank each gives, and how far they agree.

mod tau;

use super::{Policy, Ranking, formula};
use crate::base::cores;
use crate::model::{Kind, NodeId, Order, Settings, Tree};
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
    /// By position: the difference between the best and the worst rank.
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
    pub fn of(tree: &Tree, settings: &Settings, policies: &[Policy]) -> Self {
        // Only the ranks of each evaluation are kept: a million nodes under nine policies would take much memory.
        let cores = cores::count().min(AT_A_TIME);
        let ranks: Vec<Vec<u32>> = cores::each(policies, cores, |policy| {
            policy.evaluate(tree, settings).ranks().to_vec()
        });
        let spreads = spreads(&ranks, tree.node_count());
        let nodes = tree.nodes().iter().copied().zip(&spreads);
        let mut users: Vec<(NodeId, &u32)> = nodes
            .filter(|&(node, _)| tree.kind(node) == Kind::User)
            .collect();
        users.sort_by_key(|&(_, spread)| Reverse(spread));
        Self {
            policies: policies.to_vec(),
            order: tree.shared_order(),
            users: users.into_iter().map(|(user, _)| user).collect(),
            taus: taus(&ranks),
            ranks,
            spreads,
        }
    }

    /// Returns the rank of a user under a policy, given by its place among the policies compared.
    pub fn rank(&self, policy: usize, user: NodeId) -> Option<u32> {
        let position = self.order.position(user)?;
        let rank = self.ranks.get(policy)?[position];
        Some(rank).filter(|&rank| rank > 0)
    }

    /// Returns the difference between the best and the worst rank of a user.
    pub fn spread(&self, user: NodeId) -> u32 {
        self.order
            .position(user)
            .map_or(0, |position| self.spreads[position])
    }

    /// Returns Kendall's tau-b of the ranks of two policies, given by their places: 1 for the same order, -1 for the
    /// reverse, corrected for ties. Only users that have a rank under both count. `None` if there are fewer than two,
    /// or if one policy ties all of them.
    pub fn tau(&self, a: usize, b: usize) -> Option<f64> {
        *self.taus.get(a)?.get(b)?
    }
}

/// Returns, by position, the difference between the best and the worst rank.
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

/// Returns Kendall's tau of each pair of policies, in both directions.
fn taus(ranks: &[Vec<u32>]) -> Vec<Vec<Option<f64>>> {
    let rankings = cores::each(ranks, cores::count(), |ranks| Ranking::of(ranks));
    let pairs: Vec<(usize, usize)> = (0..ranks.len())
        .flat_map(|a| (a..ranks.len()).map(move |b| (a, b)))
        .collect();
    let found = cores::each(&pairs, cores::count(), |&(a, b)| {
        tau::tau_b(&rankings[a], &ranks[a], &ranks[b])
    });
    let mut taus = vec![vec![None; ranks.len()]; ranks.len()];
    for ((a, b), tau) in pairs.into_iter().zip(found) {
        taus[a][b] = tau;
        taus[b][a] = tau;
    }
    taus
}
