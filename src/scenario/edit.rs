//! Edits: values that change a tree and return their inverse.

mod check;
mod error;
mod structure;
mod time_edits;
mod usage;

pub use error::EditError;
pub(super) use time_edits::wait_while;
pub use time_edits::{PaceChange, TotalUsage, check_wait};

use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Settings, Shares, Tree, Usage, path_of};
use crate::rules::policy::formula::{FORMULA, Formula};
use check::{
    check_is_movable, check_name, check_new_shares, check_parent, check_partition, check_shares,
    check_together, check_usage,
};
use structure::{NewNode, add, relocate, remove};
use time_edits::{change_pace, check_pace, restore, wait};
pub(super) use usage::{ReplacedUsage, raise_line, state, transfer};
use usage::{put_back, set_usage_of};

/// A change to a tree or its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Gives a node other shares.
    SetShares {
        /// The node.
        node: NodeId,
        /// Its new shares.
        shares: Shares,
    },
    /// Gives a node other recorded usage. Accounts above whose usage the source stated change by as much.
    SetUsage {
        /// The node.
        node: NodeId,
        /// Its new usage, or none.
        usage: Usage,
    },
    /// Restores recorded usage node by node; the node that was named comes first.
    RestoreUsage(Vec<(NodeId, Usage)>),
    /// Restores usage that followed from another change, node by node.
    FollowUsage(Vec<(NodeId, Usage)>),
    /// Changes a setting.
    SetSetting {
        /// The key, as in the table of settings.
        key: String,
        /// The value as text.
        value: String,
    },
    /// Adds a node.
    Add {
        /// The parent account.
        parent: NodeId,
        /// Its name.
        name: Vec<u8>,
        /// The partition of a Slurm association, if it is for one.
        partition: Option<Vec<u8>>,
        /// Its kind.
        kind: Kind,
        /// Its shares.
        shares: Shares,
        /// Its recorded usage.
        usage: Usage,
    },
    /// Removes a node with its whole subtree.
    Remove {
        /// The node.
        node: NodeId,
    },
    /// Removes an added node, without moving any usage.
    TakeOut {
        /// The node.
        node: NodeId,
    },
    /// Restores a removed node.
    Restore {
        /// The node.
        node: NodeId,
    },
    /// Moves a subtree under another account.
    Move {
        /// The node at its top.
        node: NodeId,
        /// The new parent account.
        to: NodeId,
        /// The position among its new siblings.
        place: Place,
    },
    /// Gives a node another name.
    Rename {
        /// The node.
        node: NodeId,
        /// Its new name.
        name: Vec<u8>,
    },
    /// Restores all settings, and the shares of PBS's group `unknown`, which are one of them.
    RestoreSettings {
        /// The settings.
        settings: Box<Settings>,
        /// The shares of `unknown`.
        unknown_shares: Shares,
    },
    /// Lets time pass: usage decays and is charged.
    Wait {
        /// How long, in seconds.
        seconds: u64,
    },
    /// Changes usage rates or campaigns from now on.
    Pace(PaceChange),
    /// Restores all usage and all settings of another moment.
    RestoreMoment {
        /// All usage.
        usage: TotalUsage,
        /// The settings, with the clock.
        settings: Box<Settings>,
    },
    /// Several edits as one: all of them or none.
    Batch(Vec<Self>),
}

/// The position of a moved node among its new siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The position that the source's scheduler would give a new one.
    Scheduler,
    /// After this sibling, or first.
    Behind(Option<NodeId>),
}

pub(super) fn path(tree: &Tree, node: NodeId) -> Shown {
    let path = path_of(tree, node).unwrap_or_else(|| crate::model::escape_name(tree.name(node)));
    if path.is_empty() {
        "the root".into()
    } else {
        shown(path.as_bytes())
    }
}

impl Edit {
    /// Changes the tree and returns the inverse edit.
    ///
    /// # Errors
    /// If the edit does not fit the tree, which is then unchanged.
    pub fn apply(self, tree: &mut Tree, settings: &mut Settings) -> Result<Self, EditError> {
        if let Self::Batch(edits) = self {
            return all_or_none(edits, tree, settings);
        }
        self.check(tree, settings)?;
        Ok(self.change(tree, settings))
    }

