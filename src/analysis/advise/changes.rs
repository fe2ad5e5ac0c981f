//! New shares, and the tree with them.

use super::outcome::sum_of;
use crate::analysis::solve::SolveError;
use crate::model::{NodeId, Shares, Tree};
use crate::rules::policy::Policy;
use crate::scenario::{Edit, Scenario};
use std::collections::BTreeMap;

/// New shares, by node.
pub(super) type Changes = BTreeMap<NodeId, i64>;

/// Returns a scenario with other shares, as one edit.
pub(super) fn with_shares(start: &Scenario, changes: &Changes) -> Result<Scenario, SolveError> {
    let mut scenario = start.clone();
    let mut edits = Vec::with_capacity(changes.len());
    for (&node, &shares) in changes {
        let shares = Shares::new(shares);
        edits.push(Edit::SetShares { node, shares });
    }
    if !edits.is_empty() {
        scenario.apply(Edit::Batch(edits))?;
    }
    Ok(scenario)
}

/// Returns the shares of a node; 0 for Slurm's `parent`.
pub(super) fn count(tree: &Tree, node: NodeId) -> i64 {
    tree.shares(node).count().unwrap_or(0)
}

/// A tree with other shares, as far as portions of its levels are asked for.
pub(super) struct Draft<'a> {
    policy: Policy,
    tree: &'a Tree,
    changes: Changes,
    /// The sums of levels that are known so far, by account.
    level_sums: BTreeMap<NodeId, i64>,
}

impl<'a> Draft<'a> {
    /// Returns a tree without changes.
    pub(super) fn of(policy: Policy, tree: &'a Tree) -> Self {
        Self {
            policy,
            tree,
            changes: Changes::new(),
            level_sums: BTreeMap::new(),
        }
    }

    /// Returns the portion of its level that a node has.
    pub(super) fn portion(&mut self, node: NodeId) -> f64 {
        let account = self.policy.account_of(self.tree, node);
        let sum = *self
            .level_sums
            .entry(account)
            .or_insert_with(|| sum_of(self.policy, self.tree, account));
        let shares = match self.changes.get(&node) {
            Some(shares) => *shares,
            None => count(self.tree, node),
        };
        shares as f64 / sum as f64
    }

    /// Gives the nodes of an account's level shares.
    pub(super) fn set_level(&mut self, account: NodeId, nodes: &[NodeId], shares: &[i64]) {
        let mut sum = sum_of(self.policy, self.tree, account);
        for (place, &node) in nodes.iter().enumerate() {
            let now = count(self.tree, node);
            if shares[place] != now {
                sum += shares[place] - now;
                self.changes.insert(node, shares[place]);
            }
        }
        self.level_sums.insert(account, sum);
    }

    /// Returns the changes so far.
    pub(super) fn into_changes(self) -> Changes {
        self.changes
    }
}
