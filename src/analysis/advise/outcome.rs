//! Whether goals hold, what they come to, and who pays.

use super::goal::Aim;
use super::time::until_back;
use crate::analysis::solve::{Goal, Standing, share_in};
use crate::base::number::readable;
use crate::model::{NodeId, Shares, Tree};
use crate::rules::policy::Policy;
use crate::scenario::{Scenario, level_sum};
use serde::Serialize;
use std::collections::BTreeSet;

/// What a goal comes to; a number for machines, or several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum GoalValue {
    /// The portion of the whole tree. `None` if the policy has none.
    Share(Option<f64>),
    /// What was used, and the target, as portions of the level or of the tree.
    Target {
        used: f64,
        target: f64,
    },
    /// The rank. `None` if the node has none.
    Rank(Option<u32>),
    /// The rank of one node, and of the one that it is to be ahead of.
    Ranks(Option<u32>, Option<u32>),
    /// The seconds until a node's usage is its share. `None` if that never happens.
    Time(Option<f64>),
    /// The largest loss of share: 0.1 is 10 %.
    Loss(f64),
    /// The number of nodes with other shares.
    Lines(usize),
    Sum(i64),
}

/// A node with less of the whole tree than before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Payer {
    pub(crate) node: NodeId,
    /// Its portion of the whole tree before.
    pub(crate) before: f64,
    /// Its portion of the whole tree after.
    pub(crate) after: f64,
    /// Whether its own shares were edited; else it is diluted.
    pub(crate) is_edited: bool,
}

impl Payer {
    /// Returns how much less of the whole tree it has.
    fn loss(&self) -> f64 {
        self.before - self.after
    }
}

/// Returns the portion of the whole tree that a node has in the snapshot; else, if it is new, at the start.
pub(super) fn share_before(start: &Scenario, node: NodeId) -> f64 {
    let base = &start.base().tree;
    let share = if base.contains(node) {
        Standing::of(start.policy(), base, start.baseline(), node).share
    } else {
        share_in(start, node)
    };
    share.unwrap_or(0.0)
}

/// Returns what an aim comes to, before or after other shares were set.
pub(super) fn value(aim: Aim, start: &Scenario, now: &Scenario) -> GoalValue {
    match aim {
        Aim::Share { node, .. } => GoalValue::Share(share_in(now, node)),
        Aim::Standing { node, goal } => standing_value(node, goal, now),
        Aim::Back { node, .. } => GoalValue::Time(until_back(now, node)),
        Aim::Keep {
            node: Some(node), ..
        } => {
            let kept = share_in(now, node).unwrap_or(0.0) / share_before(start, node);
            GoalValue::Loss((1.0 - kept).max(0.0))
        }
        Aim::Keep { node: None, .. } => GoalValue::Loss(largest_loss(now)),
        Aim::Lines(_) => GoalValue::Lines(changed(start, now).len()),
        Aim::Total { account, .. } => GoalValue::Sum(level_sum(now.tree(), account)),
    }
}

/// Returns what a goal about a node's standing comes to.
fn standing_value(node: NodeId, goal: Goal, now: &Scenario) -> GoalValue {
    let standing = Standing::in_scenario(now, node);
    match goal {
        Goal::OnTarget => match standing.target {
            Some(target) => GoalValue::Target {
                used: target.used,
                target: target.share,
            },
            None => GoalValue::Target {
                used: 0.0,
                target: 0.0,
            },
        },
        Goal::AheadOf(other) => {
            let other = Standing::in_scenario(now, other);
            GoalValue::Ranks(standing.rank, other.rank)
        }
        Goal::Rank(_) | Goal::Factor(_) | Goal::Share(_) => GoalValue::Rank(standing.rank),
    }
}

