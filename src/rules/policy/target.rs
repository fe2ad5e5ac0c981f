//! On target: a node used no more than it may use, both as its policy counts them.
//!
//! This is the one definition; every screen, report and search asks here. A policy counts in one of two ways, given by
//! its `Portions`:
//!
//! - **Of the level.** Fair Tree and Flux divide the part of the level's shares by the part of its usage: on target is
//!   a Level FS, or a weight, of 1 or more. So a node without shares is never on target, and a node with shares and
//!   without usage always is. `LEVEL_BASED` compares the same two parts without dividing: on target is U <= S.
//! - **Of the tree.** PBS, its formulas, classic, `DEPTH_OBLIVIOUS` and tickets give each node a portion of the whole
//!   tree. On target is usage <= the portion × all usage, which is what PBS itself tests (`over_fs_usage` of OpenPBS
//!   23.06, `src/scheduler/fairshare.cpp`).
//!
//! Two amounts that differ by less than a trillionth are the same: sums of decayed usage differ by that much with the
//! order in which they are added. Where PBS has recorded no usage at all nobody has used anything, although PBS starts
//! every node at 1.
//!
//! A factor is another question. Effective usage also counts the accounts above, so a factor can be low while the node
//! itself is on target. A factor of Fair Tree is a place in the ranking.

use super::{ColumnId, Evaluation, Level, Policy};
use crate::model::{Kind, NodeId, Tree};

/// The two sides that a policy compares, and their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Portions {
    /// Both as portions of the whole tree: the target is this column, and usage is compared with the root's.
    OfTree(ColumnId),
    /// Both as portions of the level.
    OfLevel {
        /// The column of the portion of shares.
        share: ColumnId,
        /// The column of the portion of usage.
        usage: ColumnId,
        /// The column of share / usage, if the policy computes it.
        ratio: Option<ColumnId>,
    },
}

/// What a node may use and what it used, as portions of the same whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The portion it may use: of its level, or of the tree.
    pub share: f64,
    /// The portion it used, of the same.
    pub used: f64,
    /// Whether it is on target: it used no more than it may.
    pub is_met: bool,
}

impl Target {
    /// Returns the used portion divided by the target: 1 is on target, more is over-served. `None` if nothing was used
    /// of a target of 0, and infinity if something was.
    pub fn served(self) -> Option<f64> {
        if self.share > 0.0 {
            Some(self.used / self.share)
        } else if self.used > 0.0 {
            Some(f64::INFINITY)
        } else {
            None
        }
    }
}

/// Returns whether a usage is more than a portion of all usage: PBS's `over_fs_usage`.
pub(super) fn exceeds(usage: f64, share: f64, total: f64) -> bool {
    total * share < usage
}

/// The usage with which every node starts (`FAIRSHARE_MIN_USAGE`), so that nothing is divided by zero.
pub const INITIAL_USAGE: f64 = 1.0;

/// The part by which two amounts may differ and still be the same.
const ROUNDING: f64 = 1e-12;

/// Returns whether a sibling of the node has shares.
fn has_rival(tree: &Tree, node: NodeId) -> bool {
    let Some(account) = tree.parent(node) else {
        return false;
    };
    for sibling in tree.children(account) {
        let shares = tree.shares(sibling).count().unwrap_or(0);
        if sibling != node && shares > 0 {
            return true;
        }
    }
    false
}

/// Returns whether a used portion is at most a share, but for rounding.
fn is_within(used: f64, share: f64) -> bool {
    used * (1.0 - ROUNDING) <= share
}

impl Policy {
    /// Returns whether the usage of the whole tree is only the one with which PBS starts.
    fn is_unused(self, total: f64) -> bool {
        self.is_of_pbs() && total.to_bits() == INITIAL_USAGE.to_bits()
    }

