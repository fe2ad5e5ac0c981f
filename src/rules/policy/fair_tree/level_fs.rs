//! The numbers of each node: its part of the level's usage, and Level FS.

use super::super::slurm::quotient::{Halved, Pair, Wide};
use super::super::slurm::{Associations, LevelUsage, NormUsage};
use crate::base::extended::Extended;

/// The Level FS that Slurm gives `parent` accounts: its mark for "no value", which it compares like any number.
pub(crate) const NO_VALUE: f64 = 4_294_967_294.0;

/// The numbers of each node, by position in the tree's order: Slurm's 80-bit values rounded to doubles.
pub(super) struct Ratios {
    pub(super) norm_shares: Vec<f64>,
    pub(super) norm_usage: Vec<f64>,
    pub(super) effective_usage: Vec<f64>,
    pub(super) level_fs: Vec<f64>,
}

/// The numbers of one node.
struct Ratio {
    norm_usage: f64,
    effective_usage: f64,
    level_fs: f64,
}

impl Ratios {
    pub(super) fn of(associations: &Associations) -> Self {
        let mut numbers = Self::with_room(associations.len());
        numbers.norm_shares.push(associations.norm_shares_of_root());
        numbers.norm_usage.push(0.0);
        // The root has no siblings. Slurm shows it with all of its own usage.
        numbers.effective_usage.push(1.0);
        numbers.level_fs.push(0.0);
        let mut rule = RatioRule::of(associations);
        for position in 1..associations.len() {
            let share = if associations.is_parent(position) {
                numbers.norm_shares[associations.fair_share_parent[position] as usize]
            } else {
                associations.portion(position)
            };
            numbers.push(share, &rule.at(position, share));
        }
        numbers
    }

    fn with_room(count: usize) -> Self {
        Self {
            norm_shares: Vec::with_capacity(count),
            norm_usage: Vec::with_capacity(count),
            effective_usage: Vec::with_capacity(count),
            level_fs: Vec::with_capacity(count),
        }
    }

    #[inline]
    fn push(&mut self, norm_shares: f64, ratio: &Ratio) {
        self.norm_shares.push(norm_shares);
        self.norm_usage.push(ratio.norm_usage);
        self.effective_usage.push(ratio.effective_usage);
        self.level_fs.push(ratio.level_fs);
    }
}

/// Every node's numbers, computed for one node after the other: from doubles or pairs of them where these settle the
/// result, otherwise from all bits.
struct RatioRule<'a> {
    associations: &'a Associations<'a>,
    exactly: ExactRatios<'a>,
    last_parent: u32,
    wholes: Wholes<'a>,
}

/// All usage, and that of the last fair-share parent.
enum Wholes<'a> {
    /// If doubles hold all usage.
    Doubles {
        usage: &'a [f64],
        all: Halved,
        whole: Halved,
    },
    LongDoubles {
        all: Option<Wide>,
        whole: Option<Wide>,
    },
}

impl<'a> RatioRule<'a> {
    fn of(associations: &'a Associations) -> Self {
        let wholes = if let Some(usage) = associations.usage.exact() {
            Wholes::Doubles {
                usage,
                all: Halved::of(usage[0]),
                whole: Halved::of(usage[0]),
            }
        } else {
            let all = Wide::of(associations.usage.at(0));
            Wholes::LongDoubles { all, whole: all }
        };
        Self {
            associations,
            exactly: ExactRatios::of(associations),
            last_parent: 0,
            wholes,
        }
    }

    /// Returns the numbers of a node with this part of its level's shares.
    #[inline]
    fn at(&mut self, position: usize, share: f64) -> Ratio {
        let Self {
            associations,
            exactly,
            last_parent,
            wholes,
        } = self;
        let parent = associations.fair_share_parent[position];
        let is_other = parent != *last_parent;
        *last_parent = parent;
        match wholes {
            Wholes::Doubles { usage, all, whole } => {
                if is_other {
                    *whole = Halved::of(usage[parent as usize]);
                }
                if associations.is_parent(position) {
                    return exactly.all(position);
                }
                of_doubles((usage[position], *whole, *all), share, position, exactly)
            }
            Wholes::LongDoubles { all, whole } => {
                let of = |position: usize| Wide::of(associations.usage.at(position));
                if is_other {
                    *whole = of(parent as usize);
                }
                let own = of(position);
                let of_all = own.zip(*all).and_then(|(own, all)| own.over(all));
                let used = if parent == 0 {
                    of_all
                } else {
                    own.zip(*whole).and_then(|(own, whole)| own.over(whole))
                };
                let rounded = (of_all, used);
                of_long_doubles(
                    rounded,
                    share,
                    (position, associations.is_parent(position)),
                    exactly,
                )
            }
        }
    }
}

