//! What became of the targets of those that nobody touched: shares given to one are taken from all others.

use super::Diff;
use super::changes::has_moved;
use crate::model::Kind;
use crate::rules::policy::ColumnId;

/// By how much a target must change, as a part of what it was, to count.
const NOTABLE: f64 = 0.001;

/// Targets that changed in one direction: by how much, as a part of what they were; a loss is negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetShift {
    /// How many of them are accounts.
    pub accounts: usize,
    /// How many of them are users.
    pub users: usize,
    /// The smallest change, nearest to none; 0 if nobody's changed.
    pub least: f64,
    /// The one in the middle; of an even number the larger of the two in the middle.
    pub median: f64,
    /// The largest change.
    pub most: f64,
}

impl TargetShift {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.accounts + self.users
    }

    fn of(mut changes: Vec<(f64, Kind)>) -> Self {
        changes.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        let at = |place: usize| changes.get(place).map_or(0.0, |change| change.0);
        let is_account = |change: &&(f64, Kind)| change.1 == Kind::Account;
        let accounts = changes.iter().filter(is_account).count();
        Self {
            accounts,
            users: changes.len() - accounts,
            least: at(0),
            median: at(changes.len() / 2),
            most: at(changes.len().saturating_sub(1)),
        }
    }
}

/// The targets of nodes that are on both sides, under the same account, with the same shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dilution {
    /// The policy's target.
    pub column: ColumnId,
    /// How many accounts were not touched and had a target, the root not counted.
    pub accounts: usize,
    /// How many users.
    pub users: usize,
    /// Those that hold less by more than a thousandth.
    pub lost: TargetShift,
    /// Those that hold more by more than a thousandth.
    pub gained: TargetShift,
}

impl Dilution {
    /// How many nodes were not touched and had a target.
    #[must_use]
    pub fn untouched(&self) -> usize {
        self.accounts + self.users
    }

    pub(super) fn of(diff: &Diff) -> Self {
        let column = diff.policy().target_column();
        let (old, new) = (diff.before(), diff.after());
        let (mut accounts, mut users) = (0, 0);
        let (mut lost, mut gained) = (Vec::new(), Vec::new());
        for pair in diff.pairs() {
            let is_touched = old.tree().shares(pair.before) != new.tree().shares(pair.after)
                || old.tree().parent(pair.before).is_none()
                || has_moved(old.tree(), new.tree(), diff.matching(), pair);
            if is_touched {
                continue;
            }
            let was = old.evaluation().number(column, pair.before);
            let is = new.evaluation().number(column, pair.after);
            let (Some(was), Some(is)) = (was, is) else {
                continue;
            };
            let change = is / was - 1.0;
            // Nothing is no part of anything.
            if was <= 0.0 || !change.is_finite() {
                continue;
            }
            let kind = new.tree().kind(pair.after);
            match kind {
                Kind::Account => accounts += 1,
                Kind::User => users += 1,
            }
            if change < -NOTABLE {
                lost.push((change, kind));
            } else if change > NOTABLE {
                gained.push((change, kind));
            }
        }
        Self {
            column,
            accounts,
            users,
            lost: TargetShift::of(lost),
            gained: TargetShift::of(gained),
        }
    }
}
