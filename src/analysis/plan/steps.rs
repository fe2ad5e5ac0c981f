//! The steps from one tree to another for schedulers that know an account by its name and a user by its account:
//! in an order in which each can be taken, and each with the step that takes it back.

mod address;
mod build;
mod rename;
mod usage;

pub(super) use build::steps;

use super::omission::Omissions;
use super::statement::Statements;
use super::{NameFault, Note, SharesFault};
use crate::model::{Kind, NodeId, Shares};
use std::collections::HashMap;

/// By what a scheduler knows a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address<'a> {
    /// The account, or the account of the user.
    pub(super) account: &'a [u8],
    /// The user; nothing for an account.
    pub(super) user: Option<&'a [u8]>,
    /// The partition of the user's association, where it has one.
    pub(super) partition: Option<&'a [u8]>,
    /// Whether only the partition tells the user's association from another with the same account.
    pub(super) needs_partition: bool,
}

impl Address<'_> {
    /// What it is the address of.
    pub(super) fn kind(&self) -> Kind {
        match self.user {
            Some(_) => Kind::User,
            None => Kind::Account,
        }
    }
}

/// How much one deletion takes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeletionScope {
    /// One association.
    Own,
    /// All associations of a user with one account.
    Whole,
    /// Nothing: it goes with another deletion, which is [`DeletionScope::Whole`].
    Along,
    /// One association that was made for the time of the commands, which nothing needs to bring back.
    Detour,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// A user gets another name everywhere.
    Rename { from: &'a [u8], to: &'a [u8] },
    /// A new account or user.
    Add {
        at: Address<'a>,
        /// The account an account goes under; a user's own.
        parent: &'a [u8],
        shares: Shares,
    },
    /// An account goes under another one.
    Move {
        account: &'a [u8],
        from: &'a [u8],
        to: &'a [u8],
    },
    /// Other shares.
    Shares {
        at: Address<'a>,
        /// The shares before; nothing where no command can give them back.
        from: Option<Shares>,
        to: Shares,
    },
    /// A user gets another default account; `None` where nothing is to be told.
    Default {
        user: &'a [u8],
        from: Option<&'a [u8]>,
        to: Option<&'a [u8]>,
    },
    /// Usage is forgotten.
    Reset { at: Address<'a> },
    /// An account or user goes; everything below is gone by then.
    Delete {
        at: Address<'a>,
        parent: &'a [u8],
        shares: Shares,
        scope: DeletionScope,
    },
}

impl<'a> Step<'a> {
    /// Whether something is lost that no later step can bring back.
    pub(super) fn is_harmful(self) -> bool {
        matches!(self, Self::Delete { .. } | Self::Reset { .. })
    }

    /// The same step for users of other names.
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

    /// The step that takes this one back; nothing where there is no way back.
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

/// What a scheduler takes.
#[derive(Debug)]
pub(super) struct SchedulerRules {
    /// Why a name cannot be given on its command line.
    pub(super) name_fault: fn(&[u8]) -> Option<NameFault>,
    /// Why a node of this kind cannot be given such shares.
    pub(super) shares_fault: fn(Kind, Shares) -> Option<SharesFault>,
    /// Whether its users are told apart by partitions.
    pub(super) has_partitions: bool,
    /// Whether an account may hold both accounts and users.
    pub(super) may_mix: bool,
    /// Whether usage can be set to 0.
    pub(super) can_reset_usage: bool,
    /// Who can get another name.
    pub(super) renames: RenameSupport,
}

/// Who can get another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RenameSupport {
    /// Nobody.
    Nobody,
    /// A user, who has it in all associations then.
    Users,
}

/// The steps, and what is to be said beside.
#[derive(Debug, Default)]
pub(super) struct Steps<'a> {
    pub(super) list: Vec<Step<'a>>,
    pub(super) omissions: Omissions,
    /// What the rollback cannot bring back.
    pub(super) one_way: Statements<Note>,
    /// Users that move: what they used stays behind.
    pub(super) moved_users: Vec<NodeId>,
    /// The new names of users, by the old ones.
    pub(super) renamed: HashMap<&'a [u8], &'a [u8]>,
}
