//! The division of 128 bits by 64.

/// A quotient and what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// The whole part.
    pub quotient: u64,
    /// The rest, below the divisor.
    pub rest: u64,
}

/// Half of a word.
const HALF: u32 = 32;

/// The lower half of a word.
const LOWER: u64 = (1 << HALF) - 1;

impl Division {
    /// Whether a processor divides so in one instruction: not where addresses have half a word.
    pub(super) const IS_INSTRUCTION: bool = usize::BITS == u64::BITS;

    /// Divides `high` × 2^64 + `low`. The top bit of the divisor is set, and it is above `high`.
    pub(super) const fn of(high: u64, low: u64, divisor: u64) -> Self {
        // The instruction takes 6 ns. What a compiler puts in its place took 57 ns in a page, and the digits 21 ns.
        if Self::IS_INSTRUCTION {
            Self::by_instruction(high, low, divisor)
        } else {
            Self::by_digits(high, low, divisor)
        }
    }

    /// Divides `high` × 2^64 + `low` in one step. The top bit of the divisor is set, and it is above `high`.
    pub const fn by_instruction(high: u64, low: u64, divisor: u64) -> Self {
        let dividend = (high as u128) << 64 | low as u128;
        let wide = divisor as u128;
        let quotient = dividend / wide;
        Self {
            quotient: quotient as u64,
            rest: (dividend - quotient * wide) as u64,
        }
    }

    /// Divides `high` × 2^64 + `low` by two digits of half a word (D. E. Knuth, "The Art of Computer Programming", volume 2,
    /// section 4.3.1, algorithm D). The top bit of the divisor is set, and it is above `high`.
    pub const fn by_digits(high: u64, low: u64, divisor: u64) -> Self {
        let upper = Self::digit(high, low >> HALF, divisor);
        let lower = Self::digit(upper.rest, low & LOWER, divisor);
        Self {
            quotient: upper.quotient << HALF | lower.quotient,
            rest: lower.rest,
        }
    }

    /// Divides `rest` × 2^32 + `next`, where the quotient has half a word.
    const fn digit(rest: u64, next: u64, divisor: u64) -> Self {
        let upper = divisor >> HALF;
        let lower = divisor & LOWER;
        let mut quotient = rest / upper;
        let mut over = rest % upper;
        // The estimate by the upper half is too large by 2 at most.
        while quotient > LOWER || quotient * lower > (over << HALF | next) {
            quotient -= 1;
            over += upper;
            if over > LOWER {
                break;
            }
        }
        let dividend = rest << HALF | next;
        Self {
            quotient,
            rest: dividend.wrapping_sub(quotient.wrapping_mul(divisor)),
        }
    }
}
