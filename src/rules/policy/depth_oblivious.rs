//! Slurm's `DEPTH_OBLIVIOUS`: classic, with an effective usage that does not depend on a user's depth in the tree.
//!
//! Follows `_depth_oblivious_set_usage_efctv` of `src/plugins/priority/multifactor/priority_multifactor.c` of Slurm
//! 14.11.11, unchanged since 14.03. The numbers are those of the settled state. Slurm fills in the usage of siblings
//! one at a time, so its first cycle after a start gives nearly every user a factor of 1, and a user's usage is not
//! included before it is first asked for.
//!
//! Logarithms are 80-bit there and here. The last bit of an effective usage can differ only where the processor's
//! logarithm is not the nearest number.

use super::classic::{ShareCompetition, TRAITS as CLASSIC, evaluation, targets};
use super::slurm::{Associations, list_order};
use super::{Evaluation, PolicyTraits};
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
    for position in list_order(tree) {
        let position = position as usize;
        if !associations.is_parent(position) {
            let parent = associations.fair_share_parent[position] as usize;
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
    matches!(
        (account_ratio.cmp(&Extended::ONE), ratio.cmp(&Extended::ONE)),
        (Ordering::Less, Ordering::Greater) | (Ordering::Greater, Ordering::Less)
    )
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
    /// The account's usage / target. `None` if one of them is 0.
    account: Option<Extended>,
    /// The children's usage together / the account's target. `None` if one of them is 0.
    level: Option<Extended>,
    /// The exponent of ratios that lead the account back to its target, once it was needed.
    power_back: OnceCell<f64>,
}

impl LevelRatios {
    /// Returns the numbers below an account with this effective usage and target. `level` is its children's usage.
    fn of(above: Extended, target_above: f64, level: Extended) -> Self {
        let target = Extended::from_f64(target_above);
        let over_target = |usage: Extended| target.and_then(|target| usage.over(target));
        Self {
            account: over_target(above).filter(|_| !above.is_zero()),
            level: over_target(level).filter(|level| !level.is_zero()),
            power_back: OnceCell::new(),
        }
    }

    /// Returns the effective usage of a child, or `None` if its usage or target, or one of its account's, is 0.
    fn settled(&self, own: Extended, target: f64) -> Option<Extended> {
        let target = Extended::from_f64(target)?;
        let account_ratio = self.account?;
        if own.is_zero() || target.is_zero() {
            return None;
        }
        let ratio = own.over(target)?.over(self.level?)?;
        let power = if is_led_back(account_ratio, ratio) {
            *self.power_back.get_or_init(|| power_back(account_ratio))
        } else {
            1.0
        };
        let ratio = Extended::from_f64(match ratio.to_f64() {
            ratio if power < 1.0 => ratio.powf(power),
            // The power of 1 is the number itself.
            ratio => ratio,
        })?;
        Some(account_ratio.times(ratio).times(target))
    }
}

fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let associations = Associations::of(tree);
    let places = associations.levels();
    let targets = targets(&associations, &places);
    let levels = usage_of_children(tree, &associations);
    // The numbers of the account whose children are being computed, by level.
    let mut ratios: Vec<(usize, LevelRatios)> = Vec::new();
    ratios.resize_with(LEVELS_KEPT, || (0, LevelRatios::default()));
    let rule = |node: &ShareCompetition| {
        let kept = &mut ratios[places[node.position] as usize % LEVELS_KEPT];
        // No child of the root comes here, so a place without numbers is not that of the account.
        if kept.0 != node.parent {
            let of_account = LevelRatios::of(node.above, node.target_above, levels[node.parent]);
            *kept = (node.parent, of_account);
        }
        kept.1.settled(node.own, node.target).unwrap_or(node.own)
    };
    evaluation(tree, settings, &associations, (&places, &targets), rule)
}
