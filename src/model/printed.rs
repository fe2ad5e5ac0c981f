//! Numbers that a scheduler printed and that its rule does not give for the tree beside them.

use super::{Fact, NodeId, Order, Shares, Slurm, Tree, Usage};
use std::sync::Arc;

/// Numbers to be shown as they were printed, as long as the tree and the settings are those they were printed of.
///
/// They stand in for computed ones where no usage gives what was printed: a cell was changed by hand, or the source lists
/// only some of the associations, so that no level can be summed.
#[derive(Clone, Debug)]
pub struct Printed {
    rule: &'static str,
    settings: Slurm,
    order: Arc<Order>,
    shares: Arc<Vec<Shares>>,
    usage: Arc<Vec<Usage>>,
    numbers: Vec<(Fact, NodeId, f64)>,
    is_all: bool,
}

impl Printed {
    /// Notes numbers of a tree under the policy of this name and these settings. With `is_all` nothing else is known:
    /// nodes without a printed number have none.
    #[must_use]
    pub fn of(
        tree: &Tree,
        rule: &'static str,
        settings: &Slurm,
        numbers: Vec<(Fact, NodeId, f64)>,
        is_all: bool,
    ) -> Self {
        Self {
            rule,
            settings: settings.clone(),
            order: tree.shared_order(),
            shares: tree.shared_shares(),
            usage: tree.shared_usage(),
            numbers,
            is_all,
        }
    }

    /// Returns whether the numbers are of this tree under the policy of this name and these settings.
    #[must_use]
    pub fn is_of(&self, tree: &Tree, rule: &str, settings: &Slurm) -> bool {
        let (order, shares, usage) = (
            tree.shared_order(),
            tree.shared_shares(),
            tree.shared_usage(),
        );
        let has_order = Arc::ptr_eq(&self.order, &order)
            || (self.order.nodes() == order.nodes() && self.order.above() == order.above());
        // Nodes that were added and removed again have later ids.
        let has_shares = || {
            Arc::ptr_eq(&self.shares, &shares)
                || shares.get(..self.shares.len()) == Some(&self.shares)
        };
        let has_usage = || {
            Arc::ptr_eq(&self.usage, &usage) || usage.get(..self.usage.len()) == Some(&self.usage)
        };
        self.rule == rule && self.settings == *settings && has_order && has_shares() && has_usage()
    }

    /// Returns the numbers, each with its column and node.
    #[must_use]
    pub fn numbers(&self) -> &[(Fact, NodeId, f64)] {
        &self.numbers
    }

    /// Returns whether nodes without a printed number have none.
    #[must_use]
    pub const fn is_all(&self) -> bool {
        self.is_all
    }
}
