//! Usage as Slurm holds it: long doubles, added user by user.

use crate::base::extended::Extended;
use crate::base::sort::has_no_fraction;
use crate::model::Tree;

/// How often usage is added to an account before speed takes precedence over the exact order.
///
/// Slurm adds each user's usage to every account above it. Where the sums are not exact, their last bits depend on that
/// order. A chain of a million accounts with fractions in its usage would take a day.
const MOST_ADDITIONS: u64 = 1 << 26;

/// Usage by position, as Slurm holds it after loading: each user's is added to every account above, in turn.
#[derive(Debug)]
pub(crate) struct Usages {
    /// Rounded to doubles, as shown.
    doubles: Vec<f64>,
    /// The long doubles, unless the doubles are the same numbers, each of them 0 or from [`LEAST`] up to [`MOST`].
    long: Option<Vec<Extended>>,
    /// Whether these are the amounts in the scheduler's memory, of which the tree shows only some digits.
    is_held: bool,
}

/// Below this, 15 digits are enough to write out quarters.
const LARGEST_WITH_QUARTERS: f64 = 1e13;

/// The least usage above 0 that doubles alone hold: a quarter.
const LEAST: f64 = 0.25;

/// Doubles alone hold usage below this, 2^51: up to here, all quarters are doubles.
const MOST: f64 = 2_251_799_813_685_248.0;

/// How a double of the tree becomes a long double.
#[derive(Clone, Copy)]
enum AmountOrigin {
    /// It was computed by a clock, and is meant as it is.
    Clock,
    /// It was read from decimal text. Slurm's long double is nearer to that text than a double can be.
    Text,
}

impl AmountOrigin {
    /// Returns an amount of usage as a long double.
    fn long_double(self, amount: f64) -> Extended {
        match self {
            Self::Clock => Extended::finite_or_zero(amount),
            Self::Text => from_text(amount),
        }
    }
}

impl Usages {
    /// Returns the usage of a tree, computed from the recorded usage of its users; 0 without any.
    pub(super) fn new(tree: &Tree, is_user: &[bool], recorded: Vec<f64>) -> Self {
        if let Some(amounts) = tree.amounts_in_memory() {
            let mut usages = Self::of_long_doubles(amounts);
            usages.is_held = true;
            usages.round();
            return usages;
        }
        let origin = if tree.usage_state().is_some() {
            AmountOrigin::Clock
        } else {
            AmountOrigin::Text
        };
        let above = tree.above();
        let mut usages = match sums_of_quarters(above, recorded) {
            Ok(doubles) => Self {
                doubles,
                long: None,
                is_held: false,
            },
            Err(recorded) => Self::of_long_doubles(long_sums(above, &recorded, origin)),
        };
        if !tree.kinds_follow_shape() {
            // Outside PBS a source may state an account's usage, which is used as given.
            for (position, node) in tree.positions() {
                if !is_user[position]
                    && let Some(amount) = tree.usage(node).amount()
                {
                    usages.state(position, amount, origin);
                }
            }
            if let Some(long) = &mut usages.long {
                complete(tree, long);
            }
        }
        usages.round();
        usages
    }

    /// Returns usage that needs long doubles. They are still to be [rounded](Self::round).
    fn of_long_doubles(long: Vec<Extended>) -> Self {
        Self {
            doubles: Vec::new(),
            long: Some(long),
            is_held: false,
        }
    }

    /// Rounds the long doubles, if there are any.
    fn round(&mut self) {
        if let Some(long) = &self.long {
            self.doubles = long.iter().map(|usage| usage.to_f64()).collect();
        }
    }

    /// Replaces one usage. The long doubles are to be rounded after that.
    fn state(&mut self, position: usize, amount: f64, origin: AmountOrigin) {
        if let Some(long) = &mut self.long {
            long[position] = origin.long_double(amount);
        } else if is_plain(amount) {
            // This turns -0 to 0.
            self.doubles[position] = amount + 0.0;
        } else {
            let mut long: Vec<Extended> = self
                .doubles
                .iter()
                .copied()
                .map(Extended::finite_or_zero)
                .collect();
            long[position] = origin.long_double(amount);
            self.long = Some(long);
        }
    }

    /// Returns the usage at a position, as Slurm holds it.
    pub(crate) fn at(&self, position: usize) -> Extended {
        match &self.long {
            Some(long) => long[position],
            None => Extended::finite_or_zero(self.doubles[position]),
        }
    }

    /// Returns the usages, if doubles hold them exactly: each is 0 or from 2^-2 up to 2^51.
    pub(crate) fn exact(&self) -> Option<&[f64]> {
        match self.long {
            Some(_) => None,
            None => Some(&self.doubles),
        }
    }

