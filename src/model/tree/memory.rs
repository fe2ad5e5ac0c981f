//! What is known of a tree beside its columns, and whether it still applies to the tree.

mod carried;

use crate::base::extended::Extended;
use crate::model::{Amounts, Fact, NodeId, Order, PrintedNumbers, Slurm, Tree, UsageState};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Returns whether a tree has the same shape.
fn is_same_shape(then: &Arc<Order>, now: &Arc<Order>) -> bool {
    Arc::ptr_eq(then, now) || (then.nodes() == now.nodes() && then.above() == now.above())
}

/// Returns whether a column has the same values. Nodes that were added and removed again have later ids.
fn has_kept<T: PartialEq>(then: &Arc<Vec<T>>, now: &Arc<Vec<T>>) -> bool {
    Arc::ptr_eq(then, now) || now.get(..then.len()) == Some(then)
}

impl UsageState {
    /// Returns the usage state of a tree.
    pub fn of(tree: &Tree, amounts: Amounts) -> Self {
        Self {
            order: tree.shared_order(),
            usage: tree.shared_usage(),
            amounts,
            bins: None,
            period: None,
        }
    }

    /// Returns whether it belongs to this tree: no node was added, removed or moved since, and no usage was changed, or
    /// all of that was undone.
    pub fn is_of(&self, tree: &Tree) -> bool {
        is_same_shape(&self.order, &tree.shared_order())
            && has_kept(&self.usage, &tree.shared_usage())
    }

    /// Returns the amounts of a tree's nodes in its order, each adjusted by the change of the tree's usage. `None` if
    /// they are no longer than doubles.
    pub(super) fn amounts_in(&self, tree: &Tree) -> Option<Vec<Extended>> {
        let amounts = self.long()?;
        if !self.is_of(tree) {
            return Some(carried::carried(self, amounts, tree));
        }
        let amount = |node: &NodeId| amounts.get(node.index()).copied();
        let nodes = tree.nodes().iter();
        Some(
            nodes
                .map(|node| amount(node).unwrap_or(Extended::ZERO))
                .collect(),
        )
    }
}

impl PrintedNumbers {
    /// Keeps numbers of a tree under the policy of this name and these settings, and which of them no usage gives. With
    /// `is_all`, nodes without a printed number have none.
    pub fn of(
        tree: &Tree,
        rule: &'static str,
        settings: &Slurm,
        numbers: BTreeMap<Fact, Vec<(NodeId, f64)>>,
        impossible: HashSet<(Fact, NodeId)>,
        is_all: bool,
    ) -> Self {
        Self {
            rule,
            settings: settings.clone(),
            order: tree.shared_order(),
            shares: tree.shared_shares(),
            usage: tree.shared_usage(),
            numbers,
            impossible,
            is_all,
        }
    }

    /// Returns whether the numbers belong to this tree under the policy of this name and these settings.
    pub fn is_of(&self, tree: &Tree, rule: &str, settings: &Slurm) -> bool {
        self.rule == rule
            && self.settings == *settings
            && is_same_shape(&self.order, &tree.shared_order())
            && has_kept(&self.shares, &tree.shared_shares())
            && has_kept(&self.usage, &tree.shared_usage())
    }
}
