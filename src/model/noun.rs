//! What a scheduler calls a node with members.

use super::{Scheduler, Settings};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};

/// A scheduler's word for a node with members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noun {
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    /// One of them with its article: `an account`.
    pub(crate) any: &'static str,
    pub(crate) title: &'static str,
    /// The heading of a column that lists them with their users: `Account / user`.
    pub(crate) with_users: &'static str,
}

/// The word of Slurm, and of trees of no scheduler.
const ACCOUNT: Noun = noun(
    "account",
    "accounts",
    "an account",
    "Account",
    "Account / user",
);
const GROUP: Noun = noun("group", "groups", "a group", "Group", "Group / user");
const BANK: Noun = noun("bank", "banks", "a bank", "Bank", "Bank / user");

const fn noun(
    one: &'static str,
    many: &'static str,
    any: &'static str,
    title: &'static str,
    with_users: &'static str,
) -> Noun {
    Noun {
        one,
        many,
        any,
        title,
        with_users,
    }
}

impl Scheduler {
    pub(crate) const fn noun(self) -> Noun {
        match self {
            Self::Pbs => GROUP,
            Self::Slurm => ACCOUNT,
            Self::Flux => BANK,
        }
    }
}

impl Settings {
    /// Returns the word for a node with members in a tree with these settings: `account` if they name no scheduler.
    pub(crate) fn noun(&self) -> Noun {
        self.scheduler.map_or(ACCOUNT, Scheduler::noun)
    }
}

impl Noun {
    /// Returns `9 accounts and 3 users`, without a part that is 0.
    pub(crate) fn and_users(self, accounts: usize, users: usize) -> Shown {
        let accounts_text = counted(accounts, self.one, self.many);
        let users_text = counted(users, "user", "users");
        match (accounts, users) {
            (_, 0) => accounts_text,
            (0, _) => users_text,
            _ => sentence!("{accounts_text} and {users_text}"),
        }
    }
}
