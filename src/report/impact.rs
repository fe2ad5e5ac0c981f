//! The impact of edits: rank changes, dilution of nodes that were not edited, gains and losses by account.
//!
//! [`impact`] computes it, and [`tables`] returns it as small tables for reports and screens.

mod changes;
mod dilution;
mod moves;
mod tables;

pub use changes::{Change, ChangeKind, Changes};
pub use dilution::{DilutedLevel, Dilution};
pub use moves::{AccountMoves, Move, Tie, Ties};
pub(super) use tables::range;
pub use tables::{ImpactRow, ImpactTable, tables};

use crate::model::{Kind, NodeId};
use crate::rules::policy::{Evaluation, Policy};
use crate::scenario::Scenario;
use moves::Ranks;

/// The impact of edits on the users. New and removed users do not count as moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// What differs from the snapshot, as far as it was asked for.
    pub changes: Changes,
    /// All users of the tree as edited, and how they moved.
    pub all: AccountMoves,
    /// Users whose factor changed.
    pub other_factor: usize,
    /// Nodes of the snapshot that the policy has a target for now and had none before.
    pub appeared: usize,
    /// Users that lost their rank but still exist.
    pub unranked: usize,
    /// Where the targets of nodes fell that were not edited.
    pub dilution: Dilution,
    /// Users who share their rank now and did not before.
    pub made: Ties,
    /// Users who shared their rank before and do not now.
    pub broken: Ties,
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
    let ranks = Ranks::of(scenario);
    let [made, broken] = moves::ties(scenario, &ranks);
    let (level, accounts) = moves::by_account(tree, &ranks);
    let users = tree.nodes().iter().copied();
    let users = users.filter(|&node| tree.kind(node) == Kind::User);
    let old_users = users.clone().filter(|&node| !scenario.is_new(node));
    let (before, after) = (scenario.baseline(), scenario.evaluation());
    let factors = [scenario.policy_before(), scenario.policy()].map(Policy::factor_column);
    let has_other_factor = |node: &NodeId| {
        let factor = |side: &Evaluation| side.number(factors[1], *node).map(f64::to_bits);
        // Factors of different kinds cannot be compared.
        factors[0] == factors[1] && factor(before) != factor(after)
    };
    let is_unranked = |&node: &NodeId| before.rank(node).is_some() && after.rank(node).is_none();
    let gone = base.nodes().iter().copied();
    let is_gone = |&node: &NodeId| base.kind(node) == Kind::User && !tree.contains(node);
    Impact {
        changes: Changes::of(scenario),
        all: AccountMoves::below(tree, &ranks, NodeId::ROOT),
        other_factor: old_users.clone().filter(has_other_factor).count(),
        appeared: appeared(scenario),
        unranked: old_users.filter(is_unranked).count(),
        dilution: Dilution::of(scenario),
        made,
        broken,
        new_users: users.filter(|&node| scenario.is_new(node)).collect(),
        gone_users: gone.filter(is_gone).collect(),
        level,
        accounts,
    }
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
