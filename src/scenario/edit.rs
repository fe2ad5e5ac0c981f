//! Edits: values that change a tree and give back the way home.

mod check;
mod usage;

use crate::model::{Kind, NodeId, SettingError, Settings, Shares, Tree, Usage, path_of};
use crate::policy::formula::{FORMULA, Formula, FormulaError};
use crate::shown::shown;
use check::{
    check_is_movable, check_name, check_new_shares, check_parent, check_shares, check_usage,
};
use usage::{charge, relocate};

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
    /// Puts recorded usage back, node by node.
    RestoreUsage(Vec<(NodeId, Usage)>),
    /// Changes a setting.
    SetSetting {
        /// The key, as in the table of settings.
        key: String,
        /// The value as text.
        value: String,
    },
    /// Adds a node.
    Add {
        /// The account it goes under.
        parent: NodeId,
        /// Its name.
        name: Vec<u8>,
        /// What it is.
        kind: Kind,
        /// Its shares.
        shares: Shares,
        /// Its recorded usage.
        usage: Usage,
    },
    /// Takes a node out, with everything below it.
    Remove {
        /// The node.
        node: NodeId,
    },
    /// Puts a removed node back.
    Restore {
        /// The node.
        node: NodeId,
    },
    /// Moves a subtree under another account.
    Move {
        /// The node at its top.
        node: NodeId,
        /// The account it goes under.
        to: NodeId,
        /// Where among its new siblings.
        place: Place,
    },
    /// Gives a node another name.
    Rename {
        /// The node.
        node: NodeId,
        /// Its new name.
        name: Vec<u8>,
    },
    /// Puts all settings back, and the shares of PBS's group `unknown`, which are one of them.
    RestoreSettings {
        /// The settings.
        settings: Box<Settings>,
        /// The shares of `unknown`.
        unknown_shares: Shares,
    },
    /// Several edits that are one: all of them or none.
    Batch(Vec<Self>),
}

/// Where a moved node stands among its new siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the source's scheduler would put a new one.
    Scheduler,
    /// Behind this sibling, or first.
    Behind(Option<NodeId>),
}

/// Why an edit was refused. The tree is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
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

pub(super) fn path(tree: &Tree, node: NodeId) -> String {
    let path = path_of(tree, node).unwrap_or_else(|| crate::model::escape_name(tree.name(node)));
    if path.is_empty() {
        "the root".to_owned()
    } else {
        shown(path.as_bytes())
    }
}

impl Edit {
    /// Changes the tree and gives back the edit that takes it home.
    ///
    /// # Errors
    /// If the edit does not fit the tree; nothing has changed then.
    pub fn apply(self, tree: &mut Tree, settings: &mut Settings) -> Result<Self, EditError> {
        if let Self::Batch(edits) = self {
            return all_or_none(edits, tree, settings);
        }
        self.check(tree, settings)?;
        Ok(self.change(tree, settings))
    }

    /// Whether both set the shares of the same nodes, in the same order, and nothing else.
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

    /// Whether the tree has the shares already that the edit would set; no other edit is done.
    pub(super) fn is_done(&self, tree: &Tree) -> bool {
        match self {
            Self::SetShares { node, shares } => tree.shares(*node) == *shares,
            Self::Batch(edits) => edits.iter().all(
                |edit| matches!(edit, Self::SetShares { node, shares } if tree.shares(*node) == *shares),
            ),
            _ => false,
        }
    }

