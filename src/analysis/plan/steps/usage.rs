//! Usage: schedulers count it themselves, and an admin can only reset it.

use super::build::StepBuilder;
use super::{Change, Step, add_above};
use crate::analysis::plan::{Omission, OmissionReason};
use crate::model::{Kind, NodeId, Tree};
use hashbrown::HashSet;

/// The part of a sum that its last digits may change.
const ROUNDING: f64 = 1e-9;

/// Returns whether usage changed. The usage of an account may change from a sum to the same stated number, or lose its
/// last digit when nodes move out and back, and neither counts.
fn is_changed(before: &Tree, after: &Tree, node: NodeId) -> bool {
    if before.usage(node) == after.usage(node) {
        return false;
    }
    if after.kind(node) == Kind::User {
        return true;
    }
    let used = before.used_below(node);
    let now = after.used_below(node);
    (used - now).abs() > used * ROUNDING
}

/// Returns whether the stated usage of a node is 0.
fn is_unused(tree: &Tree, node: NodeId) -> bool {
    tree.usage(node).amount() == Some(0.0)
}

/// Returns whether a node states usage above 0.
fn has_usage(tree: &Tree, node: NodeId) -> bool {
    match tree.usage(node).amount() {
        Some(amount) => amount > 0.0,
        None => false,
    }
}

/// Returns whether a node below another one states usage above 0.
fn has_usage_below(tree: &Tree, node: NodeId) -> bool {
    let mut below = tree.within(node).iter().skip(1);
    below.any(|&node| has_usage(tree, node))
}

/// The nodes whose usage changed.
#[derive(Default)]
struct UsageChanges {
    /// In the order of the tree after.
    nodes: Vec<NodeId>,
    /// The accounts whose changed usage follows from that of nodes below them.
    explained: HashSet<NodeId>,
}

impl StepBuilder<'_, '_> {
    /// Adds steps for the changes of usage that the scheduler can apply, and omissions for the others. An account
    /// counts as changed by itself only if nothing below it changed.
    pub(super) fn reset_usage(&mut self) {
        let after = self.after;
        let changes = self.usage_changes();
        let resets = self.reset_accounts();
        for node in changes.nodes {
            let mut accounts = resets.iter();
            let reset = accounts.find(|account| after.order().is_within(node, **account));
            let is_explained = match reset {
                Some(&account) => account != node,
                None => after.kind(node) == Kind::Account && changes.explained.contains(&node),
            };
            if is_explained {
                continue;
            }
            if let Some(fault) = self.reset_fault(node) {
                let omissions = &mut self.done.omissions;
                omissions.leave_out(after, node, Omission::Usage, fault);
                continue;
            }
            let at = self.address(after, node);
            let change = Change::Reset;
            self.done.list.push(Step { at, change });
        }
    }

    /// Returns whether a node is in the same account before and after, and has the same address.
    fn is_in_place(&self, node: NodeId) -> bool {
        self.keeps_address(node) && self.before.parent(node) == self.after.parent(node)
    }

    /// Finds the nodes whose usage changed.
    fn usage_changes(&self) -> UsageChanges {
        let before = self.before;
        let after = self.after;
        let mut changes = UsageChanges::default();
        for &node in before.nodes() {
            if !self.is_in_place(node) {
                add_above(&mut changes.explained, before, node);
            }
        }
        for &node in after.nodes() {
            let is_user = after.kind(node) == Kind::User;
            if !self.is_in_place(node) {
                add_above(&mut changes.explained, after, node);
                // A user that moves starts with no usage, so only a planned usage at its new place counts.
                let is_planned =
                    !before.contains(node) || (is_user && before.usage(node) != after.usage(node));
                if is_planned && has_usage(after, node) {
                    changes.nodes.push(node);
                }
            } else if is_changed(before, after, node) {
                changes.nodes.push(node);
                if is_user {
                    add_above(&mut changes.explained, after, node);
                }
            }
        }
        // From the bottom up: an account changed by itself explains the changes of the accounts above it.
        for &node in changes.nodes.iter().rev() {
            if after.kind(node) == Kind::Account && !changes.explained.contains(&node) {
                add_above(&mut changes.explained, after, node);
            }
        }
        changes
    }

    /// Returns the topmost accounts that reset the usage of their former associations, and so of all nodes below.
    fn reset_accounts(&self) -> Vec<NodeId> {
        let mut resets = Vec::new();
        if !self.rules.can_reset_usage {
            return resets;
        }
        let before = self.before;
        let after = self.after;
        let mut end = 0;
        for &node in after.nodes() {
            let span = after.order().span(node);
            let is_reset = span.start >= end
                && after.kind(node) == Kind::Account
                && self.keeps_address(node)
                && is_unused(after, node)
                && before.used_below(node) > before.used_by_children(node)
                && !has_usage_below(after, node);
            if is_reset {
                end = span.end;
                resets.push(node);
            }
        }
        resets
    }

    /// Returns why the usage of a node cannot become what it is in the tree after. `None` if it can be reset.
    fn reset_fault(&self, node: NodeId) -> Option<OmissionReason> {
        let after = self.after;
        let can_be = self.rules.can_reset_usage && self.before.contains(node);
        if !can_be || !is_unused(after, node) {
            return Some(self.rules.usage_fault.clone());
        }
        let at = self.address(after, node);
        if let Some(fault) = self.reference_fault(node, at) {
            return Some(fault);
        }
        if has_usage_below(after, node) {
            return Some(OmissionReason::UsageBelow);
        }
        None
    }
}
