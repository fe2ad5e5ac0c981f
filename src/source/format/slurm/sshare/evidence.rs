//! What the columns of `sshare` reveal of the policy.

use super::column::Column;
use crate::rules::policy::Policy;

/// The account of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccountKind {
    Root,
    Other,
}

impl AccountKind {
    /// Returns the kind of an account with this name. The one at the top of every Slurm tree is `root`.
    pub(super) fn named(name: &[u8]) -> Self {
        if name == b"root" {
            Self::Root
        } else {
            Self::Other
        }
    }
}

/// A policy that a cell reveals, the most certain last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    #[default]
    None,
    /// A FairShare of an account, or a root with all shares. Other policies leave these empty or 0.
    Classic,
    /// A 64-bit priority.
    LevelBased,
    /// A LevelFS above 0.
    FairTree,
}

/// The evidence found in the cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    sign: Sign,
    /// Whether TRESRunMins are in the form of Slurm since 15.08.
    has_tres: bool,
}

impl Evidence {
    /// Notes what a number reveals. `account` is `None` in the row of a user.
    pub(super) fn weigh(&mut self, column: Column, value: f64, account: Option<AccountKind>) {
        let sign = match column {
            Column::LevelFs if value > 0.0 => Sign::FairTree,
            Column::FairShare if value > 0.0 && account.is_some() => Sign::Classic,
            Column::NormShares if value >= 1.0 && account == Some(AccountKind::Root) => {
                Sign::Classic
            }
            _ => Sign::None,
        };
        self.sign = self.sign.max(sign);
    }

    /// Notes a 64-bit priority.
    pub(super) fn note_word(&mut self) {
        self.sign = self.sign.max(Sign::LevelBased);
    }

    /// Notes a text of a column.
    pub(super) fn note_text(&mut self, column: Column, cell: &[u8]) {
        self.has_tres |= column == Column::TresRunMins && cell.contains(&b'=');
    }

    /// Returns the policy, or `None` if it is not revealed. `is_long` says that the columns are those of `-l` without
    /// LevelFS.
    pub(super) const fn policy(self, is_long: bool) -> Option<Policy> {
        match self.sign {
            Sign::FairTree => Some(Policy::FairTree),
            Sign::LevelBased => Some(Policy::LevelBased),
            Sign::Classic => Some(Policy::Classic),
            // Since 15.08 the output of -l has LevelFS under Fair Tree.
            Sign::None if self.has_tres && is_long => Some(Policy::Classic),
            Sign::None => None,
        }
    }
}
