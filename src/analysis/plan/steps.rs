//! Steps from one tree to another, for schedulers that identify an account by its name and a user by name and account.
//! The steps are in an order in which each can be taken, and each has a step that undoes it.

mod build;
mod usage;

pub(super) use build::steps;

use super::note::Statements;
use super::omission::Omissions;
use super::{NameFault, Note, Omission, OmissionReason, SharesFault};
use crate::model::{Kind, NodeId, Scheduler, Shares, Tree};
use build::StepBuilder;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// What identifies a node to a scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Address<'a> {
    /// The name of the account, or of the user's account. Empty for a user in all accounts.
    pub(super) account: &'a [u8],
    /// `None` for an account.
    pub(super) user: Option<&'a [u8]>,
    pub(super) partition: Option<&'a [u8]>,
    /// Whether only the partition distinguishes the user's association from another one with the same account.
    pub(super) needs_partition: bool,
}

impl<'a> Address<'a> {
    pub(super) fn of_account(account: &'a [u8]) -> Self {
        Self {
            account,
            ..Self::default()
        }
    }

    pub(super) fn of_user(user: &'a [u8], account: &'a [u8]) -> Self {
        Self {
            user: Some(user),
            ..Self::of_account(account)
        }
    }

    pub(super) fn name(&self) -> &'a [u8] {
        self.user.unwrap_or(self.account)
    }

    pub(super) fn kind(&self) -> Kind {
        self.user.map_or(Kind::Account, |_| Kind::User)
    }
}

/// Returns a name as text. Other names have been refused before.
pub(super) fn text(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

/// Adds the accounts above a node to a set, up to the first that is in it.
fn add_above(accounts: &mut HashSet<NodeId>, tree: &Tree, node: NodeId) {
    let mut above = tree.upwards(node).skip(1);
    while above.next().is_some_and(|account| accounts.insert(account)) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DeletionScope {
    /// One association.
    Own,
    /// All associations of a user with one account.
    Whole,
    /// Nothing: the association is removed by another deletion, of scope [`DeletionScope::Whole`].
    Along,
    /// One association that was made only while the commands run, so that the rollback does not restore it.
    Detour,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step<'a> {
    pub(super) at: Address<'a>,
    pub(super) change: Change<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change<'a> {
    Rename {
        to: &'a [u8],
    },
    /// Adds an account below its parent, or a user.
    Add {
        parent: &'a [u8],
        shares: Shares,
    },
    Move {
        from: &'a [u8],
        to: &'a [u8],
    },
    /// Sets shares. `from` is `None` if no command can restore the shares before.
    Shares {
        from: Option<Shares>,
        to: Shares,
    },
    /// Sets a user's default account. `None` if there is no command in that direction.
    Default {
        from: Option<&'a [u8]>,
        to: Option<&'a [u8]>,
    },
    Reset,
    /// Deletes an account or user; all nodes below it have been deleted before.
    Delete {
        parent: &'a [u8],
        shares: Shares,
        scope: DeletionScope,
    },
}

impl<'a> Step<'a> {
    /// Returns whether the step loses something that no later step can restore.
    pub(super) fn is_harmful(&self) -> bool {
        matches!(self.change, Change::Delete { .. } | Change::Reset)
    }

    /// Returns the address that the step deletes. `None` for other steps.
    pub(super) fn deleted(&self) -> Option<Address<'a>> {
        matches!(self.change, Change::Delete { .. }).then_some(self.at)
    }

    /// Returns the step that undoes this one. `None` if there is none.
    pub(super) fn inverse(&self) -> Option<Self> {
        let mut at = self.at;
        let change = match self.change {
            Change::Rename { to } => {
                at.user = Some(to);
                Change::Rename { to: self.at.name() }
            }
            Change::Default { from, to } => Change::Default { from: to, to: from },
            Change::Add { parent, shares } => Change::Delete {
                parent,
                shares,
                scope: DeletionScope::Own,
            },
            Change::Move { from, to } => Change::Move { from: to, to: from },
            Change::Shares { from, to } => Change::Shares {
                from: Some(to),
                to: from?,
            },
            Change::Reset
            | Change::Delete {
                scope: DeletionScope::Detour,
                ..
            } => return None,
            Change::Delete { parent, shares, .. } => Change::Add { parent, shares },
        };
        Some(Self { at, change })
    }
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what schedulers can do differs in each point"
)]
pub(super) struct SchedulerRules {
    pub(super) scheduler: Scheduler,
    pub(super) name_fault: fn(&[u8]) -> Option<NameFault>,
    /// Returns why its commands would not delete a name that they can add and change.
    pub(super) deletion_fault: fn(&[u8]) -> Option<NameFault>,
    pub(super) shares_fault: fn(Kind, Shares) -> Option<SharesFault>,
    /// Whether partitions distinguish associations of a user.
    pub(super) has_partitions: bool,
    /// Whether an account may hold both accounts and users.
    pub(super) may_mix: bool,
    /// Whether it can rename users, in all their associations at once.
    pub(super) can_rename_users: bool,
    pub(super) can_reset_usage: bool,
    /// Why usage cannot be set to anything else, or at all.
    pub(super) usage_fault: OmissionReason,
}

