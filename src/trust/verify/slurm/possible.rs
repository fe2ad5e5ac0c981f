//! The possible results of Slurm's formulas, if their inputs are not known exactly.

use super::Interval;
use crate::model::Snapshot;

/// Returns, by position, the possible usage. Accounts without stated usage have the sum of their users.
pub(in crate::trust::verify) fn usage(snapshot: &Snapshot) -> Vec<Interval> {
    let (tree, recorded) = (&snapshot.tree, &snapshot.recorded);
    let above = tree.order().above();
    let mut usage = vec![Interval::ZERO; tree.node_count()];
    for (position, &node) in tree.nodes().iter().enumerate().rev() {
        if let Some((low, high)) = recorded.usage_bounds(tree.usage(node)) {
            usage[position] = Interval { low, high };
        }
        if position > 0 {
            let own = usage[position];
            let parent = &mut usage[above[position] as usize];
            *parent = parent.plus(own);
        }
    }
    usage
}

/// Returns the part of a whole; 0 if the whole is 0.
pub(in crate::trust::verify) fn part(own: Interval, whole: Interval) -> Interval {
    if own.high == 0.0 || whole.high == 0.0 {
        Interval::ZERO
    } else if whole.low == 0.0 {
        own.over(whole).or(Interval::ZERO)
    } else {
        own.over(whole)
    }
}

/// Returns 2^-(effective usage / shares / dampening); 0 without shares.
pub(in crate::trust::verify) fn factor(
    effective: Interval,
    share: Interval,
    dampening: f64,
) -> Interval {
    if share.high == 0.0 {
        return Interval::ZERO;
    }
    let exponent = effective.over(share).over(Interval::exactly(dampening));
    // The power magnifies the error of the exponent by the exponent.
    let low = (-exponent.high * (1.0 + 1e-13)).exp2();
    let high = (-exponent.low * (1.0 - 1e-13)).exp2();
    Interval::between(low, high)
}

/// Returns a node's ratio to the power that leads it back to its account's target.
pub(in crate::trust::verify) fn powers(ratio: Interval, account: Interval) -> Interval {
    /// How strongly an account that is far from its target dampens a child that would bring it nearer.
    const HOLD: f64 = 5.0;
    let held = |account: f64| 1.0 / (1.0 + (HOLD * account.ln()).powi(2));
    // With the account nearest to its target, and furthest from it.
    let furthest = held(account.low).min(held(account.high));
    let nearest = if account.low <= 1.0 && account.high >= 1.0 {
        1.0
    } else {
        held(account.low).max(held(account.high))
    };
    let leads_away =
        (ratio.low <= 1.0 && account.low <= 1.0) || (ratio.high >= 1.0 && account.high >= 1.0);
    let leads_back =
        (ratio.low < 1.0 && account.high > 1.0) || (ratio.high > 1.0 && account.low < 1.0);
    let (least, most) = match (leads_away, leads_back) {
        (true, true) => (furthest, 1.0),
        (true, false) => (1.0, 1.0),
        _ => (furthest, nearest),
    };
    let corners = [
        ratio.low.powf(least),
        ratio.low.powf(most),
        ratio.high.powf(least),
        ratio.high.powf(most),
    ];
    let least = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let most = corners.iter().copied().fold(0.0, f64::max);
    // The C library's powers are not the nearest numbers.
    Interval::between(least * (1.0 - 1e-12), most * (1.0 + 1e-12))
}

/// Returns a whole number if it fits, or `None`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is whole and within the range, which is asked first"
)]
pub(in crate::trust::verify) fn whole(number: f64) -> Option<u16> {
    (1.0..=f64::from(u16::MAX))
        .contains(&number)
        .then_some(number as u16)
}
