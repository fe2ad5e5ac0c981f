//! The 64-bit priority: which bits belong to which level, and how full a bucket is.

use crate::base::extended::Extended;
use crate::model::MOST_LEVELS;

/// How a 64-bit priority is divided among the levels: the root's children have the topmost bits, unused ones are last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    levels: u32,
}

impl Buckets {
    /// Returns the buckets of so many levels, at least 1 and at most 16, so that a bucket has at least 4 bits.
    pub fn for_levels(levels: u8) -> Self {
        Self {
            levels: u32::from(levels.clamp(1, MOST_LEVELS)),
        }
    }

    /// Returns how many levels have a bucket, 1 to 16.
    pub const fn levels(self) -> u32 {
        self.levels
    }

    /// Returns the bits of a bucket, 4 to 64.
    pub const fn width(self) -> u32 {
        64 / self.levels
    }

    /// Returns the number of bits at the bottom that belong to no level, which are always 0.
    pub const fn unused(self) -> u32 {
        64 % self.levels
    }

    /// Returns the value of a full bucket, all bits set: Slurm's `bucket_max`.
    pub const fn full(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }

    /// Returns by how many bits a level's value is shifted to its place, or `None` for a level without a bucket.
    pub const fn shift(self, level: u32) -> Option<u32> {
        if level >= self.levels {
            return None;
        }
        let levels_below = self.levels - level - 1;
        Some(levels_below * self.width() + self.unused())
    }

    /// Returns the value of a level's bucket in a priority, or `None` for a level without a bucket.
    pub fn value(self, word: u64, level: u32) -> Option<u64> {
        let shift = self.shift(level)?;
        Some(word >> shift & self.full())
    }
}

/// How full one bucket is.
///
/// The last bit of a power of two depends on the controller's processor. The three values differ by one unit where
/// that bit shows, and hardly ever in buckets with fewer bits than the power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// F, from 0 to 1, wrong by less than 5 × 2^-53. Slurm holds this number with 64 bits of mantissa and shows it nowhere,
    /// so an approximation never contradicts it.
    pub factor: f64,
    /// The value on a processor whose powers are the nearest numbers, from 1 to full.
    pub value: u64,
    /// The least value on any processor.
    pub least: u64,
    /// The largest value on any processor.
    pub most: u64,
}

impl Filling {
    /// Returns a filling that is the same on all processors.
    const fn certain(factor: f64, value: u64) -> Self {
        Self {
            factor,
            value,
            least: value,
            most: value,
        }
    }

    /// Returns a full bucket.
    pub(super) const fn full(buckets: Buckets) -> Self {
        Self::certain(1.0, buckets.full())
    }
}

/// Fills buckets: F = 2^-(U / S') with S' = 0.1 + 0.9 S, and the value 1 + F (full - 1), cut to a whole number.
///
/// For a node without shares Slurm skips the quotient and F stays 1, so the bucket is full. It is full without usage,
/// too. Slurm has no usage below 0; it counts as none.
#[derive(Clone, Debug)]
pub struct BucketFunction {
    buckets: Buckets,
    /// 2^-(0 / 64), 2^-(1 / 64) and so on.
    powers: Vec<f64>,
    /// The least S', 0.1 as Slurm's long double has it.
    tenth: Extended,
    /// The range of S', 1 less that number.
    rest: Extended,
}

/// The number of steps into which [`BucketFunction::approximate_factor`] divides the exponents between two integers.
const STEPS: u32 = 64;

/// Wider buckets would show bits of F that a double does not have.
const WIDEST: u32 = 32;

/// From this exponent on, F is not approximated.
const LARGE_RATIO: f64 = 40.0;

impl BucketFunction {
    /// Prepares to fill buckets.
    pub fn new(buckets: Buckets) -> Self {
        let steps = Extended::from_u64(STEPS.into());
        let mut powers = Vec::new();
        for step in 0..STEPS {
            let exponent = Extended::from_u64(step.into()).over(steps);
            let exponent = exponent.expect("64 is not 0");
            powers.push(exponent.halved_so_often().to_f64());
        }
        let ten = Extended::from_u64(10);
        let tenth = Extended::ONE.over(ten).expect("10 is not 0");
        Self {
            buckets,
            powers,
            tenth,
            rest: Extended::ONE.minus(tenth),
        }
    }

