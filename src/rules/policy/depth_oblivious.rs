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
use super::slurm::{Associations, NormUsage, list_order};
use super::{Evaluation, Policy, PolicyTraits};
use crate::base::extended::Extended;
use crate::model::{Settings, Tree};
use std::cmp::Ordering;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    evaluate,
    ..CLASSIC
};

/// How strongly an account that is far from its target dampens a child that would bring it nearer.
const HOLD: u64 = 5;

/// Returns, by position, what the children with shares of their own used together as a part of all usage, summed in the
/// order of Slurm's list.
fn usage_of_children(tree: &Tree, associations: &Associations) -> Vec<Extended> {
    let norm_usage = NormUsage::of(associations);
    let mut sums = vec![Extended::ZERO; associations.len()];
    for position in list_order(tree)
        .into_iter()
        .map(|position| position as usize)
    {
        if !associations.is_parent(position) {
            let parent = associations.fair_share_parent[position] as usize;
            sums[parent] = sums[parent].plus(norm_usage.at(position));
        }
    }
    sums
}

/// Returns the exponent of a node's ratio: 1 if the ratio takes its account further from its target, and less than 1,
/// the further the account is off, if it leads back. Both ratios are usage / target; the node's is relative to its
/// level.
#[must_use]
pub fn power(account_ratio: Extended, ratio: Extended) -> f64 {
    // Slurm tests whether the product of the logarithms is negative: one ratio is below 1 and the other above.
    let is_led_back = matches!(
        (account_ratio.cmp(&Extended::ONE), ratio.cmp(&Extended::ONE)),
        (Ordering::Less, Ordering::Greater) | (Ordering::Greater, Ordering::Less)
    );
    let off = match account_ratio.ln() {
        Some(off) if is_led_back => off.times(Extended::from_u64(HOLD)),
        _ => return 1.0,
    };
    let power = Extended::ONE.over(Extended::ONE.plus(off.times(off)));
    power.map_or(1.0, Extended::to_f64)
}

/// Returns the effective usage of a node with usage and a target below an account with both, or `None` otherwise.
/// `level` is the usage of the node and its siblings.
fn settled(node: &ShareCompetition, level: Extended) -> Option<Extended> {
    let target = Extended::from_f64(node.target)?;
    let target_above = Extended::from_f64(node.target_above)?;
    if node.own.is_zero() || node.above.is_zero() || target.is_zero() {
        return None;
    }
    let account_ratio = node.above.over(target_above)?;
    let ratio = node.own.over(target)?.over(level.over(target_above)?)?;
    let power = power(account_ratio, ratio);
    let ratio = Extended::from_f64(match ratio.to_f64() {
        ratio if power < 1.0 => ratio.powf(power),
        // The power of 1 is the number itself.
        ratio => ratio,
    })?;
    Some(account_ratio.times(ratio).times(target))
}

/// Returns the effective usage of a node with its own part of all usage and a target, below an account with both. If
/// one of them is 0, returns the node's own part. `level` is the usage of the node and its siblings.
pub(crate) fn effective(
    own: Extended,
    target: f64,
    above: Extended,
    target_above: f64,
    level: Extended,
) -> Extended {
    let node = ShareCompetition {
        position: 0,
        own,
        target,
        parent: 0,
        above,
        target_above,
    };
    settled(&node, level).unwrap_or(own)
}

fn evaluate(tree: &Tree, settings: &Settings, last: Option<&Evaluation>) -> Evaluation {
    let associations = Associations::after(tree, last);
    let places = associations.levels();
    let targets = targets(&associations, &places);
    let levels = usage_of_children(tree, &associations);
    evaluation(
        tree,
        (Policy::DepthOblivious, settings),
        &associations,
        (&places, &targets),
        last,
        |node| settled(node, levels[node.parent]).unwrap_or(node.own),
    )
}
