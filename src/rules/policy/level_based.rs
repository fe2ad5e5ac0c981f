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

pub use buckets::{BucketFunction, Buckets};

use super::evaluation::{Column, Presence};
use super::slurm::{Associations, LevelUsage};
use super::target::Portions;
use super::{ColumnId, Evaluation, PolicyTraits, Precedence};
use crate::base::extended::Extended;
use crate::model::{MOST_LEVELS, Settings, Tree};
use std::sync::Arc;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: &[
        ColumnId::NormShares,
        ColumnId::EffectvUsage,
        ColumnId::Level,
        ColumnId::LevelFsWord,
        ColumnId::PriorityFsRaw,
        ColumnId::PriorityFsRawLeast,
        ColumnId::PriorityFsRawMost,
        ColumnId::SchedulerRank,
    ],
    extra: &[ColumnId::BucketFactor],
    usual: &[
        ColumnId::Shares,
        ColumnId::NormShares,
        ColumnId::Usage,
        ColumnId::EffectvUsage,
        ColumnId::BucketFactor,
        ColumnId::PriorityFsRaw,
        ColumnId::Factor,
        ColumnId::Rank,
    ],
    settings: &["PriorityLevels"],
    factor: ColumnId::Factor,
    factor_help: "The place in the ranking: 0 is last, 0.5 the middle",
    portions: Portions::OfLevel {
        share: ColumnId::NormShares,
        usage: ColumnId::EffectvUsage,
        ratio: None,
    },
    precedence: Precedence::Buckets,
    evaluate,
};

/// Returns how many levels have a bucket, from 1 to 16: `PriorityLevels`, or the depth of fair-share in the tree if it
/// is not set.
///
/// Slurm has no default. A site would set it so that users on the deepest level are included.
pub fn levels(tree: &Tree, settings: &Settings) -> u8 {
    if let Some(levels) = settings.slurm.priority_levels {
        return levels;
    }
    // By position: the level of the children.
    let mut below = vec![0_u32; tree.node_count()];
    let mut most = 1;
    for position in 1..below.len() {
        let level = below[tree.order().above()[position] as usize];
        let is_parent = tree.shares(tree.nodes()[position]).is_parent();
        below[position] = if is_parent { level } else { level + 1 };
        most = most.max(level + 1);
        if most >= u32::from(MOST_LEVELS) {
            break;
        }
    }
    u8::try_from(most).map_or(MOST_LEVELS, |most| most.min(MOST_LEVELS))
}

/// Computes every column of `TRAITS`, usage, factor and rank.
fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    let associations = &Associations::of(tree);
    let rule = &WordRule::new(Buckets::of(levels(tree, settings)), associations);
    let norm_shares = associations.norm_shares();
    let usage = usage_of_levels(associations);
    let levels = associations.levels();
    let words = PriorityWords::of(tree, rule, &levels, &norm_shares, &usage);
    let ranking = Ranking::of(&words.raw, &associations.is_user);
    let users = Presence::Marked(Arc::clone(&associations.is_user));
    let is_open = Presence::Marked(Arc::new(words.is_open));
    let columns = vec![
        Column::doubles(ColumnId::Usage, associations.usage.shown(tree)),
        Column::doubles(ColumnId::NormShares, norm_shares),
        Column::doubles(ColumnId::EffectvUsage, usage),
        Column::counts(ColumnId::Level, levels).at(Presence::BelowRoot),
        Column::words(ColumnId::LevelFsWord, words.own).at(Presence::BelowRoot),
        Column::words(ColumnId::PriorityFsRaw, words.raw),
        Column::words(ColumnId::PriorityFsRawLeast, words.least).at(is_open.clone()),
        Column::words(ColumnId::PriorityFsRawMost, words.most).at(is_open),
        Column::counts(ColumnId::SchedulerRank, ranking.counters).at(users.clone()),
        Column::doubles(ColumnId::BucketFactor, words.factors)
            .at(Presence::Marked(Arc::new(words.has_factor))),
        Column::doubles(ColumnId::Factor, ranking.factors).at(users),
        Column::ranks(ColumnId::Rank, ranking.ranks),
    ];
    Evaluation::new(tree, columns, None)
}

/// Returns U of every node, its part of its fair-share parent's usage; 1 for the root. Slurm's helper returns a double,
/// so the quotient of long doubles is rounded once more.
fn usage_of_levels(associations: &Associations) -> Vec<f64> {
    let mut of_level = LevelUsage::of(associations);
    let parts = (1..associations.len()).map(|position| of_level.at(position).to_f64());
    std::iter::once(1.0).chain(parts).collect()
}

/// The 64-bit priority of a node.
struct Word {
    /// The node's own bucket, at its position: `level_fs`.
    own: u64,
    /// F, if the node has one.
    factor: Option<f64>,
    priority: Priority,
}

/// The buckets of a node and those above: `priority_fs_raw`.
#[derive(Clone, Copy)]
struct Priority {
    raw: u64,
    /// The least and the most that `raw` can be where the processor decides its last unit.
    least: u64,
    most: u64,
}

/// How the priorities of a tree follow from parts of shares and usage.
struct WordRule<'a> {
    buckets: Buckets,
    filling: BucketFunction,
    associations: &'a Associations<'a>,
}

impl<'a> WordRule<'a> {
    fn new(buckets: Buckets, associations: &'a Associations<'a>) -> Self {
        Self {
            buckets,
            filling: BucketFunction::new(buckets),
            associations,
        }
    }

