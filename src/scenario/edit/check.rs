//! Whether an edit fits the tree.

use super::{EditError, path};
use crate::model::{Kind, NodeId, Scheduler, Settings, Shares, Tree, Usage};
use crate::shown::shown;

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

/// Whether a node may get these shares.
pub(super) fn check_new_shares(settings: &Settings, shares: Shares) -> Result<(), EditError> {
    match (shares.count(), settings.scheduler) {
        (Some(count), _) => check_count(count),
        (None, Some(scheduler @ (Scheduler::Pbs | Scheduler::Flux))) => {
            Err(EditError::NoParentShares(scheduler.title()))
        }
        (None, Some(Scheduler::Slurm) | None) => Ok(()),
    }
}

fn check_count(count: i64) -> Result<(), EditError> {
    if (0..=i64::from(i32::MAX)).contains(&count) {
        Ok(())
    } else {
        Err(EditError::Shares(count))
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
    // What the source held may stay, be it negative.
    if tree.shares(node) == shares {
        return Ok(());
    }
    check_new_shares(settings, shares)
}

pub(super) fn check_usage(tree: &Tree, node: NodeId, usage: Usage) -> Result<(), EditError> {
    if let Some(amount) = usage.amount()
        && (amount < 0.0 || amount.is_infinite())
    {
        return Err(EditError::Usage(amount.to_string()));
    }
    if tree.kinds_follow_shape() && tree.kind(node) == Kind::Account && usage.amount().is_some() {
        return Err(EditError::UsageOfAccount(path(tree, node)));
    }
    Ok(())
}

pub(super) fn check_parent(tree: &Tree, parent: NodeId) -> Result<(), EditError> {
    // In PBS an entity becomes a group by getting children.
    if tree.kind(parent) == Kind::User && !tree.kinds_follow_shape() {
        return Err(EditError::NotAnAccount(path(tree, parent)));
    }
    Ok(())
}

pub(super) fn check_name(
    tree: &Tree,
    parent: NodeId,
    node: Option<NodeId>,
    name: &[u8],
) -> Result<(), EditError> {
    if name.is_empty() {
        return Err(EditError::Name(""));
    }
    if tree.kinds_follow_shape() {
        if name
            .iter()
            .any(|byte| matches!(byte, b' ' | b'\t' | b'\n' | 0))
        {
            return Err(EditError::Name(
                " or hold a blank: resource_group separates its fields by blanks",
            ));
        }
        let taken = tree
            .nodes()
            .iter()
            .find(|&&other| Some(other) != node && tree.name(other) == name);
        return match taken {
            Some(&other) => Err(EditError::NameTakenInTree {
                name: shown(name),
                path: path(tree, other),
            }),
            None => Ok(()),
        };
    }
    if tree
        .children(parent)
        .any(|child| Some(child) != node && tree.name(child) == name)
    {
        return Err(EditError::NameTaken {
            parent: path(tree, parent),
            name: shown(name),
        });
    }
    Ok(())
}