    /// Returns whether usage was recorded for a user, or counts for an account beyond the one with which PBS starts.
    pub fn has_used(self, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> bool {
        let usage = match tree.kind(node) {
            Kind::User | Kind::Others => tree.usage(node).amount(),
            Kind::Account => evaluation.number(ColumnId::Usage, node),
        };
        let least = if self.is_of_pbs() && tree.is_account(node) {
            INITIAL_USAGE
        } else {
            0.0
        };
        usage.is_some_and(|usage| usage > least)
    }

    /// Returns the column of a node's target: its portion of the tree or of its level.
    pub const fn target_column(self) -> ColumnId {
        match self.traits().portions {
            Portions::OfTree(target) => target,
            Portions::OfLevel { share, .. } => share,
        }
    }

    /// Returns whether [`Policy::portions`] are of the level and not of the whole tree.
    pub const fn counts_by_level(self) -> bool {
        matches!(self.traits().portions, Portions::OfLevel { .. })
    }

    /// Returns the node's target and usage as portions, or `None` if the policy has no numbers for it.
    pub fn portions(self, evaluation: &Evaluation, node: NodeId) -> Option<(f64, f64)> {
        let share = evaluation.number(self.target_column(), node)?;
        match self.traits().portions {
            Portions::OfTree(_) => {
                let total = evaluation.number(ColumnId::Usage, NodeId::ROOT)?;
                let usage = evaluation.number(ColumnId::Usage, node)?;
                let used = if total > 0.0 && !self.is_unused(total) {
                    usage / total
                } else {
                    0.0
                };
                Some((share, used))
            }
            Portions::OfLevel { usage, .. } => Some((share, evaluation.number(usage, node)?)),
        }
    }

    /// Returns [`Target::served`] of a node, or `None` if it has no target of its own.
    pub fn served(self, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<f64> {
        self.target(tree, evaluation, node)?.served()
    }

    /// Returns the level that holds a user of a part of a tree back, where the users ahead are not known: of those with a listed
    /// sibling ahead, the one that is furthest over its target, the topmost of equals. `None` if no level has one.
    pub(crate) fn most_over(
        self,
        tree: &Tree,
        evaluation: &Evaluation,
        levels: &[Level],
    ) -> Option<Level> {
        let mut most_over = None;
        let mut most_served = f64::NEG_INFINITY;
        for level in levels {
            if level.siblings_ahead == 0 || level.listed.is_unknown() {
                continue;
            }
            if let Some(served) = self.served(tree, evaluation, level.node)
                && served > most_served
            {
                most_served = served;
                most_over = Some(level.clone());
            }
        }
        most_over
    }

    /// Compares a node with its own target. Returns `None` for nodes without a target of their own: the root, nodes
    /// without numbers, and nodes with Slurm's `parent` instead of shares.
    pub fn target(self, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<Target> {
        if node == NodeId::ROOT || tree.shares(node).is_parent() {
            return None;
        }
        let (share, used) = self.portions(evaluation, node)?;
        if share.is_nan() || used.is_nan() {
            // Usage that overflowed is no number, and nothing follows from it.
            return None;
        }
        let is_met = match self.traits().portions {
            Portions::OfTree(_) => {
                let total = evaluation.number(ColumnId::Usage, NodeId::ROOT)?;
                let usage = evaluation.number(ColumnId::Usage, node)?;
                if self.is_unused(total) {
                    share > 0.0
                } else {
                    !exceeds(usage * (1.0 - ROUNDING), share, total)
                }
            }
            Portions::OfLevel { ratio: None, .. } => is_within(used, share),
            Portions::OfLevel {
                ratio: Some(ratio), ..
            } => {
                // All of a level's usage is more than any part of its shares, although a large part is rounded to all.
                let is_all = used >= 1.0 && has_rival(tree, node);
                // A dump that shows some numbers as printed may lack this one.
                let is_within = match evaluation.number(ratio, node) {
                    Some(ratio) => is_within(1.0, ratio),
                    None => is_within(used, share),
                };
                is_within && !is_all
            }
        };
        Some(Target {
            share,
            used,
            is_met,
        })
    }
}
