//! Edits: values that change a tree or its settings.

mod check;
mod time_edits;
mod usage;

pub use check::EditError;
pub(super) use time_edits::wait_while;
pub use time_edits::{PaceChange, check_wait};

use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Settings, Shares, Tree, Usage, escape_name, path_of};
use crate::rules::policy::formula::{FORMULA, Formula};
use check::{
    Check, check_is_movable, check_name, check_new_shares, check_parent, check_partition,
    check_shares, check_usage,
};
use std::ops::ControlFlow;
use time_edits::{change_pace, check_pace};
pub(super) use usage::settle_usage;
use usage::{relocate, remove, set_usage_of, transfer, usage_of_new};

/// A change to a tree or its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Gives a node shares.
    SetShares {
        /// Any node but the root.
        node: NodeId,
        /// The new shares.
        shares: Shares,
    },
    /// Gives a node other recorded usage. Accounts above whose usage the source stated change by as much. Where it
    /// stated none of an account, which has the sum of what is below, that is scaled to the new sum.
    SetUsage {
        /// A user, or an account where the scheduler has usage of accounts.
        node: NodeId,
        /// The new usage.
        usage: Usage,
    },
    /// Sets a setting of the scheduler.
    SetSetting {
        /// Its name.
        key: String,
        /// Its value, as the scheduler's file has it.
        value: String,
    },
    /// Adds a node as the last child of its account.
    Add {
        /// The account.
        parent: NodeId,
        /// Without escapes.
        name: Vec<u8>,
        /// The partition of an association of Slurm, or `None` if it is for all.
        partition: Option<Vec<u8>>,
        /// Whether it is a user or an account.
        kind: Kind,
        /// Its shares.
        shares: Shares,
        /// Its usage; none is 0 in Slurm.
        usage: Usage,
    },
    /// Removes a node with its whole subtree.
    Remove {
        /// Any node but the root.
        node: NodeId,
    },
    /// Moves a node with its whole subtree.
    Move {
        /// Any node but the root.
        node: NodeId,
        /// The account that it gets into.
        to: NodeId,
    },
    /// Gives a node another name.
    Rename {
        /// Any node but the root.
        node: NodeId,
        /// Without escapes.
        name: Vec<u8>,
    },
    /// Lets time pass: usage decays and is charged.
    Wait {
        /// How long.
        seconds: u64,
    },
    /// Changes usage rates or campaigns from now on.
    Pace(PaceChange),
    /// Several edits as one: all of them or none.
    Batch(Vec<Self>),
}

/// Returns the path of a node, for people.
pub(super) fn path(tree: &Tree, node: NodeId) -> Shown {
    match path_of(tree, node) {
        Some(path) if path.is_empty() => "the root".into(),
        Some(path) => shown(path.as_bytes()),
        None => {
            let name = escape_name(tree.name(node));
            shown(name.as_bytes())
        }
    }
}

