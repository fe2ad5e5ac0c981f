//! The basis of verification: a snapshot of Slurm's with its possible usage, numbers of which only bounds are known, and
//! Slurm's formulas with them.

use crate::model::{Fact, Figure, Figures, Snapshot};
use crate::rules::policy::slurm::Associations;

pub(super) struct GivenTree<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) associations: Associations<'a>,
    /// By position: the usage itself.
    pub(super) usage: Vec<Interval>,
    /// Whether `DEPTH_OBLIVIOUS` is still filling in the usage of siblings.
    pub(super) is_filling_in: bool,
}

impl<'a> GivenTree<'a> {
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            associations: Associations::new(&snapshot.tree),
            usage: usage(snapshot),
            is_filling_in: false,
        }
    }

    pub(super) fn with_usage(&self, usage: Vec<Interval>) -> Self {
        Self {
            usage,
            ..Self::of(self.snapshot)
        }
    }

    pub(super) fn parent(&self, position: usize) -> usize {
        self.associations.fair_share_parent[position] as usize
    }

    pub(super) fn is_parent(&self, position: usize) -> bool {
        self.associations.is_parent(position)
    }

    pub(super) fn is_user(&self, position: usize) -> bool {
        self.associations.is_user[position]
    }

    pub(super) fn norm_usage(&self, position: usize) -> Interval {
        let part = part(self.usage[position], self.usage[0]);
        Interval::new(part.low.min(1.0), part.high.min(1.0))
    }

    /// Returns the part of the level's shares; 0 for the root.
    pub(super) fn share(&self, position: usize) -> Interval {
        Interval::exactly(self.associations.portion(position))
    }

    pub(super) fn figures(&self, fact: Fact) -> Option<&'a Figures> {
        self.snapshot.recorded.figures(fact)
    }

    pub(super) fn printed(&self, fact: Fact, position: usize) -> Option<f64> {
        let node = self.snapshot.tree.nodes()[position];
        Some(self.snapshot.recorded.figure(fact, node)?.value)
    }

    pub(super) fn recorded(&self, fact: Fact, position: usize) -> Option<Interval> {
        let node = self.snapshot.tree.nodes()[position];
        self.snapshot.recorded.figure(fact, node).map(Interval::of)
    }

    /// Returns whether a Level FS other than infinity or "no value" was recorded.
    pub(super) fn has_level_fs(&self) -> bool {
        let positions = 0..self.usage.len();
        let mut levels = positions.filter_map(|at| self.printed(Fact::LevelFs, at));
        levels.any(|level| level > 0.0)
    }

    pub(super) fn has_words(&self) -> bool {
        self.snapshot.recorded.is_text(Fact::FairShareRaw)
    }
}

/// Returns, by position, the possible usage. Accounts without stated usage have the sum of their users.
fn usage(snapshot: &Snapshot) -> Vec<Interval> {
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

/// How far bounds are moved outward. A computed number differs from the scheduler's by a few roundings, which happen
/// elsewhere, from 80 bits to 64 and for some columns to 53.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// A number from `low` to `high`, both included and perhaps infinite; none is below 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ZERO: Self = Self::exactly(0.0);
    pub(super) const ONE: Self = Self::exactly(1.0);

    pub(super) const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    pub(super) const fn exactly(number: f64) -> Self {
        Self::new(number, number)
    }

    /// Returns the numbers that can be printed as this.
    pub(super) fn of(figure: Figure) -> Self {
        let (low, high) = figure.bounds();
        Self { low, high }.outward()
    }

    /// Returns the interval of two numbers in any order, extended by a few roundings.
    pub(super) fn between(a: f64, b: f64) -> Self {
        Self::new(a.min(b), a.max(b)).outward()
    }

    fn outward(self) -> Self {
        Self::new(self.low * (1.0 - ROUNDINGS), self.high * (1.0 + ROUNDINGS))
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    pub(super) fn and(self, other: Self) -> Option<Self> {
        let both = Self::new(self.low.max(other.low), self.high.min(other.high));
        self.meets(other).then_some(both)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// Returns the common interval, or this one if there is none.
    pub(super) fn narrowed(self, other: Option<Self>) -> Self {
        other.and_then(|other| self.and(other)).unwrap_or(self)
    }

    /// Returns the number of the interval that is nearest to this one. So two that were printed alike, as 0.000000, need
    /// not tie.
    pub(super) fn nearest(self, number: f64) -> f64 {
        number.max(self.low).min(self.high)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::between(self.low + other.low, self.high + other.high)
    }

    /// Returns the product; 0 times infinity is 0.
    pub(super) fn times(self, other: Self) -> Self {
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Self::between(product(self.low, other.low), product(self.high, other.high))
    }

    /// Returns the quotient. Division by 0 gives infinity; 0 by 0 can be anything.
    pub(super) fn over(self, divisor: Self) -> Self {
        let low = if self.low == 0.0 || divisor.high == f64::INFINITY {
            0.0
        } else if divisor.high == 0.0 {
            f64::INFINITY
        } else {
            self.low / divisor.high
        };
        let high = if self.high == 0.0 && divisor.low > 0.0 {
            0.0
        } else if divisor.low == 0.0 {
            f64::INFINITY
        } else {
            self.high / divisor.low
        };
        Self::between(low, high)
    }
}

/// Returns the part of a whole; 0 if the whole is 0.
pub(super) fn part(own: Interval, whole: Interval) -> Interval {
    if own.high == 0.0 || whole.high == 0.0 {
        Interval::ZERO
    } else if whole.low == 0.0 {
        own.over(whole).or(Interval::ZERO)
    } else {
        own.over(whole)
    }
}

/// Returns 2^-(effective usage / shares / dampening); 0 without shares.
pub(super) fn factor(effective: Interval, share: Interval, dampening: f64) -> Interval {
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
pub(super) fn powers(ratio: Interval, account: Interval) -> Interval {
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
    let corners = [ratio.low, ratio.high].map(|ratio| [ratio.powf(least), ratio.powf(most)]);
    let corners = corners.as_flattened().iter().copied();
    let least = corners.clone().fold(f64::INFINITY, f64::min);
    let most = corners.fold(0.0, f64::max);
    // The C library's powers are not the nearest numbers.
    Interval::between(least * (1.0 - 1e-12), most * (1.0 + 1e-12))
}
