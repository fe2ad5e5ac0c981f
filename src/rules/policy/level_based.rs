//! Slurm's LEVEL_BASED, to the bit of an x86-64.
//!
//! Follows Slurm 14.11.0pre3, the only release line that had it (pre3 to pre5; pull request 75 before):
//! `src/plugins/priority/multifactor/level_based.c` (`level_based_calc_children_fs`, `level_based_apply_rank`) and
//! `src/common/assoc_mgr.c` (`_normalize_assoc_shares`).
//!
//! Every node has a 64-bit priority with one bucket per level. A node writes its own value into the bucket of its level
//! and takes the buckets above from its account. The largest priority runs first.
//!
//! The last bit of a power of two depends on the controller's processor. Where it shows in a priority, as in some
//! priorities with `PriorityLevels=1`, the columns of the least and the most have the priorities between which the
//! processor decides.
//!
//! Surprising, and followed: without shares a bucket is full, so such a node comes first on its level; a user with
//! shares `parent` has a full bucket, and an account with them has none; below the last level of `PriorityLevels` all
//! users of an account tie; the best user never gets the factor 1, and an only user gets 0.

mod buckets;

pub use buckets::{BucketFunction, Buckets, Filling};

use super::blank::BlankNodes;
use super::column::column_ids;
use super::evaluation::Presence;
use super::ranking::ranks;
use super::slurm::Associations;
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::cores;
use crate::base::extended::Extended;
use crate::model::{MOST_LEVELS, Settings, Tree};
use std::sync::Arc;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![
        NormShares EffectvUsage Level LevelFsWord PriorityFsRaw PriorityFsRawLeast PriorityFsRawMost
        SchedulerRank
    ],
    extra: column_ids![BucketFactor],
    usual: column_ids![Shares NormShares Usage EffectvUsage BucketFactor PriorityFsRaw Factor Rank],
    settings: &["PriorityLevels"],
    factor: ColumnId::Factor,
    factor_help: "(users - rank) / users: 0 is last",
    portions: Portions::OfLevel {
        share: ColumnId::NormShares,
        usage: ColumnId::EffectvUsage,
        ratio: None,
    },
    // The first bucket that differs decides, and a node's own bucket has a column of its own.
    precedence: Precedence::Levels(ColumnId::LevelFsWord),
    evaluate,
};

/// Returns how many levels have a bucket, from 1 to 16: `PriorityLevels`, or the depth of fair-share in the tree.
///
/// Slurm has no default. A site would set it so that users on the deepest level are included.
pub fn levels(tree: &Tree, settings: &Settings) -> u8 {
    if let Some(levels) = settings.slurm.priority_levels {
        return levels;
    }
    let nodes = tree.nodes();
    let above = tree.above();
    // By position: the level of the children.
    let mut below = vec![0_u32; nodes.len()];
    let mut most = 1;
    for position in 1..below.len() {
        let level = below[above[position] as usize];
        let is_parent = tree.shares(nodes[position]).is_parent();
        below[position] = if is_parent { level } else { level + 1 };
        most = most.max(level + 1);
        if most >= u32::from(MOST_LEVELS) {
            break;
        }
    }
    match u8::try_from(most) {
        Ok(most) => most.min(MOST_LEVELS),
        Err(_) => MOST_LEVELS,
    }
}

fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let associations = &Associations::new(tree);
    let buckets = Buckets::for_levels(levels(tree, settings));
    let levels = associations.levels();
    let norm_shares = associations.norm_shares();
    // Slurm's helper returns U as a double, so the quotient of long doubles is rounded once more.
    let usage = cores::by_position(associations.len(), |position| match position {
        0 => 1.0,
        _ => associations.level_ratio(position).to_f64(),
    });
    let fillings = fillings(associations, buckets, &levels, &norm_shares, &usage);
    let words = Words::of_fillings(associations, buckets, &levels, &fillings);
    // Those that tie share the best of their counters, which fall from the number of users less 1 down to 0.
    let ranks = ranks(&associations.is_user, |position| !words.nearest[position]);
    let user_count = u32::try_from(tree.user_count()).expect("positions are 32 bits wide");
    let mut counters = vec![0; ranks.len()];
    let mut factors = vec![0.0; ranks.len()];
    for (position, &rank) in ranks.iter().enumerate() {
        if rank > 0 {
            counters[position] = user_count - rank;
            factors[position] = factor(counters[position], user_count);
        }
    }
    let mut bucket_factors = vec![0.0; usage.len()];
    let mut has_bucket = vec![false; usage.len()];
    let mut is_open = vec![false; usage.len()];
    for (position, filling) in fillings.iter().enumerate() {
        if let Some(filling) = filling {
            bucket_factors[position] = filling.factor;
            has_bucket[position] = true;
        }
        is_open[position] = words.least[position] < words.most[position];
    }
    let has_bucket = Presence::Marked(Arc::new(has_bucket));
    let is_open = Presence::Marked(Arc::new(is_open));
    let users = Presence::Marked(Arc::clone(&associations.is_user));
    let columns = vec![
        ColumnId::Usage.doubles(associations.usage.shown(tree)),
        ColumnId::NormShares.doubles(norm_shares),
        ColumnId::EffectvUsage.doubles(usage),
        ColumnId::Level.counts(levels).at(Presence::BelowRoot),
        ColumnId::LevelFsWord
            .words(words.own)
            .at(Presence::BelowRoot),
        ColumnId::PriorityFsRaw.words(words.nearest),
        ColumnId::PriorityFsRawLeast
            .words(words.least)
            .at(is_open.clone()),
        ColumnId::PriorityFsRawMost.words(words.most).at(is_open),
        ColumnId::SchedulerRank.counts(counters).at(users.clone()),
        ColumnId::BucketFactor
            .doubles(bucket_factors)
            .at(has_bucket),
        ColumnId::Factor.doubles(factors).at(users),
        ColumnId::Rank.ranks(ranks),
    ];
    Evaluation::new(tree, columns, BlankNodes::default())
}

/// Returns, by position, how full each node's own bucket is. An account with shares `parent` has no bucket and passes
/// its account's on. Nor has a node that is too deep.
fn fillings(
    associations: &Associations,
    buckets: Buckets,
    levels: &[u32],
    norm_shares: &[f64],
    usage: &[f64],
) -> Vec<Option<Filling>> {
    let function = BucketFunction::new(buckets);
    cores::by_position(associations.len(), |position| {
        if position == 0 || levels[position] >= buckets.levels() {
            return None;
        }
        if !associations.is_parent(position) {
            Some(function.filling(norm_shares[position], usage[position]))
        } else if associations.is_user[position] {
            Some(Filling::full(buckets))
        } else {
            None
        }
    })
}

/// The 64-bit priorities, by position.
struct Words {
    /// The node's own bucket, at its place in the priority: `level_fs`.
    own: Vec<u64>,
    /// The buckets of the accounts above and its own, `priority_fs_raw`.
    nearest: Vec<u64>,
    /// The least that the priority can be where the processor decides its last unit.
    least: Vec<u64>,
    /// The most that it can be.
    most: Vec<u64>,
}

impl Words {
    /// Writes the values of the buckets to their places.
    fn of_fillings(
        associations: &Associations,
        buckets: Buckets,
        levels: &[u32],
        fillings: &[Option<Filling>],
    ) -> Self {
        let count = fillings.len();
        let mut words = Self {
            own: vec![0; count],
            nearest: vec![0; count],
            least: vec![0; count],
            most: vec![0; count],
        };
        for (position, &filling) in fillings.iter().enumerate().skip(1) {
            let above = associations.above[position] as usize;
            words.nearest[position] = words.nearest[above];
            words.least[position] = words.least[above];
            words.most[position] = words.most[above];
            if let Some(filling) = filling
                && let Some(shift) = buckets.shift(levels[position])
            {
                words.own[position] = filling.value << shift;
                words.nearest[position] |= filling.value << shift;
                words.least[position] |= filling.least << shift;
                words.most[position] |= filling.most << shift;
            }
        }
        words
    }
}

/// Returns the factor of a counter: ranked = counter × 2^64 / users, cut to a whole number, divided by 2^64 - 1 in a
/// long double, and rounded to a double. 0 without users.
///
/// The quotient is the mantissa of `ranked`, shifted up until its top bit is set, plus one: r / (2^64 - 1) is r / 2^64
/// + r / 2^128 and so on, and what comes after r, from 1/2 up to 1 unit of the last place, exceeds 1/2.
pub fn factor(counter: u32, users: u32) -> f64 {
    let counter = Extended::from_u64(u64::from(counter)).scaled(64);
    let ranked = match counter.over(Extended::from_u64(u64::from(users))) {
        Some(quotient) => quotient.whole(),
        None => 0,
    };
    if ranked == 0 {
        return 0.0;
    }
    let shift = ranked.leading_zeros();
    // When all bits are set, adding one does not change the rounded double.
    let mantissa = (ranked << shift).saturating_add(1);
    // 2^-(64 + shift); the shift is at most 63.
    let unit = f64::from_bits(u64::from(1023 - 64 - shift) << 52);
    mantissa as f64 * unit
}
