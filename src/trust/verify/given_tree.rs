//! The basis of verification: a snapshot of Slurm's, and its possible usage.

use super::interval::{Interval, part};
use crate::model::{Fact, Figures, Snapshot};
use crate::rules::policy::slurm::Associations;

pub(super) struct GivenTree<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) associations: Associations<'a>,
    /// By position: the usage itself.
    pub(super) usage: Vec<Interval>,
    /// Whether `DEPTH_OBLIVIOUS` is still filling in the usage of siblings.
    pub(super) is_filling_in: bool,
}

impl<'a> GivenTree<'a> {
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            associations: Associations::of(&snapshot.tree),
            usage: usage(snapshot),
            is_filling_in: false,
        }
    }

    pub(super) fn with_usage(&self, usage: Vec<Interval>) -> Self {
        Self {
            usage,
            ..Self::of(self.snapshot)
        }
    }

    pub(super) fn parent(&self, position: usize) -> usize {
        self.associations.fair_share_parent[position] as usize
    }

    pub(super) fn is_parent(&self, position: usize) -> bool {
        self.associations.is_parent(position)
    }

    pub(super) fn is_user(&self, position: usize) -> bool {
        self.associations.is_user[position]
    }

    pub(super) fn norm_usage(&self, position: usize) -> Interval {
        let part = part(self.usage[position], self.usage[0]);
        Interval::new(part.low.min(1.0), part.high.min(1.0))
    }

    /// Returns the part of the level's shares; 0 for the root.
    pub(super) fn share(&self, position: usize) -> Interval {
        Interval::exactly(self.associations.portion(position))
    }

    pub(super) fn figures(&self, fact: Fact) -> Option<&'a Figures> {
        self.snapshot.recorded.figures(fact)
    }

    pub(super) fn printed(&self, fact: Fact, position: usize) -> Option<f64> {
        let node = self.snapshot.tree.nodes()[position];
        Some(self.snapshot.recorded.figure(fact, node)?.value)
    }

    pub(super) fn recorded(&self, fact: Fact, position: usize) -> Option<Interval> {
        let node = self.snapshot.tree.nodes()[position];
        self.snapshot.recorded.figure(fact, node).map(Interval::of)
    }

    /// Returns whether a Level FS other than infinity or "no value" was recorded.
    pub(super) fn has_level_fs(&self) -> bool {
        let positions = 0..self.usage.len();
        let mut levels = positions.filter_map(|at| self.printed(Fact::LevelFs, at));
        levels.any(|level| level > 0.0)
    }

    pub(super) fn has_words(&self) -> bool {
        self.snapshot.recorded.is_text(Fact::FairShareRaw)
    }
}

/// Returns, by position, the possible usage. Accounts without stated usage have the sum of their users.
fn usage(snapshot: &Snapshot) -> Vec<Interval> {
    let (tree, recorded) = (&snapshot.tree, &snapshot.recorded);
    let above = tree.order().above();
    let mut usage = vec![Interval::ZERO; tree.node_count()];
    for (position, &node) in tree.nodes().iter().enumerate().rev() {
        if let Some((low, high)) = recorded.usage_bounds(tree.usage(node)) {
            usage[position] = Interval { low, high };
        }
        if position > 0 {
            let own = usage[position];
            let parent = &mut usage[above[position] as usize];
            *parent = parent.plus(own);
        }
    }
    usage
}
