//! Why an edit is refused.

use crate::base::number::word_for;
use crate::base::shown::Shown;
use crate::model::{Scheduler, SettingError, Shares};
use crate::rules::policy::formula::FormulaError;

/// Why an edit was refused. The tree is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The edit names something that was removed.
    #[error(
        "{0} is no longer there: an earlier part of the edit removed it; leave one of the two out"
    )]
    Gone(Shown),
    /// The root has no shares of its own and cannot be moved.
    #[error("the root cannot be {0}; choose a node below it")]
    Root(&'static str),
    /// PBS always has the group `unknown`.
    #[error(
        "unknown cannot be {0}: PBS always has this group; its shares are the setting unknown_shares"
    )]
    Unknown(&'static str),
    /// A user owns jobs and cannot have children.
    #[error("{0} is a user and cannot have members; choose another node")]
    NotAnAccount(Shown),
    /// PBS would put members of this node below the root.
    #[error(
        "{0} cannot have members: PBS reads the name root as the root of the tree; choose another node"
    )]
    UnderRootWord(Shown),
    /// The tree would no longer be a tree.
    #[error("{0} cannot move under itself; choose a node outside it")]
    UnderItself(Shown),
    /// Two siblings would have one name.
    #[error("{parent} already holds {name}; choose another name")]
    NameTaken {
        /// The account.
        parent: Shown,
        /// The name.
        name: Shown,
    },
    /// PBS finds nodes by name alone.
    #[error(
        "the name {name} is taken by {path}, and PBS knows nodes by name alone; choose another name"
    )]
    NameTakenInTree {
        /// The name.
        name: Shown,
        /// The path of the node that has it.
        path: Shown,
    },
    /// A name that could not be written in the source's format.
    #[error("a name cannot be empty{0}")]
    Name(&'static str),
    /// A name that begins like another element of `resource_group`.
    #[error(
        "{0} cannot be a name: PBS does not read such a line of resource_group as a group; choose another name"
    )]
    NameBegin(Shown),
    /// A name that PBS reserves.
    #[error("{0} cannot be a name: PBS reserves it for a node of its own; choose another name")]
    NameReserved(Shown),
    /// More shares than the scheduler holds.
    #[error(
        "{} {} not fit; {} accepts whole numbers from 0 to {}",
        counted_shares(*.count),
        word_for(*.count, "does", "do"),
        .scheduler.map_or("a scheduler", Scheduler::title),
        Shares::most(*.scheduler)
    )]
    Shares {
        /// The shares.
        count: i64,
        /// The scheduler of the tree, if known.
        scheduler: Option<Scheduler>,
    },
    /// The number by which Slurm stores the word.
    #[error(
        "Slurm reads 2147483647 shares as the word parent; expected a whole number from 0 to 2147483646, or parent \
         itself"
    )]
    SharesParent,
    /// More shares than fit a 64-bit number, and so more than any scheduler holds.
    #[error(
        "too many shares; PBS and Slurm accept whole numbers from 0 to 2147483647, and Flux up to 9223372036854775807"
    )]
    SharesBeyond,
    /// A fraction of a share.
    #[error("{0} is not a whole number of shares; expected one such as 20")]
    SharesPart(Shown),
    /// `parent` in a tree whose scheduler does not have it.
    #[error("only Slurm has parent shares, not {0}; expected a number such as 20")]
    NoParentShares(&'static str),
    /// A portion of the level that no number of shares gives.
    #[error(
        "{0}% of the level cannot be reached while others in it have shares; expected a number from 0 to below 100"
    )]
    Portion(Shown),
    /// No child of the account takes part in the split.
    #[error(
        "no member of {0} has shares that may change; give one of them shares first, or keep fewer of them"
    )]
    NobodyShares(Shown),
    /// Only an account has children whose shares could be split.
    #[error("{0} is a user and has no members; choose a node that has some")]
    NobodyBelow(Shown),
    /// The siblings of a node cannot give it that many shares.
    #[error(
        "{} for {node} {} more than its siblings can give; {}",
        counted_shares(*.shares),
        word_for(*.shares, "is", "are"),
        match *.most {
            ..=0 => "each sibling with shares keeps at least one".to_owned(),
            most => format!("expected a number up to {most}"),
        }
    )]
    NotGiven {
        /// The node.
        node: Shown,
        /// The shares that it was to get.
        shares: i64,
        /// The most that its siblings can give.
        most: i64,
    },
    /// A total that is too small for all children.
    #[error(
        "{} cannot be split among the members of {account}; expected a number from {least} to {most}: a member with \
         shares keeps at least one{}",
        counted_shares(*.total),
        if *.is_kept { ", and a kept member keeps all" } else { "" }
    )]
    TooFew {
        /// The account.
        account: Shown,
        /// The total.
        total: i64,
        /// The least possible total.
        least: i64,
        /// The most that the scheduler holds.
        most: i64,
        /// Whether some children keep their shares.
        is_kept: bool,
    },
    /// `parent` is no number that siblings could make up for.
    #[error("parent is not a number of shares; expected one such as 40")]
    NotTraded,
    /// Invalid usage.
    #[error("usage cannot be {0}; expected a number from 0 up")]
    Usage(Shown),
    /// A time beyond the last possible date.
    #[error("that is past the year 9999; expected a time before it, such as 7d")]
    TooLate,
    /// An impossible usage rate.
    #[error("a rate cannot be {0} units a second; expected a number from 0 to 1e15")]
    Rate(Shown),
    /// Accounts run no jobs.
    #[error("{0} is no user and runs no jobs itself; set the rate of a user below it")]
    RateOfAccount(Shown),
    /// A campaign that ends before it begins.
    #[error("the campaign ends before it begins; expected times such as from 3d until 10d")]
    CampaignEndsFirst,
    /// A campaign that is already over.
    #[error(
        "the campaign ends before the clock, which is at {0} after the snapshot; a campaign counts from the snapshot: \
         choose a later end, or plan it before stepping forward"
    )]
    CampaignIsOver(Shown),
    /// A PBS account's usage is the sum of its members.
    #[error("the usage of {0} is the sum of its users'; change the usage of a user below it")]
    UsageOfAccount(Shown),
    /// An account of Slurm has used at least as much as its users.
    #[error(
        "{account} cannot have less usage than its users have together, {least}; expected a number from {least} up, \
         or 0 to forget all usage below it"
    )]
    UsageBelow {
        /// The account.
        account: Shown,
        /// The usage of its children together.
        least: Shown,
    },
    /// A partition without a name.
    #[error(
        "a partition cannot be empty; expected ACCOUNT/USER@PARTITION, or write \\@ for an @ in a name"
    )]
    Partition,
    /// A partition in a tree whose scheduler has no partitions in it.
    #[error(
        "only Slurm has partitions, not {0}; write \\@ for an @ in a name, as in group/user\\@host"
    )]
    NoPartitions(&'static str),
    /// Only associations of users are for a partition.
    #[error(
        "only users have associations for a partition; write \\@ for an @ in the name of an account"
    )]
    PartitionOfAccount,
    /// An unknown setting or an invalid value.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// An invalid `job_sort_formula`.
    #[error("job_sort_formula: {}", .0.sentence())]
    Formula(#[from] FormulaError),
}

impl EditError {
    /// Returns why the edit was refused, for where the setting that it changes is named already.
    pub fn reason(&self) -> Shown {
        match self {
            Self::Formula(error) => error.sentence(),
            error => Shown::error(error),
        }
    }
}

fn counted_shares(count: i64) -> String {
    format!("{count} {}", word_for(count, "share", "shares"))
}
