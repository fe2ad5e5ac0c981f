//! Usage as Slurm holds it: long doubles, added user by user.

use crate::model::{Tree, Usage};
use crate::policy::extended::Extended;

/// How often usage is added to an account before exact order gives way to speed.
///
/// Slurm adds each user's usage to every account above it. Where the sums are not exact, their last bits depend
/// on that order; a chain of a million accounts with fractions in its usage would take a day.
const MOST_ADDITIONS: u64 = 1 << 26;

/// Usage as Slurm holds it after loading: every user's is added to every account above, one user after another.
pub(super) fn usage(tree: &Tree, is_user: &[bool]) -> Vec<Extended> {
    // Nodes lie in memory as they were read, so each is looked up once.
    let recorded: Vec<Usage> = tree.nodes().iter().map(|&node| tree.usage(node)).collect();
    let amounts = || {
        let users = recorded.iter().zip(is_user).enumerate();
        users.filter_map(|(position, (amount, is_user))| {
            let amount = amount.amount().filter(|amount| *is_user && *amount != 0.0)?;
            Some((position, amount))
        })
    };
    let above = tree.order().above();
    let mut usage = match exact_sums(above, amounts) {
        Some(sums) => sums,
        None => user_by_user(above, amounts),
    };
    if !tree.kinds_follow_shape() {
        // Outside PBS a source may state an account's usage: it is taken as given.
        for (position, amount) in recorded.iter().enumerate() {
            if let Some(amount) = amount.amount().filter(|_| !is_user[position]) {
                usage[position] = long_double(amount);
            }
        }
    }
    usage
}

/// An amount of usage as a long double.
///
/// Usage reaches us as decimal text, and Slurm's long double is nearer to that text than a double can be. The
/// shortest text that reads back to the double is what the source had, or as good as it.
fn long_double(amount: f64) -> Extended {
    let plain = || Extended::from_f64(amount).unwrap_or(Extended::ZERO);
    if is_exact(amount) {
        return plain();
    }
    Extended::from_decimal(&format!("{amount:e}")).unwrap_or_else(plain)
}

/// Whether the double and its shortest text are the same number: it is whole, or it has at most 15 digits with
/// its quarters written out, and no two texts of 15 digits read as one double.
fn is_exact(amount: f64) -> bool {
    const LARGEST_WITH_QUARTERS: f64 = 1e13;
    const WHOLE_FROM: f64 = 4_503_599_627_370_496.0;
    let is_whole = |number: f64| number.abs() >= WHOLE_FROM || has_no_fraction(number);
    is_whole(amount) || (amount.abs() < LARGEST_WITH_QUARTERS && is_whole(amount * 4.0))
}

/// Whether a number below 2^52 is whole; a comparison of integers is quicker than a call of `trunc`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number that the cast changes is found by casting it back"
)]
fn has_no_fraction(number: f64) -> bool {
    ((number as i64) as f64).to_bits() == (number + 0.0).to_bits()
}

/// The sums where all usage is whole, or in quarters, and fits a mantissa: then no order of adding can make a
/// difference.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the amount is a whole number of quarters below 2^63"
)]
fn exact_sums<I: Iterator<Item = (usize, f64)>>(
    above: &[u32],
    amounts: impl Fn() -> I,
) -> Option<Vec<Extended>> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let mut quarters = vec![0_u64; above.len()];
    for (position, amount) in amounts() {
        let scaled = amount * 4.0;
        if !is_exact(amount) || !(0.0..LIMIT).contains(&scaled) {
            return None;
        }
        quarters[position] = scaled as u64;
    }
    for position in (1..quarters.len()).rev() {
        let parent = above[position] as usize;
        quarters[parent] = quarters[parent].checked_add(quarters[position])?;
    }
    let sums = quarters.into_iter();
    Some(sums.map(|sum| Extended::from_u64(sum).scaled(-2)).collect())
}

/// The sums where rounding depends on the order: Slurm's own, unless that would take too long.
fn user_by_user<I: Iterator<Item = (usize, f64)>>(
    above: &[u32],
    amounts: impl Fn() -> I,
) -> Vec<Extended> {
    let amounts = || amounts().map(|(position, amount)| (position, long_double(amount)));
    let mut depths = vec![0_u32; above.len()];
    for position in 1..depths.len() {
        depths[position] = depths[above[position] as usize] + 1;
    }
    let additions: u64 = amounts()
        .map(|(position, _)| u64::from(depths[position]))
        .sum();
    let mut usage = vec![Extended::ZERO; above.len()];
    if additions > MOST_ADDITIONS {
        for (position, amount) in amounts() {
            usage[position] = amount;
        }
        for position in (1..usage.len()).rev() {
            let parent = above[position] as usize;
            usage[parent] = usage[parent].plus(usage[position]);
        }
        return usage;
    }
    for (position, amount) in amounts() {
        usage[position] = amount;
        let mut here = position;
        while here > 0 {
            here = above[here] as usize;
            usage[here] = usage[here].plus(amount);
        }
    }
    usage
}
