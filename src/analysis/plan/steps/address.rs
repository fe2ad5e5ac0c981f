//! What identifies nodes to a scheduler: their names, which it may change, and their addresses.

use super::build::StepBuilder;
use super::{Address, Change, Step};
use crate::analysis::plan::{Omission, OmissionReason};
use crate::model::{Kind, NodeId, Tree};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

impl<'a> StepBuilder<'a, '_> {
    /// Finds users that share their address with another one. Usually there are none.
    pub(super) fn find_repeated(&mut self) {
        let before = self.before;
        let likeness = |node| {
            let partition = before.partition(node);
            (before.parent(node), before.name(node), partition)
        };
        let is_another = |&node: &NodeId| before.ordinal(node).is_some();
        let repeated: HashSet<_> = before.users().filter(is_another).map(likeness).collect();
        if !repeated.is_empty() {
            let is_repeated = |&node: &NodeId| repeated.contains(&likeness(node));
            self.repeated = before.users().filter(is_repeated).collect();
        }
    }

    /// Renames the users that have the same new name in all remaining associations.
    pub(super) fn rename_users(&mut self) {
        if !self.rules.can_rename_users {
            return;
        }
        let (before, after) = (self.before, self.after);
        let mut names: BTreeMap<&[u8], HashSet<&[u8]>> = BTreeMap::new();
        for user in before.users().filter(|&user| self.stays(user)) {
            let new_names = names.entry(before.name(user)).or_default();
            new_names.insert(after.name(user));
        }
        let taken: HashSet<&[u8]> = before.users().map(|user| before.name(user)).collect();
        let added = after.users().filter(|&user| !before.contains(user));
        let added: HashSet<&[u8]> = added.map(|user| after.name(user)).collect();
        let mut wanted: HashMap<&[u8], usize> = HashMap::new();
        for &new in names.values().flatten() {
            *wanted.entry(new).or_default() += 1;
        }
        for (old, new_names) in names {
            let [new] = new_names.into_iter().collect::<Vec<_>>()[..] else {
                continue;
            };
            // Two users cannot take the same name.
            let is_wanted_once = wanted.get(new) == Some(&1);
            let fault = self.rules.name_fault;
            let can_be = new != old
                && is_wanted_once
                && !taken.contains(new)
                && !added.contains(old)
                && fault(old).is_none()
                && fault(new).is_none();
            if can_be {
                self.done.renamed.insert(old, new);
                self.done.list.push(Step {
                    at: Address::of_user(old, b""),
                    change: Change::Rename { to: new },
                });
            }
        }
    }

    pub(super) fn omit_renames(&mut self) {
        for &node in self.after.nodes() {
            let new = self.after.name(node);
            if !self.stays(node) || self.before.name(node) == new || self.name(node) == new {
                continue;
            }
            if self.keeps_address(node) {
                self.kept.insert(self.address(self.before, node));
            }
            let reason = match self.after.kind(node) {
                Kind::Account => OmissionReason::AccountRenamed(self.rules.scheduler),
                Kind::User => self.rename_fault(new),
            };
            let omissions = &mut self.done.omissions;
            omissions.leave_out(self.before, node, Omission::Name, reason);
        }
    }

    fn rename_fault(&self, new: &[u8]) -> OmissionReason {
        let scheduler = self.rules.scheduler;
        if !self.rules.can_rename_users {
            return OmissionReason::UserRenamed(scheduler);
        }
        if let Some(fault) = (self.rules.name_fault)(new) {
            return fault.into();
        }
        let mut users = self.before.users();
        if users.any(|user| self.before.name(user) == new) {
            OmissionReason::NewNameTaken(scheduler)
        } else {
            OmissionReason::RenamedInPart(scheduler)
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

    pub(super) fn parent_name(&self, tree: &Tree, node: NodeId) -> &'a [u8] {
        self.name(tree.parent(node).unwrap_or(NodeId::ROOT))
    }

    pub(super) fn address(&self, tree: &'a Tree, node: NodeId) -> Address<'a> {
        let name = self.name(node);
        if tree.kind(node) == Kind::Account {
            return Address::of_account(name);
        }
        let account = self.parent_name(tree, node);
        Address {
            partition: tree.partition(node).filter(|_| self.rules.has_partitions),
            needs_partition: self.partitioned.contains(&(account, name)),
            ..Address::of_user(name, account)
        }
    }

    /// Returns why an address cannot be written. `None` if it can.
    pub(super) fn address_fault(&self, at: Address<'a>) -> Option<OmissionReason> {
        let names = [Some(at.account), at.user, at.partition];
        let mut names = names.into_iter().flatten();
        if let Some(fault) = names.find_map(self.rules.name_fault) {
            return Some(fault.into());
        }
        let is_ambiguous = self.ambiguous.contains(at.account);
        is_ambiguous.then_some(OmissionReason::SeveralAccounts(self.rules.scheduler))
    }

    /// Returns why a node of the tree before cannot be deleted at its old address. `None` if it can.
    pub(super) fn deletion_fault(&self, node: NodeId) -> Option<OmissionReason> {
        let at = self.address(self.before, node);
        self.namesake_fault(node)
            .or_else(|| self.address_fault(at))
            .or_else(|| (self.rules.deletion_fault)(at.name()).map(OmissionReason::Name))
    }

    /// Returns why a node of the tree before cannot be identified by its address. `None` if it can.
    pub(super) fn namesake_fault(&self, node: NodeId) -> Option<OmissionReason> {
        let is_repeated = self.repeated.contains(&node);
        is_repeated.then_some(OmissionReason::SeveralAssociations(self.rules.scheduler))
    }
}
