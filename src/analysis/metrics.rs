//! How evenly a tree was served: the served ratio of each node ([`Policy::served`]), and the numbers that sum them up.

use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::{Evaluation, Policy};

/// The upper bounds of the bins of served ratios; the last bin has none.
pub(crate) const BOUNDS: [f64; 8] = [0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// The served ratios of the nodes of one kind. All sums go from the smallest ratio to the largest.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Fairness {
    /// The nodes that count: the smallest ratio first, equal ones in tree order.
    pub(crate) nodes: Vec<(NodeId, f64)>,
    /// The number of other nodes below the root: without a target of their own, or without shares.
    pub left_out: usize,
    pub over: usize,
    pub under: usize,
    /// Jain's index: 1 if all ratios are equal, 1/n if one of n nodes used all. `None` if nothing was used.
    pub jain: Option<f64>,
    /// The Gini coefficient: 0 if all are equal, 1 - 1/n if one of n nodes used all. `None` if nothing was used.
    pub gini: Option<f64>,
    pub least: Option<f64>,
    pub most: Option<f64>,
    /// The number of nodes in each bin: above the bound before, and up to its own.
    pub bins: [usize; BOUNDS.len() + 1],
}

/// How the accounts and the users of a tree were served.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FairnessByKind {
    /// The accounts.
    pub(crate) accounts: Fairness,
    /// The users.
    pub(crate) users: Fairness,
}

impl FairnessByKind {
    /// Returns how the nodes of a tree were served.
    pub(crate) fn of(policy: Policy, tree: &Tree, evaluation: &Evaluation) -> Self {
        Self {
            accounts: Fairness::of(policy, tree, evaluation, Kind::Account),
            users: Fairness::of(policy, tree, evaluation, Kind::User),
        }
    }
}

/// The nodes farthest from their targets.
pub(crate) struct Extremes {
    /// The over-served ones, the largest ratio first.
    pub(crate) over: Vec<NodeId>,
    /// The under-served ones, the smallest ratio first.
    pub(crate) under: Vec<NodeId>,
}

impl Fairness {
    /// Returns the served ratios of the accounts or the users.
    pub fn of(policy: Policy, tree: &Tree, evaluation: &Evaluation, kind: Kind) -> Self {
        let mut nodes = Vec::new();
        let mut left_out = 0;
        for &node in &tree.nodes()[1..] {
            if tree.kind(node) != kind {
                continue;
            }
            match policy.served(tree, evaluation, node) {
                Some(ratio) if ratio.is_finite() => nodes.push((node, ratio)),
                _ => left_out += 1,
            }
        }
        nodes.sort_by(|one, other| one.1.total_cmp(&other.1));
        let mut ratios = Vec::with_capacity(nodes.len());
        let mut over = 0;
        let mut under = 0;
        let mut bins = [0; BOUNDS.len() + 1];
        for &(_, ratio) in &nodes {
            ratios.push(ratio);
            if ratio > 1.0 {
                over += 1;
            } else if ratio < 1.0 {
                under += 1;
            }
            let bin = BOUNDS.partition_point(|&bound| bound < ratio);
            bins[bin] += 1;
        }
        Self {
            left_out,
            over,
            under,
            jain: jain(&ratios),
            gini: gini(&ratios),
            least: ratios.first().copied(),
            most: ratios.last().copied(),
            bins,
            nodes,
        }
    }

    /// Returns the number of nodes that count, also where the list of them was dropped.
    pub fn count(&self) -> usize {
        self.bins.iter().sum()
    }

    /// Returns the over-served and the under-served nodes.
    pub(crate) fn extremes(&self) -> Extremes {
        let most = self.nodes.len() - self.over;
        let mut over = self.nodes[most..].to_vec();
        over.sort_by(|one, other| other.1.total_cmp(&one.1));
        Extremes {
            over: ids(&over),
            under: ids(&self.nodes[..self.under]),
        }
    }
}

/// Returns the ids of nodes, in order.
fn ids(nodes: &[(NodeId, f64)]) -> Vec<NodeId> {
    let mut ids = Vec::with_capacity(nodes.len());
    for &(node, _) in nodes {
        ids.push(node);
    }
    ids
}

/// Returns Jain's index of some amounts, none below 0. `None` if all are 0, or too large.
pub(super) fn jain(amounts: &[f64]) -> Option<f64> {
    let mut sum = 0.0;
    let mut squares = 0.0;
    for amount in amounts {
        sum += amount;
        squares += amount * amount;
    }
    let index = sum * sum / (amounts.len() as f64 * squares);
    if squares > 0.0 && index.is_finite() {
        Some(index)
    } else {
        None
    }
}

/// Returns the Gini coefficient of rising amounts, none below 0. `None` if all are 0, or too large.
fn gini(rising: &[f64]) -> Option<f64> {
    let count = rising.len() as f64;
    let mut sum = 0.0;
    let mut weighted = 0.0;
    let mut place = 0.0;
    for amount in rising {
        place += 1.0;
        sum += amount;
        weighted += (2.0 * place - count - 1.0) * amount;
    }
    // Equal amounts differ from 0 by rounding alone.
    let ratio: f64 = weighted / (count * sum);
    let index = ratio.max(0.0);
    if sum > 0.0 && index.is_finite() {
        Some(index)
    } else {
        None
    }
}
