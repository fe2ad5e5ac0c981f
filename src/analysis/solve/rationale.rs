//! The rationale of an answer: what it leads to, or why there is none.

use super::goal::{Goal, TargetUse};
use super::search::Trial;
use super::{Answer, ShareQuestion, Standing};
use crate::base::number::Value;
use crate::model::{NodeId, Tree};
use crate::rules::policy::Decision;
use crate::scenario::Scenario;

/// What an answer leads to, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rationale {
    /// A number of shares reaches the goal.
    Reached(ReachedGoal),
    /// No number of shares that was tried reaches the goal.
    Impossible {
        /// The last number of shares that was tried; the obstacle remains with it.
        last: i64,
        obstacle: Obstacle,
    },
}

/// The result of giving the shares of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReachedGoal {
    pub(crate) shares: i64,
    /// Whether the search reduced the present shares.
    pub(crate) is_falling: bool,
    pub(crate) standing: Standing,
    /// Its usage and its target then. `None` if the policy has no target for it.
    pub(crate) target: Option<TargetUse>,
    pub(crate) user_count: usize,
}

/// What keeps a node from its goal. An `account` is the one above the node with its own number, if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Obstacle {
    /// The goal is a factor, and the policy gives the node none.
    NoFactor,
    /// The goal is a portion of the tree, and the policy gives the node none.
    NoShare,
    /// The goal is to be on target, and the policy gives the node no target.
    NoTarget,
    /// The goal is a rank, and no user of the node has one.
    NoRank { has_users: bool },
    /// Not all users are listed, so no rank is known.
    UnknownRank,
    /// The factor stays too low.
    LowFactor {
        wanted: f64,
        factor: f64,
        account: Option<(NodeId, f64)>,
    },
    /// The portion of the tree stays too low.
    LowShare {
        wanted: f64,
        share: f64,
        account: Option<(NodeId, f64)>,
    },
    /// The node used more than its target.
    OverTarget {
        target: TargetUse,
        /// `None` also if targets are portions of the account.
        account: Option<(NodeId, f64)>,
    },
    /// It used more than its target, a portion of the account that may change, so the target does not follow shares.
    TargetInside(TargetUse),
    /// A sibling of the node, or of an account above it, ranks first.
    Level(LevelOrder),
    /// A user with a better number ranks first.
    Number(NumberOrder),
    /// The last number of shares reaches the goal, but only by rounding.
    Rounding,
}

/// A user that stays ahead, and what decides that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leader {
    pub(crate) user: NodeId,
    /// The number of users that stay ahead for the same reason, beyond what the goal allows if numbers decide.
    pub(crate) users: usize,
    /// The node is the one spoken of.
    pub(crate) decision: Decision,
    /// The number of the node, or of the account above it, that is compared.
    pub(crate) own_value: Value,
    /// The number that it is compared with.
    pub(crate) other_value: Value,
}

/// An order decided on a level of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LevelOrder {
    pub(crate) leader: Leader,
    /// Whether the leader's rank is better and not equal.
    pub(crate) is_behind: bool,
    pub(crate) place: LevelPosition,
}

/// Where the deciding level is relative to the node whose shares may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelPosition {
    /// It is the node's own level, or on another path.
    Level,
    /// It is above: no change inside this account affects it.
    Above(NodeId),
    /// It is below the node, whose shares do not affect it.
    Inside,
}

/// An order decided by a number of each user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NumberOrder {
    pub(crate) user: NodeId,
    pub(crate) rank: u32,
    pub(crate) leader: Leader,
    pub(crate) is_tied: bool,
    /// As in [`Obstacle`].
    pub(crate) account: Option<(NodeId, f64)>,
}