    /// Returns whether both edits set the shares of the same nodes, in the same order, and nothing else.
    pub(super) fn sets_shares_as(&self, other: &Self) -> bool {
        let pair = |(one, other): (&Self, &Self)| match (one, other) {
            (Self::SetShares { node, .. }, Self::SetShares { node: other, .. }) => node == other,
            _ => false,
        };
        match (self, other) {
            (Self::Batch(own), Self::Batch(others)) => {
                own.len() == others.len() && own.iter().zip(others).all(pair)
            }
            both => pair(both),
        }
    }

    /// Returns whether the tree already has the shares that the edit would set; `false` for other edits.
    pub(super) fn is_done(&self, tree: &Tree) -> bool {
        match self {
            Self::SetShares { node, shares } => tree.shares(*node) == *shares,
            Self::Batch(edits) => edits.iter().all(
                |edit| matches!(edit, Self::SetShares { node, shares } if tree.shares(*node) == *shares),
            ),
            _ => false,
        }
    }

    /// Returns whether a scheduler updates an association for it. Time and settings change none, and usage only by a
    /// message of its own.
    pub(super) fn updates_association(&self) -> bool {
        match self {
            Self::Batch(edits) => edits.iter().any(Self::updates_association),
            Self::SetShares { .. }
            | Self::Add { .. }
            | Self::Remove { .. }
            | Self::TakeOut { .. }
            | Self::Restore { .. }
            | Self::Move { .. }
            | Self::Rename { .. } => true,
            _ => false,
        }
    }

