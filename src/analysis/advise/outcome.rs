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
    Ranks([Option<u32>; 2]),
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
    /// Its portion of the whole tree before and after.
    pub(crate) shares: [f64; 2],
    /// Whether its own shares were edited; else it is diluted.
    pub(crate) is_edited: bool,
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
    let standing = |node| Standing::in_scenario(now, node);
    match aim {
        Aim::Share { node, .. } => GoalValue::Share(share_in(now, node)),
        Aim::Standing { node, goal } => match goal {
            Goal::OnTarget => {
                let target = standing(node).target;
                let (used, target) = target.map_or((0.0, 0.0), |it| (it.used, it.share));
                GoalValue::Target { used, target }
            }
            Goal::AheadOf(other) => GoalValue::Ranks([node, other].map(|it| standing(it).rank)),
            Goal::Rank(_) | Goal::Factor(_) | Goal::Share(_) => {
                GoalValue::Rank(standing(node).rank)
            }
        },
        Aim::Back { node, .. } => GoalValue::Time(until_back(now, node)),
        Aim::Keep { node, .. } => GoalValue::Loss(match node {
            Some(node) => {
                let share = share_in(now, node).unwrap_or(0.0);
                (1.0 - share / share_before(start, node)).max(0.0)
            }
            None => largest_loss(now),
        }),
        Aim::Lines(_) => GoalValue::Lines(changed(start, now).count()),
        Aim::Total { account, .. } => GoalValue::Sum(level_sum(now.tree(), account)),
    }
}

/// Returns whether an aim is reached with other shares than at the start.
pub(super) fn holds(aim: Aim, start: &Scenario, now: &Scenario) -> bool {
    let read = |number| readable(number, now.policy().digits());
    match (aim, value(aim, start, now)) {
        (Aim::Share { bounds, .. }, GoalValue::Share(Some(share))) => {
            let [least, most] = bounds.map(read);
            (least..=most).contains(&read(share))
        }
        (Aim::Standing { node, goal }, _) => {
            goal.is_reached(now.evaluation(), Standing::in_scenario(now, node))
        }
        (Aim::Back { seconds, .. }, GoalValue::Time(Some(time))) => time <= seconds as f64,
        (Aim::Keep { kept, .. }, GoalValue::Loss(loss)) => read(1.0 - loss) >= read(kept),
        (Aim::Lines(most), GoalValue::Lines(lines)) => lines <= most,
        (Aim::Total { sum, .. }, GoalValue::Sum(now)) => now == sum,
        _ => false,
    }
}

/// Returns the nodes whose shares differ from those at the start, in tree order.
pub(super) fn changed<'a>(
    start: &'a Scenario,
    now: &'a Scenario,
) -> impl Iterator<Item = NodeId> + 'a {
    let nodes = now.tree().nodes().iter().copied();
    nodes.filter(|&node| now.tree().shares(node) != start.tree().shares(node))
}

/// Returns the sum of the shares on an account's level, of all who divide its portion.
pub(super) fn sum_of(policy: Policy, tree: &Tree, account: NodeId) -> i64 {
    let level = policy.level(tree, account).into_iter();
    let counts = level.filter_map(|node| tree.shares(node).count());
    counts.fold(0, i64::saturating_add)
}

/// Returns the sum of an account's level in the snapshot. `None` if there was none.
pub(super) fn sum_before(now: &Scenario, account: NodeId) -> Option<i64> {
    let base = &now.base().tree;
    let sum = base
        .contains(account)
        .then(|| sum_of(now.policy(), base, account));
    sum.filter(|&sum| sum > 0)
}

/// Returns the largest part of its share that a node loses if it is not edited, by the sums of the levels above it up to
/// the nearest node that is.
pub(super) fn largest_loss(now: &Scenario) -> f64 {
    let (policy, tree, base) = (now.policy(), now.tree(), &now.base().tree);
    // By position, what is left of the share of whoever is below and not edited.
    let mut left = vec![1.0; tree.node_count()];
    let mut least = 1.0_f64;
    for (position, &node) in tree.nodes().iter().enumerate() {
        // Those below an account with `parent` are on the level above it.
        let before = sum_before(now, node).filter(|_| !tree.shares(node).is_parent());
        let Some(before) = before else {
            continue;
        };
        let left_of_level =
            left[position] * before as f64 / sum_of(policy, tree, node).max(1) as f64;
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
    let tree = now.tree();
    let (policy, digits) = (now.policy(), now.policy().digits());
    let accounts = changed(start, now).map(|it| policy.account_of(tree, it));
    let accounts: BTreeSet<NodeId> = accounts.collect();
    let children = accounts
        .iter()
        .flat_map(|&account| policy.level(tree, account));
    let payer = |node: NodeId| {
        let [before, after] = [start, now].map(|it| share_in(it, node));
        let shares = [before?, after?];
        (readable(shares[1], digits) < readable(shares[0], digits)).then(|| Payer {
            node,
            shares,
            is_edited: tree.shares(node) != start.tree().shares(node),
        })
    };
    let mut payers: Vec<Payer> = children.filter_map(payer).collect();
    let loss = |payer: &Payer| payer.shares[0] - payer.shares[1];
    payers.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
    payers
}
