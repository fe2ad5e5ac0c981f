//! Reconstructs usages for classic fair-share and `DEPTH_OBLIVIOUS`.
//!
//! Both compute a node's effective usage from its own part of all usage and its fair-share parent's effective usage,
//! and the factor from that. From the users up, the ranges of an account's usage and effective usage are narrowed to
//! those that leave room for its members. From the root down, usages are then chosen within the ranges.

use super::Reconstruction;
use super::columns::Columns;
use super::range::{Range, at_least_zero};
use crate::base::extended::Extended;
use crate::model::{EXACT, Fact, NodeId, Snapshot};
use crate::rules::policy::depth_oblivious::{self, power};
use crate::rules::policy::slurm::Associations;
use crate::rules::policy::{ColumnId, Policy};
use std::collections::{HashMap, HashSet};

/// A tree under one of the two policies.
pub(super) struct GivenTree<'a> {
    columns: Columns<'a>,
    policy: Policy,
    associations: Associations<'a>,
    /// By position: the part of all shares.
    targets: Vec<f64>,
    dampening: f64,
}

/// The possible values of a node.
#[derive(Clone, Copy)]
struct UsageRanges {
    /// The possible usage.
    usage: Range,
    /// The possible effective usage.
    effective: Range,
}

/// The chosen values of a node.
#[derive(Clone, Copy)]
struct ChosenUsage {
    usage: Extended,
    effective: Extended,
}

impl<'a> GivenTree<'a> {
    pub(super) fn of(
        snapshot: &'a Snapshot,
        policy: Policy,
        impossible: &'a HashSet<(Fact, NodeId)>,
    ) -> Self {
        let evaluation = policy.evaluate(&snapshot.tree, &snapshot.settings);
        let nodes = snapshot.tree.nodes().iter();
        let target = |&node: &NodeId| evaluation.number(ColumnId::NormShares, node).unwrap_or(0.0);
        Self {
            columns: Columns {
                snapshot,
                impossible,
            },
            policy,
            associations: Associations::of(&snapshot.tree),
            targets: nodes.map(target).collect(),
            dampening: f64::from(snapshot.settings.slurm.dampening.max(1)),
        }
    }

    /// Returns usages that fit, with all bounds moved inward by a part of their width.
    pub(super) fn solve(&self, inward: f64) -> Reconstruction {
        let mut range = self.columns.total(inward);
        for position in 1..self.associations.len() {
            if self.associations.fair_share_parent[position] == 0 {
                let part = self.printed_effective(position, inward);
                range = range.narrowed(self.columns.total_by(position, part));
            }
        }
        let printed = self.columns.usage(0).low;
        let mut best: Option<(usize, Vec<Extended>)> = None;
        for total in super::totals(printed, range) {
            let (known, misfits) = self.narrow(total, inward);
            let (usage, more) = self.choose(&known, total);
            let misfits = misfits + more;
            if best.as_ref().is_none_or(|(least, _)| misfits < *least) {
                best = Some((misfits, usage));
            }
            if misfits == 0 {
                break;
            }
        }
        Reconstruction {
            usage: best.map(|(_, usage)| usage).unwrap_or_default(),
            listing: HashMap::new(),
        }
    }

    /// Returns the possible effective usage by its printed value and that of the factor.
    fn printed_effective(&self, position: usize, inward: f64) -> Range {
        let own = self.columns.ratio(Fact::EffectvUsage, position, inward);
        let target = self.targets[position];
        let factor = self.columns.figure(Fact::FairShare, position);
        let Some(factor) = factor.filter(|factor| {
            // An exact factor adds nothing to the exact effective usage beside it.
            factor.decimals != EXACT && target > 0.0 && !self.associations.is_parent(position)
        }) else {
            return own;
        };
        let half = factor.half_unit() * (1.0 - inward);
        let usage = |factor: f64| {
            let exponent = -factor.log2();
            Extended::from_f64(exponent * target * self.dampening).map(at_least_zero)
        };
        let low = usage((factor.value + half).min(1.0)).unwrap_or(Extended::ZERO);
        let high = Some(factor.value - half)
            .filter(|&least| least > 0.0)
            .and_then(usage);
        own.narrowed(Range { low, high })
    }

