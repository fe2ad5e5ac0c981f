//! Better numbers for the nodes of changes that were found.

use super::lines::FURTHER;
use super::search::{Changes, Cost, Search, count};
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
        let mut sets: Vec<(Cost, Changes)> = self.by_set.values().cloned().collect();
        sets.sort();
        for (_, changes) in sets.into_iter().take(MOST_SETS) {
            let end = self.tries + FURTHER;
            let nodes: Vec<NodeId> = changes.into_keys().collect();
            self.refine_set(&nodes, end)?;
        }
        Ok(())
    }

    /// Moves the shares of some nodes in ever smaller steps, until `end` tries: those of one, and those of another that follow.
    fn refine_set(&mut self, nodes: &[NodeId], end: usize) -> Result<(), SolveError> {
        for step in STEPS {
            let mut is_cheaper = true;
            while is_cheaper && self.tries < end {
                let Some((cost, changes)) = self.by_set.get(nodes).cloned() else {
                    return Ok(());
                };
                for (&node, &shares) in &changes {
                    let by = ((shares as f64 * step) as i64).max(1);
                    self.move_to(&changes, node, shares - by)?;
                    self.move_to(&changes, node, shares + by)?;
                }
                is_cheaper = self.by_set.get(nodes).is_some_and(|it| it.0 < cost);
            }
        }
        Ok(())
    }

    /// Tries changes with other shares for one of the nodes, and with those of each other that the goals need then.
    fn move_to(&mut self, changes: &Changes, node: NodeId, shares: i64) -> Result<(), SolveError> {
        if !(self.range[0]..=self.range[1]).contains(&shares) {
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
        let mut changes = changes.clone();
        let before = count(self.start.tree(), node);
        let mut rungs = [before, now / 2, now, now.saturating_mul(2)];
        rungs.sort_unstable();
        let mut last = None;
        for rung in rungs {
            if !(self.range[0]..=self.range[1]).contains(&rung) {
                continue;
            }
            let failing = self.with(&mut changes, node, rung)?;
            if let Some(last) = last {
                self.between(&mut changes, node, last, (rung, failing))?;
            }
            last = Some((rung, failing));
        }
        Ok(())
    }
}
