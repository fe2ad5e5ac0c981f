//! A tree under all policies, and the question about it.

use crate::model::{Settings, Tree};
use crate::rules::policy::{Comparison, Policy};

/// A tree to be compared under several policies. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ComparisonTask {
    pub(crate) tree: Tree,
    pub(crate) settings: Settings,
    pub(crate) policies: Vec<Policy>,
}

impl ComparisonTask {
    /// Compares, which takes about a second for a million users.
    #[must_use]
    pub(crate) fn answer(self) -> Comparison {
        Comparison::of(&self.tree, &self.settings, &self.policies)
    }
}

/// What is known about one tree under all policies.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyComparison {
    /// The newest answer.
    pub(crate) comparison: Option<Box<Comparison>>,
    /// The revision of the tree it is of.
    pub(crate) revision: u64,
    /// The question under way, and the revision it was asked about.
    pub(crate) asked: Option<(u64, u64)>,
}
