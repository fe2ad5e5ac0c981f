//! Targets and usage as portions of a level, for drawing siblings to one scale.

use super::Scenario;
use crate::model::NodeId;
use crate::rules::policy::Target;
use std::collections::HashMap;

/// The largest portion among the children of each account that was asked about.
pub(super) type LargestPortions = HashMap<NodeId, f64>;

impl Scenario {
    /// Compares a node with its target. `None` for the root, nodes without numbers, and Slurm's `parent` shares.
    pub(crate) fn target(&self, node: NodeId) -> Option<Target> {
        self.policy
            .target(&self.state.tree, self.evaluation(), node)
    }

    /// Returns the target and the usage of a node, both relative to the target of its account. The two are equal if the
    /// node is on target. `None` if the policy has no numbers for the node.
    pub(crate) fn balance(&self, node: NodeId) -> Option<(f64, f64)> {
        let portions = |node| self.policy.portions(self.evaluation(), node);
        let (target, used) = portions(node)?;
        if node == NodeId::ROOT {
            // The root has no siblings to share with.
            return Some((1.0, 1.0));
        }
        if self.policy.counts_by_level() {
            return Some((target, used));
        }
        let (above, _) = portions(self.state.tree.parent(node)?)?;
        if above > 0.0 && target.is_finite() && used.is_finite() {
            Some((target / above, used / above))
        } else {
            // With a target of 0 % or less, any usage exceeds it.
            Some((0.0, if used > 0.0 { f64::INFINITY } else { 0.0 }))
        }
    }

    /// Returns the largest target or usage among a node and its siblings, as [`Scenario::balance`] gives them. Numbers
    /// that are not finite do not count. At least the smallest positive number, so that it can divide.
    pub(crate) fn largest_of_level(&self, node: NodeId) -> f64 {
        let Some(above) = self.state.tree.parent(node) else {
            return 1.0;
        };
        if let Some(&largest) = self.numbers.largest.borrow().get(&above) {
            return largest;
        }
        let children = self.tree().children(above);
        let portions = children.filter_map(|node| self.balance(node));
        let sides = portions.flat_map(|(target, used)| [target, used]);
        let finite = sides.filter(|side| side.is_finite());
        let largest = finite.fold(f64::MIN_POSITIVE, f64::max);
        self.numbers.largest.borrow_mut().insert(above, largest);
        largest
    }
}
