//! Dilution: changed targets of unedited nodes. Shares given to one node reduce the targets of all its siblings.

use super::changes::has_moved;
use super::{Diff, Pair};
use crate::model::{Kind, NodeId};
use crate::rules::policy::ColumnId;

/// The smallest relative change of a target that counts.
const NOTABLE: f64 = 0.001;

/// Relative changes of targets in one direction; losses are negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetShift {
    pub accounts: usize,
    pub(crate) users: usize,
    /// The smallest change; 0 if there are none.
    pub least: f64,
    /// The median change; for an even number the larger of the two in the middle.
    pub median: f64,
    /// The largest change; 0 if there are none.
    pub most: f64,
}

impl TargetShift {
    /// Returns the number of changed targets.
    pub fn count(&self) -> usize {
        self.accounts + self.users
    }

    /// Summarises relative changes of the targets of nodes of these kinds.
    fn of(mut changes: Vec<(f64, Kind)>) -> Self {
        changes.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        let at = |place: usize| changes.get(place).map_or(0.0, |change| change.0);
        let accounts = accounts(&changes);
        Self {
            accounts,
            users: changes.len() - accounts,
            least: at(0),
            median: at(changes.len() / 2),
            most: at(changes.len().saturating_sub(1)),
        }
    }
}

fn accounts(changes: &[(f64, Kind)]) -> usize {
    let accounts = changes.iter().filter(|it| it.1 == Kind::Account);
    accounts.count()
}

/// The changes of the targets of nodes that are in both trees, under the same account and with the same shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dilution {
    pub(crate) column: ColumnId,
    /// The number of unedited accounts that had a target, without the root.
    pub accounts: usize,
    /// The number of unedited users that had a target.
    pub users: usize,
    /// Targets that shrank by more than a thousandth.
    pub lost: TargetShift,
    /// Targets that grew by more than a thousandth.
    pub gained: TargetShift,
}

impl Dilution {
    /// Returns the number of unedited nodes that had a target.
    pub(crate) fn untouched(&self) -> usize {
        self.accounts + self.users
    }

    pub(super) fn of(diff: &Diff) -> Self {
        let column = diff.policy().target_column();
        let (old, new) = (&diff.before, &diff.after);
        let is_untouched = |pair: &Pair<NodeId>| {
            old.tree.shares(pair.before) == new.tree.shares(pair.after)
                && old.tree.parent(pair.before).is_some()
                && !has_moved(&old.tree, &new.tree, &diff.matching, *pair)
        };
        let change = |pair: Pair<NodeId>| {
            let was = old.evaluation.number(column, pair.before)?;
            let change = new.evaluation.number(column, pair.after)? / was - 1.0;
            // A change relative to a target of 0 is undefined.
            let is_defined = was > 0.0 && change.is_finite();
            is_defined.then(|| (change, new.tree.kind(pair.after)))
        };
        let changes = diff.pairs().filter(is_untouched).filter_map(change);
        let changes: Vec<_> = changes.collect();
        let some = |is_meant: fn(f64) -> bool| {
            let changes = changes.iter().filter(|it| is_meant(it.0));
            TargetShift::of(changes.copied().collect())
        };
        let accounts = accounts(&changes);
        Self {
            column,
            accounts,
            users: changes.len() - accounts,
            lost: some(|change| change < -NOTABLE),
            gained: some(|change| change > NOTABLE),
        }
    }
}
