//! The numbers of each node: what it used of its level, and Level FS.

use super::super::extended::Extended;
use super::super::slurm::Associations;
use super::quotient::{Pair, Wide};

/// What Slurm gives `parent` accounts for Level FS: its mark for "no value", which it compares like any number.
const NO_VALUE: f64 = 4_294_967_294.0;

/// The numbers of each node, by position in the tree's order: Slurm's 80-bit values rounded to doubles.
pub(super) struct LevelFs {
    pub(super) norm_usage: Vec<f64>,
    pub(super) effective_usage: Vec<f64>,
    pub(super) level_fs: Vec<f64>,
}

impl LevelFs {
    pub(super) fn of(associations: &Associations) -> Self {
        let count = associations.shares.len();
        let mut numbers = Self {
            norm_usage: vec![0.0; count],
            effective_usage: vec![0.0; count],
            level_fs: vec![0.0; count],
        };
        // The root is nobody's sibling; Slurm shows it with all of its own usage.
        numbers.effective_usage[0] = 1.0;
        let all = Wide::of(associations.usage[0]);
        for position in 1..count {
            let home = associations.fair_share_parent[position] as usize;
            let own = Wide::of(associations.usage[position]);
            let quotient = |whole: Option<Wide>| own?.over(whole?);
            numbers.norm_usage[position] = match quotient(all).and_then(Pair::settled) {
                Some(part) => part.min(1.0),
                None => associations.norm_usage(position).to_f64(),
            };
            let used = quotient(Wide::of(associations.usage[home]));
            numbers.effective_usage[position] = match used.and_then(Pair::settled) {
                Some(used) => used,
                None => associations.usage_of_level(position).to_f64(),
            };
            let is_parent = associations.is_parent[position];
            numbers.level_fs[position] = match used {
                Some(used) if !is_parent => level_fs(associations, position, used),
                _ => exact(associations, position).to_f64(),
            };
        }
        numbers
    }

    /// Whether Slurm shows a Level FS for the node: not for the root nor for `parent` accounts.
    pub(super) fn is_shown(&self, associations: &Associations, position: usize) -> bool {
        let is_user = associations.is_user[position];
        position > 0 && (is_user || !associations.is_parent[position])
    }
}

/// Whether two nodes have the same Level FS because they have the same of everything it is made of.
pub(super) fn are_alike(associations: &Associations, a: usize, b: usize) -> bool {
    let inputs = |position: usize| {
        (
            associations.fair_share_parent[position],
            associations.is_parent[position],
            associations.shares[position],
            associations.usage[position],
        )
    };
    inputs(a) == inputs(b)
}

/// Whether Level FS is the very number that marks "no value": of `parent` accounts, or by chance.
pub(super) fn is_no_value(associations: &Associations, position: usize) -> bool {
    let mark = Extended::from_f64(NO_VALUE).map(Exact::Number);
    mark == Some(exact(associations, position))
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
    let number = if associations.is_parent[position] {
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
