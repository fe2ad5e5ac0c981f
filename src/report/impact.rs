//! The impact of edits: rank changes, dilution of nodes that were not edited, gains and losses by account.

mod changes;
mod effect;
mod moves;
mod tables;

pub use changes::{Change, ChangeKind, Changes};
pub(super) use changes::{place, texts};
pub(crate) use effect::{Before, Effect};
pub use moves::{AccountMoves, Move, Tie, Ties};
pub use tables::{ImpactRow, ImpactTable, tables};
pub(super) use tables::{edits, effects, range};

use crate::model::{Kind, NodeId};
use crate::rules::policy::Evaluation;
use crate::scenario::Scenario;
use moves::Ranks;

/// The impact of edits on the users. New and removed users do not count as moved.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Impact {
    /// What differs from the snapshot, as far as it was asked for.
    pub changes: Changes,
    /// The users of the tree as edited that have a rank.
    pub all: AccountMoves,
    /// Users whose factor changed, or who had none of its kind before.
    pub(crate) other_factor: usize,
    /// Nodes of the snapshot that the policy has a target for now and had none before.
    pub(crate) appeared: usize,
    /// Users that lost their rank but still exist.
    pub(crate) unranked: usize,
    pub dilution: Dilution,
    /// Users who share their rank now and did not before.
    pub(crate) made: Ties,
    /// Users who shared their rank before and do not now.
    pub(crate) broken: Ties,
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
    let nodes = tree.nodes().iter().copied();
    let old_nodes = nodes.filter(|&node| !scenario.is_new(node));
    let (new_users, old_users): (Vec<NodeId>, Vec<NodeId>) =
        tree.users().partition(|&user| scenario.is_new(user));
    let (before, after) = (scenario.baseline(), scenario.evaluation());
    let column = scenario.policy().factor_column();
    let has_other_factor = |user: &&NodeId| {
        let factor = |side: &Evaluation| side.number(column, **user).map(f64::to_bits);
        factor(before) != factor(after)
    };
    let target = scenario.policy().target_column();
    let has_target = |side: &Evaluation, node| side.number(target, node).is_some();
    let has_appeared = |&node: &NodeId| !has_target(before, node) && has_target(after, node);
    let is_unranked = |&&user: &&NodeId| before.rank(user).is_some() && after.rank(user).is_none();
    let gone_users = base.users().filter(|&user| !tree.contains(user));
    Impact {
        changes: Changes::of(scenario),
        all: AccountMoves::below(tree, &ranks, NodeId::ROOT),
        other_factor: old_users.iter().filter(has_other_factor).count(),
        appeared: old_nodes.filter(has_appeared).count(),
        unranked: old_users.iter().filter(is_unranked).count(),
        dilution: Dilution::of(scenario),
        made,
        broken,
        new_users,
        gone_users: gone_users.collect(),
        level,
        accounts,
    }
}

/// How far two losses may differ and still be one that was handed down: PBS's portions have 32 bits.
const ROUNDING: f64 = 1e-6;

/// One level on which targets fell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DilutedLevel {
    /// The account whose children these are.
    pub level: NodeId,
    /// Children that are accounts, were not touched and lost.
    pub accounts: usize,
    /// Children that are users, were not touched and lost.
    pub users: usize,
    /// Whether members that are not listed lost too.
    pub has_unlisted: bool,
    /// Users further down who lost as much as the account above them that is counted here: of their own target, or,
    /// where targets are of the level, of what their level comes to.
    pub users_below: usize,
    /// The smallest loss on the level, as a part of what the node's target was.
    pub least: f64,
    /// The largest loss on the level, likewise.
    pub most: f64,
}

impl DilutedLevel {
    /// Returns how many children lost without being edited.
    pub fn untouched(&self) -> usize {
        self.accounts + self.users
    }
}

/// All losses of targets of unedited nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dilution {
    /// The levels, in tree order.
    pub levels: Vec<DilutedLevel>,
    /// Users that were not edited and lost with their account, which was.
    pub users_with_account: usize,
    /// All users that were not edited and whose target fell.
    pub users: usize,
    /// The least and the most that is left of a target, 1 for all of it, of a node that was not edited, beyond what its
    /// account, which was, lost or gained.
    extremes: [f64; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Nothing,
    /// An edit of the node or of an account above it.
    Edit,
    /// What happened on a level, by its place in the list.
    Level(u32),
}