    /// Returns the priority of a node on a level, with these parts of its level's shares and usage, from that of its
    /// account.
    #[inline]
    fn at(
        &self,
        position: usize,
        level: u32,
        (shares, usage): (f64, f64),
        above: Priority,
    ) -> Word {
        let shift = self.buckets.shift(level);
        let is_parent = self.associations.is_parent(position);
        // An account with shares `parent` has no bucket and passes its account's on. A node that is too deep has no
        // bucket either.
        let filled = match shift {
            Some(shift) if is_parent && self.associations.is_user[position] => {
                let full = self.buckets.full() << shift;
                Some((1.0, full, (full, full)))
            }
            Some(shift) if !is_parent => {
                let filling = &self.filling;
                let factor = filling.factor(shares, usage);
                let value = filling.value(shares, usage, factor);
                let (least, most) = filling.value_within(shares, usage, factor);
                Some((factor, value << shift, (least << shift, most << shift)))
            }
            _ => None,
        };
        let (own, (least, most)) = filled.map_or((0, (0, 0)), |(_, own, within)| (own, within));
        Word {
            own,
            factor: filled.map(|(factor, ..)| factor),
            priority: Priority {
                raw: above.raw | own,
                least: above.least | least,
                most: above.most | most,
            },
        }
    }
}

/// The priorities of consecutive nodes.
#[derive(Default)]
struct PriorityWords {
    own: Vec<u64>,
    raw: Vec<u64>,
    least: Vec<u64>,
    most: Vec<u64>,
    /// Whether the processor decides the last unit of `raw`.
    is_open: Vec<bool>,
    /// F.
    factors: Vec<f64>,
    /// Whether the node has an F.
    has_factor: Vec<bool>,
}

impl PriorityWords {
    /// Returns the priorities of all nodes, by position.
    fn of(
        tree: &Tree,
        rule: &WordRule<'_>,
        levels: &[u32],
        norm_shares: &[f64],
        usage: &[f64],
    ) -> Self {
        let above = tree.order().above();
        let mut words = Self::with_room(above.len());
        words.push(&Word {
            own: 0,
            factor: None,
            priority: Priority {
                raw: 0,
                least: 0,
                most: 0,
            },
        });
        for position in 1..above.len() {
            let parts = (norm_shares[position], usage[position]);
            let above = words.at(above[position] as usize);
            words.push(&rule.at(position, levels[position], parts, above));
        }
        words
    }

    fn with_room(count: usize) -> Self {
        Self {
            own: Vec::with_capacity(count),
            raw: Vec::with_capacity(count),
            least: Vec::with_capacity(count),
            most: Vec::with_capacity(count),
            is_open: Vec::with_capacity(count),
            factors: Vec::with_capacity(count),
            has_factor: Vec::with_capacity(count),
        }
    }

    #[inline]
    fn push(&mut self, word: &Word) {
        let Priority { raw, least, most } = word.priority;
        self.own.push(word.own);
        self.raw.push(raw);
        self.least.push(least);
        self.most.push(most);
        self.is_open.push(least < most);
        self.factors.push(word.factor.unwrap_or(0.0));
        self.has_factor.push(word.factor.is_some());
    }

    fn at(&self, place: usize) -> Priority {
        Priority {
            raw: self.raw[place],
            least: self.least[place],
            most: self.most[place],
        }
    }
}

/// The order of the users, by position.
struct Ranking {
    /// Slurm's counter: from the number of users less 1 down to 0.
    counters: Vec<u32>,
    /// `priority_fs_ranked` as a part of its largest value.
    factors: Vec<f64>,
    /// 1 for the first; 0 for accounts.
    ranks: Vec<u32>,
}

impl Ranking {
    /// Sorts the users by priority, the largest first. Those that tie share the best of their counters.
    fn of(raw: &[u64], is_user: &[bool]) -> Self {
        let mut users: Vec<(u64, u32)> = (0..)
            .zip(raw.iter().zip(is_user))
            .filter(|(_, (_, is_user))| **is_user)
            .map(|(position, (&raw, _))| (!raw, position))
            .collect();
        users.sort_unstable();
        let mut ranking = Self {
            counters: vec![0; raw.len()],
            factors: vec![0.0; raw.len()],
            ranks: vec![0; raw.len()],
        };
        let count = u32::try_from(users.len()).expect("positions are 32 bits wide");
        let mut counter = count;
        for tied in users.chunk_by(|(a, _), (b, _)| a == b) {
            let best = counter - 1;
            let factor = factor(best, count);
            for &(_, position) in tied {
                let position = position as usize;
                ranking.counters[position] = best;
                ranking.factors[position] = factor;
                ranking.ranks[position] = count - best;
                counter -= 1;
            }
        }
        ranking
    }
}

/// Returns the factor of a counter: ranked = counter × 2^64 / users, cut to a whole number, divided by 2^64 - 1 in a
/// long double, and rounded to a double. 0 without users.
///
/// The quotient is the mantissa of `ranked`, shifted up until its top bit is set, plus one: r / (2^64 - 1) is r / 2^64
/// + r / 2^128 and so on, and what comes after r, from 1/2 up to 1 unit of the last place, exceeds 1/2.
pub fn factor(counter: u32, users: u32) -> f64 {
    let counter = Extended::from_u64(u64::from(counter)).scaled(64);
    let ranked = counter
        .over(Extended::from_u64(u64::from(users)))
        .map_or(0, Extended::whole);
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
