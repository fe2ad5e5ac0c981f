//! Whether an edit fits the tree, and why one is refused.

use super::path;
use super::usage::{scale_to, stays_in_accounts};
use crate::base::number::word_for;
use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Scheduler, SettingError, Settings, Shares, Tree, Usage};
use crate::rules::policy::formula::FormulaError;

/// Why an edit was refused. The tree is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum EditError {
    #[error(
        "{0} is no longer there: an earlier part of the edit removed it; leave one of the two out"
    )]
    Gone(Shown),
    #[error("the root cannot be {0}; choose a node below it")]
    Root(&'static str),
    #[error(
        "unknown cannot be {0}: PBS always has this group; its shares are the setting unknown_shares"
    )]
    Unknown(&'static str),
    #[error("{0} stands for what is not listed and cannot be {1}; choose a listed node")]
    Others(Shown, &'static str),
    #[error("{0} is a user and cannot have members; choose another node")]
    NotAnAccount(Shown),
    #[error(
        "{0} cannot have members: PBS reads the name root as the root of the tree; choose another node"
    )]
    UnderRootWord(Shown),
    #[error("{0} cannot move under itself; choose a node outside it")]
    UnderItself(Shown),
    #[error("{parent} already holds {name}; choose another name")]
    NameTaken {
        /// The account that has such a member.
        parent: Shown,
        /// The name, with the partition of an association.
        name: Shown,
    },
    #[error(
        "the name {name} is taken by {path}, and PBS knows nodes by name alone; choose another name"
    )]
    NameTakenInTree {
        /// The name.
        name: Shown,
        /// The node that has it.
        path: Shown,
    },
    #[error("a name cannot be empty{0}")]
    Name(&'static str),
    #[error(
        "{0} cannot be a name: PBS does not read such a line of resource_group as a group; choose another name"
    )]
    NameBegin(Shown),
    #[error("{0} cannot be a name: PBS reserves it for a node of its own; choose another name")]
    NameReserved(Shown),
    #[error(
        "{} {} not fit; {} accepts whole numbers from 0 to {}",
        counted_shares(*.count),
        word_for(*.count, "does", "do"),
        .scheduler.map_or("a scheduler", Scheduler::title),
        Shares::most(*.scheduler)
    )]
    Shares {
        /// The shares that were asked for.
        count: i64,
        /// The scheduler that cannot hold them.
        scheduler: Option<Scheduler>,
    },
    #[error(
        "Slurm reads 2147483647 shares as the word parent; expected a whole number from 0 to 2147483646, or parent \
         itself"
    )]
    SharesParent,
    #[error(
        "too many shares; PBS and Slurm accept whole numbers from 0 to 2147483647, and Flux up to 9223372036854775807"
    )]
    SharesBeyond,
    #[error("{0} is not a whole number of shares; expected one such as 20")]
    SharesPart(Shown),
    #[error("{0} of parent has no meaning, for parent is not a number; expected one such as 20")]
    PercentOfParent(Shown),
    #[error(
        "{percent} of {} changes no whole share; expected a number such as {}",
        counted_shares(*.shares),
        .shares.saturating_add(1)
    )]
    NoWholeShare {
        /// The change, with its sign.
        percent: Shown,
        /// The shares that it changes.
        shares: i64,
    },
    #[error("only Slurm has parent shares, not {0}; expected a number such as 20")]
    NoParentShares(&'static str),
    #[error(
        "{0}% of the level cannot be reached while others in it have shares; expected a number from 0 to below 100"
    )]
    Portion(Shown),
    #[error(
        "no member of {0} has shares that may change; give one of them shares first, or keep fewer of them"
    )]
    NobodyShares(Shown),
    #[error("{0} is a user and has no members; choose a node that has some")]
    NobodyBelow(Shown),
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
        /// The node that is to get shares.
        node: Shown,
        /// The shares that were asked for.
        shares: i64,
        /// The most that it can have; below 1 if its siblings can give none.
        most: i64,
    },
    #[error(
        "{} cannot be split among the members of {account}; expected a number from {least} to {most}: a member with \
         shares keeps at least one{}",
        counted_shares(*.total),
        if *.is_kept { ", and a kept member keeps all" } else { "" }
    )]
    TooFew {
        /// The account whose level is split.
        account: Shown,
        /// The sum that was asked for.
        total: i64,
        /// The least possible sum.
        least: i64,
        /// The most that the scheduler can hold.
        most: i64,
        /// Whether some members keep their shares.
        is_kept: bool,
    },
    #[error("parent is not a number of shares; expected one such as 40")]
    NotTraded,
    #[error("usage cannot be {0}; expected a number from 0 up")]
    Usage(Shown),
    #[error("that is past the year 9999; expected a time before it, such as 7d")]
    TooLate,
    #[error("a rate cannot be {0} units a second; expected a number from 0 to 1e15")]
    Rate(Shown),
    #[error("{0} is no user and runs no jobs itself; set the rate of a user below it")]
    RateOfAccount(Shown),
    #[error("the campaign ends before it begins; expected times such as from 3d until 10d")]
    CampaignEndsFirst,
    #[error(
        "the campaign ends before the clock, which is at {0} after the time of the source; a campaign counts from there: \
         choose a later end, or plan it before stepping forward"
    )]
    CampaignIsOver(Shown),
    #[error("the usage of {0} is the sum of its users'; change the usage of a user below it")]
    UsageOfAccount(Shown),
    #[error(
        "{account} cannot have less usage than its users have together, {least}; expected a number from {least} up, \
         or 0 to forget all usage below it"
    )]
    UsageBelow {
        /// The account.
        account: Shown,
        /// The usage of its users together.
        least: Shown,
    },
    #[error(
        "a partition cannot be empty; expected ACCOUNT/USER@PARTITION, or write \\@ for an @ in a name"
    )]
    Partition,
    #[error(
        "only Slurm has partitions, not {0}; write \\@ for an @ in a name, as in group/user\\@host"
    )]
    NoPartitions(&'static str),
    #[error(
        "only users have associations for a partition; write \\@ for an @ in the name of an account"
    )]
    PartitionOfAccount,
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("job_sort_formula: {}", .0.sentence())]
    Formula(#[from] FormulaError),
}