impl Edit {
    /// Changes the tree and the settings, or nothing if the edit does not fit.
    pub fn apply(&self, tree: &mut Tree, settings: &mut Settings) -> Result<(), EditError> {
        let Self::Batch(edits) = self else {
            self.check(tree, settings)?;
            self.change(tree, settings);
            return Ok(());
        };
        let tree_before = tree.clone();
        let settings_before = settings.clone();
        let mut parts = edits.iter();
        let are_removals = parts.all(|edit| matches!(edit, Self::Remove { .. }));
        for edit in edits {
            // Of several removals one may take along what another one names.
            if let Self::Remove { node } = edit
                && are_removals
                && !tree.contains(*node)
            {
                continue;
            }
            if let Err(error) = edit.apply(tree, settings) {
                *tree = tree_before;
                *settings = settings_before;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns the single edits that it is made of.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Batch(edits) => edits.iter().flat_map(Self::parts).collect(),
            edit => vec![edit],
        }
    }

    /// Returns the nodes whose shares it sets. `None` if it does anything else.
    pub(super) fn nodes_given_shares(&self) -> Option<Vec<NodeId>> {
        let mut nodes = Vec::new();
        for part in self.parts() {
            let Self::SetShares { node, .. } = part else {
                return None;
            };
            nodes.push(*node);
        }
        Some(nodes)
    }

    /// Returns whether all that it does is to give nodes the shares that they have in a tree.
    pub(crate) fn gives_shares_of(&self, tree: &Tree) -> bool {
        self.parts().into_iter().all(|part| match part {
            Self::SetShares { node, shares } => tree.shares(*node) == *shares,
            _ => false,
        })
    }

    /// Returns whether a scheduler updates an association for it, as it does not for time, settings and usage.
    pub(super) fn updates_association(&self) -> bool {
        match self {
            Self::SetShares { .. }
            | Self::Add { .. }
            | Self::Remove { .. }
            | Self::Move { .. }
            | Self::Rename { .. } => true,
            Self::SetUsage { .. } | Self::SetSetting { .. } | Self::Wait { .. } | Self::Pace(_) => {
                false
            }
            Self::Batch(edits) => edits.iter().any(Self::updates_association),
        }
    }

    /// Returns the nodes that must exist for the edit to make sense.
    pub(crate) fn named(&self) -> [Option<NodeId>; 2] {
        match *self {
            Self::SetShares { node, .. }
            | Self::SetUsage { node, .. }
            | Self::Add { parent: node, .. }
            | Self::Remove { node }
            | Self::Rename { node, .. } => [Some(node), None],
            Self::Move { node, to } => [Some(node), Some(to)],
            Self::SetSetting { .. } | Self::Wait { .. } | Self::Pace(_) | Self::Batch(_) => {
                [None, None]
            }
        }
    }

    /// Checks that the edit fits the tree. A batch is checked edit by edit while it is made.
    fn check(&self, tree: &Tree, settings: &Settings) -> Check {
        // An earlier part of a batch may have removed a node that this part names.
        let mut named = self.named().into_iter().flatten();
        if let Some(gone) = named.find(|&node| !tree.contains(node)) {
            return Err(EditError::Gone(path(tree, gone)));
        }
        match self {
            Self::SetShares { node, shares } => check_shares(tree, settings, *node, *shares),
            Self::SetUsage { node, usage } => check_usage(tree, settings, *node, *usage),
            Self::SetSetting { key, value } => check_setting(settings, key, value),
            Self::Add {
                parent,
                name,
                partition,
                kind,
                shares,
                ..
            } => {
                check_parent(tree, *parent)?;
                check_partition(settings, *kind, partition.as_deref())?;
                check_name(tree, *parent, None, name, partition.as_deref())?;
                check_new_shares(settings, *shares)
            }
            Self::Remove { node } => check_is_movable(tree, *node, "removed"),
            Self::Move { node, to } => check_move(tree, *node, *to),
            Self::Rename { node, name } => check_rename(tree, *node, name),
            Self::Wait { seconds } => check_wait(settings, *seconds),
            Self::Pace(change) => check_pace(tree, settings.time.passed, change),
            Self::Batch(_) => Ok(()),
        }
    }

    /// Changes the tree and the settings by an edit that was checked.
    fn change(&self, tree: &mut Tree, settings: &mut Settings) {
        match self {
            Self::SetShares { node, shares } => {
                tree.set_shares(*node, *shares);
                // To PBS, the shares of `unknown` are a setting.
                if Some(*node) == tree.unknown()
                    && let Some(count) = shares.count()
                    && let Ok(count) = i32::try_from(count)
                {
                    settings.pbs.unknown_shares = count;
                }
            }
            Self::SetUsage { node, usage } => set_usage_of(tree, settings, *node, *usage),
            Self::SetSetting { key, value } => {
                if settings.set(key, value).is_ok()
                    && key == "unknown_shares"
                    && let Some(unknown) = tree.set_by_unknown_shares(settings.scheduler)
                {
                    let count = settings.pbs.unknown_shares;
                    tree.set_shares(unknown, Shares::new(count.into()));
                }
            }
            Self::Add {
                parent,
                name,
                partition,
                kind,
                shares,
                usage,
            } => {
                let own_usage = usage_of_new(tree, settings, *parent, *kind, *usage);
                let amount = own_usage.amount().unwrap_or(0.0);
                tree.add(
                    *parent,
                    name,
                    partition.as_deref(),
                    *kind,
                    *shares,
                    own_usage,
                );
                transfer(tree, None, Some(*parent), amount);
            }
            Self::Remove { node } => remove(tree, settings, *node),
            Self::Move { node, to } => relocate(tree, settings, *node, *to),
            Self::Rename { node, name } => tree.rename(*node, name),
            Self::Wait { seconds } => {
                let mut goes_on = |_| ControlFlow::Continue(());
                let done = wait_while(tree, settings, *seconds, &mut goes_on);
                debug_assert!(done.is_continue(), "nobody breaks it off");
            }
            Self::Pace(change) => change_pace(tree, settings, change),
            // Its parts are made one by one.
            Self::Batch(_) => {}
        }
    }
}

/// Checks that a setting may have a value.
fn check_setting(settings: &Settings, key: &str, value: &str) -> Check {
    let mut changed = settings.clone();
    changed.set(key, value)?;
    if key == FORMULA {
        Formula::of_settings(&changed)?;
    }
    Ok(())
}

/// Checks that a node may become a member of an account.
fn check_move(tree: &Tree, node: NodeId, to: NodeId) -> Check {
    check_is_movable(tree, node, "moved")?;
    check_parent(tree, to)?;
    if tree.is_within(to, node) {
        return Err(EditError::UnderItself(path(tree, node)));
    }
    if tree.parent(node) == Some(to) {
        return Ok(());
    }
    let name = tree.name(node);
    let partition = tree.partition(node);
    check_name(tree, to, Some(node), name, partition)
}

/// Checks that a node may have a name.
fn check_rename(tree: &Tree, node: NodeId, name: &[u8]) -> Check {
    check_is_movable(tree, node, "renamed")?;
    let parent = tree.parent(node).unwrap_or(NodeId::ROOT);
    let partition = tree.partition(node);
    check_name(tree, parent, Some(node), name, partition)
}