/// Returns whether an aim is reached with other shares than at the start.
pub(super) fn holds(aim: Aim, start: &Scenario, now: &Scenario) -> bool {
    let digits = now.policy().digits();
    if let Aim::Standing { node, goal } = aim {
        return goal.is_reached(now.evaluation(), Standing::in_scenario(now, node));
    }
    match (aim, value(aim, start, now)) {
        (Aim::Share { bounds, .. }, GoalValue::Share(Some(share))) => {
            let share = readable(share, digits);
            readable(bounds.least, digits) <= share && share <= readable(bounds.most, digits)
        }
        (Aim::Back { seconds, .. }, GoalValue::Time(Some(time))) => time <= seconds as f64,
        (Aim::Keep { kept, .. }, GoalValue::Loss(loss)) => {
            readable(1.0 - loss, digits) >= readable(kept, digits)
        }
        (Aim::Lines(most), GoalValue::Lines(lines)) => lines <= most,
        (Aim::Total { sum, .. }, GoalValue::Sum(now)) => now == sum,
        _ => false,
    }
}

/// Returns the nodes whose shares differ from those at the start, in tree order.
pub(super) fn changed(start: &Scenario, now: &Scenario) -> Vec<NodeId> {
    let mut changed = Vec::new();
    for &node in now.tree().nodes() {
        if now.tree().shares(node) != start.tree().shares(node) {
            changed.push(node);
        }
    }
    changed
}

/// Returns the sum of the shares on an account's level, of all who divide its portion.
pub(super) fn sum_of(policy: Policy, tree: &Tree, account: NodeId) -> i64 {
    let mut sum: i64 = 0;
    for node in policy.level(tree, account) {
        sum = sum.saturating_add(tree.shares(node).count().unwrap_or(0));
    }
    sum
}

/// Returns the sum of an account's level in the snapshot. `None` if there was none.
pub(super) fn sum_before(now: &Scenario, account: NodeId) -> Option<i64> {
    let base = &now.base().tree;
    if !base.contains(account) {
        return None;
    }
    let sum = sum_of(now.policy(), base, account);
    (sum > 0).then_some(sum)
}

/// Returns the largest part of its share that a node loses if it is not edited, by the sums of the levels above it up to
/// the nearest node that is.
pub(super) fn largest_loss(now: &Scenario) -> f64 {
    let policy = now.policy();
    let tree = now.tree();
    let base = &now.base().tree;
    // By position, what is left of the share of whoever is below and not edited.
    let mut left = vec![1.0; tree.node_count()];
    let mut least = 1.0_f64;
    for (position, &node) in tree.nodes().iter().enumerate() {
        // Those below an account with `parent` are on the level above it.
        if tree.shares(node).is_parent() {
            continue;
        }
        let Some(before) = sum_before(now, node) else {
            continue;
        };
        let sum = sum_of(policy, tree, node).max(1);
        let left_of_level = left[position] * before as f64 / sum as f64;
        for member in policy.level(tree, node) {
            let is_edited = now.is_new(member) || tree.shares(member) != base.shares(member);
            let had_none = base.contains(member) && base.shares(member) == Shares::new(0);
            let Some(place) = tree.order().position(member) else {
                continue;
            };
            if had_none || left_of_level.is_infinite() {
                // Whoever had nothing cannot lose it.
                left[place] = f64::INFINITY;
            } else if !is_edited {
                left[place] = left_of_level;
                least = least.min(left_of_level);
            }
        }
    }
    1.0 - least
}

/// Returns the nodes of the edited levels that have less of the whole tree than before, the largest loss first.
pub(super) fn who_pays(start: &Scenario, now: &Scenario) -> Vec<Payer> {
    let policy = now.policy();
    let tree = now.tree();
    let mut accounts = BTreeSet::new();
    for node in changed(start, now) {
        accounts.insert(policy.account_of(tree, node));
    }
    let digits = policy.digits();
    let mut payers = Vec::new();
    for account in accounts {
        for node in policy.level(tree, account) {
            if let Some(before) = share_in(start, node)
                && let Some(after) = share_in(now, node)
                && readable(after, digits) < readable(before, digits)
            {
                payers.push(Payer {
                    node,
                    before,
                    after,
                    is_edited: tree.shares(node) != start.tree().shares(node),
                });
            }
        }
    }
    payers.sort_by(|one, other| other.loss().total_cmp(&one.loss()));
    payers
}