    /// Returns the keys of the settings that it changes, in the order of the edit.
    pub fn settings(&self) -> Vec<&str> {
        match self {
            Self::SetSetting { key, .. } => vec![key],
            Self::Batch(edits) => edits.iter().flat_map(Self::settings).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the nodes that must exist for the edit to make sense.
    fn named(&self) -> [Option<NodeId>; 2] {
        match *self {
            Self::SetShares { node, .. }
            | Self::SetUsage { node, .. }
            | Self::Add { parent: node, .. }
            | Self::Remove { node }
            | Self::Rename { node, .. } => [Some(node), None],
            Self::Move { node, to, .. } => [Some(node), Some(to)],
            Self::RestoreUsage(_)
            | Self::FollowUsage(_)
            | Self::SetSetting { .. }
            | Self::TakeOut { .. }
            | Self::Restore { .. }
            | Self::RestoreSettings { .. }
            | Self::Wait { .. }
            | Self::Pace(_)
            | Self::RestoreMoment { .. }
            | Self::Batch(_) => [None, None],
        }
    }

    /// Checks that the edit fits the tree. A batch is checked edit by edit while it is made.
    fn check(&self, tree: &Tree, settings: &Settings) -> Result<(), EditError> {
        // An earlier part of a batch may have removed a node that this part names.
        if let Some(gone) = self
            .named()
            .into_iter()
            .flatten()
            .find(|&node| !tree.contains(node))
        {
            return Err(EditError::Gone(path(tree, gone)));
        }
        match self {
            Self::SetShares { node, shares } => check_shares(tree, settings, *node, *shares),
            Self::SetUsage { node, usage } => check_usage(tree, settings, *node, *usage),
            Self::SetSetting { key, value } => {
                let mut changed = settings.clone();
                changed.set(key, value)?;
                if key == FORMULA {
                    Formula::of(&changed)?;
                }
                Ok(())
            }
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
                check_name(tree, *parent, None, (name, partition.as_deref()))?;
                check_new_shares(settings, *shares)
            }
            Self::Remove { node } => check_is_movable(tree, *node, "removed"),
            Self::Move { node, to, .. } => {
                check_is_movable(tree, *node, "moved")?;
                check_parent(tree, *to)?;
                if tree.is_within(*to, *node) {
                    return Err(EditError::UnderItself(path(tree, *node)));
                }
                if tree.parent(*node) == Some(*to) {
                    return Ok(());
                }
                check_name(
                    tree,
                    *to,
                    Some(*node),
                    (tree.name(*node), tree.partition(*node)),
                )
            }
            Self::Rename { node, name } => {
                check_is_movable(tree, *node, "renamed")?;
                let parent = tree.parent(*node).unwrap_or(NodeId::ROOT);
                check_name(tree, parent, Some(*node), (name, tree.partition(*node)))
            }
            Self::Wait { seconds } => check_wait(settings, *seconds),
            Self::Pace(change) => check_pace(tree, settings.time.passed, change),
            Self::TakeOut { .. }
            | Self::Restore { .. }
            | Self::RestoreUsage(_)
            | Self::FollowUsage(_)
            | Self::RestoreSettings { .. }
            | Self::RestoreMoment { .. }
            | Self::Batch(_) => Ok(()),
        }
    }

    /// Changes the tree without checking the edit, and returns the inverse.
    ///
    /// This is how an edit is undone: values of the source return even if an edit could not set them, such as negative
    /// shares, a name with a blank or two siblings of one name.
    pub(super) fn change(self, tree: &mut Tree, settings: &mut Settings) -> Self {
        match self {
            Self::SetShares { node, shares } if Some(node) == tree.unknown() => {
                with_unknown_shares(shares, settings).change(tree, settings)
            }
            Self::SetShares { node, shares } => {
                let before = tree.shares(node);
                tree.set_shares(node, shares);
                Self::SetShares {
                    node,
                    shares: before,
                }
            }
            Self::SetUsage { node, usage } => set_usage_of(tree, settings, node, usage),
            Self::RestoreUsage(usages) => Self::RestoreUsage(put_back(tree, usages)),
            Self::FollowUsage(usages) => {
                let mut replaced = put_back(tree, usages);
                // A node that occurs twice gets its first usage back last.
                replaced.reverse();
                Self::FollowUsage(replaced)
            }
            Self::SetSetting { key, value } => {
                let mut changed = settings.clone();
                // An invalid value changes nothing.
                if changed.set(&key, &value).is_err() {
                    return Self::Batch(Vec::new());
                }
                let unknown_shares = Shares::new(i64::from(changed.pbs.unknown_shares));
                Self::RestoreSettings {
                    settings: Box::new(changed),
                    unknown_shares,
                }
                .change(tree, settings)
            }
            Self::RestoreSettings {
                settings: restored,
                unknown_shares,
            } => {
                let before = std::mem::replace(settings, *restored);
                let shares_before = tree.unknown().map_or(unknown_shares, |unknown| {
                    let before = tree.shares(unknown);
                    tree.set_shares(unknown, unknown_shares);
                    before
                });
                Self::RestoreSettings {
                    settings: Box::new(before),
                    unknown_shares: shares_before,
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
                let newcomer = NewNode {
                    parent,
                    name: &name,
                    partition: partition.as_deref(),
                    kind,
                    shares,
                    usage,
                };
                add(tree, settings, &newcomer)
            }
            Self::Remove { node } => remove(tree, settings, node),
            Self::TakeOut { node } => {
                tree.remove(node);
                Self::Restore { node }
            }
            Self::Restore { node } => {
                tree.restore(node);
                Self::TakeOut { node }
            }
            Self::Move { node, to, place } => relocate(tree, settings, node, to, place),
            Self::Rename { node, name } => {
                let before = tree.name(node).to_vec();
                tree.rename(node, &name);
                Self::Rename { node, name: before }
            }
            Self::Wait { seconds } => wait(tree, settings, seconds),
            Self::Pace(change) => change_pace(tree, settings, &change),
            Self::RestoreMoment {
                usage,
                settings: restored,
            } => restore(usage, *restored, tree, settings),
            Self::Batch(edits) => tree.together(|tree| {
                let edits = edits.into_iter();
                let mut inverses: Vec<_> = edits.map(|edit| edit.change(tree, settings)).collect();
                inverses.reverse();
                Self::Batch(inverses)
            }),
        }
    }
}

/// Returns the edit that sets the shares of `unknown` together with the setting: they are one number to PBS, and are
/// restored together.
fn with_unknown_shares(shares: Shares, settings: &Settings) -> Edit {
    let mut changed = settings.clone();
    let count = shares.count().and_then(|count| i32::try_from(count).ok());
    if let Some(count) = count {
        changed.pbs.unknown_shares = count;
    }
    Edit::RestoreSettings {
        settings: Box::new(changed),
        unknown_shares: shares,
    }
}

fn all_or_none(
    edits: Vec<Edit>,
    tree: &mut Tree,
    settings: &mut Settings,
) -> Result<Edit, EditError> {
    if check_together(tree, &edits)? {
        return Ok(Edit::Batch(edits).change(tree, settings));
    }
    let mut inverses = Vec::with_capacity(edits.len());
    for edit in edits {
        match edit.apply(tree, settings) {
            Ok(inverse) => inverses.push(inverse),
            Err(error) => {
                for inverse in inverses.into_iter().rev() {
                    inverse.change(tree, settings);
                }
                return Err(error);
            }
        }
    }
    inverses.reverse();
    Ok(Edit::Batch(inverses))
}
