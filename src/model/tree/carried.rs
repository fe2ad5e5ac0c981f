//! A scheduler's internal usage, carried over to a tree that was changed since.
//!
//! An edit changes the usage that is shown, which is a whole number in most dumps, and the usage in memory by the same
//! amount. The remainder behind the shown digits follows the node: an association that moves takes it along, and a
//! reset removes it from the accounts above.

use super::UsageState;
use crate::base::extended::Extended;
use crate::model::{NodeId, Tree};

/// A tree with the usage computed for it, by position.
struct UsageCarrier<'a> {
    usage_state: &'a UsageState,
    amounts: &'a [Extended],
    tree: &'a Tree,
    /// The usage; `None` if it follows from the members.
    usage: Vec<Option<Extended>>,
    /// Whether the usage differs from the scheduler's.
    is_changed: Vec<bool>,
}

pub(super) fn carried(
    usage_state: &UsageState,
    amounts: &[Extended],
    tree: &Tree,
) -> Vec<Extended> {
    let count = tree.node_count();
    let mut carried = UsageCarrier {
        usage_state,
        amounts,
        tree,
        usage: vec![None; count],
        is_changed: vec![false; count],
    };
    for position in 0..count {
        carried.carry(position);
    }
    for position in 1..count {
        carried.take_along(position);
    }
    carried.summed_up()
}

fn extended(amount: f64) -> Extended {
    Extended::from_f64(amount).unwrap_or(Extended::ZERO)
}

impl UsageCarrier<'_> {
    fn node(&self, position: usize) -> NodeId {
        self.tree.nodes()[position]
    }

    /// Returns the usage in memory of a node, and the usage shown of it.
    fn then(&self, node: NodeId) -> Option<(Extended, f64)> {
        let amount = *self.amounts.get(node.index())?;
        Some((amount, self.usage_state.usage(node).amount()?))
    }

    fn carry(&mut self, position: usize) {
        let node = self.node(position);
        let now = self.tree.usage(node).amount();
        let then = self.then(node);
        let is_same = match (now, then) {
            (Some(now), Some((_, shown))) => now.to_bits() == shown.to_bits(),
            _ => false,
        };
        self.is_changed[position] = !is_same;
        self.usage[position] = match (now, then) {
            (None, _) => None,
            (Some(_), Some((usage_state, _))) if is_same => Some(usage_state),
            // A reset leaves nothing.
            (Some(0.0), _) => Some(Extended::ZERO),
            (Some(now), Some((usage_state, shown))) => {
                let changed = usage_state.plus(extended(now).minus(extended(shown)));
                Some(changed.max(Extended::ZERO))
            }
            (Some(now), None) => Some(extended(now)),
        };
    }

    /// Moves the remainder behind the shown digits from a node's former ancestors to its present ones.
    fn take_along(&mut self, position: usize) {
        let node = self.node(position);
        let Some(((usage_state, shown), old)) =
            self.then(node).zip(self.usage_state.order.position(node))
        else {
            return;
        };
        let above = |old: usize| self.usage_state.order.above()[old] as usize;
        let old_parent = self.usage_state.order.nodes()[above(old)];
        let has_moved = self.tree.parent(node) != Some(old_parent);
        let is_reset = self.usage[position].is_some_and(Extended::is_zero) && shown > 0.0;
        // A user that starts anew elsewhere leaves all of its usage behind.
        if has_moved == is_reset {
            return;
        }
        let behind = usage_state.minus(extended(shown));
        let mut account = Some(old_parent);
        while let Some(node) = account {
            self.add(node, behind, Extended::minus);
            account = self.tree.parent(node);
        }
        let mut account = self.tree.parent(node).filter(|_| has_moved);
        while let Some(node) = account {
            self.add(node, behind, Extended::plus);
            account = self.tree.parent(node);
        }
    }

    fn add(&mut self, node: NodeId, amount: Extended, change: fn(Extended, Extended) -> Extended) {
        let Some(position) = self.tree.order().position(node) else {
            return;
        };
        // An account that shows 0 has no remainder either.
        if self.tree.usage(node).amount() == Some(0.0) {
            return;
        }
        if let Some(usage) = &mut self.usage[position] {
            *usage = change(*usage, amount).max(Extended::ZERO);
            self.is_changed[position] = true;
        }
    }

    /// Returns all usage. No account that changed has less than the sum of its members.
    fn summed_up(self) -> Vec<Extended> {
        let above = self.tree.order().above();
        let mut below = vec![Extended::ZERO; above.len()];
        let mut usage = below.clone();
        for position in (0..above.len()).rev() {
            usage[position] = match self.usage[position] {
                Some(own) if self.is_changed[position] => own.max(below[position]),
                Some(own) => own,
                None => below[position],
            };
            if position > 0 {
                let home = above[position] as usize;
                below[home] = below[home].plus(usage[position]);
            }
        }
        usage
    }
}
