//! What a scheduler calls a node with members.

use super::{Scheduler, Settings};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};

/// A scheduler's word for a node with members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noun {
    /// One of them: `account`.
    pub one: &'static str,
    /// Several of them: `accounts`.
    pub many: &'static str,
    /// One of them with its article: `an account`.
    pub any: &'static str,
    /// One of them as a heading: `Account`.
    pub title: &'static str,
    /// The heading of a column that lists them with their users: `Account / user`.
    pub with_users: &'static str,
}

/// The word of Slurm, and of trees of no scheduler.
const ACCOUNT: Noun = Noun {
    one: "account",
    many: "accounts",
    any: "an account",
    title: "Account",
    with_users: "Account / user",
};

/// The word of PBS.
const GROUP: Noun = Noun {
    one: "group",
    many: "groups",
    any: "a group",
    title: "Group",
    with_users: "Group / user",
};

/// The word of flux-accounting.
const BANK: Noun = Noun {
    one: "bank",
    many: "banks",
    any: "a bank",
    title: "Bank",
    with_users: "Bank / user",
};

impl Scheduler {
    /// Returns its word for a node with members.
    pub const fn noun(self) -> Noun {
        match self {
            Self::Pbs => GROUP,
            Self::Slurm => ACCOUNT,
            Self::Flux => BANK,
        }
    }
}

impl Settings {
    /// Returns the word for a node with members in a tree with these settings: `account` if they name no scheduler.
    pub fn noun(&self) -> Noun {
        self.scheduler.map_or(ACCOUNT, Scheduler::noun)
    }
}

impl Noun {
    /// Returns `9 accounts and 3 users`, without a part that is 0.
    pub fn and_users(self, accounts: usize, users: usize) -> Shown {
        let accounts_text = counted(accounts, self.one, self.many);
        let users_text = counted(users, "user", "users");
        match (accounts, users) {
            (_, 0) => accounts_text,
            (0, _) => users_text,
            _ => sentence!("{accounts_text} and {users_text}"),
        }
    }
}
