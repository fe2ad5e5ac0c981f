//! Edits: values that change a tree or its settings.

mod check;
mod time_edits;
mod usage;

pub use check::EditError;
pub(super) use time_edits::wait_while;
pub use time_edits::{PaceChange, check_wait};

use crate::base::shown::{Shown, shown};
use crate::model::{Kind, NodeId, Settings, Shares, Tree, Usage, path_of};
use crate::rules::policy::formula::{FORMULA, Formula};
use check::{
    check_is_movable, check_name, check_new_shares, check_parent, check_partition, check_shares,
    check_usage,
};
use std::ops::ControlFlow;
use time_edits::{change_pace, check_pace};
pub(super) use usage::settle_usage;
use usage::{relocate, remove, set_usage_of, transfer, usage_of_new};

/// A change to a tree or its settings.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub enum Edit {
    SetShares {
        node: NodeId,
        shares: Shares,
    },
    /// Gives a node other recorded usage. Accounts above whose usage the source stated change by as much. Where it
    /// stated none of an account, which has the sum of what is below, that is scaled to the new sum.
    SetUsage {
        node: NodeId,
        usage: Usage,
    },
    SetSetting {
        key: String,
        value: String,
    },
    Add {
        parent: NodeId,
        name: Vec<u8>,
        partition: Option<Vec<u8>>,
        kind: Kind,
        shares: Shares,
        usage: Usage,
    },
    /// Removes a node with its whole subtree.
    Remove {
        node: NodeId,
    },
    Move {
        node: NodeId,
        to: NodeId,
    },
    Rename {
        node: NodeId,
        name: Vec<u8>,
    },
    /// Lets time pass: usage decays and is charged.
    Wait {
        seconds: u64,
    },
    /// Changes usage rates or campaigns from now on.
    Pace(PaceChange),
    /// Several edits as one: all of them or none.
    Batch(Vec<Self>),
}

pub(super) fn path(tree: &Tree, node: NodeId) -> Shown {
    let path = path_of(tree, node).unwrap_or_else(|| crate::model::escape_name(tree.name(node)));
    match &path[..] {
        "" => "the root".into(),
        path => shown(path.as_bytes()),
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
        let before = (tree.clone(), settings.clone());
        // Of several removals one may take along what another one names.
        let are_removals = edits.iter().all(|edit| matches!(edit, Self::Remove { .. }));
        let made = edits.iter().try_for_each(|edit| match edit {
            Self::Remove { node } if are_removals && !tree.contains(*node) => Ok(()),
            edit => edit.apply(tree, settings),
        });
        if made.is_err() {
            (*tree, *settings) = before;
        }
        made
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
        let node = |part: &Self| match part {
            Self::SetShares { node, .. } => Some(*node),
            _ => None,
        };
        self.parts().into_iter().map(node).collect()
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
        self.parts().into_iter().any(|part| {
            matches!(
                part,
                Self::SetShares { .. }
                    | Self::Add { .. }
                    | Self::Remove { .. }
                    | Self::Move { .. }
                    | Self::Rename { .. }
            )
        })
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
    fn check(&self, tree: &Tree, settings: &Settings) -> Result<(), EditError> {
        // An earlier part of a batch may have removed a node that this part names.
        let mut named = self.named().into_iter().flatten();
        if let Some(gone) = named.find(|&node| !tree.contains(node)) {
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
            Self::Move { node, to } => {
                check_is_movable(tree, *node, "moved")?;
                check_parent(tree, *to)?;
                if tree.is_within(*to, *node) {
                    return Err(EditError::UnderItself(path(tree, *node)));
                }
                if tree.parent(*node) == Some(*to) {
                    return Ok(());
                }
                let name = (tree.name(*node), tree.partition(*node));
                check_name(tree, *to, Some(*node), name)
            }
            Self::Rename { node, name } => {
                check_is_movable(tree, *node, "renamed")?;
                let parent = tree.parent(*node).unwrap_or(NodeId::ROOT);
                check_name(tree, parent, Some(*node), (name, tree.partition(*node)))
            }
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
                let count = shares.count().and_then(|count| i32::try_from(count).ok());
                if let Some(count) = count.filter(|_| Some(*node) == tree.unknown()) {
                    settings.pbs.unknown_shares = count;
                }
            }
            Self::SetUsage { node, usage } => set_usage_of(tree, settings, *node, *usage),
            Self::SetSetting { key, value } => {
                if settings.set(key, value).is_ok()
                    && key == "unknown_shares"
                    && let Some(unknown) = tree.set_by_unknown_shares(settings.scheduler)
                {
                    tree.set_shares(unknown, Shares::new(settings.pbs.unknown_shares.into()));
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
                let usage = usage_of_new(tree, settings, *parent, *kind, *usage);
                let partition = partition.as_deref();
                tree.add(*parent, name, partition, *kind, *shares, usage);
                transfer(tree, None, Some(*parent), usage.amount().unwrap_or(0.0));
            }
            Self::Remove { node } => remove(tree, settings, *node),
            Self::Move { node, to } => relocate(tree, settings, *node, *to),
            Self::Rename { node, name } => tree.rename(*node, name),
            Self::Wait { seconds } => {
                let done = wait_while(tree, settings, *seconds, &mut |_| ControlFlow::Continue(()));
                debug_assert!(done.is_continue(), "nobody breaks it off");
            }
            Self::Pace(change) => change_pace(tree, settings, change),
            // Its parts are made one by one.
            Self::Batch(_) => {}
        }
    }
}
