//! Better numbers for the nodes of changes that were found.

use super::changes::{Changes, count};
use super::lines::{FURTHER, Rung};
use super::search::{Proposal, Search};
use crate::analysis::solve::SolveError;
use crate::model::NodeId;

/// The most sets of nodes for which better numbers are searched.
const MOST_SETS: usize = 4;

/// How far shares are moved, as parts of what they are, one step after the other.
const STEPS: [f64; 9] = [0.5, 0.25, 0.125, 0.06, 0.03, 0.015, 0.007, 0.003, 0.0];

impl Search<'_> {
    /// Moves the shares of the cheapest changes up and down as long as that makes them cheaper, and of those that change as many
    /// other nodes.
    pub(super) fn refine(&mut self) -> Result<(), SolveError> {
        self.end_soon();
        let mut sets: Vec<Proposal> = self.by_set.values().cloned().collect();
        sets.sort();
        sets.truncate(MOST_SETS);
        for proposal in sets {
            let end = self.tries + FURTHER;
            let nodes: Vec<NodeId> = proposal.changes.into_keys().collect();
            self.refine_set(&nodes, end)?;
        }
        Ok(())
    }

    /// Moves the shares of some nodes in ever smaller steps, until `end` tries: those of one, and those of another that follow.
    fn refine_set(&mut self, nodes: &[NodeId], end: usize) -> Result<(), SolveError> {
        for step in STEPS {
            let mut is_cheaper = true;
            while is_cheaper && self.tries < end {
                let Some(Proposal { cost, changes }) = self.by_set.get(nodes).cloned() else {
                    return Ok(());
                };
                for (&node, &shares) in &changes {
                    let by = ((shares as f64 * step) as i64).max(1);
                    self.move_to(&changes, node, shares - by)?;
                    self.move_to(&changes, node, shares + by)?;
                }
                is_cheaper = match self.by_set.get(nodes) {
                    Some(best) => best.cost < cost,
                    None => false,
                };
            }
        }
        Ok(())
    }

    /// Tries changes with other shares for one of the nodes, and with those of each other that the goals need then.
    fn move_to(&mut self, changes: &Changes, node: NodeId, shares: i64) -> Result<(), SolveError> {
        if !self.range.contains(shares) {
            return Ok(());
        }
        let mut moved = changes.clone();
        self.with(&mut moved, node, shares)?;
        for (&other, &now) in changes {
            if other != node {
                self.follow(&moved, other, now)?;
            }
        }
        Ok(())
    }

    /// Tries those shares of a node, near the present ones, at which a goal begins to hold beside other changes.
    fn follow(&mut self, changes: &Changes, node: NodeId, now: i64) -> Result<(), SolveError> {
        let mut followed = changes.clone();
        let before = count(self.start.tree(), node);
        let mut numbers = [before, now / 2, now, now.saturating_mul(2)];
        numbers.sort_unstable();
        let mut last: Option<Rung> = None;
        for shares in numbers {
            if !self.range.contains(shares) {
                continue;
            }
            let failing = self.with(&mut followed, node, shares)?;
            let rung = Rung { shares, failing };
            if let Some(last) = last {
                self.between(&mut followed, node, last, rung)?;
            }
            last = Some(rung);
        }
        Ok(())
    }
}