/// Returns the rationale of an answer. If there is no answer, the last number of shares is set in the trial.
pub(super) fn rationale(
    trial: &Trial<'_>,
    question: ShareQuestion,
    answer: Option<Answer>,
) -> Rationale {
    let Some(answer) = answer else {
        return Rationale::Impossible {
            last: trial.scale.shares(trial.scale.last),
            obstacle: obstacle(trial, question),
        };
    };
    let scenario = &trial.scenario;
    let mut target = None;
    if let Some(own) = answer.standing.target {
        let policy = scenario.policy();
        target = Some(TargetUse::of(policy, scenario.tree(), trial.node, own));
    }
    Rationale::Reached(ReachedGoal {
        shares: answer.shares,
        is_falling: trial.scale.falls,
        standing: answer.standing,
        target,
        user_count: scenario.evaluation().user_count(),
    })
}

/// Returns what keeps a node from its goal with the last number of shares.
fn obstacle(trial: &Trial<'_>, question: ShareQuestion) -> Obstacle {
    let scenario = &trial.scenario;
    let node = question.node;
    let standing = Standing::in_scenario(scenario, node);
    match question.goal {
        Goal::OnTarget => off_target(scenario, question),
        Goal::Factor(wanted) => match standing.factor {
            Some(factor) => Obstacle::LowFactor {
                wanted,
                factor,
                account: factor_above(scenario, node),
            },
            None => Obstacle::NoFactor,
        },
        Goal::Share(wanted) => match standing.share {
            Some(share) => Obstacle::LowShare {
                wanted,
                share,
                account: share_above(scenario, node),
            },
            None => Obstacle::NoShare,
        },
        Goal::Rank(_) | Goal::AheadOf(_) => low_rank(trial, question),
    }
}

/// Returns what keeps a node from a rank.
fn low_rank(trial: &Trial<'_>, question: ShareQuestion) -> Obstacle {
    let scenario = &trial.scenario;
    let evaluation = scenario.evaluation();
    if evaluation.is_of_part() {
        return Obstacle::UnknownRank;
    }
    let Some(user) = evaluation.best_user(question.node) else {
        let has_users = scenario.tree().user_count() > 0;
        return Obstacle::NoRank { has_users };
    };
    let Some(leader) = leader(scenario, user, question.goal) else {
        return Obstacle::Rounding;
    };
    if scenario.policy().orders_by_level() {
        Obstacle::Level(level_order(trial, user, leader))
    } else {
        Obstacle::Number(number_order(scenario, user, leader))
    }
}

/// Returns what keeps a node from its target.
fn off_target(scenario: &Scenario, question: ShareQuestion) -> Obstacle {
    let tree = scenario.tree();
    let evaluation = scenario.evaluation();
    let policy = scenario.policy();
    let ShareQuestion { node, change, .. } = question;
    let Some(own) = policy.target(tree, evaluation, node) else {
        return Obstacle::NoTarget;
    };
    let target = TargetUse::of(policy, tree, node, own);
    let is_by_level = policy.counts_by_level();
    if change != node && is_by_level && tree.order().is_within(node, change) {
        return Obstacle::TargetInside(target);
    }
    let mut above = None;
    if !is_by_level
        && let Some(account) = account(tree, node)
        && let Some(own) = policy.target(tree, evaluation, account)
    {
        above = Some((account, own.share));
    }
    Obstacle::OverTarget {
        target,
        account: above,
    }
}

/// Returns the account of a node. `None` directly below the root.
fn account(tree: &Tree, node: NodeId) -> Option<NodeId> {
    match tree.parent(node) {
        Some(NodeId::ROOT) => None,
        account => account,
    }
}

/// Returns the account of a node and its factor, which may limit the node's.
fn factor_above(scenario: &Scenario, node: NodeId) -> Option<(NodeId, f64)> {
    let account = account(scenario.tree(), node)?;
    let column = scenario.policy().factor_column();
    Some((account, scenario.evaluation().number(column, account)?))
}

/// Returns the account of a node and its portion of the tree, which may limit the node's.
fn share_above(scenario: &Scenario, node: NodeId) -> Option<(NodeId, f64)> {
    let account = account(scenario.tree(), node)?;
    let share = Standing::in_scenario(scenario, account).share?;
    Some((account, share))
}