impl EditError {
    /// Returns why the edit was refused, for where the setting that it changes is named already.
    pub(crate) fn reason(&self) -> Shown {
        match self {
            Self::Formula(error) => error.sentence(),
            error => Shown::error(error),
        }
    }
}

/// Returns a number of shares with its word.
fn counted_shares(count: i64) -> String {
    format!("{count} {}", word_for(count, "share", "shares"))
}

/// Nothing, or why an edit does not fit.
pub(super) type Check = Result<(), EditError>;

/// Checks that a node may be moved, removed or renamed: `what` says which.
pub(super) fn check_is_movable(tree: &Tree, node: NodeId, what: &'static str) -> Check {
    if node == NodeId::ROOT {
        return Err(EditError::Root(what));
    }
    if Some(node) == tree.unknown() {
        return Err(EditError::Unknown(what));
    }
    check_is_listed(tree, node, what)
}

/// Checks that a node does not stand for what is not listed.
fn check_is_listed(tree: &Tree, node: NodeId, what: &'static str) -> Check {
    if tree.is_others(node) {
        return Err(EditError::Others(path(tree, node), what));
    }
    Ok(())
}

/// Checks that the scheduler can hold so many shares.
pub(super) fn check_new_shares(settings: &Settings, shares: Shares) -> Check {
    let scheduler = settings.scheduler;
    let Some(count) = shares.count() else {
        return check_has_parent_shares(scheduler);
    };
    let is_of_slurm = scheduler == Some(Scheduler::Slurm);
    if is_of_slurm && count == Shares::STORED_PARENT {
        return Err(EditError::SharesParent);
    }
    let most = Shares::most(scheduler);
    if !(0..=most).contains(&count) {
        return Err(EditError::Shares { count, scheduler });
    }
    Ok(())
}

/// Checks that the scheduler knows the shares `parent`.
fn check_has_parent_shares(scheduler: Option<Scheduler>) -> Check {
    match scheduler {
        Some(scheduler @ (Scheduler::Pbs | Scheduler::Flux)) => {
            Err(EditError::NoParentShares(scheduler.title()))
        }
        Some(Scheduler::Slurm) | None => Ok(()),
    }
}

