//! A tree under all policies, and the task that compares them.

use crate::model::{Settings, Tree};
use crate::rules::policy::{Comparison, Policy};

/// Compares a tree under several policies. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ComparisonTask {
    pub(crate) tree: Tree,
    pub(crate) settings: Settings,
    pub(crate) policies: Vec<Policy>,
}

impl ComparisonTask {
    /// Returns the comparison. Takes about a second for a million users.
    pub(crate) fn answer(self) -> Comparison {
        Comparison::of(&self.tree, &self.settings, &self.policies)
    }
}

/// What is known of one tree under all policies.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyComparison {
    /// The newest comparison.
    pub(crate) comparison: Option<Box<Comparison>>,
    /// The revision of the tree that was compared.
    pub(crate) revision: u64,
    /// The number of the job that runs, and the revision of its tree.
    pub(crate) asked: Option<(u64, u64)>,
}
