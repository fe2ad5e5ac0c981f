//! Slurm's Fair Tree, as implemented and as documented.
//!
//! Follows `src/plugins/priority/multifactor/fair_tree.c` of Slurm 14.11 to 26.05 (`_calc_assoc_fs`, `_cmp_level_fs`,
//! `_count_tied_accounts`, `_calc_tree_fs`), whose logic has not changed in between, and `set_assoc_usage_norm` of
//! `priority_multifactor.c`.
//!
//! Among siblings, S is the part of the shares, U the part of the usage, and Level FS = S / U. The tree is walked depth
//! first, the larger Level FS first. A counter starts at the number of users. Each user takes its value, which then
//! falls by one, and users that tie take the same value. The factor is that value / the number of users.
//!
//! Document and program differ for sibling accounts that tie. The document merges their children into one list. The
//! program is meant to do so, but its count of tied accounts stops at the first account it meets and so is always 0.
//! The accounts are therefore visited one after the other in the order in which Slurm lists them, and the first member
//! of the second account starts tied with the user that was ranked last.

mod queue;
mod walk;

pub(super) use queue::FairTreeQueue;
pub(crate) use walk::NO_VALUE;

use super::blank::BlankNodes;
use super::column::column_ids;
use super::evaluation::{NumberColumn, Numbers, Presence};
use super::slurm::Associations;
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::cores;
use crate::model::{TieOrder, Tree};
use walk::{Ratios, Variant, WalkedTree};

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![NormShares NormUsage EffectvUsage LevelFs SchedulerRank],
    extra: &[],
    usual: column_ids![Shares NormShares Usage EffectvUsage LevelFs Factor Rank],
    settings: &["TieOrder"],
    factor: ColumnId::Factor,
    factor_help: "Portion of the users at this rank or below; 1.000000 is the best",
    portions: Portions::OfLevel {
        share: ColumnId::NormShares,
        usage: ColumnId::EffectvUsage,
        ratio: Some(ColumnId::LevelFs),
    },
    precedence: Precedence::Visits(ColumnId::LevelFs),
    evaluate: |tree, settings| evaluate(tree, Variant::Implemented(settings.slurm.tie_order)),
};

pub(super) const DOCUMENTED: PolicyTraits = PolicyTraits {
    settings: &[],
    precedence: Precedence::Levels(ColumnId::LevelFs),
    evaluate: |tree, _| evaluate(tree, Variant::Documented),
    ..TRAITS
};

fn evaluate(tree: &Tree, variant: Variant) -> Evaluation {
    let associations = &Associations::new(tree);
    let numbers = Ratios::new(associations);
    let ranked = rank_columns(tree, variant, associations, &numbers.level_fs);
    let own_level_fs = if associations.has_parents() {
        let positions = 0..associations.len();
        Presence::marked(positions.map(|position| walk::is_shown(associations, position)))
    } else {
        Presence::BelowRoot
    };
    let columns = vec![
        ColumnId::Usage.doubles(associations.usage.shown(tree)),
        ColumnId::NormShares.doubles(numbers.norm_shares),
        ColumnId::NormUsage
            .doubles(numbers.norm_usage)
            .at(Presence::BelowRoot),
        ColumnId::EffectvUsage.doubles(numbers.effective_usage),
        ColumnId::LevelFs.doubles(numbers.level_fs).at(own_level_fs),
    ];
    Evaluation::new(tree, columns, BlankNodes::default()).with(ranked)
}

/// Returns the columns of the scheduler's ranks, the factors and the ranks.
fn rank_columns(
    tree: &Tree,
    variant: Variant,
    associations: &Associations,
    level_fs: &[f64],
) -> Vec<NumberColumn> {
    cores::rest();
    let walked = WalkedTree {
        tree,
        associations,
        level_fs,
        is_rounded: true,
    };
    let scheduler_ranks = walked.ranks(variant);
    let user_count = tree.user_count();
    let count = f64::from(u32::try_from(user_count).unwrap_or(u32::MAX));
    let first = u32::try_from(user_count + 1).unwrap_or(u32::MAX);
    let mut factors = Vec::with_capacity(scheduler_ranks.len());
    let mut ranks = Vec::with_capacity(scheduler_ranks.len());
    for &rank in &scheduler_ranks {
        factors.push(f64::from(rank) / count);
        // The counter falls by one for each user that is ranked, ties included.
        ranks.push(if rank > 0 { first - rank } else { 0 });
    }
    let are_ranked = Presence::marked(scheduler_ranks.iter().map(|&rank| rank > 0));
    vec![
        ColumnId::SchedulerRank
            .counts(scheduler_ranks)
            .at(are_ranked.clone()),
        ColumnId::Factor.doubles(factors).at(are_ranked),
        ColumnId::Rank.ranks(ranks),
    ]
}

/// Returns Fair Tree's numbers of a tree with the ranks of another order of accounts that tie.
pub(crate) fn in_order(
    evaluation: &Evaluation,
    tree: &Tree,
    order: TieOrder,
    associations: &Associations,
) -> Evaluation {
    let variant = Variant::Implemented(order);
    match evaluation.numbers(ColumnId::LevelFs) {
        Some(Numbers::Double(level_fs)) => {
            let ranked = rank_columns(tree, variant, associations, level_fs);
            evaluation.clone().with(ranked)
        }
        _ => evaluate(tree, variant),
    }
}

/// Returns, by position in the tree's order, the scheduler's ranks for given values of Level FS: the number of users
/// down to 1, and 0 for accounts. Two nodes tie if their values are the same double.
///
/// `parent` users have infinity and `parent` accounts [`NO_VALUE`], whatever is given for them.
pub(crate) fn ranks_by_level_fs(
    tree: &Tree,
    order: TieOrder,
    associations: &Associations,
    mut level_fs: Vec<f64>,
) -> Vec<u32> {
    for (position, number) in level_fs.iter_mut().enumerate() {
        if associations.is_parent(position) {
            let is_user = associations.is_user[position];
            *number = if is_user { f64::INFINITY } else { NO_VALUE };
        }
    }
    let walked = WalkedTree {
        tree,
        associations,
        level_fs: &level_fs,
        is_rounded: false,
    };
    walked.ranks(Variant::Implemented(order))
}
