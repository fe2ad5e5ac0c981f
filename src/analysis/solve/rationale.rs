//! Why: what the answer leads to, or where it is decided that there is none.

use super::goal::{Goal, best_rank, best_user};
use super::on_target::TargetUse;
use super::trial::Trial;
use super::{Question, Standing};
use crate::base::number::Value;
use crate::model::{NodeId, Tree};
use crate::rules::policy::{ColumnId, Decision, Evaluation, Policy};

/// Why an answer is what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rationale {
    /// Some shares reach the goal.
    Reached(ReachedGoal),
    /// No number of shares that was tried does.
    Impossible(UnreachableGoal),
}

/// What the shares of an answer lead to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReachedGoal {
    /// The shares.
    pub shares: i64,
    /// Whether shares were looked through from what there is downwards.
    pub is_falling: bool,
    /// Where the node stands with them.
    pub standing: Standing,
    /// What it used against its target then. `None` where the policy has no target for it.
    pub target: Option<TargetUse>,
    /// How many users have a rank.
    pub user_count: usize,
}

/// Why no number of shares does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnreachableGoal {
    /// The last count of shares that was tried, at which the obstacle is still there.
    pub last: i64,
    /// What stands in the way.
    pub obstacle: Obstacle,
}

/// What stands between a node and its goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// A factor is wanted, and the policy gives the node none.
    NoFactor,
    /// A portion of the tree is wanted, and the policy gives the node none.
    NoShare,
    /// The node is to be on target, and the policy gives it no target.
    NoTarget,
    /// A place is wanted, and nobody in the node has a rank.
    NoRank {
        /// Whether there are users at all.
        has_users: bool,
    },
    /// The factor stays too low.
    LowFactor {
        /// The factor that is wanted.
        wanted: f64,
        /// The factor that there is.
        factor: f64,
        /// The account above and its own factor. `None` below the root, and where accounts have no factor.
        account: Option<(NodeId, f64)>,
    },
    /// The portion of the tree stays too low.
    LowShare {
        /// The portion that is wanted.
        wanted: f64,
        /// The portion that there is.
        share: f64,
        /// The account above and its portion, which is the most there can be inside it. `None` below the root.
        account: Option<(NodeId, f64)>,
    },
    /// Too much was used for the target.
    OverTarget {
        /// What was used.
        target: TargetUse,
        /// The account above and its target, where targets are portions of the tree. `None` below the root, and where
        /// they are portions of the account.
        account: Option<(NodeId, f64)>,
    },
    /// Too much was used for the target, which lies inside the account whose shares may change and does not follow them.
    TargetInside(TargetUse),
    /// Another node of the same level, or of a level above, comes first.
    Level(LevelOrder),
    /// A user with a better number comes first.
    Number(NumberOrder),
    /// The goal is there at the last count, but by rounding alone.
    Rounding,
}

/// The two numbers that decide an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecidingNumbers {
    /// The column they stand in.
    pub column: ColumnId,
    /// The numbers: the node's own and the other's.
    pub values: [Value; 2],
}

/// An order that is decided on one level of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelOrder {
    /// The node of the own way on that level, and its sibling that comes first or ties with it.
    pub sides: [NodeId; 2],
    /// Whether the two tie.
    pub is_tied: bool,
    /// Their numbers.
    pub comparison: DecidingNumbers,
    /// The user that stays ahead.
    pub rival: NodeId,
    /// Whether that user's rank is better, and not the same.
    pub is_behind: bool,
    /// How many users stay ahead for this reason.
    pub users: usize,
    /// Where the level lies beside the node whose shares may change.
    pub place: LevelPosition,
}

/// Where the level that decides lies beside the node whose shares may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelPosition {
    /// It is the node's own level, or on another way.
    Level,
    /// It is above: nothing inside this account changes it.
    Above(NodeId),
    /// It is inside the node, where its shares change nothing.
    Inside,
}

