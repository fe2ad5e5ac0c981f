//! The impact of edits: rank changes, dilution of nodes that were not edited, gains and losses by account.
//!
//! [`impact`] computes it, [`summary`] returns it as one sentence, and [`tables`] returns it as small tables for
//! reports and screens.

mod accounts;
mod changes;
mod dilution;
mod sentence;
mod tables;
mod ties;

pub use accounts::AccountMoves;
pub use changes::{Change, ChangeKind, Changes};
pub use dilution::{DilutedLevel, Dilution};
pub use sentence::summary;
pub use tables::{ImpactRow, ImpactTable, tables};
pub use ties::Tie;

use crate::model::{Kind, NodeId};
use crate::rules::policy::{Evaluation, Policy};
use crate::scenario::Scenario;

/// A user whose rank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The user.
    pub node: NodeId,
    /// The rank in the untouched snapshot; 1 runs first.
    pub before: u32,
    /// The rank with the edits.
    pub after: u32,
}

impl Move {
    /// Returns how many places the user gained (positive) or lost.
    pub fn places(self) -> i64 {
        i64::from(self.before) - i64::from(self.after)
    }
}

/// The impact of edits on the users. New and removed users do not count as moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// What differs from the snapshot, as far as it was asked for.
    pub changes: Changes,
    /// Users of the tree as edited.
    pub users: usize,
    /// Users whose rank changed.
    pub moved: usize,
    /// Users who run earlier.
    pub winners: usize,
    /// Users who run later.
    pub losers: usize,
    /// Users whose factor changed.
    pub other_factor: usize,
    /// Nodes of the snapshot that the policy has a target for now and had none before.
    pub appeared: usize,
    /// Users that lost their rank but still exist.
    pub unranked: usize,
    /// Users who gained most places; of several the first in the tree.
    pub largest_gain: Option<Move>,
    /// Users who lost most places; of several the first in the tree.
    pub largest_drop: Option<Move>,
    /// Users that no edit touched and whose target fell.
    pub diluted: usize,
    /// Where the targets of nodes fell that were not edited.
    pub dilution: Dilution,
    /// Users who share their rank now and did not before.
    pub ties_made: usize,
    /// Users who shared their rank before and do not now.
    pub ties_broken: usize,
    /// Some of the ranks that became shared, in tree order.
    pub made: Vec<Tie>,
    /// Some of the ranks of before that are no longer shared by the same users, in tree order.
    pub broken: Vec<Tie>,
    /// Users that the edits added, in tree order.
    pub new_users: Vec<NodeId>,
    /// Users that the edits removed, in their former order.
    pub gone_users: Vec<NodeId>,
    /// The account below which users moved: the root, or the one that holds all users that moved.
    pub level: NodeId,
    /// Rank changes by account below `level`.
    pub accounts: Vec<AccountMoves>,
}

/// Computes the impact of the edits of a scenario.
pub fn impact(scenario: &Scenario) -> Impact {
    let (tree, base) = (scenario.tree(), &scenario.base().tree);
    let is_user = |node: NodeId| tree.kind(node) == Kind::User;
    let ranks = Ranks::of(scenario);
    let dilution = Dilution::of(scenario);
    let ties = ties::ties(scenario, &ranks);
    let (level, accounts) = accounts::groups(tree, &ranks);
    let mut impact = Impact {
        changes: Changes::of(scenario),
        users: tree.user_count(),
        moved: 0,
        winners: 0,
        losers: 0,
        other_factor: 0,
        appeared: appeared(scenario),
        unranked: 0,
        largest_gain: None,
        largest_drop: None,
        diluted: dilution.users,
        dilution,
        ties_made: ties.made_users,
        ties_broken: ties.broken_users,
        made: ties.made,
        broken: ties.broken,
        new_users: Vec::new(),
        gone_users: base
            .nodes()
            .iter()
            .copied()
            .filter(|&node| base.kind(node) == Kind::User && !tree.contains(node))
            .collect(),
        level,
        accounts,
    };
    let factors = [scenario.policy_before(), scenario.policy()].map(Policy::factor_column);
    let is_one_factor = factors[0] == factors[1];
    for (position, &node) in tree.nodes().iter().enumerate() {
        if !is_user(node) {
            continue;
        }
        if scenario.is_new(node) {
            impact.new_users.push(node);
            continue;
        }
        let [before, after] =
            [scenario.baseline(), scenario.evaluation()].map(|side| side.number(factors[1], node));
        // Factors of different kinds cannot be compared.
        let is_same = !is_one_factor || before.map(f64::to_bits) == after.map(f64::to_bits);
        impact.other_factor += usize::from(!is_same);
        impact.unranked += usize::from(ranks.before[position] > 0 && ranks.after[position] == 0);
        let Some(step) = ranks.step(position, node) else {
            continue;
        };
        if step.places() > 0 {
            impact.winners += 1;
            keep_larger(&mut impact.largest_gain, step);
        } else {
            impact.losers += 1;
            keep_larger(&mut impact.largest_drop, step);
        }
    }
    impact.moved = impact.winners + impact.losers;
    impact
}

/// Returns how many nodes of the snapshot gained a target.
fn appeared(scenario: &Scenario) -> usize {
    let target = scenario.policy().target_column();
    let has = |side: &Evaluation, node| side.number(target, node).is_some();
    let nodes = scenario.tree().nodes().iter().copied();
    let old = nodes.filter(|&node| !scenario.is_new(node));
    old.filter(|&node| !has(scenario.baseline(), node) && has(scenario.evaluation(), node))
        .count()
}

/// Keeps the larger of two moves; of equals the first.
fn keep_larger(kept: &mut Option<Move>, step: Move) {
    let size = |step: Move| step.places().unsigned_abs();
    if kept.is_none_or(|kept| size(kept) < size(step)) {
        *kept = Some(step);
    }
}

/// The ranks before and after, by position in the tree as edited; 0 where there is none.
struct Ranks {
    before: Vec<u32>,
    after: Vec<u32>,
}

impl Ranks {
    fn of(scenario: &Scenario) -> Self {
        let nodes = scenario.tree().nodes();
        let [before, after] = [scenario.baseline(), scenario.evaluation()].map(|side| {
            let rank = |&node: &NodeId| side.rank(node).unwrap_or(0);
            nodes.iter().map(rank).collect()
        });
        Self { before, after }
    }

    /// The move of the user at a position, if it moved.
    fn step(&self, position: usize, node: NodeId) -> Option<Move> {
        let (before, after) = (self.before[position], self.after[position]);
        (before > 0 && after > 0 && before != after).then_some(Move {
            node,
            before,
            after,
        })
    }
}
