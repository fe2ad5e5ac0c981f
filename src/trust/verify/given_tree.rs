//! The basis of verification: a snapshot of Slurm's with its possible usage.

use super::interval::{Interval, part};
use crate::base::cores;
use crate::model::{Fact, Figures, Snapshot, Tree};
use crate::rules::policy::slurm::Associations;

/// A snapshot of Slurm's with the usage that it may have had.
pub(super) struct GivenTree<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) tree: &'a Tree,
    /// The tree as Slurm's rules see it.
    pub(super) associations: Associations<'a>,
    /// By position: the usage itself.
    pub(super) usage: Vec<Interval>,
    /// Whether `DEPTH_OBLIVIOUS` is still filling in the usage of siblings.
    pub(super) is_filling_in: bool,
}

/// What a node's normalized shares and effective usage can be, by position.
pub(super) struct PossibleParts {
    /// The part of the shares, which does not depend on truncated numbers.
    pub(super) shares: Vec<Interval>,
    /// The effective usage under the policy.
    pub(super) effective: Vec<Interval>,
}

impl<'a> GivenTree<'a> {
    /// Reads a snapshot.
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
        cores::rest();
        Self {
            snapshot,
            tree: &snapshot.tree,
            associations: Associations::new(&snapshot.tree),
            usage: usage(snapshot),
            is_filling_in: false,
        }
    }

    /// Returns the same tree with other usage.
    pub(super) fn with_usage(&self, usage: Vec<Interval>) -> Self {
        Self {
            usage,
            ..Self::of(self.snapshot)
        }
    }

    /// Returns the position of the fair-share parent.
    pub(super) fn parent(&self, position: usize) -> usize {
        self.associations.parent(position)
    }

    /// Returns whether a node has shares `parent`.
    pub(super) fn is_parent(&self, position: usize) -> bool {
        self.associations.is_parent(position)
    }

    /// Returns whether a node is a user.
    pub(super) fn is_user(&self, position: usize) -> bool {
        self.associations.is_user[position]
    }

    /// Returns the part of all usage, at most 1.
    pub(super) fn norm_usage(&self, position: usize) -> Interval {
        let part = part(self.usage[position], self.usage[0]);
        Interval {
            low: part.low.min(1.0),
            high: part.high.min(1.0),
        }
    }

    /// Returns the part of the level's shares; 0 for the root.
    pub(super) fn share(&self, position: usize) -> Interval {
        Interval::exactly(self.associations.portion(position))
    }

    /// Returns a recorded column, or `None` if the source does not have it.
    pub(super) fn figures(&self, fact: Fact) -> Option<&'a Figures> {
        self.snapshot.recorded.figures(fact)
    }

    /// Returns a recorded number as it was printed, or `None` if there is none.
    pub(super) fn printed(&self, fact: Fact, position: usize) -> Option<f64> {
        let node = self.tree.nodes()[position];
        Some(self.snapshot.recorded.figure(fact, node)?.value)
    }

    /// Returns what a recorded number can have been before it was printed, or `None` if there is none.
    pub(super) fn recorded(&self, fact: Fact, position: usize) -> Option<Interval> {
        let node = self.tree.nodes()[position];
        let figure = self.snapshot.recorded.figure(fact, node)?;
        Some(Interval::of(figure))
    }

    /// Returns whether a Level FS other than infinity or "no value" was recorded.
    pub(super) fn has_level_fs(&self) -> bool {
        for position in 0..self.usage.len() {
            if let Some(level_fs) = self.printed(Fact::LevelFs, position)
                && level_fs > 0.0
            {
                return true;
            }
        }
        false
    }

    /// Returns whether 64-bit priorities were recorded.
    pub(super) fn has_words(&self) -> bool {
        self.snapshot.recorded.is_text(Fact::FairShareRaw)
    }
}

/// Returns, by position, the possible usage. Accounts without stated usage have the sum of their users.
fn usage(snapshot: &Snapshot) -> Vec<Interval> {
    let tree = &snapshot.tree;
    let above = tree.above();
    let mut usage = vec![Interval::ZERO; tree.node_count()];
    for (position, node) in tree.positions().rev() {
        if let Some((low, high)) = snapshot.recorded.usage_bounds(tree.usage(node)) {
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
