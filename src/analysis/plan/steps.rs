//! Steps from one tree to another, for schedulers that identify an account by its name and a user by name and account.
//! The steps are in an order in which each can be taken, and each has a step that undoes it.

mod address;
mod build;
mod rename;
mod usage;

pub(super) use build::steps;

use super::omission::Omissions;
use super::statement::Statements;
use super::{NameFault, Note, SharesFault};
use crate::model::{Kind, NodeId, Shares};
use hashbrown::HashMap;

/// What identifies a node to a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address<'a> {
    /// The name of the account, or of the user's account.
    pub(super) account: &'a [u8],
    /// The name of the user. `None` for an account.
    pub(super) user: Option<&'a [u8]>,
    /// The partition of the user's association. `None` if it has none.
    pub(super) partition: Option<&'a [u8]>,
    /// Whether only the partition distinguishes the user's association from another one with the same account.
    pub(super) needs_partition: bool,
}

impl<'a> Address<'a> {
    /// Returns the node's own name.
    pub(super) fn name(&self) -> &'a [u8] {
        self.user.unwrap_or(self.account)
    }

    /// Returns the kind of the node.
    pub(super) fn kind(&self) -> Kind {
        match self.user {
            Some(_) => Kind::User,
            None => Kind::Account,
        }
    }
}

/// What a deletion removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A step from one tree to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Renames a user in all associations.
    Rename { from: &'a [u8], to: &'a [u8] },
    /// Adds an account or user.
    Add {
        at: Address<'a>,
        /// The parent of the account, or the account of the user.
        parent: &'a [u8],
        shares: Shares,
    },
    /// Moves an account to another parent.
    Move {
        account: &'a [u8],
        from: &'a [u8],
        to: &'a [u8],
    },
    /// Sets shares.
    Shares {
        at: Address<'a>,
        /// The shares before. `None` if no command can restore them.
        from: Option<Shares>,
        to: Shares,
    },
    /// Sets a user's default account. `None` if there is no command in that direction.
    Default {
        user: &'a [u8],
        from: Option<&'a [u8]>,
        to: Option<&'a [u8]>,
    },
    /// Resets usage to 0.
    Reset { at: Address<'a> },
    /// Deletes an account or user; all nodes below it have been deleted before.
    Delete {
        at: Address<'a>,
        parent: &'a [u8],
        shares: Shares,
        scope: DeletionScope,
    },
}

impl<'a> Step<'a> {
    /// Returns whether the step loses something that no later step can restore.
    pub(super) fn is_harmful(self) -> bool {
        matches!(self, Self::Delete { .. } | Self::Reset { .. })
    }

    /// Returns the same step with users renamed by `name`.
    pub(super) fn for_user(self, name: impl Fn(&'a [u8]) -> &'a [u8]) -> Self {
        let named = |at: Address<'a>| Address {
            user: at.user.map(&name),
            ..at
        };
        match self {
            Self::Add { at, parent, shares } => Self::Add {
                at: named(at),
                parent,
                shares,
            },
            Self::Shares { at, from, to } => Self::Shares {
                at: named(at),
                from,
                to,
            },
            Self::Default { user, from, to } => Self::Default {
                user: name(user),
                from,
                to,
            },
            Self::Reset { at } => Self::Reset { at: named(at) },
            Self::Delete {
                at,
                parent,
                shares,
                scope,
            } => Self::Delete {
                at: named(at),
                parent,
                shares,
                scope,
            },
            Self::Rename { .. } | Self::Move { .. } => self,
        }
    }

    /// Returns the step that undoes this one. `None` if there is none.
    pub(super) fn inverse(self) -> Option<Self> {
        match self {
            Self::Rename { from, to } => Some(Self::Rename { from: to, to: from }),
            Self::Default { user, from, to } => Some(Self::Default {
                user,
                from: to,
                to: from,
            }),
            Self::Add { at, parent, shares } => Some(Self::Delete {
                at,
                parent,
                shares,
                scope: DeletionScope::Own,
            }),
            Self::Move { account, from, to } => Some(Self::Move {
                account,
                from: to,
                to: from,
            }),
            Self::Shares { at, from, to } => from.map(|from| Self::Shares {
                at,
                from: Some(to),
                to: from,
            }),
            Self::Reset { .. }
            | Self::Delete {
                scope: DeletionScope::Detour,
                ..
            } => None,
            Self::Delete {
                at, parent, shares, ..
            } => Some(Self::Add { at, parent, shares }),
        }
    }
}

/// The rules of a scheduler for steps.
#[derive(Debug)]
pub(super) struct SchedulerRules {
    /// Returns why its commands would misread a name.
    pub(super) name_fault: fn(&[u8]) -> Option<NameFault>,
    /// Returns why its commands would not delete a name that they can add and change.
    pub(super) deletion_fault: fn(&[u8]) -> Option<NameFault>,
    /// Returns why a node of this kind cannot have such shares.
    pub(super) shares_fault: fn(Kind, Shares) -> Option<SharesFault>,
    /// Whether partitions distinguish associations of a user.
    pub(super) has_partitions: bool,
    /// Whether an account may hold both accounts and users.
    pub(super) may_mix: bool,
    /// Whether usage can be set to 0.
    pub(super) can_reset_usage: bool,
    /// Which nodes can be renamed.
    pub(super) renames: RenameSupport,
}

/// Which nodes a scheduler can rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenameSupport {
    /// No node.
    Nobody,
    /// Users, in all their associations at once.
    Users,
}

/// Steps, and what else a plan reports about them.
#[derive(Debug, Default)]
pub(super) struct Steps<'a> {
    /// The steps in order.
    pub(super) list: Vec<Step<'a>>,
    /// What cannot be applied.
    pub(super) omissions: Omissions,
    /// What the rollback cannot restore.
    pub(super) one_way: Statements<Note>,
    /// Users that move; their usage stays behind.
    pub(super) moved_users: Vec<NodeId>,
    /// The new names of renamed users, by the old ones.
    pub(super) renamed: HashMap<&'a [u8], &'a [u8]>,
}
