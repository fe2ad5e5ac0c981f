//! The changes from one dump to the next.

use crate::analysis::diff::{Diff, Pair, SettingChange};
use crate::model::{Shares, path_of};

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

impl ShareChange {
    /// Returns the size of the change, with Slurm's `parent` as 0.
    fn size(&self) -> u64 {
        let count = |shares: Shares| shares.count().unwrap_or(0);
        count(self.shares.after).abs_diff(count(self.shares.before))
    }
}

/// The changes since the previous moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// The number of added nodes.
    pub added: usize,
    /// The number of removed nodes.
    pub removed: usize,
    /// The number of nodes that moved to another account.
    pub moved: usize,
    /// The number of users whose rank changed.
    pub ranks: usize,
    /// The number of nodes whose shares changed.
    pub shares_count: usize,
    /// The hundred largest of those changes.
    pub shares: Vec<ShareChange>,
    /// The changed settings, as far as the policy reads them.
    pub settings: Vec<SettingChange>,
    /// The path and the ranks of the user that moved furthest. `None` if no rank changed.
    pub furthest: Option<(String, Pair<u32>)>,
    /// The number of unedited nodes whose target shrank.
    pub diluted: usize,
    /// The median relative change of those targets: -0.037 is a loss of 3.7%.
    pub dilution: f64,
}

impl Transition {
    pub(super) fn of(diff: &Diff) -> Self {
        let (old, new) = (diff.before().tree(), diff.after().tree());
        let changes = diff.changes();
        let mut shares: Vec<_> = changes
            .changed
            .iter()
            .filter(|pair| old.shares(pair.before) != new.shares(pair.after))
            .map(|pair| {
                let change = ShareChange {
                    path: None,
                    shares: Pair {
                        before: old.shares(pair.before),
                        after: new.shares(pair.after),
                    },
                };
                (change, pair.after)
            })
            .collect();
        let shares_count = shares.len();
        shares.sort_by_key(|(change, _)| std::cmp::Reverse(change.size()));
        shares.truncate(KEPT_SHARES);
        let furthest = changes.moves.first();
        let lost = diff.dilution().lost;
        Self {
            added: changes.added.len(),
            removed: changes.removed.len(),
            moved: changes.moved.len(),
            ranks: changes.moves.len(),
            shares_count,
            shares: shares
                .into_iter()
                .map(|(change, node)| ShareChange {
                    path: path_of(new, node),
                    ..change
                })
                .collect(),
            settings: changes.settings.clone(),
            furthest: furthest.and_then(|user| Some((path_of(new, user.nodes.after)?, user.ranks))),
            diluted: lost.count(),
            dilution: lost.median,
        }
    }
}
