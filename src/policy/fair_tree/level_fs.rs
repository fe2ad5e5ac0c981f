//! The numbers of each node: what it used of its level, and Level FS.

use super::super::extended::Extended;
use super::super::slurm::quotient::{Halved, Pair, Wide};
use super::super::slurm::{Associations, NormUsage};

/// What Slurm gives `parent` accounts for Level FS: its mark for "no value", which it compares like any number.
const NO_VALUE: f64 = 4_294_967_294.0;

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
        match associations.usage.exact() {
            Some(usage) => Self::of_doubles(associations, usage),
            None => Self::of_long_doubles(associations),
        }
    }

    /// From the root's numbers on.
    fn begin(associations: &Associations) -> Self {
        let count = associations.len();
        let mut numbers = Self {
            norm_shares: Vec::with_capacity(count),
            norm_usage: Vec::with_capacity(count),
            effective_usage: Vec::with_capacity(count),
            level_fs: Vec::with_capacity(count),
        };
        numbers.norm_shares.push(associations.norm_shares_of_root());
        numbers.norm_usage.push(0.0);
        // The root is nobody's sibling; Slurm shows it with all of its own usage.
        numbers.effective_usage.push(1.0);
        numbers.level_fs.push(0.0);
        numbers
    }

    fn push(&mut self, norm_shares: f64, ratio: &Ratio) {
        self.norm_shares.push(norm_shares);
        self.norm_usage.push(ratio.norm_usage);
        self.effective_usage.push(ratio.effective_usage);
        self.level_fs.push(ratio.level_fs);
    }

    fn of_doubles(associations: &Associations, usage: &[f64]) -> Self {
        let mut numbers = Self::begin(associations);
        let of_all = NormUsage::of(associations);
        let exact_ratio = |position| exact_ratio(associations, &of_all, position);
        let all = Halved::of(usage[0]);
        let (mut last_home, mut whole) = (0, all);
        for position in 1..usage.len() {
            let home = associations.fair_share_parent[position];
            if associations.is_parent(position) {
                let share = numbers.norm_shares[home as usize];
                numbers.push(share, &exact_ratio(position));
                continue;
            }
            if home != last_home {
                (last_home, whole) = (home, Halved::of(usage[home as usize]));
            }
            let share = associations.portion(position);
            let ratio = ratio_of_doubles(share, usage[position], whole, all);
            let ratio = ratio.unwrap_or_else(|| exact_ratio(position));
            numbers.push(share, &ratio);
        }
        numbers
    }

    fn of_long_doubles(associations: &Associations) -> Self {
        let mut numbers = Self::begin(associations);
        let norm_usage = NormUsage::of(associations);
        let of = |position: usize| Wide::of(associations.usage.at(position));
        let all = of(0);
        let (mut last_home, mut whole) = (0, all);
        for position in 1..associations.len() {
            let home = associations.fair_share_parent[position];
            if home != last_home {
                (last_home, whole) = (home, of(home as usize));
            }
            let own = of(position);
            let of_all = own.zip(all).and_then(|(own, all)| own.over(all));
            let used = if home == 0 {
                of_all
            } else {
                own.zip(whole).and_then(|(own, whole)| own.over(whole))
            };
            let is_parent = associations.is_parent(position);
            let share = if is_parent {
                numbers.norm_shares[home as usize]
            } else {
                associations.portion(position)
            };
            let ratio = Ratio {
                norm_usage: match of_all.and_then(Pair::settled) {
                    Some(part) => part.min(1.0),
                    None => norm_usage.at(position).to_f64(),
                },
                effective_usage: match used.and_then(Pair::settled) {
                    Some(used) => used,
                    None => associations.usage_of_level(position).to_f64(),
                },
                level_fs: match used {
                    Some(used) if !is_parent => level_fs(associations, position, used),
                    _ => exact(associations, position).to_f64(),
                },
            };
            numbers.push(share, &ratio);
        }
        numbers
    }
}

/// The numbers of a node that is not `parent`, whose usage, its fair-share parent's and the root's are doubles;
/// nothing where one of the quotients is too close to the middle between two doubles.
fn ratio_of_doubles(share: f64, own: f64, whole: Halved, all: Halved) -> Option<Ratio> {
    if own == 0.0 {
        return Some(Ratio {
            norm_usage: 0.0,
            effective_usage: 0.0,
            level_fs: if share == 0.0 { 0.0 } else { f64::INFINITY },
        });
    }
    if whole.is_zero() || all.is_zero() {
        // Usage that was stated for an account need not be what its users used.
        return None;
    }
    let own = Halved::of(own);
    Some(Ratio {
        norm_usage: own.over(all)?.min(1.0),
        effective_usage: own.over(whole)?,
        level_fs: if share == 0.0 {
            0.0
        } else {
            Halved::of(share).times_over(whole, own)?
        },
    })
}

/// The numbers of a node, by way of all their bits.
fn exact_ratio(associations: &Associations, of_all: &NormUsage, position: usize) -> Ratio {
    Ratio {
        norm_usage: of_all.at(position).to_f64(),
        effective_usage: associations.usage_of_level(position).to_f64(),
        level_fs: exact(associations, position).to_f64(),
    }
}

/// Whether Slurm shows a Level FS for the node: not for the root nor for `parent` accounts.
pub(super) fn is_shown(associations: &Associations, position: usize) -> bool {
    position > 0 && (associations.is_user[position] || !associations.is_parent(position))
}

/// Whether two nodes have the same Level FS because they have the same of everything it is made of.
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

/// Whether Level FS is the very number that marks "no value": of `parent` accounts, or by chance.
pub(super) fn is_no_value(associations: &Associations, ratios: &Ratios, position: usize) -> bool {
    ratios.level_fs[position].to_bits() == NO_VALUE.to_bits()
        && Extended::from_f64(NO_VALUE).map(Exact::Number) == Some(exact(associations, position))
}

/// Whether Level FS is 0 or infinity for want of shares or usage: then the double says all.
pub(super) fn is_endless(associations: &Associations, level_fs: f64) -> bool {
    associations.usage.exact().is_some() && (level_fs == 0.0 || level_fs == f64::INFINITY)
}

/// Level FS, of a node that is not `parent`, from the part of the level's usage that it used.
fn level_fs(associations: &Associations, position: usize, used: Pair) -> f64 {
    let share = associations.portion(position);
    if share == 0.0 {
        return 0.0;
    }
    match Pair::of(share).over(used).settled() {
        Some(number) => number,
        None => exact(associations, position).to_f64(),
    }
}

/// Level FS with all its bits; infinity is above all numbers.
pub(super) fn exact(associations: &Associations, position: usize) -> Exact {
    let number = if associations.is_parent(position) {
        if associations.is_user[position] {
            None
        } else {
            Extended::from_f64(NO_VALUE)
        }
    } else {
        quotient(
            associations.portion(position),
            associations.usage_of_level(position),
        )
    };
    number.map_or(Exact::Infinity, Exact::Number)
}

/// An 80-bit number or infinity, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exact {
    Number(Extended),
    Infinity,
}

impl Exact {
    fn to_f64(self) -> f64 {
        match self {
            Self::Number(number) => number.to_f64(),
            Self::Infinity => f64::INFINITY,
        }
    }
}

/// S / U: 0 without shares, even where nothing was used; nothing, for infinity, with shares and without usage.
fn quotient(share: f64, used: Extended) -> Option<Extended> {
    match Extended::from_f64(share) {
        Some(share) if !share.is_zero() => share.over(used),
        _ => Some(Extended::ZERO),
    }
}