    /// Returns the usages as shown: what the source printed of them, otherwise rounded to doubles.
    pub(crate) fn shown(&self, tree: &Tree) -> Vec<f64> {
        let mut shown = self.doubles.clone();
        if self.is_held {
            for (usage, &node) in shown.iter_mut().zip(tree.nodes()) {
                *usage = tree.usage(node).amount().unwrap_or(*usage);
            }
        }
        shown
    }
}

/// The relative amount by which the children of an account may exceed its usage through rounding to doubles alone.
const ROUNDING: f64 = 1e-12;

/// Corrects stated usage of accounts that rounding to doubles made less than the sum of their children. Sums that are
/// not stated are left, because Slurm itself computes them in its own order.
fn complete(tree: &Tree, usage: &mut [Extended]) {
    let above = tree.above();
    let mut below = vec![Extended::ZERO; usage.len()];
    for (position, node) in tree.positions().rev() {
        let own = usage[position];
        let sum = below[position];
        if own < sum
            && sum.minus(own).to_f64() <= own.to_f64() * ROUNDING
            && tree.usage(node).amount().is_some()
        {
            usage[position] = sum;
        }
        if position > 0 {
            let account = above[position] as usize;
            below[account] = below[account].plus(usage[position]);
        }
    }
}

/// Returns whether a double alone may hold the amount: it is 0, or at least a quarter and [exact](is_exact).
///
/// It has no branch, because amounts vary too much for branch prediction.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a lazy operator is a branch, and this is asked about every node"
)]
fn is_plain(amount: f64) -> bool {
    let has_quarters = (amount < LARGEST_WITH_QUARTERS) & has_no_fraction(amount * 4.0);
    let is_exact = has_quarters | has_no_fraction(amount);
    let is_in_range = (LEAST..MOST).contains(&amount);
    (amount == 0.0) | (is_in_range & is_exact)
}

/// Returns the sums if all usage is in quarters and doubles hold all of it. Then the order of addition makes no
/// difference, and no partial sum is above the total. Otherwise returns the amounts as given.
fn sums_of_quarters(above: &[u32], recorded: Vec<f64>) -> Result<Vec<f64>, Vec<f64>> {
    // Not returning early is faster. The total of amounts that are no quarters may be wrong, but not too small.
    let mut total = 0.0;
    let mut are_plain = true;
    for &amount in &recorded {
        are_plain &= is_plain(amount);
        total += amount;
    }
    if !are_plain || total >= MOST {
        return Err(recorded);
    }
    let mut sums = recorded;
    // The sum of consecutive children of one account.
    let mut account = 0;
    let mut of_children = 0.0;
    for position in (1..sums.len()).rev() {
        if above[position] != account {
            sums[account as usize] += of_children;
            account = above[position];
            of_children = 0.0;
        }
        of_children += sums[position];
    }
    sums[account as usize] += of_children;
    Ok(sums)
}

/// Returns the sums as long doubles: in Slurm's own order, unless that would take too long.
fn long_sums(above: &[u32], recorded: &[f64], origin: AmountOrigin) -> Vec<Extended> {
    let mut depths = vec![0_u32; above.len()];
    let mut additions: u64 = 0;
    for (position, &amount) in recorded.iter().enumerate() {
        if position > 0 {
            depths[position] = depths[above[position] as usize] + 1;
        }
        if amount != 0.0 {
            additions += u64::from(depths[position]);
        }
    }
    let is_too_slow = additions > MOST_ADDITIONS;
    let mut usage = vec![Extended::ZERO; above.len()];
    for (position, &amount) in recorded.iter().enumerate() {
        if amount == 0.0 {
            continue;
        }
        let amount = origin.long_double(amount);
        usage[position] = amount;
        let mut here = position;
        while here > 0 && !is_too_slow {
            here = above[here] as usize;
            usage[here] = usage[here].plus(amount);
        }
    }
    if is_too_slow {
        for position in (1..usage.len()).rev() {
            let parent = above[position] as usize;
            usage[parent] = usage[parent].plus(usage[position]);
        }
    }
    usage
}

/// Returns the long double that is nearest to the text of an amount. The shortest text that reads back to the double is
/// what the source had, or as good as it.
fn from_text(amount: f64) -> Extended {
    if is_exact(amount) {
        return Extended::finite_or_zero(amount);
    }
    Extended::from_decimal(&format!("{amount:e}"))
        .unwrap_or_else(|| Extended::finite_or_zero(amount))
}

/// Returns whether the double and its shortest text are the same number: it is whole, or it has at most 15 digits with
/// its quarters written out, because no two texts of 15 digits read as one double.
fn is_exact(amount: f64) -> bool {
    const WHOLE_FROM: f64 = 4_503_599_627_370_496.0;
    let is_whole = |number: f64| number.abs() >= WHOLE_FROM || has_no_fraction(number);
    is_whole(amount) || (amount.abs() < LARGEST_WITH_QUARTERS && is_whole(amount * 4.0))
}
