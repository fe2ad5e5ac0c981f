//! Checks whether an edit fits the tree.

use super::usage::stays_in_accounts;
use super::{EditError, path};
use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Scheduler, Settings, Shares, Tree, Usage};

pub(super) fn check_is_movable(
    tree: &Tree,
    node: NodeId,
    what: &'static str,
) -> Result<(), EditError> {
    if node == NodeId::ROOT {
        return Err(EditError::Root(what));
    }
    if Some(node) == tree.unknown() {
        return Err(EditError::Unknown(what));
    }
    Ok(())
}

pub(super) fn check_new_shares(settings: &Settings, shares: Shares) -> Result<(), EditError> {
    match (shares.count(), settings.scheduler) {
        (Some(Shares::STORED_PARENT), Some(Scheduler::Slurm)) => Err(EditError::SharesParent),
        (Some(count), scheduler) if !(0..=Shares::most(scheduler)).contains(&count) => {
            Err(EditError::Shares { count, scheduler })
        }
        (None, Some(scheduler @ (Scheduler::Pbs | Scheduler::Flux))) => {
            Err(EditError::NoParentShares(scheduler.title()))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_shares(
    tree: &Tree,
    settings: &Settings,
    node: NodeId,
    shares: Shares,
) -> Result<(), EditError> {
    if node == NodeId::ROOT {
        return Err(EditError::Root("given shares"));
    }
    // Shares of the source may stay, even if negative.
    if tree.shares(node) == shares {
        return Ok(());
    }
    check_new_shares(settings, shares)
}

pub(super) fn check_usage(
    tree: &Tree,
    settings: &Settings,
    node: NodeId,
    usage: Usage,
) -> Result<(), EditError> {
    if let Some(amount) = usage.amount()
        && (amount < 0.0 || amount.is_infinite())
    {
        return Err(EditError::Usage(Shown::again(amount.to_string())));
    }
    if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account && usage.amount().is_some() {
        return Err(EditError::UsageOfAccount(path(tree, node)));
    }
    if tree.kind(node) == Kind::Account
        && stays_in_accounts(settings)
        && let Some(amount) = usage.amount().filter(|&amount| amount > 0.0)
    {
        let least = tree.used_by_children(node);
        if amount < least {
            return Err(EditError::UsageBelow {
                account: path(tree, node),
                least: Shown::again(least.to_string()),
            });
        }
    }
    Ok(())
}

/// Checks that an association may be for a partition: only users of Slurm have partitions.
pub(super) fn check_partition(
    settings: &Settings,
    kind: Kind,
    partition: Option<&[u8]>,
) -> Result<(), EditError> {
    let Some(partition) = partition else {
        return Ok(());
    };
    match settings.scheduler {
        _ if partition.is_empty() => Err(EditError::Partition),
        Some(scheduler @ (Scheduler::Pbs | Scheduler::Flux)) => {
            Err(EditError::NoPartitions(scheduler.title()))
        }
        _ if kind == Kind::Account => Err(EditError::PartitionOfAccount),
        Some(Scheduler::Slurm) | None => Ok(()),
    }
}

/// A name among siblings, with the partition of an association if it is for one.
pub(super) type Name<'a> = (&'a [u8], Option<&'a [u8]>);

pub(super) fn check_parent(tree: &Tree, parent: NodeId) -> Result<(), EditError> {
    // In PBS an entity becomes a group by getting children.
    if tree.kind(parent) == Kind::User && !tree.kinds_follow_shape() {
        return Err(EditError::NotAnAccount(path(tree, parent)));
    }
    if tree.kinds_follow_shape() && parent != NodeId::ROOT && tree.name(parent) == b"root" {
        return Err(EditError::UnderRootWord(path(tree, parent)));
    }
    Ok(())
}

pub(super) fn check_name(
    tree: &Tree,
    parent: NodeId,
    node: Option<NodeId>,
    (name, partition): Name<'_>,
) -> Result<(), EditError> {
    check_spelling(tree, name)?;
    if node.is_none_or(|node| tree.name(node) != name) {
        check_is_free(tree, name)?;
    }
    if tree.kinds_follow_shape() {
        let mut named = tree.nodes_named(name).into_iter();
        let taken = named.find(|&other| Some(other) != node);
        return match taken {
            Some(other) => Err(EditError::NameTakenInTree {
                name: shown(name),
                path: path(tree, other),
            }),
            None => Ok(()),
        };
    }
    let mut siblings = tree.children_named(parent, name, partition).into_iter();
    if siblings.any(|child| Some(child) != node) {
        return Err(EditError::NameTaken {
            parent: path(tree, parent),
            name: shown(&in_partition(name, partition)),
        });
    }
    Ok(())
}

/// Returns `alice@gpu`, as in paths.
fn in_partition(name: &[u8], partition: Option<&[u8]>) -> Vec<u8> {
    let partition = partition.map(|partition| [b"@", partition].concat());
    [name, &partition.unwrap_or_default()].concat()
}

fn check_spelling(tree: &Tree, name: &[u8]) -> Result<(), EditError> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0);
    if name.is_empty() {
        return Err(EditError::Name(""));
    }
    if tree.kinds_follow_shape() && name.iter().any(is_blank) {
        return Err(EditError::Name(
            " or hold a blank: resource_group separates its fields by blanks",
        ));
    }
    Ok(())
}

/// Checks that PBS reads a name back as it is. A name that is already in its file may stay.
fn check_is_free(tree: &Tree, name: &[u8]) -> Result<(), EditError> {
    if !tree.kinds_follow_shape() {
        return Ok(());
    }
    if matches!(name[0], b'#' | b'*' | 0x0b..=b'\r') {
        return Err(EditError::NameBegin(shown(name)));
    }
    if matches!(name, b"root" | b"TREEROOT" | b"unknown") {
        return Err(EditError::NameReserved(shown(name)));
    }
    Ok(())
}
