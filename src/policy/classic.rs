//! Slurm's classic fair-share: 2^-(effective usage / target / dampening), wherever a user stands.
//!
//! Follows `src/plugins/priority/multifactor/priority_multifactor.c` of Slurm 14.11.11 (`set_assoc_usage_norm`,
//! `_set_usage_efctv`, `priority_p_calc_fs_factor`, `_get_fairshare_priority`), `assoc_mgr_normalize_assoc_shares`
//! of `src/common/assoc_mgr.c`, and what `sshare` makes of the numbers it is sent. Later releases compute the
//! same, with `NO_FAIR_TREE`.
//!
//! Usage and effective usage are x87 numbers there and [`Extended`] here; targets are doubles.
//!
//! Oddities, all imitated:
//! - A child of the root has its own part of the usage for effective usage, even with shares `parent`; but a job
//!   of such a user is held against the root itself, whose pair is 1 and 1, so that its factor is 0.5 with no
//!   dampening, whatever it used.
//! - Where nobody on a level has shares, effective usage is the account's, and the target 0.
//! - `sshare` prints accounts a factor too, computed from effective usage rounded to a double; a user's factor
//!   here is that of a job, computed before that rounding.

mod order;
mod target;

pub(super) use order::ranks;
pub(super) use target::targets;

use super::evaluation::{Column, Presence};
use super::extended::Extended;
use super::slurm::Associations;
use super::{ColumnId, Evaluation, Ordering, Portions, Rules};
use crate::model::{Settings, Tree};
use std::hint::black_box;

pub(super) const RULES: Rules = Rules {
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
    portions: Portions::OfTree(ColumnId::NormShares),
    ordering: Ordering::ByFactor {
        siblings: ColumnId::Factor,
    },
    evaluate,
};

/// Slurm's `NO_VAL`: an effective usage this close to it counts as not known, and the factor is 0. Only shares
/// whose sum wrapped reach it.
const UNKNOWN_USAGE: f64 = 4_294_967_294.0;
const UNKNOWN_WITHIN: f64 = 0.00001;

/// From here on the power is too small for a double, and so 0: `pow` takes long to find that out.
const VANISHING: f64 = 1100.0;

/// Whether Slurm takes an effective usage for one that was never computed.
pub(super) fn is_unknown(effective: Extended) -> bool {
    (effective.to_f64() - UNKNOWN_USAGE).abs() < UNKNOWN_WITHIN
}

/// Effective usage: the node's own part of all usage, and by its part of the level what the account has above
/// that.
fn effective_usage(associations: &Associations, norm_usage: &[Extended]) -> Vec<Extended> {
    let mut effective = vec![Extended::ONE; norm_usage.len()];
    for position in 1..effective.len() {
        let home = associations.fair_share_parent[position] as usize;
        let own = norm_usage[position];
        effective[position] = if home == 0 {
            own
        } else if associations.is_parent[position] {
            effective[home]
        } else {
            let portion = Extended::from_u64(u64::from(associations.shares[position])).over(
                Extended::from_u64(u64::from(associations.level_shares[position])),
            );
            match portion {
                Some(portion) => own.plus(effective[home].minus(own).times(portion)),
                None => effective[home],
            }
        };
    }
    effective
}

/// 2^-(effective usage / target / dampening), the exponent rounded to a double.
///
/// The base is hidden from the optimiser: Slurm calls the C library's `pow`, and a literal 2 would become
/// `exp2` in release builds, which differs in the last bit.
fn factor(effective: Extended, target: f64, dampening: u16) -> f64 {
    if is_unknown(effective) || target <= 0.0 {
        return 0.0;
    }
    let exponent = match Extended::from_f64(target) {
        Some(target) => {
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
    if exponent > VANISHING {
        0.0
    } else {
        black_box(2.0_f64).powf(-exponent)
    }
}

/// The factors: of a job for users, as `sshare` prints them for accounts and the root.
fn factors(
    associations: &Associations,
    effective: &[Extended],
    targets: &[f64],
    dampening: u16,
) -> Vec<f64> {
    let mut factors = Vec::with_capacity(targets.len());
    for position in 0..targets.len() {
        let number = if !associations.is_user[position] {
            let printed = Extended::from_f64(effective[position].to_f64());
            printed.map_or(0.0, |printed| factor(printed, targets[position], dampening))
        } else if associations.is_parent[position] {
            let home = associations.fair_share_parent[position] as usize;
            factor(effective[home], targets[home], dampening)
        } else {
            factor(effective[position], targets[position], dampening)
        };
        factors.push(number);
    }
    factors
}

/// The columns that follow from effective usage and targets, whichever rule made them.
pub(super) fn evaluation(
    tree: &Tree,
    settings: &Settings,
    associations: &Associations,
    targets: Vec<f64>,
    norm_usage: &[Extended],
    effective: &[Extended],
) -> Evaluation {
    let dampening = settings.slurm.dampening;
    let factors = factors(associations, effective, &targets, dampening);
    let ranks = ranks(&associations.is_user, &factors);
    let doubles = |numbers: &[Extended]| numbers.iter().map(|number| number.to_f64()).collect();
    let columns = vec![
        Column::doubles(ColumnId::Usage, associations.usage_as_doubles()),
        Column::doubles(ColumnId::NormShares, targets),
        Column::doubles(ColumnId::NormUsage, doubles(norm_usage)).at(Presence::BelowRoot),
        Column::doubles(ColumnId::EffectvUsage, doubles(effective)),
        Column::doubles(ColumnId::Factor, factors),
        Column::ranks(ColumnId::Rank, ranks),
    ];
    Evaluation::new(tree, columns, None)
}

/// By position: the node's part of all usage.
pub(super) fn norm_usage(associations: &Associations) -> Vec<Extended> {
    (0..associations.usage.len())
        .map(|position| associations.norm_usage(position))
        .collect()
}

fn evaluate(tree: &Tree, settings: &Settings, _last: Option<&Evaluation>) -> Evaluation {
    let associations = Associations::of(tree);
    let targets = targets(&associations);
    let norm_usage = norm_usage(&associations);
    let effective = effective_usage(&associations, &norm_usage);
    evaluation(
        tree,
        settings,
        &associations,
        targets,
        &norm_usage,
        &effective,
    )
}
