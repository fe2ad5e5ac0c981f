//! Slurm's classic fair-share: 2^-(effective usage / target / dampening), wherever a user is in the tree.
//!
//! Follows `src/plugins/priority/multifactor/priority_multifactor.c` of Slurm 14.11.11 (`set_assoc_usage_norm`,
//! `_set_usage_efctv`, `priority_p_calc_fs_factor`, `_get_fairshare_priority`), `assoc_mgr_normalize_assoc_shares` of
//! `src/common/assoc_mgr.c`, and what `sshare` makes of the numbers it is sent. Later releases compute the same, with
//! `NO_FAIR_TREE`.
//!
//! Usage and effective usage are x87 numbers there and [`Extended`] here; targets are doubles.
//!
//! Quirks, all imitated:
//! - The effective usage of a child of the root is its own part of the usage, even with shares `parent`. But a job of
//!   such a user is compared with the root itself, whose pair is 1 and 1. So its factor is 0.5 without dampening,
//!   whatever it used.
//! - If nobody on a level has shares, effective usage is the account's, and the target 0.
//! - `sshare` prints factors of accounts too, computed from effective usage rounded to a double. A user's factor here
//!   is that of a job, computed before that rounding.

use super::column::column_ids;
use super::evaluation::{NumberColumn, Presence};
use super::ranking::{falling, ranks};
use super::slurm::Associations;
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::cores;
use crate::base::extended::Extended;
use crate::model::{Settings, Tree};
use std::hint::black_box;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![NormShares NormUsage EffectvUsage],
    extra: &[],
    usual: column_ids![Shares NormShares Usage NormUsage EffectvUsage Factor Rank],
    settings: &["FairShareDampeningFactor"],
    factor: ColumnId::Factor,
    factor_help: "2^-(EffectvUsage / NormShares / dampening): without dampening 0.5 where effective usage is the target",
    portions: Portions::OfTree(ColumnId::NormShares),
    precedence: Precedence::Factor(ColumnId::Factor),
    evaluate,
};

/// Slurm's `NO_VAL`: effective usage this close to it counts as unknown. Only shares whose sum wrapped reach it.
const UNKNOWN_USAGE: f64 = 4_294_967_294.0;
const UNKNOWN_WITHIN: f64 = 0.00001;

/// From here on the power is too small for a double, and so 0. `pow` is slow to find that out.
const VANISHING: f64 = 1100.0;

/// Returns whether Slurm treats an effective usage as never computed.
pub(super) fn is_unknown(effective: f64) -> bool {
    (effective - UNKNOWN_USAGE).abs() < UNKNOWN_WITHIN
}

/// The numbers by which a node competes: its own, and those of its fair-share parent, which is not the root.
pub(super) struct ShareCompetition {
    pub(super) position: usize,
    /// The node's part of all usage.
    pub(super) own: Extended,
    /// The node's part of all shares.
    pub(super) target: f64,
    /// The position of the fair-share parent.
    pub(super) parent: usize,
    /// The effective usage of the fair-share parent.
    pub(super) above: Extended,
    /// The fair-share parent's part of all shares.
    pub(super) target_above: f64,
}

/// Returns 2^-(effective usage / target / dampening), with the exponent rounded to a double.
fn factor(effective: Extended, target: f64, dampening: u16) -> f64 {
    if target <= 0.0 || is_unknown(effective.to_f64()) {
        return 0.0;
    }
    let exponent = match Extended::from_f64(target) {
        Some(target) => {
            let ratio = effective.over(target).unwrap_or(Extended::ZERO);
            let divisor = Extended::from_u64(dampening.into());
            let dampened = (dampening > 1).then(|| ratio.over(divisor)).flatten();
            dampened.unwrap_or(ratio).to_f64()
        }
        // A product of wrapped shares can leave the range of a double.
        None => effective.to_f64() / target / f64::from(dampening),
    };
    power(exponent)
}

/// Returns 2^-`exponent`.
///
/// The base is hidden from the optimiser: Slurm and PBS call the C library's `pow`, and a literal 2 would become
/// `exp2` in release builds, which differs in the last bit.
pub(super) fn power(exponent: f64) -> f64 {
    if exponent > VANISHING {
        0.0
    } else {
        black_box(2.0_f64).powf(-exponent)
    }
}

