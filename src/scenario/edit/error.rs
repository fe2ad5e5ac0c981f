//! Why an edit is refused.

use crate::model::SettingError;
use crate::policy::formula::FormulaError;

/// Why an edit was refused. The tree is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Something that was removed is named.
    #[error(
        "{0} is no longer there: an earlier part of the edit removed it; leave one of the two out"
    )]
    Gone(String),
    /// The root has no shares of its own and no place to go.
    #[error("the root cannot be {0}; choose an account or a user below it")]
    Root(&'static str),
    /// PBS always has the group `unknown`.
    #[error(
        "unknown cannot be {0}: PBS always has this group; its shares are the setting unknown_shares"
    )]
    Unknown(&'static str),
    /// A user owns jobs, it does not hold others.
    #[error("{0} is a user and cannot hold others; choose an account")]
    NotAnAccount(String),
    /// The tree would no longer be a tree.
    #[error("{0} cannot move under itself; choose an account outside it")]
    UnderItself(String),
    /// Two siblings would have one name.
    #[error("{parent} already holds {name}; choose another name")]
    NameTaken {
        /// The account.
        parent: String,
        /// The name.
        name: String,
    },
    /// PBS finds nodes by name alone.
    #[error(
        "the name {name} is taken by {path}, and PBS knows nodes by name alone; choose another name"
    )]
    NameTakenInTree {
        /// The name.
        name: String,
        /// Who has it.
        path: String,
    },
    /// A name that could not be written in the source's format.
    #[error("a name cannot be empty{0}")]
    Name(&'static str),
    /// Shares beyond what any scheduler holds.
    #[error("{0} shares do not fit; a scheduler holds whole numbers from 0 to 2147483647")]
    Shares(i64),
    /// More shares than fit a 64-bit number, let alone a scheduler.
    #[error("so many shares do not fit; a scheduler holds whole numbers from 0 to 2147483647")]
    SharesBeyond,
    /// A part of a share.
    #[error("{0} is not a whole number of shares; expected one such as 20")]
    SharesPart(String),
    /// `parent` in a tree whose scheduler does not have it.
    #[error("{0} has no parent shares, which are Slurm's; expected a number such as 20")]
    NoParentShares(&'static str),
    /// A part of the level that no count of shares gives.
    #[error(
        "{0}% of the level cannot be reached while others in it have shares; expected a number from 0 to below 100"
    )]
    Portion(String),
    /// Nobody below an account takes part in sharing out.
    #[error(
        "nobody below {0} has shares that may change; give one of them shares first, or keep fewer of them"
    )]
    NobodyShares(String),
    /// Only an account has children that could share out anything.
    #[error("{0} is a user and has nobody below it; choose an account")]
    NobodyBelow(String),
    /// A node would take what its siblings cannot give.
    #[error(
        "{shares} shares for {node} are more than its level can give while it keeps its sum; expected a number up to {most}"
    )]
    NotGiven {
        /// The node.
        node: String,
        /// What it was to get.
        shares: i64,
        /// What its siblings can give.
        most: i64,
    },
    /// A total that does not go round.
    #[error(
        "{total} shares cannot be shared out below {account}; expected a number from {least} to 2147483647, for \
         whoever has shares keeps at least one{}",
        if *.is_kept { ", and those that are kept keep all" } else { "" }
    )]
    TooFew {
        /// The account.
        account: String,
        /// What was to be shared out.
        total: i64,
        /// The least that goes round.
        least: i64,
        /// Whether some keep what they have.
        is_kept: bool,
    },
    /// `parent` is no number that others could make up for.
    #[error(
        "parent is not a number of shares that others could make up for; expected one such as 40"
    )]
    NotTraded,
    /// Usage that means nothing.
    #[error("usage cannot be {0}; expected a number from 0 up")]
    Usage(String),
    /// Time beyond what a date can say.
    #[error("that is past the year 9999; expected a time before it, such as 7d")]
    TooLate,
    /// Usage that nobody could use.
    #[error("nobody uses {0} units a second; expected a number from 0 up")]
    Rate(String),
    /// Accounts run no jobs.
    #[error("{0} is an account and runs nothing itself; give a rate to a user below it")]
    RateOfAccount(String),
    /// A campaign without time.
    #[error("the campaign ends before it begins; expected as in from 3d until 10d")]
    CampaignEndsFirst,
    /// A PBS account's usage is the sum of what lies below it.
    #[error(
        "{0} is an account: its usage is the sum of its users'; change the usage of a user below it"
    )]
    UsageOfAccount(String),
    /// A setting that does not exist or a value that does not fit.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A `job_sort_formula` that is none.
    #[error("job_sort_formula: {}", .0.sentence())]
    Formula(#[from] FormulaError),
}
