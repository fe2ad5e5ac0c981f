//! What the columns of `sshare` show of the policy behind them.

use super::column::Column;
use crate::rules::policy::Policy;

/// Which account a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    Root,
    Other,
}

impl Account {
    /// Returns the kind of an account with this name: the one at the top of every tree of Slurm's is `root`.
    pub(super) fn named(name: &[u8]) -> Self {
        if name == b"root" {
            Self::Root
        } else {
            Self::Other
        }
    }
}

/// A policy that shows in a cell, the surest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    #[default]
    None,
    /// A FairShare of an account, or a root that has all shares: the others leave these empty or 0.
    Classic,
    /// A 64-bit word.
    LevelBased,
    /// A LevelFS above 0.
    FairTree,
}

/// What was seen in the cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    sign: Sign,
    /// Whether TRESRunMins are as Slurm prints them since 15.08.
    has_tres: bool,
}

impl Evidence {
    /// Notes what a number says; `account` is `None` in the row of a user.
    pub(super) fn weigh(&mut self, column: Column, value: f64, account: Option<Account>) {
        let sign = match column {
            Column::LevelFs if value > 0.0 => Sign::FairTree,
            Column::FairShare if value > 0.0 && account.is_some() => Sign::Classic,
            Column::NormShares if value >= 1.0 && account == Some(Account::Root) => Sign::Classic,
            _ => Sign::None,
        };
        self.sign = self.sign.max(sign);
    }

    /// Notes a 64-bit word.
    pub(super) fn note_word(&mut self) {
        self.sign = self.sign.max(Sign::LevelBased);
    }

    /// Notes a text of a column.
    pub(super) fn note_text(&mut self, column: Column, cell: &[u8]) {
        self.has_tres |= column == Column::TresRunMins && cell.contains(&b'=');
    }

    /// Returns the policy, where it shows; `is_long` says that the columns are those of `-l` without LevelFS.
    pub(super) const fn policy(self, is_long: bool) -> Option<Policy> {
        match self.sign {
            Sign::FairTree => Some(Policy::FairTree),
            Sign::LevelBased => Some(Policy::LevelBased),
            Sign::Classic => Some(Policy::Classic),
            // Since 15.08 what -l prints holds LevelFS under Fair Tree.
            Sign::None if self.has_tres && is_long => Some(Policy::Classic),
            Sign::None => None,
        }
    }
}