/// Returns who stays ahead of a user and so keeps the goal out of reach: the best user of a node to be passed. If the
/// goal is a rank, the levels of the user's path are taken from the top until the users ahead whose paths have diverged
/// are too many; it is the last of those.
fn leader(scenario: &Scenario, user: NodeId, goal: Goal) -> Option<Leader> {
    let evaluation = scenario.evaluation();
    let wanted = match goal {
        Goal::AheadOf(other) => {
            let other_user = evaluation.best_user(other)?;
            return Some(Leader::of(scenario, user, other_user, 1));
        }
        Goal::Rank(wanted) => wanted,
        Goal::OnTarget | Goal::Factor(_) | Goal::Share(_) => return None,
    };
    let rank = evaluation.rank(user)?;
    if scenario.policy().orders_by_level() {
        return leader_of_level(scenario, user, rank, wanted);
    }
    // The last user that would have to be passed.
    let ranks = evaluation.ranks();
    let mut last = 0;
    let mut place = 0;
    for (position, &other) in ranks.iter().enumerate() {
        if other <= wanted && other > last {
            last = other;
            place = position;
        }
    }
    if last == 0 {
        return None;
    }
    let users = rank.saturating_sub(wanted) as usize;
    let other = scenario.tree().nodes()[place];
    Some(Leader::of(scenario, user, other, users))
}

/// Returns who stays ahead of a user on the level that keeps the wanted rank out of reach. `None` if no level does.
fn leader_of_level(scenario: &Scenario, user: NodeId, rank: u32, wanted: u32) -> Option<Leader> {
    let tree = scenario.tree();
    let ranks = scenario.evaluation().ranks();
    let mut above = NodeId::ROOT;
    let mut users = 0;
    for node in tree.line(user) {
        let inside = tree.order().span(node);
        let mut last = 0;
        let mut last_place = 0;
        for place in tree.order().span(above) {
            let is_ahead = (1..rank).contains(&ranks[place]);
            if is_ahead && !inside.contains(&place) {
                users += 1;
                if ranks[place] >= last {
                    last = ranks[place];
                    last_place = place;
                }
            }
        }
        if users >= wanted as usize {
            if last == 0 {
                return None;
            }
            // The user to pass first is the one just ahead.
            let other = tree.nodes()[last_place];
            return Some(Leader::of(scenario, user, other, users));
        }
        above = node;
    }
    None
}

impl Leader {
    /// Returns the leader that stays ahead of a user, as one of so many.
    fn of(scenario: &Scenario, user: NodeId, leader: NodeId, users: usize) -> Self {
        let evaluation = scenario.evaluation();
        let policy = scenario.policy();
        let decision = policy.decision(scenario.tree(), evaluation, user, leader);
        let column = decision.column;
        Self {
            user: leader,
            users,
            decision,
            own_value: evaluation.value(column, decision.own),
            other_value: evaluation.value(column, decision.other),
        }
    }
}

/// Returns the order that keeps a user back on a level.
fn level_order(trial: &Trial<'_>, user: NodeId, leader: Leader) -> LevelOrder {
    let scenario = &trial.scenario;
    let tree = scenario.tree();
    let evaluation = scenario.evaluation();
    let own = leader.decision.own;
    let change = trial.change;
    let order = tree.order();
    let place = if own == change {
        LevelPosition::Level
    } else if order.is_within(change, own) {
        LevelPosition::Above(tree.parent(change).unwrap_or(own))
    } else if order.is_within(own, change) {
        LevelPosition::Inside
    } else {
        LevelPosition::Level
    };
    LevelOrder {
        leader,
        is_behind: evaluation.rank(user) > evaluation.rank(leader.user),
        place,
    }
}

/// Returns the order that keeps a user back by a number of each user.
fn number_order(scenario: &Scenario, user: NodeId, leader: Leader) -> NumberOrder {
    let evaluation = scenario.evaluation();
    let rank = evaluation.rank(user).unwrap_or(0);
    NumberOrder {
        user,
        rank,
        leader,
        is_tied: evaluation.rank(leader.user) == Some(rank),
        account: factor_above(scenario, user),
    }
}
