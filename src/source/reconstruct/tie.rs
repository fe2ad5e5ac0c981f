//! Siblings with different shares whose Level FS is the same 80-bit number.

use super::range::Range;
use crate::base::extended::Extended;

/// A sibling that ties.
#[derive(Clone, Copy, Debug)]
pub(super) struct TiedMember {
    pub(super) position: u32,
    /// The part of the level's shares.
    pub(super) share: Extended,
    /// The usage.
    pub(super) usage: Extended,
    /// The possible usage.
    pub(super) range: Range,
}

/// How many usages of the first sibling are tried.
const MOST_TRIED: u64 = 4096;

/// How far around the nearest number one is searched whose quotient is rounded to the target.
const NEIGHBOURS: u64 = 2;

/// Changes the usage of siblings in its last bits until their Level FS, S / (u / P) with both quotients rounded to 64
/// bits, is the same for all. Not every number is such a quotient, so several are tried. Without success nothing
/// changes.
pub(super) fn make_equal(tied: &mut [TiedMember], account: Extended) {
    let Some((&first, others)) = tied.split_first() else {
        return;
    };
    let are_alike = others
        .iter()
        .all(|other| other.share == first.share && other.usage == first.usage);
    let Some(bit) = last_bit(first.usage).filter(|_| !are_alike) else {
        return;
    };
    let level_fs = |tied: &TiedMember| level_fs(tied.share, tied.usage, account);
    if others
        .iter()
        .all(|other| level_fs(other) == level_fs(&first))
    {
        return;
    }
    let mut equal = Vec::with_capacity(tied.len());
    for step in 0..MOST_TRIED {
        let moved = bit.times(Extended::from_u64(step / 2));
        let usage = if step % 2 == 0 {
            first.usage.plus(moved)
        } else {
            first.usage.minus(moved)
        };
        if first.range.clamp(usage) != usage {
            continue;
        }
        let Some(wanted) = self::level_fs(first.share, usage, account) else {
            continue;
        };
        equal.clear();
        equal.push(usage);
        equal.extend(
            others
                .iter()
                .map_while(|other| with_level_fs(other, wanted, account)),
        );
        if equal.len() == tied.len() {
            for (tied, usage) in tied.iter_mut().zip(equal) {
                tied.usage = usage;
            }
            return;
        }
    }
}

/// Returns Level FS as Slurm rounds it, or `None` without usage.
fn level_fs(share: Extended, usage: Extended, account: Extended) -> Option<Extended> {
    share.over(usage.over(account)?)
}

/// Returns the usage that gives a sibling this Level FS, or `None` if there is none.
fn with_level_fs(tied: &TiedMember, wanted: Extended, account: Extended) -> Option<Extended> {
    let part =
        neighbours(tied.share.over(wanted)?).find(|&part| tied.share.over(part) == Some(wanted))?;
    neighbours(part.times(account))
        .find(|&usage| usage.over(account) == Some(part) && tied.range.clamp(usage) == usage)
}

/// Returns a number and its neighbours.
fn neighbours(number: Extended) -> impl Iterator<Item = Extended> {
    let bit = last_bit(number).unwrap_or(Extended::ZERO);
    let steps = (1..=NEIGHBOURS).map(move |step| bit.times(Extended::from_u64(step)));
    let around = steps.flat_map(move |step| [number.plus(step), number.minus(step)]);
    std::iter::once(number).chain(around)
}

/// Returns the last bit of a number above 0, or `None` for 0.
fn last_bit(number: Extended) -> Option<Extended> {
    let (_, exponent) = number.parts()?;
    Some(Extended::from_u64(1).scaled(exponent))
}