impl Dilution {
    fn of(scenario: &Scenario) -> Self {
        let tree = scenario.tree();
        let target = scenario.policy().target_column();
        let of_tree = !scenario.policy().counts_by_level();
        let above = tree.order().above();
        let count = tree.node_count();
        // By position: what is left of the target (1 where that is unknown), and why.
        let mut left = vec![1.0; count];
        let mut cause = vec![Cause::Nothing; count];
        let mut level_of: Vec<Option<u32>> = vec![None; count];
        // What is left of the target of the nearest edited node, from the node itself up.
        let mut left_above = vec![1.0; count];
        let mut dilution = Self {
            extremes: [1.0; 2],
            ..Self::default()
        };
        for (position, &node) in tree.nodes().iter().enumerate().skip(1) {
            let parent = above[position] as usize;
            if scenario.is_new(node) {
                cause[position] = Cause::Edit;
                continue;
            }
            let before = scenario.baseline().number(target, node);
            let after = scenario.evaluation().number(target, node);
            let sides = before.zip(after);
            let fell = sides.is_some_and(|(before, after)| after < before);
            if let Some((before, after)) = sides.filter(|sides| sides.0 > 0.0) {
                left[position] = after / before;
            }
            let is_user = tree.kind(node) == Kind::User;
            if is_touched(scenario, node) {
                cause[position] = Cause::Edit;
                left_above[position] = left[position];
                continue;
            }
            let follows = of_tree || tree.shares(node).is_parent();
            if follows {
                left_above[position] = left_above[parent];
            }
            let own = left[position] / left_above[position];
            if own.is_finite() {
                let [least, most] = dilution.extremes;
                dilution.extremes = [least.min(own), most.max(own)];
            }
            let is_as_above =
                follows && (left[position] - left[parent]).abs() <= ROUNDING * left[parent];
            if left[position] > 1.0 {
                if is_as_above && cause[parent] == Cause::Edit {
                    cause[position] = Cause::Edit;
                }
                continue;
            }
            if !fell {
                // The target of its level is what it was, and that level is a smaller part of the tree.
                let is_same = before.is_some() && before == after;
                if let (false, true, Cause::Level(level)) = (of_tree, is_same, cause[parent]) {
                    cause[position] = cause[parent];
                    dilution.levels[level as usize].users_below += usize::from(is_user);
                }
                continue;
            }
            dilution.users += usize::from(is_user);
            if is_as_above && left[parent] < 1.0 && cause[parent] != Cause::Nothing {
                cause[position] = cause[parent];
                if is_user {
                    match cause[parent] {
                        Cause::Level(level) => dilution.levels[level as usize].users_below += 1,
                        _ => dilution.users_with_account += 1,
                    }
                }
                continue;
            }
            let level = *level_of[parent].get_or_insert_with(|| {
                dilution.levels.push(DilutedLevel {
                    level: tree.nodes()[parent],
                    least: f64::INFINITY,
                    ..DilutedLevel::default()
                });
                u32::try_from(dilution.levels.len() - 1)
                    .expect("a tree has fewer than 2^32 nodes, so fewer levels")
            });
            cause[position] = Cause::Level(level);
            let level = &mut dilution.levels[level as usize];
            match tree.kind(node) {
                Kind::Account => level.accounts += 1,
                Kind::User => level.users += 1,
                Kind::Others => level.has_unlisted = true,
            }
            let loss = 1.0 - left[position];
            level.least = level.least.min(loss);
            level.most = level.most.max(loss);
        }
        dilution
    }

    /// Returns the largest loss and the largest gain of the target of a node that was not edited, beyond what its account,
    /// which was, lost or gained.
    pub fn extremes(scenario: &Scenario) -> [f64; 2] {
        let [least, most] = Self::of(scenario).extremes;
        [1.0 - least, most - 1.0]
    }
}

/// Whether an edit was about the node itself. The usage of an account follows from that of its users.
fn is_touched(scenario: &Scenario, node: NodeId) -> bool {
    let (tree, base) = (scenario.tree(), &scenario.base().tree);
    if tree.kind(node) == Kind::User {
        return scenario.is_edited(node);
    }
    scenario.has_new_shares(node)
        || tree.parent(node) != base.parent(node)
        || tree.name(node) != base.name(node)
}
