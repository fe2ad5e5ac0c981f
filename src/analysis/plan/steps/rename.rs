//! Renames: a user is renamed in all associations at once, accounts keep their names.

use super::build::StepBuilder;
use super::{RenameSupport, Step};
use crate::analysis::plan::{Omission, OmissionReason};
use crate::model::{Kind, NodeId};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

impl<'a> StepBuilder<'a, '_> {
    /// Renames the users that have the same new name in all remaining associations.
    pub(super) fn rename_users(&mut self) {
        if self.rules.renames == RenameSupport::Nobody {
            return;
        }
        let (before, after) = (self.before, self.after);
        let is_user = |node: &NodeId| before.kind(*node) == Kind::User;
        let users = || before.nodes().iter().copied().filter(is_user);
        let mut names: BTreeMap<&[u8], HashSet<&[u8]>> = BTreeMap::new();
        for user in users().filter(|&user| self.stays(user)) {
            let new_names = names.entry(before.name(user)).or_default();
            new_names.insert(after.name(user));
        }
        let taken: HashSet<&[u8]> = users().map(|user| before.name(user)).collect();
        let added = after.nodes().iter().copied();
        let added = added.filter(|&node| !before.contains(node) && after.kind(node) == Kind::User);
        let added: HashSet<&[u8]> = added.map(|node| after.name(node)).collect();
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
                self.done.list.push(Step::Rename { from: old, to: new });
            }
        }
    }

    /// Omits the renames that are impossible.
    pub(super) fn omit_renames(&mut self) {
        for &node in self.after.nodes() {
            let (old, new) = (self.before_name(node), self.after.name(node));
            if !self.stays(node) || old == Some(new) || self.name(node) == new {
                continue;
            }
            if self.keeps_address(node) {
                self.kept.insert(self.address(self.before, node));
            }
            let reason = match self.after.kind(node) {
                Kind::Account => OmissionReason::AccountRenamed,
                Kind::User => self.rename_fault(node),
            };
            let omissions = &mut self.done.omissions;
            omissions.leave_out(self.before, node, Omission::Name, reason);
        }
    }

    /// Returns the name of a node in the tree before. `None` if the node was added since.
    fn before_name(&self, node: NodeId) -> Option<&'a [u8]> {
        (node.index() < self.before.id_count()).then(|| self.before.name(node))
    }

    /// Returns why a user keeps the old name.
    fn rename_fault(&self, node: NodeId) -> OmissionReason {
        if self.rules.renames == RenameSupport::Nobody {
            return OmissionReason::UserRenamed;
        }
        let new = self.after.name(node);
        if let Some(fault) = (self.rules.name_fault)(new) {
            return OmissionReason::Name(fault);
        }
        let mut users = self.before.nodes().iter().copied();
        let is_taken =
            users.any(|user| self.before.kind(user) == Kind::User && self.before.name(user) == new);
        if is_taken {
            return OmissionReason::NewNameTaken;
        }
        OmissionReason::RenamedInPart
    }
}