/// Checks that a node may get these shares.
pub(super) fn check_shares(tree: &Tree, settings: &Settings, node: NodeId, new: Shares) -> Check {
    if node == NodeId::ROOT {
        return Err(EditError::Root("given shares"));
    }
    check_is_listed(tree, node, "given shares")?;
    // Shares of the source may stay, even if negative.
    if tree.shares(node) == new {
        return Ok(());
    }
    check_new_shares(settings, new)
}

/// Checks that a node may get this usage.
pub(super) fn check_usage(tree: &Tree, settings: &Settings, node: NodeId, usage: Usage) -> Check {
    let Some(amount) = usage.amount() else {
        return Ok(());
    };
    if amount < 0.0 || amount.is_infinite() {
        return Err(EditError::Usage(Shown::again(amount.to_string())));
    }
    if tree.kind(node) != Kind::Account {
        return Ok(());
    }
    if tree.kinds_follow_shape() {
        return Err(EditError::UsageOfAccount(path(tree, node)));
    }
    if scale_to(tree, settings, node, usage).is_some() {
        return Ok(());
    }
    let least = tree.used_by_children(node);
    if stays_in_accounts(settings) && amount > 0.0 && amount < least {
        return Err(EditError::UsageBelow {
            account: path(tree, node),
            least: Shown::again(least.to_string()),
        });
    }
    Ok(())
}

/// Checks that an association may be for a partition: only users of Slurm have partitions.
pub(super) fn check_partition(settings: &Settings, kind: Kind, partition: Option<&[u8]>) -> Check {
    let Some(partition) = partition else {
        return Ok(());
    };
    if partition.is_empty() {
        return Err(EditError::Partition);
    }
    match settings.scheduler {
        Some(scheduler @ (Scheduler::Pbs | Scheduler::Flux)) => {
            Err(EditError::NoPartitions(scheduler.title()))
        }
        _ if kind == Kind::Account => Err(EditError::PartitionOfAccount),
        Some(Scheduler::Slurm) | None => Ok(()),
    }
}

/// Checks that a node may have members.
pub(super) fn check_parent(tree: &Tree, parent: NodeId) -> Check {
    if tree.kinds_follow_shape() {
        // In PBS an entity becomes a group by getting children.
        if parent != NodeId::ROOT && tree.name(parent) == b"root" {
            return Err(EditError::UnderRootWord(path(tree, parent)));
        }
    } else if tree.kind(parent) == Kind::User {
        return Err(EditError::NotAnAccount(path(tree, parent)));
    }
    Ok(())
}

/// Checks a name among siblings, with the partition of an association if it is for one.
pub(super) fn check_name(
    tree: &Tree,
    parent: NodeId,
    node: Option<NodeId>,
    name: &[u8],
    partition: Option<&[u8]>,
) -> Check {
    if name.is_empty() {
        return Err(EditError::Name(""));
    }
    if tree.kinds_follow_shape() {
        return check_name_in_pbs(tree, node, name);
    }
    for sibling in tree.children_named(parent, name, partition) {
        if Some(sibling) == node {
            continue;
        }
        let mut taken = name.to_vec();
        if let Some(partition) = partition {
            taken.push(b'@');
            taken.extend_from_slice(partition);
        }
        return Err(EditError::NameTaken {
            parent: path(tree, parent),
            name: shown(&taken),
        });
    }
    Ok(())
}

/// Checks that PBS reads a name back as it is, and has it only once. A name that is already in its file may stay.
fn check_name_in_pbs(tree: &Tree, node: Option<NodeId>, name: &[u8]) -> Check {
    const SEPARATORS: &[u8] = b" \t\n\0";
    if name.iter().any(|byte| SEPARATORS.contains(byte)) {
        return Err(EditError::Name(
            " or hold a blank: resource_group separates its fields by blanks",
        ));
    }
    let is_new = node.is_none_or(|node| tree.name(node) != name);
    if is_new && matches!(name[0], b'#' | b'*' | 0x0b..=b'\r') {
        return Err(EditError::NameBegin(shown(name)));
    }
    if is_new && matches!(name, b"root" | b"TREEROOT" | b"unknown") {
        return Err(EditError::NameReserved(shown(name)));
    }
    for &other in &*tree.nodes_named(name) {
        if Some(other) != node {
            return Err(EditError::NameTakenInTree {
                name: shown(name),
                path: path(tree, other),
            });
        }
    }
    Ok(())
}
