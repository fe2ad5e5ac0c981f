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
use super::slurm::{Associations, NormUsage};
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::extended::{Divisor, Extended};
use crate::model::{Settings, Slurm, Tree};
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

/// The numbers of one node.
struct Competitor {
    norm_usage: f64,
    effective: f64,
    factor: f64,
}

/// Every node's numbers under a rule of effective usage, computed for one node after those above it.
struct Competition<'a, R> {
    associations: &'a Associations<'a>,
    settings: &'a Slurm,
    levels: &'a [u32],
    targets: &'a [f64],
    norm_usage: NormUsage<'a>,
    /// The effective usage of the ancestors of the current node, by level.
    effective_above: Vec<Extended>,
    /// Gives the effective usage of nodes that are neither `parent` nor children of the root.
    rule: R,
}

impl<R: FnMut(&ShareCompetition) -> Extended> Competition<'_, R> {
    fn root(&self) -> Competitor {
        Competitor {
            norm_usage: 1.0,
            effective: 1.0,
            factor: factor(Extended::ONE, 1.0, self.settings.dampening),
        }
    }

    /// Returns the numbers of a node that is not the root.
    fn at(&mut self, position: usize) -> Competitor {
        let (associations, targets) = (self.associations, self.targets);
        let dampening = self.settings.dampening;
        let target = targets[position];
        let parent = associations.fair_share_parent[position] as usize;
        let level = self.levels[position] as usize;
        let own = self.norm_usage.at(position);
        let above = match level.checked_sub(1) {
            Some(level) => self.effective_above[level],
            None => Extended::ONE,
        };
        let is_parent = associations.is_parent(position);
        let effective = if parent == 0 {
            own
        } else if is_parent {
            above
        } else {
            (self.rule)(&ShareCompetition {
                position,
                own,
                target,
                parent,
                above,
                target_above: targets[parent],
            })
        };
        let printed = effective.to_f64();
        self.effective_above.truncate(level);
        self.effective_above.push(effective);
        let is_user = associations.is_user[position];
        let is_lent = is_parent && self.settings.parent_factors.uses_parent(is_user);
        let factor = if is_lent {
            factor(above, targets[parent], dampening)
        } else if is_user {
            factor(effective, target, dampening)
        } else {
            let printed = Extended::from_f64(printed).unwrap_or(effective);
            factor(printed, target, dampening)
        };
        Competitor {
            norm_usage: own.to_f64(),
            effective: printed,
            factor,
        }
    }

    /// Computes all numbers.
    fn evaluation(mut self, tree: &Tree) -> Evaluation {
        let count = self.targets.len();
        let mut norm_usages = Vec::with_capacity(count);
        let mut effectives = Vec::with_capacity(count);
        let mut factors = Vec::with_capacity(count);
        for position in 0..count {
            let numbers = if position == 0 {
                self.root()
            } else {
                self.at(position)
            };
            norm_usages.push(numbers.norm_usage);
            effectives.push(numbers.effective);
            factors.push(numbers.factor);
        }
        let ranks = ranks(&self.associations.is_user, &factors);
        let usage = self.associations.usage.shown(tree);
        let columns = vec![
            Column::doubles(ColumnId::NormShares, self.targets.to_vec()),
            Column::doubles(ColumnId::NormUsage, norm_usages).at(Presence::BelowRoot),
            Column::doubles(ColumnId::EffectvUsage, effectives),
            Column::doubles(ColumnId::Factor, factors),
            Column::ranks(ColumnId::Rank, ranks),
            Column::doubles(ColumnId::Usage, usage),
        ];
        Evaluation::new(tree, columns, None)
    }
}

/// Computes every column under a rule of effective usage, which is called for nodes that are neither `parent` nor children
/// of the root.
pub(super) fn evaluation(
    tree: &Tree,
    settings: &Settings,
    associations: &Associations,
    (levels, targets): (&[u32], &[f64]),
    rule: impl FnMut(&ShareCompetition) -> Extended,
) -> Evaluation {
    let competition = Competition {
        associations,
        settings: &settings.slurm,
        levels,
        targets,
        norm_usage: NormUsage::of(associations),
        effective_above: Vec::new(),
        rule,
    };
    competition.evaluation(tree)
}

fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let associations = Associations::of(tree);
    let levels = associations.levels();
    let targets = targets(&associations, &levels);
    let shares = |count: u32| Extended::from_u64(u64::from(count));
    // The shares of a level are the divisor of all its members.
    let (mut last_parent, mut of_level) = (0, None);
    let rule = |node: &ShareCompetition| {
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
    };
    evaluation(tree, settings, &associations, (&levels, &targets), rule)
}