    /// Returns the part of the level that a node's shares are, or `None` if its effective usage is its fair-share
    /// parent's.
    fn portion(&self, position: usize) -> Option<Extended> {
        if self.associations.is_parent(position) || self.associations.level_shares(position) == 0 {
            return None;
        }
        let portion = Extended::from_f64(self.associations.portion(position))?;
        (portion < Extended::ONE).then_some(portion)
    }

    /// Returns, by position, the possible usage, given everything below, and how often nothing fits.
    fn narrow(&self, total: Extended, inward: f64) -> (Vec<UsageRanges>, usize) {
        let count = self.associations.len();
        let above = self.columns.snapshot.tree.order().above();
        let mut misfits = 0;
        let mut meet = |one: Range, other: Range| {
            misfits += usize::from(one.and(other).is_none());
            one.narrowed(other)
        };
        let mut known: Vec<UsageRanges> = (0..count)
            .map(|position| {
                let norm = self.columns.norm(position, Some(total), inward);
                UsageRanges {
                    usage: meet(self.columns.usage(position), norm),
                    effective: self.printed_effective(position, inward),
                }
            })
            .collect();
        let mut below = vec![Extended::ZERO; count];
        for position in (1..count).rev() {
            let mut own = known[position];
            let at_least = Range {
                low: below[position],
                high: None,
            };
            own.usage = own.usage.narrowed(at_least);
            let parent = self.associations.fair_share_parent[position] as usize;
            if parent == 0 {
                own.usage = meet(own.usage, own.effective.times(total));
                own.effective = own.effective.narrowed(own.usage.over(total));
            } else if self.policy == Policy::Classic {
                let handed_down = self.handed_down(position, own, total);
                known[parent].effective = meet(known[parent].effective, handed_down);
            }
            known[position] = own;
            let direct_parent = above[position] as usize;
            below[direct_parent] = below[direct_parent].plus(own.usage.low);
        }
        (known, misfits)
    }

    /// Returns the possible effective usage of a fair-share parent, given a child's.
    fn handed_down(&self, position: usize, own: UsageRanges, total: Extended) -> Range {
        let Some(portion) = self.portion(position) else {
            return own.effective;
        };
        if portion.is_zero() {
            return Range::ANY;
        }
        let rest = Extended::ONE.minus(portion);
        let part = own.usage.over(total).times(rest);
        let least = part.high.map_or(Extended::ZERO, |most| {
            at_least_zero(own.effective.low.minus(most))
        });
        Range {
            low: least.over(portion).unwrap_or(Extended::ZERO),
            high: own
                .effective
                .high
                .and_then(|most| at_least_zero(most.minus(part.low)).over(portion)),
        }
    }

    /// Returns, by position, usages within the ranges, and how often nothing fits.
    fn choose(&self, known: &[UsageRanges], total: Extended) -> (Vec<Extended>, usize) {
        let tree = &self.columns.snapshot.tree;
        let ends = tree.order().ends();
        let count = self.associations.len();
        let mut misfits = 0;
        let mut chosen = vec![
            ChosenUsage {
                usage: total,
                effective: Extended::ONE,
            };
            count
        ];
        let mut ranges: Vec<(usize, Range)> = Vec::new();
        for account in 0..count {
            ranges.clear();
            let mut child = account + 1;
            while child < ends[account] as usize {
                let usage_under_classic = self.usage_under_classic(child, known, &chosen, total);
                misfits += usize::from(known[child].usage.and(usage_under_classic).is_none());
                ranges.push((child, known[child].usage.narrowed(usage_under_classic)));
                child = ends[child] as usize;
            }
            let low = |sum: Extended, (_, range): &(usize, Range)| sum.plus(range.low);
            let least = ranges.iter().fold(Extended::ZERO, low);
            let between: f64 = ranges.iter().map(|(_, range)| width(*range)).sum();
            let rest = at_least_zero(chosen[account].usage.minus(least)).to_f64();
            let part = if between > 0.0 {
                (rest / between).clamp(0.0, 1.0)
            } else {
                0.0
            };
            for &(child, range) in &ranges {
                chosen[child].usage = range.at(part);
            }
            for &(child, _) in &ranges {
                chosen[child].effective = self.effective(child, &chosen, total);
            }
        }
        (chosen.into_iter().map(|node| node.usage).collect(), misfits)
    }