/// An order that is decided by a number of each user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberOrder {
    /// The best user of the node.
    pub user: NodeId,
    /// Its rank.
    pub rank: u32,
    /// The user that stays ahead.
    pub rival: NodeId,
    /// Whether the two have the same rank.
    pub is_tied: bool,
    /// Their numbers.
    pub comparison: DecidingNumbers,
    /// How many users too many stay ahead.
    pub users: usize,
    /// The user's account and its own factor. `None` below the root, and where accounts have no factor.
    pub account: Option<(NodeId, f64)>,
}

/// The reason of an answer: the shares that reach the goal, and where the node stands with them. The trial stands at
/// the end of its scale if there are none.
pub(super) fn rationale(
    trial: &Trial<'_>,
    question: Question,
    answer: Option<(i64, Standing)>,
) -> Rationale {
    match answer {
        Some((shares, standing)) => Rationale::Reached(reached(trial, shares, standing)),
        None => Rationale::Impossible(UnreachableGoal {
            last: trial.scale.shares(trial.scale.last),
            obstacle: obstacle(trial, question),
        }),
    }
}

fn reached(trial: &Trial<'_>, shares: i64, standing: Standing) -> ReachedGoal {
    let scenario = &trial.scenario;
    let target_use = |target| {
        let (policy, tree) = (scenario.policy(), scenario.tree());
        TargetUse::of(policy, tree, trial.node, target)
    };
    ReachedGoal {
        shares,
        is_falling: trial.scale.falls,
        standing,
        target: standing.target.map(target_use),
        user_count: scenario.evaluation().user_count(),
    }
}

fn obstacle(trial: &Trial<'_>, question: Question) -> Obstacle {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let node = question.node;
    let standing = || Standing::of(policy, tree, evaluation, node);
    match question.goal {
        Goal::OnTarget => off_target(trial, question),
        Goal::Factor(wanted) => match standing().factor {
            Some(factor) => Obstacle::LowFactor {
                wanted,
                factor,
                account: factor_above(policy, tree, evaluation, node),
            },
            None => Obstacle::NoFactor,
        },
        Goal::Share(wanted) => match standing().share {
            Some(share) => Obstacle::LowShare {
                wanted,
                share,
                account: share_above(policy, tree, evaluation, node),
            },
            None => Obstacle::NoShare,
        },
        Goal::Rank(_) | Goal::AheadOf(_) => {
            let Some(user) = best_user(tree, evaluation, node) else {
                let has_users = tree.user_count() > 0;
                return Obstacle::NoRank { has_users };
            };
            match leader(trial, user, question.goal) {
                None => Obstacle::Rounding,
                Some(leader) if policy.orders_by_level() => {
                    Obstacle::Level(level_order(trial, user, &leader))
                }
                Some(leader) => Obstacle::Number(number_order(trial, user, &leader)),
            }
        }
    }
}

/// Why no number of shares brings a node on target.
fn off_target(trial: &Trial<'_>, question: Question) -> Obstacle {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let Question { node, change, .. } = question;
    let Some(target) = policy.target(tree, evaluation, node) else {
        return Obstacle::NoTarget;
    };
    let target = TargetUse::of(policy, tree, node, target);
    if change != node && policy.counts_by_level() && tree.order().is_within(node, change) {
        return Obstacle::TargetInside(target);
    }
    let account = account(tree, node).filter(|_| !policy.counts_by_level());
    let above = |account| Some((account, policy.target(tree, evaluation, account)?.share));
    Obstacle::OverTarget {
        target,
        account: account.and_then(above),
    }
}

/// The account of a node. `None` right below the root.
fn account(tree: &Tree, node: NodeId) -> Option<NodeId> {
    tree.parent(node).filter(|&account| account != NodeId::ROOT)
}

/// The account of a node and its factor, which may hold the node's down.
fn factor_above(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    node: NodeId,
) -> Option<(NodeId, f64)> {
    let account = account(tree, node)?;
    let factor = evaluation.number(policy.factor_column(), account)?;
    Some((account, factor))
}

