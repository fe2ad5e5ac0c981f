//! What identifies nodes to a scheduler, and why that may fail.

use super::Address;
use super::build::StepBuilder;
use crate::analysis::plan::OmissionReason;
use crate::model::{Kind, NodeId, Tree};
use hashbrown::HashSet;

impl<'a> StepBuilder<'a, '_> {
    /// Finds users that share their address with another one. Usually there are none.
    pub(super) fn find_repeated(&mut self) {
        let before = self.before;
        let is_user = |node: &NodeId| before.kind(*node) == Kind::User;
        let likeness = |node| {
            let partition = before.partition(node);
            (before.parent(node), before.name(node), partition)
        };
        let users = || before.nodes().iter().copied().filter(is_user);
        let others = users().filter(|&node| before.ordinal(node).is_some());
        let repeated: HashSet<_> = others.map(likeness).collect();
        if !repeated.is_empty() {
            let repeated = users().filter(|&node| repeated.contains(&likeness(node)));
            self.repeated = repeated.collect();
        }
    }

    /// Returns the name of a node for the commands: the old one, unless the plan renames the user everywhere.
    pub(super) fn name(&self, node: NodeId) -> &'a [u8] {
        if node.index() >= self.before.id_count() {
            return self.after.name(node);
        }
        let name = self.before.name(node);
        let is_user = self.before.kind(node) == Kind::User;
        let renamed = self.done.renamed.get(name).filter(|_| is_user);
        renamed.copied().unwrap_or(name)
    }

    /// Returns the name of a node's account for the commands.
    pub(super) fn parent_name(&self, tree: &Tree, node: NodeId) -> &'a [u8] {
        self.name(tree.parent(node).unwrap_or(NodeId::ROOT))
    }

    /// Returns the address of a node at its place in one of the trees.
    pub(super) fn address(&self, tree: &'a Tree, node: NodeId) -> Address<'a> {
        let name = self.name(node);
        if tree.kind(node) == Kind::Account {
            return Address {
                account: name,
                user: None,
                partition: None,
                needs_partition: false,
            };
        }
        let account = self.parent_name(tree, node);
        Address {
            account,
            user: Some(name),
            partition: tree.partition(node).filter(|_| self.rules.has_partitions),
            needs_partition: self.partitioned.contains(&(account, name)),
        }
    }

    /// Returns why an address cannot be written. `None` if it can.
    pub(super) fn address_fault(&self, at: Address<'a>) -> Option<OmissionReason> {
        for name in [Some(at.account), at.user, at.partition]
            .into_iter()
            .flatten()
        {
            if let Some(fault) = (self.rules.name_fault)(name) {
                return Some(OmissionReason::Name(fault));
            }
        }
        self.ambiguous
            .contains(at.account)
            .then_some(OmissionReason::SeveralAccounts)
    }

    /// Returns why an address cannot be deleted, although it can be written. `None` if it can.
    pub(super) fn deletion_fault(&self, at: Address<'a>) -> Option<OmissionReason> {
        (self.rules.deletion_fault)(at.name()).map(OmissionReason::Name)
    }

    /// Returns why a node of the tree before cannot be identified by its address. `None` if it can.
    pub(super) fn namesake_fault(&self, node: NodeId) -> Option<OmissionReason> {
        self.repeated
            .contains(&node)
            .then_some(OmissionReason::SeveralAssociations)
    }
}
