//! Numbers that a scheduler printed and that its rule does not give for the tree beside them.

use super::{Fact, NodeId, Order, Shares, Slurm, Usage};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers shown as they were printed, as long as tree and settings stay as they were.
///
/// They replace computed numbers if no usage reproduces what was printed: a cell was changed by hand, or the source
/// lists only some of the associations, so that no level can be summed.
#[derive(Clone, Debug)]
pub struct PrintedNumbers {
    pub(super) rule: &'static str,
    pub(super) settings: Slurm,
    pub(super) order: Arc<Order>,
    pub(super) shares: Arc<Vec<Shares>>,
    pub(super) usage: Arc<Vec<Usage>>,
    pub(super) numbers: BTreeMap<Fact, Vec<(NodeId, f64)>>,
    pub(super) is_all: bool,
}

impl PrintedNumbers {
    /// Returns the columns, and the numbers in each with their nodes.
    pub fn columns(&self) -> impl Iterator<Item = (Fact, &[(NodeId, f64)])> {
        let columns = self.numbers.iter();
        columns.map(|(&fact, numbers)| (fact, &numbers[..]))
    }

    /// Returns whether nodes without a printed number have none.
    #[must_use]
    pub const fn is_all(&self) -> bool {
        self.is_all
    }
}
