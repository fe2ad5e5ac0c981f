//! Usage: schedulers count it themselves, and an admin can only reset it.

use super::build::StepBuilder;
use super::{Change, Step, add_above};
use crate::analysis::plan::{Omission, OmissionReason};
use crate::model::{Kind, NodeId, Tree};
use hashbrown::HashSet;

const ROUNDING: f64 = 1e-9;

/// Returns whether usage changed. The usage of an account may change from a sum to the same stated number, or lose its
/// last digit when nodes move out and back, and neither counts.
fn is_changed(before: &Tree, after: &Tree, node: NodeId) -> bool {
    let [old, new] = [before, after].map(|tree| tree.usage(node));
    if old == new || after.kind(node) == Kind::User {
        return old != new;
    }
    let (used, now) = (before.used_below(node), after.used_below(node));
    (used - now).abs() > used * ROUNDING
}

/// Returns the topmost accounts that reset the usage of their former associations, and so of all nodes below.
fn reset_accounts(builder: &StepBuilder<'_, '_>) -> Vec<NodeId> {
    let (before, after) = (builder.before, builder.after);
    let mut end = 0;
    let mut reset = Vec::new();
    for &node in after.nodes() {
        let span = after.order().span(node);
        let is_one = builder.rules.can_reset_usage
            && span.start >= end
            && after.kind(node) == Kind::Account
            && builder.keeps_address(node)
            && after.usage(node).amount() == Some(0.0)
            && before.used_below(node) > before.used_by_children(node)
            && !has_usage_below(after, node);
        if is_one {
            end = span.end;
            reset.push(node);
        }
    }
    reset
}

fn has_usage(tree: &Tree, node: NodeId) -> bool {
    tree.usage(node).amount().is_some_and(|amount| amount > 0.0)
}

fn has_usage_below(tree: &Tree, node: NodeId) -> bool {
    let mut below = tree.within(node).iter().skip(1);
    below.any(|&node| has_usage(tree, node))
}

impl StepBuilder<'_, '_> {
    /// Adds steps for the changes of usage that the scheduler can apply, and omissions for the others. An account
    /// counts as changed by itself only if nothing below it changed.
    pub(super) fn reset_usage(&mut self) {
        let (before, after) = (self.before, self.after);
        // The accounts whose changed usage follows from that of nodes below them.
        let mut explained = HashSet::new();
        let is_same =
            |node: NodeId| self.keeps_address(node) && before.parent(node) == after.parent(node);
        let mut changed = Vec::new();
        for &node in before.nodes() {
            if !is_same(node) {
                add_above(&mut explained, before, node);
            }
        }
        for &node in after.nodes() {
            if !is_same(node) {
                add_above(&mut explained, after, node);
                // A user that moves starts with no usage, so only a planned usage at its new place counts.
                let is_new = !before.contains(node)
                    || (after.kind(node) == Kind::User && before.usage(node) != after.usage(node));
                if is_new && has_usage(after, node) {
                    changed.push(node);
                }
            } else if is_changed(before, after, node) {
                changed.push(node);
                if after.kind(node) == Kind::User {
                    add_above(&mut explained, after, node);
                }
            }
        }
        // From the bottom up: an account changed by itself explains the changes of the accounts above it.
        for &node in changed.iter().rev() {
            if after.kind(node) == Kind::Account && !explained.contains(&node) {
                add_above(&mut explained, after, node);
            }
        }
        let can_reset = self.rules.can_reset_usage;
        let reset = reset_accounts(self);
        for node in changed {
            let is_within = |&account: &NodeId| after.order().is_within(node, account);
            let with = reset.iter().copied().find(is_within);
            if with.is_some_and(|account| account != node) {
                continue;
            }
            if after.kind(node) == Kind::Account && explained.contains(&node) && with.is_none() {
                continue;
            }
            let at = self.address(after, node);
            let is_reset =
                can_reset && before.contains(node) && after.usage(node).amount() == Some(0.0);
            let fault = if is_reset {
                let fault = self.namesake_fault(node).or_else(|| self.address_fault(at));
                fault.or_else(|| has_usage_below(after, node).then_some(OmissionReason::UsageBelow))
            } else {
                Some(self.rules.usage_fault.clone())
            };
            if let Some(fault) = fault {
                let omissions = &mut self.done.omissions;
                omissions.leave_out(after, node, Omission::Usage, fault);
            } else {
                let change = Change::Reset;
                self.done.list.push(Step { at, change });
            }
        }
    }
}
