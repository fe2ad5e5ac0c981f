//! The basis of verification: a snapshot, and its possible usage.

use super::possible::usage;
use crate::model::Snapshot;
use crate::rules::policy::slurm::Associations;
use crate::trust::verify::interval::Interval;

/// A snapshot of Slurm's, with its possible usage.
pub(in crate::trust::verify) struct GivenTree<'a> {
    pub(in crate::trust::verify) snapshot: &'a Snapshot,
    pub(in crate::trust::verify) associations: Associations<'a>,
    /// By position: the usage itself.
    pub(in crate::trust::verify) usage: Vec<Interval>,
    /// Whether `DEPTH_OBLIVIOUS` is still filling in the usage of siblings.
    pub(in crate::trust::verify) is_filling_in: bool,
}

impl<'a> GivenTree<'a> {
    pub(in crate::trust::verify) fn of(snapshot: &'a Snapshot) -> Self {
        let associations = Associations::of(&snapshot.tree);
        let usage = usage(snapshot);
        Self {
            snapshot,
            associations,
            usage,
            is_filling_in: false,
        }
    }

    /// Returns the same snapshot before the first settled period of `DEPTH_OBLIVIOUS`.
    pub(in crate::trust::verify) fn filling_in(&self) -> Self {
        Self {
            is_filling_in: true,
            ..self.with_usage(self.usage.clone())
        }
    }

    /// Returns the same snapshot with other usage.
    pub(in crate::trust::verify) fn with_usage(&self, usage: Vec<Interval>) -> Self {
        Self {
            usage,
            ..Self::of(self.snapshot)
        }
    }
}