    /// Returns the possible usage of a node, given its fair-share parent's effective usage.
    fn usage_under_classic(
        &self,
        position: usize,
        known: &[UsageRanges],
        chosen: &[ChosenUsage],
        total: Extended,
    ) -> Range {
        let parent = self.associations.fair_share_parent[position] as usize;
        let effective = known[position].effective;
        if parent == 0 {
            return effective.times(total);
        }
        let above = chosen[parent];
        match self.policy {
            Policy::Classic => {
                let Some(portion) = self.portion(position) else {
                    return Range::ANY;
                };
                let handed_down_usage = above.effective.times(portion);
                let rest = Extended::ONE.minus(portion);
                let own = |effective: Extended| {
                    at_least_zero(effective.minus(handed_down_usage))
                        .over(rest)
                        .map(|part| part.times(total))
                };
                Range {
                    low: own(effective.low).unwrap_or(Extended::ZERO),
                    high: effective.high.and_then(own),
                }
            }
            _ => self.usage_by_ratio(position, effective, above, total),
        }
    }

    /// Returns the possible usage under `DEPTH_OBLIVIOUS`, where the effective usage is R r^k S: the account's ratio,
    /// the node's own to a power, and the target.
    fn usage_by_ratio(
        &self,
        position: usize,
        effective: Range,
        above: ChosenUsage,
        total: Extended,
    ) -> Range {
        let parent = self.associations.fair_share_parent[position] as usize;
        let (target, target_above) = (self.targets[position], self.targets[parent]);
        let (above_effective, total) = (above.effective.to_f64(), total.to_f64());
        let level = above.usage.to_f64() / total;
        if self.associations.is_parent(position)
            || target <= 0.0
            || target_above <= 0.0
            || above_effective <= 0.0
        {
            return Range::ANY;
        }
        let account_ratio = above_effective / target_above;
        let own = |effective: f64| {
            let raised = effective / account_ratio / target;
            let extended = |number: f64| Extended::from_f64(number).unwrap_or(Extended::ONE);
            let power = power(extended(account_ratio), extended(raised));
            let ratio = raised.powf(1.0 / power);
            Extended::from_f64(ratio * (level / target_above) * target * total)
        };
        Range {
            low: own(effective.low.to_f64()).unwrap_or(Extended::ZERO),
            high: effective.high.and_then(|high| own(high.to_f64())),
        }
    }

    /// Returns the effective usage that the policy computes.
    fn effective(&self, position: usize, chosen: &[ChosenUsage], total: Extended) -> Extended {
        let parent = self.associations.fair_share_parent[position] as usize;
        let own = chosen[position].usage.over(total).unwrap_or(Extended::ZERO);
        if parent == 0 {
            return own;
        }
        let above = chosen[parent].effective;
        if self.associations.is_parent(position) {
            return above;
        }
        if self.policy == Policy::Classic {
            return match self.portion(position) {
                Some(portion) => own.plus(above.minus(own).times(portion)),
                None => above,
            };
        }
        let level = chosen[parent].usage.over(total).unwrap_or(Extended::ZERO);
        let (target, target_above) = (self.targets[position], self.targets[parent]);
        depth_oblivious::effective(own, target, above, target_above, level)
    }
}

fn width(range: Range) -> f64 {
    range
        .high
        .map_or(1.0, |high| at_least_zero(high.minus(range.low)).to_f64())
}