/// The account of a node and its portion of the tree: its children cannot have more.
fn share_above(
    policy: Policy,
    tree: &Tree,
    evaluation: &Evaluation,
    node: NodeId,
) -> Option<(NodeId, f64)> {
    let account = account(tree, node)?;
    let share = Standing::of(policy, tree, evaluation, account).share?;
    Some((account, share))
}

/// Who stays ahead, and where that is decided.
struct Leader {
    user: NodeId,
    /// How many users stay ahead for the same reason.
    users: usize,
    decision: Decision,
}

/// Who stays ahead of a user so that the goal is out of reach: the user of another node, or, where a rank is wanted,
/// of all who are ahead those who part from the user's way at the highest level at which they are enough.
fn leader(trial: &Trial<'_>, user: NodeId, goal: Goal) -> Option<Leader> {
    let scenario = &trial.scenario;
    let (tree, evaluation, policy) = (scenario.tree(), scenario.evaluation(), scenario.policy());
    let decided = |other, users| Leader {
        user: other,
        users,
        decision: policy.decision(tree, evaluation, user, other),
    };
    let wanted = match goal {
        Goal::AheadOf(other) => {
            return Some(decided(best_user(tree, evaluation, other)?, 1));
        }
        Goal::Rank(wanted) => wanted,
        Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => return None,
    };
    let rank = evaluation.rank(user)?;
    let ranks = evaluation.ranks();
    if !policy.orders_by_level() {
        // The last one that would have to be passed.
        let is_ahead = |other: &u32| (1..=wanted).contains(other);
        let last = ranks.iter().copied().filter(is_ahead).max()?;
        let place = ranks.iter().position(|&other| other == last)?;
        let users = rank.saturating_sub(wanted) as usize;
        return Some(decided(tree.nodes()[place], users));
    }
    let mut above = NodeId::ROOT;
    let mut users = 0;
    for node in tree.line(user) {
        let inside = tree.order().span(node);
        let parting = tree.order().span(above);
        let is_ahead =
            |&place: &usize| !inside.contains(&place) && ranks[place] > 0 && ranks[place] < rank;
        let ahead: Vec<usize> = parting.filter(is_ahead).collect();
        users += ahead.len();
        if users >= wanted as usize {
            // The first in its way is the one just ahead.
            let last = ahead.into_iter().max_by_key(|&place| ranks[place])?;
            return Some(decided(tree.nodes()[last], users));
        }
        above = node;
    }
    None
}

/// The two numbers of a decision.
fn comparison(evaluation: &Evaluation, decision: &Decision) -> DecidingNumbers {
    let column = decision.column;
    DecidingNumbers {
        column,
        values: decision.sides.map(|side| evaluation.value(column, side)),
    }
}

fn level_order(trial: &Trial<'_>, user: NodeId, leader: &Leader) -> LevelOrder {
    let scenario = &trial.scenario;
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let own = leader.decision.sides[0];
    let order = tree.order();
    let place = if own != trial.change && order.is_within(trial.change, own) {
        LevelPosition::Above(tree.parent(trial.change).unwrap_or(own))
    } else if own != trial.change && order.is_within(own, trial.change) {
        LevelPosition::Inside
    } else {
        LevelPosition::Level
    };
    LevelOrder {
        sides: leader.decision.sides,
        is_tied: leader.decision.first.is_none(),
        comparison: comparison(evaluation, &leader.decision),
        rival: leader.user,
        is_behind: evaluation.rank(user) > evaluation.rank(leader.user),
        users: leader.users,
        place,
    }
}

fn number_order(trial: &Trial<'_>, user: NodeId, leader: &Leader) -> NumberOrder {
    let scenario = &trial.scenario;
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    let rank = best_rank(tree, evaluation, user).unwrap_or(0);
    NumberOrder {
        user,
        rank,
        rival: leader.user,
        is_tied: evaluation.rank(leader.user) == Some(rank),
        comparison: comparison(evaluation, &leader.decision),
        users: leader.users,
        account: factor_above(scenario.policy(), tree, evaluation, user),
    }
}