    /// Fills the bucket of a node that has this part of its level's shares and of its account's usage.
    ///
    /// The values are those of [`Self::exact_filling`], but take much less time for most buckets of at most 32 bits.
    pub fn filling(&self, shares: f64, usage: f64) -> Filling {
        if is_full(shares, usage) {
            return Filling::full(self.buckets);
        }
        let ratio = usage / (0.1 + 0.9 * shares);
        if ratio >= LARGE_RATIO {
            return self.exact_filling(shares, usage);
        }
        let factor = self.approximate_factor(ratio);
        match self.certain_value(factor) {
            Some(value) => Filling::certain(factor, value),
            None => Filling {
                factor,
                ..self.exact_filling(shares, usage)
            },
        }
    }

    /// Fills a bucket by Slurm's own steps.
    pub fn exact_filling(&self, shares: f64, usage: f64) -> Filling {
        if is_full(shares, usage) {
            return Filling::full(self.buckets);
        }
        let Some(ratio) = self.ratio(shares, usage) else {
            // Usage that is too large for a double gives 2^-infinity, which is 0.
            return Filling::certain(0.0, 1);
        };
        let nearest = ratio.halved_so_often();
        let (least, most) = ratio.halved_within();
        Filling {
            factor: nearest.to_f64(),
            value: self.value(nearest),
            least: self.value(least),
            most: self.value(most),
        }
    }

    /// Returns 2^-`ratio` for a ratio below 40: 0 to 1, wrong by less than 5 × 2^-53.
    ///
    /// Let u = 2^-53. The errors are relative unless stated otherwise. S' has the errors of the two constants, of the
    /// product and of the sum, 3 u. With the quotient the ratio has 4 u, compared with a chain that itself has less
    /// than 0.01 u. That makes 2.8 u × ratio in F; as F = 2^-ratio, the absolute error from it is at most 2.8 u × max(r
    /// 2^-r) = 1.49 u. Taking steps of 1/64 out of the ratio leaves |z| < 0.0055, so the omitted term of the series,
    /// z^6/720, is 0.32 u, and rounding adds 1.06 u; the power of the table has u, its product u: 3.4 u. The shift is
    /// exact. Together that is less than 4.9 u.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "64 ratio is from 0 up to 2560"
    )]
    fn approximate_factor(&self, ratio: f64) -> f64 {
        let step = (ratio * f64::from(STEPS) + 0.5) as u32;
        let z = (f64::from(step) / f64::from(STEPS) - ratio) * std::f64::consts::LN_2;
        let series =
            1.0 + z * (1.0 + z * (1.0 / 2.0 + z * (1.0 / 6.0 + z * (1.0 / 24.0 + z / 120.0))));
        // 2^-whole; the whole part is at most 40.
        let shift = f64::from_bits(u64::from(1023 - step / STEPS) << 52);
        self.powers[(step % STEPS) as usize] * series * shift
    }

    /// Returns the value of a bucket if every factor within 5 u of this one gives the same, or `None` otherwise.
    ///
    /// As `factor` is wrong by less than 5 u, F (full - 1) + 1 is by less than 7 u × full: the product and the sum, both
    /// below full, are rounded by u each, and in Slurm's chain by 2^-64. At twice that distance from a whole number the
    /// whole part is certain.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is between 1 and 2^32"
    )]
    fn certain_value(&self, factor: f64) -> Option<u64> {
        /// 2^-49, 16 u.
        const DOUBT: f64 = 1.0 / (1_u64 << 49) as f64;
        if self.buckets.width() > WIDEST {
            return None;
        }
        let full = self.buckets.full();
        let doubt = full as f64 * DOUBT;
        let value = 1.0 + factor * (full - 1) as f64;
        let fraction = value - value.trunc();
        let is_certain = fraction > doubt && fraction < 1.0 - doubt;
        is_certain.then_some(value as u64)
    }

    /// Returns U / S', or `None` if usage or shares are too large for a double.
    fn ratio(&self, shares: f64, usage: f64) -> Option<Extended> {
        let shares = Extended::from_f64(shares)?;
        let usage = Extended::from_f64(usage)?;
        usage.over(self.tenth.plus(shares.times(self.rest)))
    }

    /// Returns the value of a bucket with this F.
    fn value(&self, factor: Extended) -> u64 {
        let range = Extended::from_u64(self.buckets.full() - 1);
        Extended::ONE.plus(factor.times(range)).whole()
    }
}

/// Returns whether a node's bucket is full because it has no shares, or has used nothing.
fn is_full(shares: f64, usage: f64) -> bool {
    shares == 0.0 || usage <= 0.0
}
