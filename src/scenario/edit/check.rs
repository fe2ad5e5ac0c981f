//! Checks whether an edit fits the tree.

use super::usage::stays_in_accounts;
use super::{Edit, EditError, path};
use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Scheduler, Settings, Shares, Tree, Usage};
use std::collections::HashMap;

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

/// Checks edits that do not affect each other: removals, and moves to one account. Returns whether they are such.
pub(super) fn check_together(tree: &Tree, edits: &[Edit]) -> Result<bool, EditError> {
    match edits.first() {
        Some(Edit::Remove { .. }) => check_removals(tree, edits),
        Some(&Edit::Move { to, .. }) => check_moves(tree, edits, to),
        _ => Ok(false),
    }
}

fn check_removals(tree: &Tree, edits: &[Edit]) -> Result<bool, EditError> {
    for edit in edits {
        let Edit::Remove { node } = *edit else {
            return Ok(false);
        };
        check_is_movable(tree, node, "removed")?;
    }
    Ok(true)
}

fn check_moves(tree: &Tree, edits: &[Edit], account: NodeId) -> Result<bool, EditError> {
    let node = |edit: &Edit| match *edit {
        Edit::Move { node, to } => (to == account).then_some(node),
        _ => None,
    };
    let Some(nodes) = edits.iter().map(node).collect::<Option<Vec<_>>>() else {
        return Ok(false);
    };
    let mut holders: HashMap<Name<'_>, NodeId> = HashMap::new();
    let mut is_shared = false;
    let mut takes_name = |node| {
        let name = (tree.name(node), tree.partition(node));
        let holder = *holders.entry(name).or_insert(node);
        holder == node
    };
    if tree.kinds_follow_shape() {
        for &node in tree.nodes() {
            is_shared |= !takes_name(node);
        }
    } else {
        for child in tree.children(account) {
            takes_name(child);
        }
    }
    if is_shared {
        // A source may contain a name twice, which a moved node must not have. That is rare.
        return Ok(false);
    }
    for node in nodes {
        check_is_movable(tree, node, "moved")?;
        check_parent(tree, account)?;
        if tree.order().is_within(account, node) {
            return Err(EditError::UnderItself(path(tree, node)));
        }
        if tree.parent(node) == Some(account) {
            continue;
        }
        check_spelling(tree, tree.name(node))?;
        if !takes_name(node) {
            return Err(EditError::NameTaken {
                parent: path(tree, account),
                name: shown(&in_partition(tree.name(node), tree.partition(node))),
            });
        }
    }
    Ok(true)
}
