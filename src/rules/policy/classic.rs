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

use super::blank::BlankNodes;
use super::column::column_ids;
use super::evaluation::Presence;
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

/// How close it is to be.
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

/// The two numbers of which a factor is made.
#[derive(Clone, Copy)]
struct FactorTerms {
    /// The effective usage.
    used: Extended,
    /// The part of all shares.
    target: f64,
}

impl FactorTerms {
    /// The terms of the root.
    const ROOT: Self = Self {
        used: Extended::ONE,
        target: 1.0,
    };

    /// Returns 2^-(effective usage / target / dampening), with the exponent rounded to a double.
    fn factor(self, dampening: u16) -> f64 {
        if self.target <= 0.0 || is_unknown(self.used.to_f64()) {
            return 0.0;
        }
        let Some(target) = Extended::from_f64(self.target) else {
            // A product of wrapped shares can leave the range of a double.
            return power(self.used.to_f64() / self.target / f64::from(dampening));
        };
        if dampening <= 1 {
            return power(self.used.ratio(target).to_f64());
        }
        let ratio = self.used.over(target).unwrap_or(Extended::ZERO);
        let dampened = ratio.over(Extended::from_u64(dampening.into()));
        power(dampened.unwrap_or(ratio).to_f64())
    }
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

/// A tree with the targets of its nodes, for the rules that compare them with effective usage.
pub(super) struct TargetTree<'a> {
    tree: &'a Tree,
    pub(super) associations: Associations<'a>,
    /// By position, the steps below the root's children, without `parent` accounts.
    pub(super) levels: Vec<u32>,
    /// By position, the part of all shares; see [`targets`].
    targets: Vec<f64>,
}

impl<'a> TargetTree<'a> {
    /// Computes the targets of a tree.
    pub(super) fn new(tree: &'a Tree) -> Self {
        let associations = Associations::new(tree);
        let levels = associations.levels();
        let targets = targets(&associations, &levels);
        Self {
            tree,
            associations,
            levels,
            targets,
        }
    }

    /// Computes every column. The rule gives the effective usage of nodes that are neither `parent` nor children of the
    /// root; it is asked in the order of the tree.
    pub(super) fn evaluation(
        &self,
        settings: &Settings,
        mut effective_usage: impl FnMut(&ShareCompetition) -> Extended,
    ) -> Evaluation {
        let associations = &self.associations;
        let targets = &self.targets;
        let count = targets.len();
        let own_usage = cores::by_position(count, |position| associations.norm_usage(position));
        let mut effectives = vec![1.0; count];
        let mut terms = vec![FactorTerms::ROOT; count];
        // The effective usage of the ancestors of the current node, by level.
        let mut effective_above: Vec<Extended> = Vec::new();
        for position in cores::in_turn(1..count) {
            let target = targets[position];
            let parent = associations.parent(position);
            let own = own_usage[position];
            effective_above.truncate(self.levels[position] as usize);
            let above = effective_above.last().copied().unwrap_or(Extended::ONE);
            let is_parent = associations.is_parent(position);
            let is_user = associations.is_user[position];
            let effective = if parent == 0 {
                own
            } else if is_parent {
                above
            } else {
                effective_usage(&ShareCompetition {
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
            terms[position] = if is_parent && settings.slurm.parent_factors.uses_parent(is_user) {
                FactorTerms {
                    used: above,
                    target: targets[parent],
                }
            } else if is_user {
                FactorTerms {
                    used: effective,
                    target,
                }
            } else {
                FactorTerms {
                    used: Extended::from_f64(printed).unwrap_or(effective),
                    target,
                }
            };
        }
        let factors = cores::by_position(count, |position| {
            terms[position].factor(settings.slurm.dampening)
        });
        let norm_usages = own_usage.iter().map(|own| own.to_f64()).collect();
        let ranks = ranks(&associations.is_user, |position| falling(factors[position]));
        let columns = vec![
            ColumnId::NormShares.doubles(targets.clone()),
            ColumnId::NormUsage
                .doubles(norm_usages)
                .at(Presence::BelowRoot),
            ColumnId::EffectvUsage.doubles(effectives),
            ColumnId::Factor.doubles(factors),
            ColumnId::Rank.ranks(ranks),
            ColumnId::Usage.doubles(associations.usage.shown(self.tree)),
        ];
        Evaluation::new(self.tree, columns, BlankNodes::default())
    }
}

fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let targets = TargetTree::new(tree);
    let associations = &targets.associations;
    targets.evaluation(settings, |node| {
        // The own part of all usage, plus the account's excess over it in proportion to the part of the level.
        let shares = Extended::from_u64(associations.shares[node.position].into());
        let of_level = Extended::from_u64(associations.level_shares(node.position).into());
        match shares.over(of_level) {
            Some(portion) => node.own.plus(node.above.minus(node.own).times(portion)),
            None => node.above,
        }
    })
}

/// How many multiplications are made in the exact order before speed takes precedence.
///
/// Slurm multiplies from the node upwards, so no product can be reused from the account above. Unless the parts are 1,
/// a chain of a million accounts would take half a million million multiplications.
const MOST_MULTIPLICATIONS: usize = 1 << 26;

/// An account above the current node, with its part of its level, which is not 1: a part of 1 changes no product.
struct AccountPortion {
    level: u32,
    portion: f64,
}

/// Returns, by position, the product of the parts of the levels: 1 for the root, and the fair-share parent's product
/// for nodes with shares `parent`.
pub(super) fn targets(associations: &Associations, levels: &[u32]) -> Vec<f64> {
    let mut targets = Vec::with_capacity(levels.len());
    targets.push(1.0);
    // The topmost account first.
    let mut above: Vec<AccountPortion> = Vec::new();
    let mut multiplications = 0;
    for (position, &level) in levels.iter().enumerate().skip(1) {
        let parent = associations.parent(position);
        if associations.is_parent(position) {
            targets.push(targets[parent]);
            continue;
        }
        while above.last().is_some_and(|last| last.level >= level) {
            above.pop();
        }
        multiplications += above.len();
        let portion = associations.portion(position);
        let mut target = portion;
        if multiplications > MOST_MULTIPLICATIONS {
            target *= targets[parent];
        } else {
            for account in above.iter().rev() {
                if target == 0.0 {
                    break;
                }
                target *= account.portion;
            }
        }
        targets.push(target);
        if portion.to_bits() != 1.0_f64.to_bits() {
            above.push(AccountPortion { level, portion });
        }
    }
    targets
}
