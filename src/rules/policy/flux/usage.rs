//! The usage of accounts.

use crate::model::{Kind, Tree};

/// How often a bank's usage is added to an account above it before speed takes precedence over the exact order.
///
/// Flux adds each bank's usage to every bank above it. Where the sums are not exact, their last bits depend on that
/// order. A chain of a million accounts with fractions in its usage would take a day.
const MOST_ADDITIONS: u64 = 1 << 26;

/// Sums of whole numbers are exact up to here, in any order.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns usage by position: users and childless accounts as `recorded`, accounts as stated or the sum of those below.
///
/// A bank's own users are summed in their order, and that sum is added to the bank and to every bank above.
pub(super) fn of(
    tree: &Tree,
    is_user: &[bool],
    recorded: Vec<f64>,
    is_blank: impl Fn(usize) -> bool,
) -> Vec<f64> {
    let nodes = tree.nodes();
    let above = tree.order().above();
    let mut usage = recorded;
    // The usage of each account's own users.
    let mut own = vec![0.0; nodes.len()];
    let mut is_exact = true;
    for (position, &amount) in usage.iter().enumerate().skip(1) {
        is_exact &= amount >= 0.0 && is_whole(amount);
        own[above[position] as usize] += amount;
    }
    let accounts = || (0..nodes.len()).filter(|&position| own[position] != 0.0);
    let additions = || -> u64 {
        accounts()
            .map(|position| u64::from(tree.depth(nodes[position])))
            .sum()
    };
    is_exact &= accounts().map(|position| own[position]).sum::<f64>() < EXACT;
    if is_exact || additions() > MOST_ADDITIONS {
        let mut sums = own;
        for position in (1..sums.len()).rev() {
            sums[above[position] as usize] += sums[position];
        }
        for position in (0..sums.len()).filter(|&position| !is_user[position]) {
            usage[position] = sums[position];
        }
    } else {
        for position in accounts() {
            let mut here = position;
            usage[here] += own[position];
            while here > 0 {
                here = above[here] as usize;
                usage[here] += own[position];
            }
        }
    }
    for (position, &node) in nodes.iter().enumerate() {
        if !is_user[position]
            && let Some(amount) = tree.usage(node).amount()
            && tree.kind(node) == Kind::Account
            && !is_blank(position)
        {
            usage[position] = amount;
        }
    }
    usage
}

/// Returns whether a number is whole and can be summed exactly. Comparing integers is faster than `trunc`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number that the cast changes is found by casting it back"
)]
fn is_whole(number: f64) -> bool {
    ((number as i64) as f64).to_bits() == (number + 0.0).to_bits()
}
