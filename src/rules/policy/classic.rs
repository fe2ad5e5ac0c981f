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

mod order;
mod target;

pub(super) use order::ranks;
pub(super) use target::targets;

use super::evaluation::{Column, Presence};
use super::slurm::quotient::Wide;
use super::slurm::{Associations, NormUsage};
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::extended::{Divisor, Extended};
use crate::model::{Settings, Tree};
use std::hint::black_box;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: &[
        ColumnId::NormShares,
        ColumnId::NormUsage,
        ColumnId::EffectvUsage,
    ],
    extra: &[],
    usual: &[
        ColumnId::Shares,
        ColumnId::NormShares,
        ColumnId::Usage,
        ColumnId::NormUsage,
        ColumnId::EffectvUsage,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &["FairShareDampeningFactor"],
    factor: ColumnId::Factor,
    factor_help: "2^-(EffectvUsage / NormShares / dampening): without dampening 0.5 where effective usage is the target",
    portions: Portions::OfTree(ColumnId::NormShares),
    precedence: Precedence::Factor {
        siblings: ColumnId::Factor,
    },
    evaluate,
};

/// Slurm's `NO_VAL`: an effective usage this close to it counts as unknown, and the factor is 0. Only shares whose sum
/// wrapped reach it.
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
    /// The position of the node.
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
            if let (0 | 1, Some(exponent)) = (dampening, settled_quotient(effective, target)) {
                return power(exponent);
            }
            let ratio = effective.over(target).unwrap_or(Extended::ZERO);
            let dampened = match dampening {
                0 | 1 => ratio,
                dampening => ratio
                    .over(Extended::from_u64(u64::from(dampening)))
                    .unwrap_or(ratio),
            };
            dampened.to_f64()
        }
        // A product of wrapped shares can leave the range of a double.
        None => effective.to_f64() / target / f64::from(dampening),
    };
    power(exponent)
}

/// Returns the quotient of two positive numbers, rounded to 64 bits and then to a double, or `None` if that needs all
/// bits.
fn settled_quotient(number: Extended, divisor: Extended) -> Option<f64> {
    Wide::of(number)?.over(Wide::of(divisor)?)?.settled()
}

/// Returns 2^-`exponent`.
///
/// The base is hidden from the optimiser: Slurm calls the C library's `pow`, and a literal 2 would become `exp2` in
/// release builds, which differs in the last bit.
fn power(exponent: f64) -> f64 {
    if exponent > VANISHING {
        0.0
    } else {
        black_box(2.0_f64).powf(-exponent)
    }
}

/// Returns the columns under a rule of effective usage. The rule is called for nodes that are neither `parent` nor
/// children of the root.
pub(super) fn columns(
    settings: &Settings,
    associations: &Associations,
    levels: &[u32],
    targets: Vec<f64>,
    mut rule: impl FnMut(&ShareCompetition) -> Extended,
) -> Vec<Column> {
    let norm_usage = NormUsage::of(associations);
    let dampening = settings.slurm.dampening;
    let parent_factors = settings.slurm.parent_factors;
    let count = targets.len();
    let mut norm_usages = Vec::with_capacity(count);
    let mut effectives = Vec::with_capacity(count);
    let mut factors = Vec::with_capacity(count);
    norm_usages.push(1.0);
    effectives.push(1.0);
    factors.push(factor(Extended::ONE, 1.0, dampening));
    // The effective usage of the ancestors of the current node, by level.
    let mut effective_above: Vec<Extended> = Vec::new();
    for (position, &target) in targets.iter().enumerate().skip(1) {
        let parent = associations.fair_share_parent[position] as usize;
        let level = levels[position] as usize;
        let own = norm_usage.at(position);
        let above = match level.checked_sub(1) {
            Some(level) => effective_above[level],
            None => Extended::ONE,
        };
        let effective = if parent == 0 {
            own
        } else if associations.is_parent(position) {
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
        let printed = effective.to_f64();
        effective_above.truncate(level);
        effective_above.push(effective);
        let is_user = associations.is_user[position];
        let is_lent = associations.is_parent(position) && parent_factors.uses_parent(is_user);
        factors.push(if is_lent {
            factor(above, targets[parent], dampening)
        } else if is_user {
            factor(effective, target, dampening)
        } else {
            factor(
                Extended::from_f64(printed).unwrap_or(effective),
                target,
                dampening,
            )
        });
        norm_usages.push(own.to_f64());
        effectives.push(printed);
    }
    let ranks = ranks(&associations.is_user, &factors);
    vec![
        Column::doubles(ColumnId::NormShares, targets),
        Column::doubles(ColumnId::NormUsage, norm_usages).at(Presence::BelowRoot),
        Column::doubles(ColumnId::EffectvUsage, effectives),
        Column::doubles(ColumnId::Factor, factors),
        Column::ranks(ColumnId::Rank, ranks),
    ]
}

/// Returns the columns and the usage from which they were computed.
pub(super) fn evaluation(
    tree: &Tree,
    associations: Associations,
    columns: Vec<Column>,
) -> Evaluation {
    let usage = Column::doubles(ColumnId::Usage, associations.usage.into_shown(tree));
    Evaluation::new(tree, columns, None).with(vec![usage])
}

fn evaluate(tree: &Tree, settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    let associations = Associations::of(tree);
    let levels = associations.levels();
    let targets = targets(&associations, &levels);
    let shares = |count: u32| Extended::from_u64(u64::from(count));
    // The shares of a level are the divisor of all its members.
    let (mut last_parent, mut of_level) = (0, None);
    let columns = columns(settings, &associations, &levels, targets, |node| {
        // The node's own part of all usage, plus the account's excess over its own part in proportion to the node's
        // part of the level.
        if node.parent != last_parent {
            last_parent = node.parent;
            of_level = Divisor::new(shares(associations.level_shares(node.position)));
        }
        match &of_level {
            Some(of_level) => {
                let portion = of_level.divides(shares(associations.shares[node.position]));
                node.own.plus(node.above.minus(node.own).times(portion))
            }
            None => node.above,
        }
    });
    evaluation(tree, associations, columns)
}