    /// Whether the edit fits the tree. A batch is checked edit by edit while it is made.
    fn check(&self, tree: &Tree, settings: &Settings) -> Result<(), EditError> {
        match self {
            Self::SetShares { node, shares } => check_shares(tree, settings, *node, *shares),
            Self::SetUsage { node, usage } => check_usage(tree, *node, *usage),
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
                shares,
                ..
            } => {
                check_parent(tree, *parent)?;
                check_name(tree, *parent, None, name)?;
                check_new_shares(settings, *shares)
            }
            Self::Remove { node } => check_is_movable(tree, *node, "removed"),
            Self::Move { node, to, .. } => {
                check_is_movable(tree, *node, "moved")?;
                check_parent(tree, *to)?;
                if tree.order().is_within(*to, *node) {
                    return Err(EditError::UnderItself(path(tree, *node)));
                }
                if tree.parent(*node) == Some(*to) {
                    return Ok(());
                }
                check_name(tree, *to, Some(*node), tree.name(*node))
            }
            Self::Rename { node, name } => {
                check_is_movable(tree, *node, "renamed")?;
                let parent = tree.parent(*node).unwrap_or(NodeId::ROOT);
                check_name(tree, parent, Some(*node), name)
            }
            Self::Restore { .. }
            | Self::RestoreUsage(_)
            | Self::RestoreSettings { .. }
            | Self::Batch(_) => Ok(()),
        }
    }

    /// Changes the tree without asking whether the edit fits, and gives back the way home.
    ///
    /// This is how an edit is taken back: what a source held comes back even where nobody could have asked for it,
    /// such as negative shares, a name with a blank or two siblings of one name.
    pub(super) fn change(self, tree: &mut Tree, settings: &mut Settings) -> Self {
        match self {
            Self::SetShares { node, shares } => {
                let before = tree.shares(node);
                if Some(node) == tree.unknown()
                    && let Some(count) = shares.count()
                    && let Ok(count) = i32::try_from(count)
                {
                    // The shares of `unknown` and the setting are one number to PBS.
                    settings.pbs.unknown_shares = count;
                }
                tree.set_shares(node, shares);
                Self::SetShares {
                    node,
                    shares: before,
                }
            }
            Self::SetUsage { node, usage } => {
                let before = tree.usage(node);
                let amount = |usage: Usage| usage.amount().unwrap_or(0.0);
                tree.set_usage(node, usage);
                let mut replaced = vec![(node, before)];
                charge(
                    tree,
                    tree.parent(node),
                    amount(usage) - amount(before),
                    &mut replaced,
                );
                Self::RestoreUsage(replaced)
            }
            Self::RestoreUsage(usages) => {
                let mut replaced = Vec::with_capacity(usages.len());
                for (node, usage) in usages {
                    replaced.push((node, tree.usage(node)));
                    tree.set_usage(node, usage);
                }
                // A node that stands there twice gets its first usage back last.
                replaced.reverse();
                Self::RestoreUsage(replaced)
            }
            Self::SetSetting { key, value } => {
                let mut changed = settings.clone();
                // A value that does not fit leaves all as it is.
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
                kind,
                shares,
                usage,
            } => {
                let node = tree.add(parent, &name, kind, shares, usage);
                Self::Remove { node }
            }
            Self::Remove { node } => {
                tree.remove(node);
                Self::Restore { node }
            }
            Self::Restore { node } => {
                tree.restore(node);
                Self::Remove { node }
            }
            Self::Move { node, to, place } => relocate(tree, node, to, place),
            Self::Rename { node, name } => {
                let before = tree.name(node).to_vec();
                tree.rename(node, &name);
                Self::Rename { node, name: before }
            }
            Self::Batch(edits) if edits.len() > 1 && is_all_removal(&edits) => {
                remove_together(&edits, tree)
            }
            Self::Batch(edits) => {
                let edits = edits.into_iter();
                let mut inverses: Vec<_> = edits.map(|edit| edit.change(tree, settings)).collect();
                inverses.reverse();
                Self::Batch(inverses)
            }
        }
    }
}

/// Whether all are removals, or all put back: then the tree is settled once and not for each.
fn is_all_removal(edits: &[Edit]) -> bool {
    let is_removal = |edit: &Edit| matches!(edit, Edit::Remove { .. });
    let is_return = |edit: &Edit| matches!(edit, Edit::Restore { .. });
    edits.iter().all(is_removal) || edits.iter().all(is_return)
}

/// Takes nodes out or puts them back in one go, and gives back the way home.
fn remove_together(edits: &[Edit], tree: &mut Tree) -> Edit {
    let is_removed = matches!(edits.first(), Some(Edit::Remove { .. }));
    let nodes = edits.iter().filter_map(|edit| match edit {
        Edit::Remove { node } | Edit::Restore { node } => Some(*node),
        _ => None,
    });
    let nodes: Vec<NodeId> = nodes.collect();
    tree.set_removed(&nodes, is_removed);
    let back = |node| {
        if is_removed {
            Edit::Restore { node }
        } else {
            Edit::Remove { node }
        }
    };
    Edit::Batch(nodes.into_iter().rev().map(back).collect())
}

fn all_or_none(
    edits: Vec<Edit>,
    tree: &mut Tree,
    settings: &mut Settings,
) -> Result<Edit, EditError> {
    if edits.len() > 1 && is_all_removal(&edits) {
        for edit in &edits {
            edit.check(tree, settings)?;
        }
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
