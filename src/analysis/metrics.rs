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

impl Fairness {
    /// Returns the served ratios of the accounts or the users.
    pub fn of(policy: Policy, tree: &Tree, evaluation: &Evaluation, kind: Kind) -> Self {
        let all = tree.nodes()[1..].iter().copied();
        let all = all.filter(|&node| tree.kind(node) == kind);
        let served = |node| policy.served(tree, evaluation, node);
        let nodes = all.clone().filter_map(|node| Some((node, served(node)?)));
        let mut nodes: Vec<_> = nodes.filter(|it| it.1.is_finite()).collect();
        nodes.sort_by(|one, other| one.1.total_cmp(&other.1));
        let ratios: Vec<f64> = nodes.iter().map(|it| it.1).collect();
        let up_to = |bound: f64| ratios.partition_point(|&ratio| ratio <= bound);
        let mut bins = [ratios.len(); BOUNDS.len() + 1];
        bins[..BOUNDS.len()].copy_from_slice(&BOUNDS.map(up_to));
        for place in (1..bins.len()).rev() {
            bins[place] -= bins[place - 1];
        }
        Self {
            left_out: all.count() - nodes.len(),
            over: ratios.len() - up_to(1.0),
            under: ratios.partition_point(|&ratio| ratio < 1.0),
            jain: jain(&ratios),
            gini: gini(&ratios),
            least: ratios.first().copied(),
            most: ratios.last().copied(),
            bins,
            nodes,
        }
    }

    /// Returns the number of nodes that count.
    pub fn count(&self) -> usize {
        self.bins.iter().sum()
    }

    /// Returns the over-served nodes, the largest ratio first, and the under-served ones, the smallest first.
    pub(crate) fn extremes(&self) -> [Vec<NodeId>; 2] {
        let mut over = self.nodes[self.nodes.len() - self.over..].to_vec();
        over.sort_by(|one, other| other.1.total_cmp(&one.1));
        let under = self.nodes[..self.under].to_vec();
        [over, under].map(|nodes| nodes.into_iter().map(|it| it.0).collect())
    }
}

/// Returns Jain's index of some amounts, none below 0. `None` if all are 0, or too large.
pub(super) fn jain(amounts: &[f64]) -> Option<f64> {
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|amount| amount * amount).sum();
    let index = sum * sum / (amounts.len() as f64 * squares);
    Some(index).filter(|index| squares > 0.0 && index.is_finite())
}

/// Returns the Gini coefficient of rising amounts, none below 0. `None` if all are 0, or too large.
fn gini(rising: &[f64]) -> Option<f64> {
    let count = rising.len() as f64;
    let sum: f64 = rising.iter().sum();
    let places = (1..=rising.len()).map(|place| 2.0 * place as f64 - count - 1.0);
    let weighted = places.zip(rising).map(|(place, amount)| place * amount);
    // Equal amounts differ from 0 by rounding alone.
    let index = (weighted.sum::<f64>() / (count * sum)).max(0.0);
    Some(index).filter(|index| sum > 0.0 && index.is_finite())
}
