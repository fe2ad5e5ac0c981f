//! What a scheduler printed of its own numbers, and what follows from that about the usage in its memory.
//!
//! Both stand beside the tree in the snapshot. The tree itself is as it was read.

use super::{Fact, Listing, NodeId, Order, Shares, Slurm, Tree, Usage, UsageState};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A number that is shown as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedNumber {
    /// The node it was printed for.
    pub node: NodeId,
    /// The number.
    pub value: f64,
    /// Whether no usage printed as in the dump gives it: a cell was changed by hand, or is of another moment.
    pub is_impossible: bool,
}

/// Printed numbers, by column.
pub type PrintedColumns = BTreeMap<Fact, Vec<PrintedNumber>>;

/// Numbers that are shown as they were printed while tree and settings stay, because exact usage or some associations are
/// not known.
#[derive(Clone, Debug)]
pub struct PrintedNumbers {
    rule: &'static str,
    settings: Slurm,
    order: Arc<Order>,
    shares: Arc<Vec<Shares>>,
    usage: Arc<Vec<Usage>>,
    columns: PrintedColumns,
}

impl PrintedNumbers {
    /// Returns numbers that were printed for a tree under the policy of this name and these settings.
    pub(crate) fn new(
        tree: &Tree,
        rule: &'static str,
        settings: &Slurm,
        columns: PrintedColumns,
    ) -> Self {
        Self {
            rule,
            settings: settings.clone(),
            order: tree.shared_order(),
            shares: tree.shared_shares(),
            usage: tree.shared_usage(),
            columns,
        }
    }

    /// Returns whether they are of this tree under the policy of this name and these settings.
    pub(crate) fn apply_to(&self, tree: &Tree, rule: &str, settings: &Slurm) -> bool {
        self.rule == rule
            && self.settings == *settings
            && tree.has_order(&self.order)
            && tree.has_shares(&self.shares)
            && tree.has_usages(&self.usage)
    }

    /// Returns the printed numbers by column.
    pub(crate) fn columns(&self) -> &PrintedColumns {
        &self.columns
    }
}

/// What the printed numbers tell of a scheduler's memory.
#[derive(Clone, Debug)]
pub struct UsageEstimate {
    /// The usage with the digits that were not printed.
    pub(crate) usage_state: UsageState,
    /// The order of tied accounts, if their ranks reveal one that their settings do not give.
    pub(crate) listing: Option<Arc<Listing>>,
}

impl UsageEstimate {
    /// Returns the tree with this usage in the scheduler's memory.
    pub(crate) fn applied_to(&self, tree: &Tree) -> Tree {
        let mut tree = tree.clone();
        tree.set_usage_state(Some(self.usage_state.clone()));
        tree.set_listing(self.listing.clone());
        tree
    }
}
