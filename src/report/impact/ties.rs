//! Ranks that users share: which became shared, which no longer are.

use super::Ranks;
use crate::model::NodeId;
use crate::scenario::Scenario;

/// How many ranks are kept by name.
const KEPT: usize = 3;
/// How many users of a rank are kept by name.
const NAMED: usize = 3;

/// Users who share a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The rank.
    pub rank: u32,
    /// How many share it.
    pub users: usize,
    /// The first of them in tree order.
    pub named: Vec<NodeId>,
}

/// Ties before and after, compared.
pub(super) struct Ties {
    /// Users who share their rank now and did not before.
    pub(super) made_users: usize,
    /// Users who shared their rank before and do not now.
    pub(super) broken_users: usize,
    pub(super) made: Vec<Tie>,
    pub(super) broken: Vec<Tie>,
}

pub(super) fn ties(scenario: &Scenario, ranks: &Ranks) -> Ties {
    let nodes = scenario.tree().nodes();
    let base = scenario.base().tree.nodes();
    let before_all = base
        .iter()
        .map(|&node| scenario.baseline().rank(node).unwrap_or(0));
    let crowds_before = crowds(before_all);
    let crowds_after = crowds(ranks.after.iter().copied());
    let is_shared = |crowds: &[usize], rank: u32| rank > 0 && crowds[rank as usize] > 1;
    let mut ties = Ties {
        made_users: 0,
        broken_users: 0,
        made: Vec::new(),
        broken: Vec::new(),
    };
    for (position, &node) in nodes.iter().enumerate() {
        let (before, after) = (ranks.before[position], ranks.after[position]);
        if scenario.is_new(node) {
            continue;
        }
        let was_shared = is_shared(&crowds_before, before);
        let is_shared = is_shared(&crowds_after, after);
        if is_shared && !was_shared {
            ties.made_users += 1;
            keep(&mut ties.made, after, &crowds_after);
        }
        if was_shared && !is_shared {
            ties.broken_users += 1;
            keep(&mut ties.broken, before, &crowds_before);
        }
    }
    name(&mut ties.made, nodes, &ranks.after);
    let before: Vec<u32> = if ties.broken.is_empty() {
        Vec::new()
    } else {
        base.iter()
            .map(|&node| scenario.baseline().rank(node).unwrap_or(0))
            .collect()
    };
    name(&mut ties.broken, base, &before);
    ties
}

/// How many users have each rank.
fn crowds(ranks: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut crowds = vec![0];
    for rank in ranks {
        let rank = rank as usize;
        if rank >= crowds.len() {
            crowds.resize(rank + 1, 0);
        }
        crowds[rank] += 1;
    }
    crowds
}

/// Remembers a rank, unless there are enough of them.
fn keep(ties: &mut Vec<Tie>, rank: u32, crowds: &[usize]) {
    if ties.len() < KEPT && ties.iter().all(|tie| tie.rank != rank) {
        ties.push(Tie {
            rank,
            users: crowds[rank as usize],
            named: Vec::new(),
        });
    }
}

/// Names the first users of each rank that was kept.
fn name(ties: &mut [Tie], nodes: &[NodeId], ranks: &[u32]) {
    for (&node, &rank) in nodes.iter().zip(ranks) {
        let tie = ties.iter_mut().find(|tie| tie.rank == rank);
        if let Some(tie) = tie.filter(|tie| tie.named.len() < NAMED) {
            tie.named.push(node);
        }
    }
}