/// Steps, and what else a plan reports about them.
#[derive(Debug, Default)]
pub(super) struct Steps<'a> {
    pub(super) list: Vec<Step<'a>>,
    pub(super) omissions: Omissions,
    /// What the rollback cannot restore.
    pub(super) one_way: Statements<Note>,
    /// Users that move; their usage stays behind.
    pub(super) moved_users: Statements<Note>,
    /// The new names of renamed users, by the old ones.
    pub(super) renamed: HashMap<&'a [u8], &'a [u8]>,
}

impl<'a> StepBuilder<'a, '_> {
    /// Finds users that share their address with another one. Usually there are none.
    fn find_repeated(&mut self) {
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
    fn rename_users(&mut self) {
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

    fn omit_renames(&mut self) {
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
                Kind::User | Kind::Others => self.rename_fault(new),
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
    fn name(&self, node: NodeId) -> &'a [u8] {
        if node.index() >= self.before.id_count() {
            return self.after.name(node);
        }
        let name = self.before.name(node);
        let is_user = self.before.kind(node) == Kind::User;
        let renamed = self.done.renamed.get(name).filter(|_| is_user);
        renamed.copied().unwrap_or(name)
    }

    fn parent_name(&self, tree: &Tree, node: NodeId) -> &'a [u8] {
        self.name(tree.parent(node).unwrap_or(NodeId::ROOT))
    }

    fn address(&self, tree: &'a Tree, node: NodeId) -> Address<'a> {
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
    fn address_fault(&self, at: Address<'a>) -> Option<OmissionReason> {
        let names = [Some(at.account), at.user, at.partition];
        let mut names = names.into_iter().flatten();
        if let Some(fault) = names.find_map(self.rules.name_fault) {
            return Some(fault.into());
        }
        let is_ambiguous = self.ambiguous.contains(at.account);
        is_ambiguous.then_some(OmissionReason::SeveralAccounts(self.rules.scheduler))
    }

    /// Returns why a node of the tree before cannot be deleted at its old address. `None` if it can.
    fn deletion_fault(&self, node: NodeId) -> Option<OmissionReason> {
        let at = self.address(self.before, node);
        let fault = self.namesake_fault(node).or_else(|| self.address_fault(at));
        fault.or_else(|| (self.rules.deletion_fault)(at.name()).map(OmissionReason::Name))
    }

    /// Returns why a node of the tree before cannot be identified by its address. `None` if it can.
    fn namesake_fault(&self, node: NodeId) -> Option<OmissionReason> {
        let is_repeated = self.repeated.contains(&node);
        is_repeated.then_some(OmissionReason::SeveralAssociations(self.rules.scheduler))
    }
}
