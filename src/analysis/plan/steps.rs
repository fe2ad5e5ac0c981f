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
    /// Returns the address of an account.
    pub(super) fn of_account(account: &'a [u8]) -> Self {
        Self {
            account,
            ..Self::default()
        }
    }

    /// Returns the address of a user's association without partition, or of a user in all accounts.
    pub(super) fn of_user(user: &'a [u8], account: &'a [u8]) -> Self {
        Self {
            user: Some(user),
            ..Self::of_account(account)
        }
    }

    /// Returns the name of the user, or of the account.
    pub(super) fn name(&self) -> &'a [u8] {
        self.user.unwrap_or(self.account)
    }

    /// Returns what it is the address of.
    pub(super) fn kind(&self) -> Kind {
        match self.user {
            Some(_) => Kind::User,
            None => Kind::Account,
        }
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

/// What a deletion is about.
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

/// A change of one account or user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step<'a> {
    pub(super) at: Address<'a>,
    pub(super) change: Change<'a>,
}

/// The change of a step. Names are of accounts, unless they are of a renamed user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change<'a> {
    /// Renames a user in all associations.
    Rename { to: &'a [u8] },
    /// Adds an account below its parent, or a user.
    Add { parent: &'a [u8], shares: Shares },
    /// Moves an account, with all below it, from one parent to another.
    Move { from: &'a [u8], to: &'a [u8] },
    /// Sets shares. `from` is `None` if no command can restore the shares before.
    Shares { from: Option<Shares>, to: Shares },
    /// Sets a user's default account. `None` if there is no command in that direction.
    Default {
        from: Option<&'a [u8]>,
        to: Option<&'a [u8]>,
    },
    /// Sets the usage of a node, and of all below it, to 0.
    Reset,
    /// Deletes an account or user; all nodes below it have been deleted before.
    Delete {
        parent: &'a [u8],
        shares: Shares,
        scope: DeletionScope,
    },
}

impl Step<'_> {
    /// Returns whether the step loses something that no later step can restore.
    pub(super) fn is_harmful(&self) -> bool {
        matches!(self.change, Change::Delete { .. } | Change::Reset)
    }

    /// Returns whether the step adds an account or an association.
    pub(super) fn is_addition(&self) -> bool {
        matches!(self.change, Change::Add { .. })
    }

    /// Returns whether the step deletes an account or an association.
    pub(super) fn is_deletion(&self) -> bool {
        matches!(self.change, Change::Delete { .. })
    }

    /// Returns whether the step moves an account.
    pub(super) fn is_move(&self) -> bool {
        matches!(self.change, Change::Move { .. })
    }

    /// Returns whether the step renames a user.
    pub(super) fn is_rename(&self) -> bool {
        matches!(self.change, Change::Rename { .. })
    }

    /// Returns whether the step resets usage.
    pub(super) fn is_reset(&self) -> bool {
        matches!(self.change, Change::Reset)
    }

    /// Returns whether the step changes a user's default account.
    pub(super) fn is_default(&self) -> bool {
        matches!(self.change, Change::Default { .. })
    }

    /// Returns whether the step is a deletion of that scope.
    pub(super) fn deletes(&self, scope: DeletionScope) -> bool {
        match self.change {
            Change::Delete { scope: own, .. } => own == scope,
            _ => false,
        }
    }

    /// Returns whether there is a command for the step. Some steps have one only in the other direction.
    pub(super) fn has_command(&self) -> bool {
        match self.change {
            Change::Default { to, .. } => to.is_some(),
            Change::Delete { scope, .. } => scope != DeletionScope::Along,
            _ => true,
        }
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

/// What a scheduler can do, and what it refuses.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what schedulers can do differs in each point"
)]
pub(super) struct SchedulerRules {
    pub(super) scheduler: Scheduler,
    /// Returns why its commands cannot be about a name.
    pub(super) name_fault: fn(&[u8]) -> Option<NameFault>,
    /// Returns why its commands would not delete a name that they can add and change.
    pub(super) deletion_fault: fn(&[u8]) -> Option<NameFault>,
    /// Returns why it cannot store a number of shares.
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

/// Returns the place of the first step that loses something, or the number of steps if none does.
pub(super) fn first_harmful(steps: &[Step<'_>]) -> usize {
    let harm = steps.iter().position(Step::is_harmful);
    harm.unwrap_or(steps.len())
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

/// What makes two users the same to a scheduler: the account, the name and the partition.
#[derive(PartialEq, Eq, Hash)]
struct Likeness<'a> {
    account: Option<NodeId>,
    name: &'a [u8],
    partition: Option<&'a [u8]>,
}

impl<'a> Likeness<'a> {
    /// Returns that of a user.
    fn of(tree: &'a Tree, user: NodeId) -> Self {
        Self {
            account: tree.parent(user),
            name: tree.name(user),
            partition: tree.partition(user),
        }
    }
}

impl<'a> StepBuilder<'a, '_> {
    /// Finds users that share their address with another one. Usually there are none.
    fn find_repeated(&mut self) {
        let before = self.before;
        let mut repeated = HashSet::new();
        for user in before.users() {
            if before.ordinal(user).is_some() {
                repeated.insert(Likeness::of(before, user));
            }
        }
        if repeated.is_empty() {
            return;
        }
        for user in before.users() {
            if repeated.contains(&Likeness::of(before, user)) {
                self.repeated.insert(user);
            }
        }
    }

    /// Renames the users that have the same new name in all remaining associations.
    fn rename_users(&mut self) {
        if !self.rules.can_rename_users {
            return;
        }
        let before = self.before;
        let after = self.after;
        let mut taken: HashSet<&[u8]> = HashSet::new();
        let mut names: BTreeMap<&[u8], HashSet<&[u8]>> = BTreeMap::new();
        for user in before.users() {
            let old = before.name(user);
            taken.insert(old);
            if self.stays(user) {
                names.entry(old).or_default().insert(after.name(user));
            }
        }
        let mut added: HashSet<&[u8]> = HashSet::new();
        for user in after.users() {
            if !before.contains(user) {
                added.insert(after.name(user));
            }
        }
        let mut wanted: HashMap<&[u8], usize> = HashMap::new();
        for &new in names.values().flatten() {
            *wanted.entry(new).or_default() += 1;
        }
        for (old, new_names) in names {
            if new_names.len() > 1 || added.contains(old) {
                continue;
            }
            for new in new_names {
                // Two users cannot take the same name.
                let is_free = !taken.contains(new) && wanted[new] == 1;
                if new != old && is_free && self.can_rename(old, new) {
                    self.rename(old, new);
                }
            }
        }
    }

    /// Returns whether the commands of the scheduler accept both names.
    fn can_rename(&self, old: &[u8], new: &[u8]) -> bool {
        let fault = self.rules.name_fault;
        fault(old).is_none() && fault(new).is_none()
    }

    /// Renames a user in all associations.
    fn rename(&mut self, old: &'a [u8], new: &'a [u8]) {
        self.done.renamed.insert(old, new);
        self.done.list.push(Step {
            at: Address::of_user(old, b""),
            change: Change::Rename { to: new },
        });
    }

    /// Omits the other new names.
    fn omit_renames(&mut self) {
        for &node in self.after.nodes() {
            if !self.stays(node) {
                continue;
            }
            let new = self.after.name(node);
            if self.before.name(node) == new || self.name(node) == new {
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

    /// Returns why no user is renamed to a name.
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
        if self.before.kind(node) == Kind::User
            && let Some(new) = self.done.renamed.get(name)
        {
            return new;
        }
        name
    }

    /// Returns the name of the account of a node for the commands.
    fn parent_name(&self, tree: &Tree, node: NodeId) -> &'a [u8] {
        self.name(tree.parent(node).unwrap_or(NodeId::ROOT))
    }

    /// Returns the address of a node in one of the trees.
    fn address(&self, tree: &'a Tree, node: NodeId) -> Address<'a> {
        let name = self.name(node);
        if tree.kind(node) == Kind::Account {
            return Address::of_account(name);
        }
        let account = self.parent_name(tree, node);
        let mut address = Address::of_user(name, account);
        address.needs_partition = self.partitioned.contains(&address);
        if self.rules.has_partitions {
            address.partition = tree.partition(node);
        }
        address
    }

    /// Returns why an address cannot be written. `None` if it can.
    fn address_fault(&self, at: Address<'a>) -> Option<OmissionReason> {
        let names = [Some(at.account), at.user, at.partition];
        for name in names.into_iter().flatten() {
            if let Some(fault) = (self.rules.name_fault)(name) {
                return Some(fault.into());
            }
        }
        if self.ambiguous.contains(at.account) {
            return Some(OmissionReason::SeveralAccounts(self.rules.scheduler));
        }
        None
    }

    /// Returns why no command can be about a node of the tree before at that address. `None` if one can.
    fn reference_fault(&self, node: NodeId, at: Address<'a>) -> Option<OmissionReason> {
        if self.repeated.contains(&node) {
            return Some(OmissionReason::SeveralAssociations(self.rules.scheduler));
        }
        self.address_fault(at)
    }

    /// Returns why a node of the tree before cannot be deleted at its old address. `None` if it can.
    fn deletion_fault(&self, node: NodeId) -> Option<OmissionReason> {
        let at = self.address(self.before, node);
        if let Some(fault) = self.reference_fault(node, at) {
            return Some(fault);
        }
        let fault = (self.rules.deletion_fault)(at.name())?;
        Some(fault.into())
    }
}
