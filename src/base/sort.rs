//! Doubles as integers: of the same order, by which they sort, and of the same value.

/// Returns a double as an integer of the same order. -0 and 0 are equal. A NaN comes beyond the infinity of its sign.
pub(crate) fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// Returns a double as an integer of the same order. NaN comes below all others.
pub(crate) fn rising(number: f64) -> u64 {
    if number.is_nan() {
        return 0;
    }
    ordered(number)
}

/// Returns whether a number below 2^63 is whole. Comparing integers is faster than calling `trunc`.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number that the cast changes is found by casting it back"
)]
pub(crate) fn has_no_fraction(number: f64) -> bool {
    ((number as i64) as f64).to_bits() == (number + 0.0).to_bits()
}
