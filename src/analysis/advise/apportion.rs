//! Shares in proportion to contributions.

use super::changes::{Changes, count};
use super::goal::{Aim, SiteGoal};

use crate::model::NodeId;
use crate::scenario::{Scenario, level_sum, shared_out};
use std::collections::BTreeMap;

/// What accounts contributed, by account.
pub type Contributions = BTreeMap<NodeId, f64>;

/// The shares of an account: exactly in proportion to its contribution, and rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounding {
    pub(crate) node: NodeId,
    /// The exact number of shares.
    pub exact: f64,
    /// The whole number of shares.
    pub given: i64,
}

impl Rounding {
    /// Returns the error relative to the exact number.
    pub(crate) fn error(&self) -> f64 {
        (self.given as f64 - self.exact).abs() / self.exact
    }

    /// Returns whether it is rounded more than another one. An account without a contribution is not rounded.
    fn is_worse(&self, other: Option<Self>) -> bool {
        match other {
            Some(other) => self.exact > 0.0 && self.error() > other.error(),
            None => self.exact > 0.0,
        }
    }
}

/// Returns shares in proportion to contributions, and the largest error of rounding. The accounts of a level keep their sum,
/// unless a goal says what the level has in all. An account that contributed more never gets less, and each gets a share.
pub(super) fn apportion(
    scenario: &Scenario,
    contributions: &Contributions,
    goals: &[SiteGoal],
) -> (Changes, Option<Rounding>) {
    let tree = scenario.tree();
    let mut levels: BTreeMap<NodeId, Contributions> = BTreeMap::new();
    for (&node, &worth) in contributions {
        let account = tree.parent(node).unwrap_or(NodeId::ROOT);
        levels.entry(account).or_default().insert(node, worth);
    }
    let mut changes = Changes::new();
    let mut worst = None;
    for (account, level) in levels {
        let all: f64 = level.values().sum();
        if all <= 0.0 {
            continue;
        }
        let mut sum = 0;
        for &node in level.keys() {
            sum += count(tree, node);
        }
        if let Some(total) = total_of(goals, account) {
            sum += total - level_sum(tree, account);
        }
        sum = sum.max(level.len() as i64);
        let given = shared_out(sum, &weights(&level));
        for ((node, worth), given) in level.into_iter().zip(given) {
            let exact = worth / all * sum as f64;
            let rounding = Rounding { node, exact, given };
            if rounding.is_worse(worst) {
                worst = Some(rounding);
            }
            if given != count(tree, node) {
                changes.insert(node, given);
            }
        }
    }
    (changes, worst)
}

/// Returns what goals say that the shares of an account's children add up to. `None` if they say nothing about it.
fn total_of(goals: &[SiteGoal], account: NodeId) -> Option<i64> {
    for goal in goals {
        if let Aim::Total { account: of, sum } = goal.aim
            && of == account
        {
            return Some(sum);
        }
    }
    None
}

/// Returns whole weights in the ratio of contributions, as far as doubles hold it: more never weighs less.
fn weights(level: &Contributions) -> Vec<i64> {
    /// The bits of the largest weight; doubles have 53.
    const BITS: i32 = 52;
    let mut most = 0.0_f64;
    for &worth in level.values() {
        most = most.max(worth);
    }
    // A power of two, so that whole contributions stay exact.
    let scale = 2.0_f64.powi((BITS - most.log2().ceil() as i32).min(f64::MAX_EXP - 1));
    let mut weights = Vec::with_capacity(level.len());
    for &worth in level.values() {
        let weight = (worth * scale).round() as i64;
        weights.push(weight.max(i64::from(worth > 0.0)));
    }
    weights
}
