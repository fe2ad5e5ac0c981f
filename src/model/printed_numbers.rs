//! Numbers that a scheduler printed, of which the tree beside them does not show every digit.

use super::{Fact, NodeId, Order, Shares, Slurm, Usage};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Numbers shown as they were printed, as long as tree and settings stay as they were.
///
/// They replace computed numbers, which follow from truncated usage, or from only some of the associations.
#[derive(Clone, Debug)]
pub struct PrintedNumbers {
    pub(super) rule: &'static str,
    pub(super) settings: Slurm,
    pub(super) order: Arc<Order>,
    pub(super) shares: Arc<Vec<Shares>>,
    pub(super) usage: Arc<Vec<Usage>>,
    pub(super) numbers: BTreeMap<Fact, Vec<(NodeId, f64)>>,
    /// Those that no usage gives: a cell was changed by hand, or is of another moment.
    pub(super) impossible: HashSet<(Fact, NodeId)>,
    pub(super) is_all: bool,
}

impl PrintedNumbers {
    /// Returns the columns, and the numbers in each with their nodes.
    pub fn columns(&self) -> impl Iterator<Item = (Fact, &[(NodeId, f64)])> {
        let columns = self.numbers.iter();
        columns.map(|(&fact, numbers)| (fact, &numbers[..]))
    }

    /// Returns whether no usage printed as in the dump gives the number of a node.
    pub fn is_impossible(&self, fact: Fact, node: NodeId) -> bool {
        self.impossible.contains(&(fact, node))
    }

    /// Returns whether nodes without a printed number have none.
    pub const fn is_all(&self) -> bool {
        self.is_all
    }
}
