//! Shares in proportion to contributions.

use super::goal::{Aim, ROUNDING, SiteGoal};
use super::search::{Changes, count};
use crate::model::NodeId;
use crate::scenario::{Scenario, level_sum};
use std::collections::{BTreeMap, BinaryHeap};

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
        let whole = |exact: f64| (exact + ROUNDING).floor();
        let shares = level.into_iter().map(|(node, worth)| {
            let exact = worth / all * sum as f64;
            let given = (whole(exact) as i64).max(i64::from(worth > 0.0));
            Rounding { node, exact, given }
        });
        let mut shares: Vec<Rounding> = shares.collect();
        let mut left = sum - shares.iter().map(|it| it.given).sum::<i64>();
        // The largest remainders are rounded up; where a share for everybody is too much, the largest pay.
        let remainder = |it: &Rounding| it.exact - whole(it.exact);
        shares.sort_by(|one, other| remainder(other).total_cmp(&remainder(one)));
        for share in shares.iter_mut().take(usize::try_from(left).unwrap_or(0)) {
            share.given += 1;
        }
        let most = shares
            .iter()
            .enumerate()
            .map(|(place, it)| (it.given, place));
        let mut most: BinaryHeap<(i64, usize)> = if left < 0 {
            most.collect()
        } else {
            BinaryHeap::new()
        };
        while left < 0
            && let Some(mut largest) = most.peek_mut()
        {
            largest.0 -= 1;
            shares[largest.1].given -= 1;
            left += 1;
        }
        for share in shares {
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
