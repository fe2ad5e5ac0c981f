//! The changes from one dump to the next.

use crate::analysis::diff::{Diff, Pair, SettingChange};
use crate::model::{NodeId, Shares, path_of};
use std::cmp::Reverse;

/// The most share changes that are kept, the largest first: a reload of a tree may change all shares.
const KEPT_SHARES: usize = 100;

/// A change of a node's shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareChange {
    /// The path of the node in the newer tree. `None` if it is too deep to have one.
    pub path: Option<String>,
    /// Its shares before and after.
    pub shares: Pair<Shares>,
}

/// The changes since the previous moment: numbers of nodes, and some of the changes.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Transition {
    pub added: usize,
    pub removed: usize,
    /// To another account.
    pub(crate) moved: usize,
    /// The number of users whose rank changed.
    pub(crate) ranks: usize,
    /// The number of nodes whose shares changed.
    pub shares_count: usize,
    /// The hundred largest of those changes.
    pub shares: Vec<ShareChange>,
    /// The changed settings, as far as the policy reads them.
    pub(crate) settings: Vec<SettingChange>,
    /// The path and the ranks of the user that moved furthest. `None` if no rank changed.
    pub(crate) furthest: Option<(String, Pair<u32>)>,
    /// The number of unedited nodes whose target shrank.
    pub diluted: usize,
    /// The median relative change of those targets: -0.037 is a loss of 3.7%.
    pub dilution: f64,
}

impl Transition {
    /// Returns the changes of a comparison.
    pub(super) fn of(diff: &Diff) -> Self {
        let changes = &diff.changes;
        let mut changed = changed_shares(diff);
        let shares_count = changed.len();
        changed.sort_by_key(|&pair| Reverse(size(shares_of(diff, pair))));
        changed.truncate(KEPT_SHARES);
        let mut shares = Vec::with_capacity(changed.len());
        for pair in changed {
            shares.push(ShareChange {
                path: path_of(&diff.after.tree, pair.after),
                shares: shares_of(diff, pair),
            });
        }
        let mut furthest = None;
        if let Some(user) = changes.moves.first()
            && let Some(path) = path_of(&diff.after.tree, user.nodes.after)
        {
            furthest = Some((path, user.ranks));
        }
        let lost = diff.target_shifts().lost;
        Self {
            added: changes.added.len(),
            removed: changes.removed.len(),
            moved: changes.moved.len(),
            ranks: changes.moves.len(),
            shares_count,
            shares,
            settings: changes.settings.clone(),
            furthest,
            diluted: lost.count(),
            dilution: lost.median,
        }
    }
}

/// Returns the nodes whose shares changed.
fn changed_shares(diff: &Diff) -> Vec<Pair<NodeId>> {
    let mut changed = Vec::new();
    for &pair in &diff.changes.changed {
        let shares = shares_of(diff, pair);
        if shares.before != shares.after {
            changed.push(pair);
        }
    }
    changed
}

/// Returns the shares of a node before and after.
fn shares_of(diff: &Diff, pair: Pair<NodeId>) -> Pair<Shares> {
    Pair {
        before: diff.before.tree.shares(pair.before),
        after: diff.after.tree.shares(pair.after),
    }
}

/// Returns by how many shares they change. Slurm's `parent` counts as 0.
fn size(shares: Pair<Shares>) -> u64 {
    let before = shares.before.count().unwrap_or(0);
    let after = shares.after.count().unwrap_or(0);
    after.abs_diff(before)
}
