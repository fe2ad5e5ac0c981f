//! The numbers of each node: its part of the level's usage, and Level FS.

use super::super::slurm::Associations;
use crate::base::cores;
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

impl Ratios {
    pub(super) fn of(associations: &Associations) -> Self {
        let count = associations.len();
        // The root has no siblings. Slurm shows it with all of its own usage.
        Self {
            norm_shares: associations.norm_shares(),
            norm_usage: cores::by_position(count, |position| match position {
                0 => 0.0,
                _ => associations.norm_usage(position).to_f64(),
            }),
            effective_usage: cores::by_position(count, |position| match position {
                0 => 1.0,
                _ => associations.level_usage(position).to_f64(),
            }),
            level_fs: cores::by_position(count, |position| match position {
                0 => 0.0,
                _ => exact(associations, position).map_or(f64::INFINITY, Extended::to_f64),
            }),
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
        && exact(associations, position) == Extended::from_f64(NO_VALUE)
}

/// Returns whether Level FS is 0 or infinity for lack of shares or usage, so that the double is exact.
pub(super) fn is_endless(associations: &Associations, level_fs: f64) -> bool {
    associations.usage.exact().is_some() && (level_fs == 0.0 || level_fs == f64::INFINITY)
}

/// Returns Level FS with all its bits, or `None` for infinity.
pub(super) fn exact(associations: &Associations, position: usize) -> Option<Extended> {
    if associations.is_parent(position) {
        let is_user = associations.is_user[position];
        return Extended::from_f64(NO_VALUE).filter(|_| !is_user);
    }
    // S / U is 0 without shares, even without usage.
    match Extended::from_f64(associations.portion(position)) {
        Some(share) if !share.is_zero() => share.over(associations.level_usage(position)),
        _ => Some(Extended::ZERO),
    }
}
