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
    pub(super) fn of(diff: &Diff) -> Self {
        let (old, new) = (&diff.before.tree, &diff.after.tree);
        let changes = &diff.changes;
        let changed_shares = |pair: &Pair<NodeId>| {
            let (before, after) = (old.shares(pair.before), new.shares(pair.after));
            (before != after).then_some((Pair { before, after }, pair.after))
        };
        let mut shares: Vec<_> = changes.changed.iter().filter_map(changed_shares).collect();
        let shares_count = shares.len();
        // Slurm's `parent` counts as 0.
        let count = |shares: Shares| shares.count().unwrap_or(0);
        let size = |it: Pair<Shares>| count(it.after).abs_diff(count(it.before));
        shares.sort_by_key(|(shares, _)| Reverse(size(*shares)));
        shares.truncate(KEPT_SHARES);
        let shares = shares.into_iter().map(|(shares, node)| ShareChange {
            path: path_of(new, node),
            shares,
        });
        let furthest = changes.moves.first();
        let lost = diff.dilution().lost;
        Self {
            added: changes.added.len(),
            removed: changes.removed.len(),
            moved: changes.moved.len(),
            ranks: changes.moves.len(),
            shares_count,
            shares: shares.collect(),
            settings: changes.settings.clone(),
            furthest: furthest.and_then(|user| Some((path_of(new, user.nodes.after)?, user.ranks))),
            diluted: lost.count(),
            dilution: lost.median,
        }
    }
}
