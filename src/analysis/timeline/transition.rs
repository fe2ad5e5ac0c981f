//! What changed from one dump to the next.

use crate::analysis::diff::{Diff, Pair, SettingChange};
use crate::model::{Shares, path_of};

/// How many changes of shares are kept, the largest first: a reload of a whole tree changes all of them.
const KEPT_SHARES: usize = 100;

/// Other shares of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareChange {
    /// The path of the node in the newer tree; nothing for one too deep to have a path.
    pub path: Option<String>,
    /// Its shares.
    pub shares: Pair<Shares>,
}

impl ShareChange {
    /// By how much, for what can be counted.
    fn size(&self) -> u64 {
        let count = |shares: Shares| shares.count().unwrap_or(0);
        count(self.shares.after).abs_diff(count(self.shares.before))
    }
}

/// What changed since the moment before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// How many nodes came.
    pub added: usize,
    /// How many went.
    pub removed: usize,
    /// How many stand under another account.
    pub moved: usize,
    /// How many users have another rank.
    pub ranks: usize,
    /// How many nodes have other shares.
    pub shares_count: usize,
    /// The largest hundred of these changes.
    pub shares: Vec<ShareChange>,
    /// Settings that the policy reads and that differ.
    pub settings: Vec<SettingChange>,
    /// The user that moved furthest, by its path, and its ranks.
    pub furthest: Option<(String, Pair<u32>)>,
    /// How many nodes that nobody touched hold less of their level, or of the tree.
    pub diluted: usize,
    /// What the one in the middle of these lost, as a part of what it had: -0.037.
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
