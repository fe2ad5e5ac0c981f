//! Slurm's `DEPTH_OBLIVIOUS`: classic, with an effective usage that does not depend on a user's depth in the tree.
//!
//! Follows `_depth_oblivious_set_usage_efctv` of `src/plugins/priority/multifactor/priority_multifactor.c` of Slurm
//! 14.11.11, unchanged since 14.03. The numbers are those of the settled state. Slurm fills in the usage of siblings
//! one at a time, so its first cycle after a start gives nearly every user a factor of 1, and a user's usage is not
//! included before it is first asked for.
//!
//! Logarithms are 80-bit there and here. The last bit of an effective usage can differ only where the processor's
//! logarithm is not the nearest number.

use super::classic::{ShareCompetition, TRAITS as CLASSIC, TargetTree};
use super::slurm::{Associations, list_order};
use super::{Evaluation, PolicyTraits};
use crate::base::cores;
use crate::base::extended::Extended;
use crate::model::{Settings, Tree};
use std::cell::OnceCell;
use std::cmp::Ordering;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    evaluate,
    ..CLASSIC
};

/// How strongly an account that is far from its target dampens a child that would bring it nearer.
const HOLD: u64 = 5;

/// Returns, by position, the part of all usage of the children with shares of their own, summed in Slurm's order.
fn usage_of_children(tree: &Tree, associations: &Associations) -> Vec<Extended> {
    let mut sums = vec![Extended::ZERO; associations.len()];
    for position in cores::in_turn(list_order(tree)) {
        let position = position as usize;
        if !associations.is_parent(position) {
            let parent = associations.parent(position);
            sums[parent] = sums[parent].plus(associations.norm_usage(position));
        }
    }
    sums
}

/// Returns the exponent of a node's ratio: 1 if the ratio takes its account further from its target, and less than 1,
/// the further the account is off, if it leads back. Both ratios are usage / target; the node's is relative to its
/// level.
pub fn power(account_ratio: Extended, ratio: Extended) -> f64 {
    if is_led_back(account_ratio, ratio) {
        power_back(account_ratio)
    } else {
        1.0
    }
}

/// Returns whether a node's ratio leads its account back to its target. Slurm tests whether the product of the
/// logarithms is negative: one ratio is below 1 and the other above.
fn is_led_back(account_ratio: Extended, ratio: Extended) -> bool {
    let account_order = account_ratio.cmp(&Extended::ONE);
    let order = ratio.cmp(&Extended::ONE);
    order != Ordering::Equal && order == account_order.reverse()
}

/// Returns the exponent of the ratios that lead an account back to its target.
fn power_back(account_ratio: Extended) -> f64 {
    let Some(off) = account_ratio.ln() else {
        return 1.0;
    };
    let off = off.times(Extended::from_u64(HOLD));
    let power = Extended::ONE.over(Extended::ONE.plus(off.times(off)));
    power.map_or(1.0, Extended::to_f64)
}

/// Of how many levels the numbers are kept while the levels below are computed. Deeper trees compute some again.
const LEVELS_KEPT: usize = 64;

/// The numbers that all children of an account share.
#[derive(Default)]
struct LevelRatios {
    /// The position of the account; 0 before there are numbers.
    parent: usize,
    /// The account's usage / target. `None` if one of them is 0.
    account: Option<Extended>,
    /// The children's usage together / the account's target. `None` if one of them is 0.
    level: Option<Extended>,
    /// The exponent of ratios that lead the account back to its target, once it was needed.
    power_back: OnceCell<f64>,
}

impl LevelRatios {
    /// Returns the numbers that a node and its siblings share; `level_usage` is their usage together.
    fn of_siblings(node: &ShareCompetition, level_usage: Extended) -> Self {
        let mut ratios = Self {
            parent: node.parent,
            ..Self::default()
        };
        let Some(target) = Extended::from_f64(node.target_above) else {
            return ratios;
        };
        if !node.above.is_zero() {
            ratios.account = node.above.over(target);
        }
        let level = level_usage.over(target);
        ratios.level = level.filter(|level| !level.is_zero());
        ratios
    }

    /// Returns the effective usage of a child, or `None` if its usage or target, or one of its account's, is 0.
    fn settled(&self, own: Extended, target: f64) -> Option<Extended> {
        let target = Extended::from_f64(target)?;
        let account_ratio = self.account?;
        if own.is_zero() || target.is_zero() {
            return None;
        }
        let ratio = own.over(target)?.over(self.level?)?;
        let mut rounded = ratio.to_f64();
        if is_led_back(account_ratio, ratio) {
            let power = *self.power_back.get_or_init(|| power_back(account_ratio));
            // The power of 1 is the number itself.
            if power < 1.0 {
                rounded = rounded.powf(power);
            }
        }
        let ratio = Extended::from_f64(rounded)?;
        Some(account_ratio.times(ratio).times(target))
    }
}

fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let targets = TargetTree::new(tree);
    let level_usages = usage_of_children(tree, &targets.associations);
    // The numbers of the account whose children are being computed, by level.
    let mut ratios: Vec<LevelRatios> = Vec::new();
    ratios.resize_with(LEVELS_KEPT, LevelRatios::default);
    targets.evaluation(settings, |node| {
        let level = targets.levels[node.position] as usize;
        let kept = &mut ratios[level % LEVELS_KEPT];
        // No child of the root comes here, so a place without numbers is not that of the account.
        if kept.parent != node.parent {
            *kept = LevelRatios::of_siblings(node, level_usages[node.parent]);
        }
        kept.settled(node.own, node.target).unwrap_or(node.own)
    })
}
