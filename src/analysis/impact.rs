//! The impact of edits: who moves, who ties, who is diluted without being edited.

mod changes;
mod dilution;
mod effect;
mod moves;
mod ties;

pub use changes::{Change, ChangeKind, ChangeList};
pub use dilution::{DilutedLevel, Dilution};
pub(crate) use effect::{Before, Effect};
pub use moves::{AccountMoves, Move, Moves};
pub use ties::{Tie, TieChanges, Ties};

use crate::model::NodeId;
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use moves::Ranks;

/// The impact of edits on the users. New and removed users do not count as moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// What differs from the snapshot, as far as it was asked for.
    pub changes: ChangeList,
    /// The rank changes.
    pub moves: Moves,
    /// The ranks that users came to share, or no longer share.
    pub ties: TieChanges,
    /// The losses of targets of nodes that were not edited.
    pub dilution: Dilution,
    /// Users whose factor changed, or who had none of its kind before.
    pub(crate) other_factor: usize,
    /// Nodes of the snapshot that the policy has a target for now and had none before.
    pub(crate) appeared: usize,
    /// Users that lost their rank but still exist.
    pub(crate) unranked: usize,
    /// Users that the edits added, in tree order.
    pub new_users: Vec<NodeId>,
    /// Users that the edits removed, in their former order.
    pub gone_users: Vec<NodeId>,
}

impl Impact {
    /// Returns the impact of the edits of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let ranks = Ranks::of(scenario);
        let mut impact = Self {
            changes: ChangeList::of(scenario),
            moves: Moves::of(scenario.tree(), &ranks),
            ties: TieChanges::of(scenario, &ranks),
            dilution: Dilution::of(scenario),
            other_factor: 0,
            appeared: 0,
            unranked: 0,
            new_users: Vec::new(),
            gone_users: Vec::new(),
        };
        impact.count_users(scenario);
        impact.count_appeared(scenario);
        impact
    }

    /// Counts the users that came, went, lost their rank or have another factor.
    fn count_users(&mut self, scenario: &Scenario) {
        let tree = scenario.tree();
        let before = scenario.baseline();
        let after = scenario.evaluation();
        for user in tree.users() {
            if scenario.is_new(user) {
                self.new_users.push(user);
                continue;
            }
            if factor_bits(scenario, before, user) != factor_bits(scenario, after, user) {
                self.other_factor += 1;
            }
            if before.rank(user).is_some() && after.rank(user).is_none() {
                self.unranked += 1;
            }
        }
        for user in scenario.base().tree.users() {
            if !tree.contains(user) {
                self.gone_users.push(user);
            }
        }
    }

    /// Counts the nodes of the snapshot that have a target for the first time.
    fn count_appeared(&mut self, scenario: &Scenario) {
        let target = scenario.policy().target_column();
        for &node in scenario.tree().nodes() {
            if !scenario.is_new(node)
                && scenario.baseline().number(target, node).is_none()
                && scenario.evaluation().number(target, node).is_some()
            {
                self.appeared += 1;
            }
        }
    }
}

/// Returns the bits of a user's factor on one side of the edits; `None` without a factor. Infinities and NaN are compared
/// by them too.
fn factor_bits(scenario: &Scenario, side: &Evaluation, user: NodeId) -> Option<u64> {
    let column = scenario.policy().factor_column();
    let factor = side.number(column, user)?;
    Some(factor.to_bits())
}
