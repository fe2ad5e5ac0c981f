//! Shares in proportion to contributions.

use super::goal::{Aim, SiteGoal};
use super::search::{Changes, count};
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
}

/// Returns shares in proportion to contributions, and the largest error of rounding. The accounts of a level keep their sum,
/// unless a goal says what the level has in all. An account that contributed more never gets less, and each gets a share.
pub(super) fn apportion(
    scenario: &Scenario,
    contributions: &Contributions,
    goals: &[SiteGoal],
) -> (Changes, Option<Rounding>) {
    let tree = scenario.tree();
    let mut levels: BTreeMap<NodeId, Vec<(NodeId, f64)>> = BTreeMap::new();
    for (&node, &worth) in contributions {
        let account = tree.parent(node).unwrap_or(NodeId::ROOT);
        levels.entry(account).or_default().push((node, worth));
    }
    let (mut changes, mut worst) = (Changes::new(), None::<Rounding>);
    for (account, level) in levels {
        let all: f64 = level.iter().map(|&(_, worth)| worth).sum();
        if all <= 0.0 {
            continue;
        }
        let now: i64 = level.iter().map(|&(node, _)| count(tree, node)).sum();
        let wanted = goals.iter().find_map(|goal| match goal.aim {
            Aim::Total { account: of, sum } if of == account => {
                Some(sum - (level_sum(tree, account) - now))
            }
            _ => None,
        });
        let sum = wanted.unwrap_or(now).max(level.len() as i64);
        let given = shared_out(sum, &weights(&level));
        for ((node, worth), given) in level.into_iter().zip(given) {
            let exact = worth / all * sum as f64;
            let share = Rounding { node, exact, given };
            if share.exact > 0.0 && worst.is_none_or(|worst| share.error() > worst.error()) {
                worst = Some(share);
            }
            if share.given != count(tree, share.node) {
                changes.insert(share.node, share.given);
            }
        }
    }
    (changes, worst)
}

/// Returns whole weights in the ratio of contributions, as far as doubles hold it: more never weighs less.
fn weights(level: &[(NodeId, f64)]) -> Vec<i64> {
    /// The bits of the largest weight; doubles have 53.
    const BITS: i32 = 52;
    let most = level.iter().map(|&(_, worth)| worth).fold(0.0, f64::max);
    // A power of two, so that whole contributions stay exact.
    let scale = 2.0_f64.powi((BITS - most.log2().ceil() as i32).min(f64::MAX_EXP - 1));
    let weight = |worth: f64| ((worth * scale).round() as i64).max(i64::from(worth > 0.0));
    level.iter().map(|&(_, worth)| weight(worth)).collect()
}
