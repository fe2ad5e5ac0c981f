//! Users who came to share a rank, and users who no longer do.

use super::moves::Ranks;
use crate::model::NodeId;
use crate::scenario::Scenario;

/// How many ranks that became shared, or no longer are, are kept by name, and how many users of each.
const KEPT: usize = 3;

/// Users who share a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The rank; 1 runs first.
    pub(crate) rank: u32,
    /// How many users share it.
    pub(crate) users: usize,
    /// The first of them in tree order.
    pub(crate) named: Vec<NodeId>,
}

/// Users who share their rank on one side only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    /// How many users they are.
    pub(crate) users: usize,
    /// Some of their ranks, in tree order.
    pub(crate) ranks: Vec<Tie>,
}

impl Ties {
    /// Adds a user, by the rank that so many users share.
    fn add(&mut self, rank: u32, users: usize) {
        self.users += 1;
        if self.ranks.len() < KEPT && self.ranks.iter().all(|tie| tie.rank != rank) {
            self.ranks.push(Tie {
                rank,
                users,
                named: Vec::new(),
            });
        }
    }

    /// Names the first users of each kept rank.
    fn name(&mut self, nodes: &[NodeId], ranks: &[u32]) {
        for tie in &mut self.ranks {
            for (place, &rank) in ranks.iter().enumerate() {
                if rank == tie.rank {
                    tie.named.push(nodes[place]);
                }
                if tie.named.len() == KEPT {
                    break;
                }
            }
        }
    }
}

/// Who shares a rank only before or only after the edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TieChanges {
    /// Users who share their rank now and did not before.
    pub(crate) made: Ties,
    /// Users who shared their rank before and do not now.
    pub(crate) broken: Ties,
}

impl TieChanges {
    /// Returns the ties that the edits of a scenario made and broke, by the ranks before and after. New users count on
    /// neither side.
    pub(super) fn of(scenario: &Scenario, ranks: &Ranks) -> Self {
        let nodes = scenario.tree().nodes();
        let base = scenario.base().tree.nodes();
        let mut base_ranks = Vec::with_capacity(base.len());
        for &node in base {
            base_ranks.push(scenario.baseline().rank(node).unwrap_or(0));
        }
        let crowds_before = crowds(&base_ranks);
        let crowds_after = crowds(&ranks.after);
        let mut changes = Self::default();
        for (position, &node) in nodes.iter().enumerate() {
            if scenario.is_new(node) {
                continue;
            }
            let before = ranks.before[position];
            let after = ranks.after[position];
            let had = crowds_before[before as usize];
            let has = crowds_after[after as usize];
            if had <= 1 && has > 1 {
                changes.made.add(after, has);
            } else if had > 1 && has <= 1 {
                changes.broken.add(before, had);
            }
        }
        changes.made.name(nodes, &ranks.after);
        changes.broken.name(base, &base_ranks);
        changes
    }
}

/// Returns, by rank, how many users share it; 0 for rank 0, which is none.
fn crowds(ranks: &[u32]) -> Vec<usize> {
    let most = ranks.iter().max().copied();
    let mut crowds = vec![0; most.unwrap_or(0) as usize + 1];
    for &rank in ranks {
        crowds[rank as usize] += 1;
    }
    crowds[0] = 0;
    crowds
}