/// Computes every column by a rule of effective usage for nodes that are neither `parent` nor children of the root.
pub(super) fn evaluation(
    tree: &Tree,
    settings: &Settings,
    associations: &Associations,
    (levels, targets): (&[u32], &[f64]),
    mut rule: impl FnMut(&ShareCompetition) -> Extended,
) -> Evaluation {
    let settings = &settings.slurm;
    let own_usage = cores::by_position(targets.len(), |position| associations.norm_usage(position));
    let mut effectives = vec![1.0; targets.len()];
    // Of every node the usage and the target of which its factor is made.
    let mut pairs = vec![(Extended::ONE, 1.0); targets.len()];
    // The effective usage of the ancestors of the current node, by level.
    let mut effective_above: Vec<Extended> = Vec::new();
    for position in 1..targets.len() {
        let target = targets[position];
        let parent = associations.fair_share_parent[position] as usize;
        let level = levels[position] as usize;
        let own = own_usage[position];
        effective_above.truncate(level);
        let above = effective_above.last().copied().unwrap_or(Extended::ONE);
        let is_parent = associations.is_parent(position);
        let is_user = associations.is_user[position];
        let effective = if parent == 0 {
            own
        } else if is_parent {
            above
        } else {
            rule(&ShareCompetition {
                position,
                own,
                target,
                parent,
                above,
                target_above: targets[parent],
            })
        };
        effective_above.push(effective);
        let printed = effective.to_f64();
        effectives[position] = printed;
        pairs[position] = if is_parent && settings.parent_factors.uses_parent(is_user) {
            (above, targets[parent])
        } else if is_user {
            (effective, target)
        } else {
            (Extended::from_f64(printed).unwrap_or(effective), target)
        };
    }
    let factors = cores::by_position(pairs.len(), |position| {
        let (used, target) = pairs[position];
        factor(used, target, settings.dampening)
    });
    let norm_usages = own_usage.iter().map(|own| own.to_f64()).collect();
    let ranks = ranks(&associations.is_user, |position| falling(factors[position]));
    let columns = vec![
        NumberColumn::doubles(ColumnId::NormShares, targets.to_vec()),
        NumberColumn::doubles(ColumnId::NormUsage, norm_usages).at(Presence::BelowRoot),
        NumberColumn::doubles(ColumnId::EffectvUsage, effectives),
        NumberColumn::doubles(ColumnId::Factor, factors),
        NumberColumn::ranks(ColumnId::Rank, ranks),
        NumberColumn::doubles(ColumnId::Usage, associations.usage.shown(tree)),
    ];
    Evaluation::new(tree, columns, None)
}

fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let associations = Associations::of(tree);
    let levels = associations.levels();
    let targets = targets(&associations, &levels);
    let shares = |count: u32| Extended::from_u64(u64::from(count));
    let rule = |node: &ShareCompetition| {
        // The own part of all usage, plus the account's excess over it in proportion to the part of the level.
        let of_level = shares(associations.level_shares(node.position));
        match shares(associations.shares[node.position]).over(of_level) {
            Some(portion) => node.own.plus(node.above.minus(node.own).times(portion)),
            None => node.above,
        }
    };
    evaluation(tree, settings, &associations, (&levels, &targets), rule)
}

/// How many multiplications are made in the exact order before speed takes precedence.
///
/// Slurm multiplies from the node upwards, so no product can be reused from the account above. Unless the parts are 1,
/// a chain of a million accounts would take half a million million multiplications.
const MOST_MULTIPLICATIONS: usize = 1 << 26;

/// Returns, by position, the product of the parts of the levels: 1 for the root, and the fair-share parent's product
/// for nodes with shares `parent`.
pub(super) fn targets(associations: &Associations, levels: &[u32]) -> Vec<f64> {
    let mut targets = Vec::with_capacity(levels.len());
    targets.push(1.0);
    // The parts of the accounts above with their levels, the topmost first. Parts of 1 change no product.
    let mut above: Vec<(u32, f64)> = Vec::new();
    let mut multiplications = 0;
    for (position, &level) in levels.iter().enumerate().skip(1) {
        let parent = associations.fair_share_parent[position] as usize;
        if associations.is_parent(position) {
            targets.push(targets[parent]);
            continue;
        }
        let portion = associations.portion(position);
        while above.last().is_some_and(|&(last, _)| last >= level) {
            above.pop();
        }
        multiplications += above.len();
        let mut target = portion;
        if multiplications > MOST_MULTIPLICATIONS {
            target *= targets[parent];
        } else {
            for &(_, portion) in above.iter().rev() {
                if target == 0.0 {
                    break;
                }
                target *= portion;
            }
        }
        targets.push(target);
        if portion.to_bits() != 1.0_f64.to_bits() {
            above.push((level, portion));
        }
    }
    targets
}