/// Returns the numbers of a node that is not `parent` from its usage, that of its fair-share parent and all usage.
#[inline]
fn of_doubles(
    (own, whole, all): (f64, Halved, Halved),
    share: f64,
    position: usize,
    exactly: &mut ExactRatios<'_>,
) -> Ratio {
    if own == 0.0 {
        return Ratio {
            norm_usage: 0.0,
            effective_usage: 0.0,
            level_fs: if share == 0.0 { 0.0 } else { f64::INFINITY },
        };
    }
    if whole.is_zero() || all.is_zero() {
        // Stated usage of an account need not be the sum of its users.
        return exactly.all(position);
    }
    let own = Halved::of(own);
    Ratio {
        norm_usage: match own.over(all) {
            Some(part) => part.min(1.0),
            None => exactly.norm_usage(position),
        },
        effective_usage: match own.over(whole) {
            Some(part) => part,
            None => exactly.effective_usage(position),
        },
        level_fs: if share == 0.0 {
            0.0
        } else {
            match Halved::of(share).times_over(whole, own) {
                Some(number) => number,
                None => exactly.level_fs(position),
            }
        },
    }
}

/// Returns the numbers of a node from its part of all usage and of its fair-share parent's, as pairs of doubles.
#[inline]
fn of_long_doubles(
    (of_all, used): (Option<Pair>, Option<Pair>),
    share: f64,
    (position, is_parent): (usize, bool),
    exactly: &mut ExactRatios<'_>,
) -> Ratio {
    Ratio {
        norm_usage: match of_all.and_then(Pair::settled) {
            Some(part) => part.min(1.0),
            None => exactly.norm_usage(position),
        },
        effective_usage: match used.and_then(Pair::settled) {
            Some(used) => used,
            None => exactly.effective_usage(position),
        },
        level_fs: match used {
            Some(used) if !is_parent => {
                level_fs(share, used).unwrap_or_else(|| exactly.level_fs(position))
            }
            _ => exactly.level_fs(position),
        },
    }
}

/// The numbers of nodes computed from all their bits, one node after the other.
struct ExactRatios<'a> {
    associations: &'a Associations<'a>,
    of_all: NormUsage<'a>,
    of_level: LevelUsage<'a>,
}

impl<'a> ExactRatios<'a> {
    fn of(associations: &'a Associations) -> Self {
        Self {
            associations,
            of_all: NormUsage::of(associations),
            of_level: LevelUsage::of(associations),
        }
    }

    fn norm_usage(&self, position: usize) -> f64 {
        self.of_all.at(position).to_f64()
    }

    fn effective_usage(&mut self, position: usize) -> f64 {
        self.of_level.at(position).to_f64()
    }

    fn level_fs(&mut self, position: usize) -> f64 {
        exact(self.associations, &mut self.of_level, position).to_f64()
    }

    fn all(&mut self, position: usize) -> Ratio {
        Ratio {
            norm_usage: self.norm_usage(position),
            effective_usage: self.effective_usage(position),
            level_fs: self.level_fs(position),
        }
    }
}

/// Returns whether Slurm shows a Level FS for the node: not for the root and `parent` accounts.
pub(super) fn is_shown(associations: &Associations, position: usize) -> bool {
    position > 0 && (associations.is_user[position] || !associations.is_parent(position))
}

/// Returns whether two nodes have the same Level FS because all its terms are the same.
pub(super) fn are_alike(associations: &Associations, a: usize, b: usize) -> bool {
    let inputs = |position: usize| {
        (
            associations.fair_share_parent[position],
            associations.is_parent(position),
            associations.shares[position],
            associations.usage.at(position),
        )
    };
    inputs(a) == inputs(b)
}

/// Returns whether Level FS is the number that marks "no value": for `parent` accounts, or by chance.
pub(super) fn is_no_value(associations: &Associations, level_fs: &[f64], position: usize) -> bool {
    level_fs[position].to_bits() == NO_VALUE.to_bits()
        && Extended::from_f64(NO_VALUE).map(ExactLevelFs::Number)
            == Some(exact(
                associations,
                &mut LevelUsage::of(associations),
                position,
            ))
}

/// Returns whether Level FS is 0 or infinity for lack of shares or usage, so that the double is exact.
pub(super) fn is_endless(associations: &Associations, level_fs: f64) -> bool {
    associations.usage.exact().is_some() && (level_fs == 0.0 || level_fs == f64::INFINITY)
}

/// Returns Level FS from the part of the level's shares and the part of the level's usage, or `None` if that needs all
/// bits.
fn level_fs(share: f64, used: Pair) -> Option<f64> {
    if share == 0.0 {
        return Some(0.0);
    }
    Pair::of(share).over(used).settled()
}

/// Returns Level FS with all its bits. Infinity is above all numbers.
pub(super) fn exact(
    associations: &Associations,
    of_level: &mut LevelUsage,
    position: usize,
) -> ExactLevelFs {
    let number = if associations.is_parent(position) {
        if associations.is_user[position] {
            None
        } else {
            Extended::from_f64(NO_VALUE)
        }
    } else {
        quotient(associations.portion(position), of_level.at(position))
    };
    number.map_or(ExactLevelFs::Infinity, ExactLevelFs::Number)
}

/// An 80-bit number or infinity, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ExactLevelFs {
    Number(Extended),
    Infinity,
}

impl ExactLevelFs {
    fn to_f64(self) -> f64 {
        match self {
            Self::Number(number) => number.to_f64(),
            Self::Infinity => f64::INFINITY,
        }
    }
}

/// Returns S / U: 0 without shares, even without usage, and `None`, for infinity, with shares and without usage.
fn quotient(share: f64, used: Extended) -> Option<Extended> {
    match Extended::from_f64(share) {
        Some(share) if !share.is_zero() => share.over(used),
        _ => Some(Extended::ZERO),
    }
}
