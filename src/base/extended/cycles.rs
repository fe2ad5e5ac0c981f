//! Multiplies many numbers by the same factor, and adds to them, many times over: a year of decay.
//!
//! Each product waits for the one before it, but different numbers are independent, so several are processed side by
//! side. Almost always the product of a mantissa and a factor a little below 1 keeps its exponent, and the addend is
//! aligned to it as before. All other cases take the slow path.

use super::{Extended, TOP};

/// How many numbers are processed side by side.
const SIDE_BY_SIDE: usize = 8;

/// With fewer steps than this, checking that no exponent changes does not pay.
const FEW: u64 = 8;

/// How many cycles pass between two checks whether any number still changes.
const UNASKED: u64 = 32;

/// The exponent of the last bit of the smallest number above 0 that a `long double` holds.
const LEAST: i64 = -16_445;

/// The exponent of the mantissa of a number from a half to below 1.
const BELOW_ONE: i32 = -64;

/// Performs `times` cycles: each multiplies every number by the factor, adds its addend, and rounds after both. There
/// is one addend for each number, none below 0, or there are none at all. The factor is above 0 and at most 1.
pub(crate) fn pass(numbers: &mut [Extended], addends: &[Extended], factor: Extended, times: u64) {
    let mut places = [0; SIDE_BY_SIDE];
    let mut filled = 0;
    for place in 0..numbers.len() {
        if numbers[place].is_zero() && addend(addends, place).is_zero() {
            continue;
        }
        places[filled] = place;
        filled += 1;
        if filled == SIDE_BY_SIDE {
            pass_some(numbers, addends, places, factor, times);
            filled = 0;
        }
    }
    for &place in &places[..filled] {
        pass_some(numbers, addends, [place], factor, times);
    }
}

fn addend(addends: &[Extended], place: usize) -> Extended {
    addends.get(place).copied().unwrap_or(Extended::ZERO)
}

/// Performs the cycles for a few of the numbers.
fn pass_some<const COUNT: usize>(
    numbers: &mut [Extended],
    addends: &[Extended],
    places: [usize; COUNT],
    factor: Extended,
    times: u64,
) {
    let has_none = |&place: &usize| addend(addends, place).is_zero();
    if places.iter().all(has_none) {
        return multiply_some(numbers, places, factor, times);
    }
    let mut lanes = places.map(|place| Lane::of(numbers[place], addend(addends, place), factor));
    let mut left = times;
    while left > 0 {
        let before = lanes.map(|lane| (lane.mantissa, lane.exponent));
        let steps = if left == times { 1 } else { UNASKED.min(left) };
        if factor == Extended::ONE {
            multiply_and_add::<COUNT, false>(&mut lanes, factor, steps);
        } else {
            multiply_and_add::<COUNT, true>(&mut lanes, factor, steps);
        }
        left -= steps;
        // A larger number never becomes the smaller one, so numbers that are as before do not change any more.
        if before == lanes.map(|lane| (lane.mantissa, lane.exponent)) {
            break;
        }
    }
    for (lane, place) in lanes.iter().zip(places) {
        numbers[place] = lane.number();
    }
}

/// The state of one number.
#[derive(Clone, Copy)]
struct Lane {
    mantissa: u64,
    exponent: i64,
    is_negative: bool,
    addend: Extended,
    /// The addend in units of the mantissa's last place, rounded; `u64::MAX` if it cannot be added in this form.
    whole: u64,
    /// 1 if the addend was cut at exactly a half: rounding then depends on the sum's last bit.
    is_half: u64,
}

impl Lane {
    fn of(number: Extended, addend: Extended, factor: Extended) -> Self {
        let mut lane = Self {
            mantissa: number.mantissa,
            exponent: i64::from(number.exponent),
            is_negative: number.is_negative,
            addend,
            whole: 0,
            is_half: 0,
        };
        lane.align(factor);
        lane
    }

    /// Computes the addend in units of the mantissa's last place.
    fn align(&mut self, factor: Extended) {
        let distance = self.exponent - i64::from(self.addend.exponent);
        let has_place = factor.exponent == BELOW_ONE || factor == Extended::ONE;
        let addend = self.addend.mantissa;
        (self.whole, self.is_half) = match distance {
            _ if addend == 0 && has_place => (0, 0),
            _ if !has_place || self.is_negative || self.mantissa == 0 => (u64::MAX, 0),
            ..0 => (u64::MAX, 0),
            0 => (addend, 0),
            1..=63 => {
                let rest = addend << (64 - distance);
                let whole = (addend >> distance) + u64::from(rest > TOP);
                (whole, u64::from(rest == TOP))
            }
            64 => (u64::from(addend > TOP), u64::from(addend == TOP)),
            _ => (0, 0),
        };
    }

    fn number(&self) -> Extended {
        number(self.mantissa, self.exponent, self.is_negative)
    }

    /// Performs one cycle on the slow path.
    #[cold]
    #[inline(never)]
    fn step(&mut self, factor: Extended) {
        let number = self.number().times(factor).plus(self.addend);
        self.mantissa = number.mantissa;
        self.exponent = i64::from(number.exponent);
        self.is_negative = number.is_negative;
        self.align(factor);
    }
}

/// Returns whether a mantissa with this remainder below its last place is rounded up: ties go to even.
fn is_rounded_up(mantissa: u64, below: u64) -> bool {
    below.overflowing_add(TOP - 1 + (mantissa & 1)).1
}

/// Returns the two words of a product.
fn wide(one: u64, other: u64) -> (u64, u64) {
    let product = u128::from(one) * u128::from(other);
    ((product >> 64) as u64, product as u64)
}

/// Returns the number with these parts, or 0 below the range of a `long double`.
fn number(mantissa: u64, exponent: i64, is_negative: bool) -> Extended {
    match i32::try_from(exponent) {
        Ok(exponent) if mantissa > 0 && i64::from(exponent) + 63 >= LEAST => {
            Extended::new(mantissa, exponent, is_negative)
        }
        _ => Extended::ZERO,
    }
}

/// Performs cycles without addends for some numbers, none of which is 0.
fn multiply_some<const COUNT: usize>(
    numbers: &mut [Extended],
    places: [usize; COUNT],
    factor: Extended,
    steps: u64,
) {
    if factor == Extended::ONE {
        return;
    }
    let mut mantissas = places.map(|place| numbers[place].mantissa);
    let mut lowered = [0_i64; COUNT];
    // The difference of the factor's mantissa from 2^64.
    let lack = factor.mantissa.wrapping_neg();
    let mut left = steps;
    while left > 0 {
        // A step reduces the mantissa in proportion to that difference, and less each time. The smallest mantissa is
        // the first to fall below the limit.
        let least = mantissas.iter().copied().min().unwrap_or(TOP);
        let most = wide(least, lack).0 + 2;
        let level = ((least - TOP) / most).min(left);
        if level < FEW {
            let some = FEW.min(left);
            multiply_anyhow(&mut mantissas, &mut lowered, factor.mantissa, some);
            left -= some;
        } else {
            multiply_level(&mut mantissas, factor.mantissa, level);
            left -= level;
        }
    }
    let lost = i64::from(factor.exponent - BELOW_ONE).saturating_mul(steps.cast_signed());
    for (place, (mantissa, lowered)) in places.into_iter().zip(mantissas.into_iter().zip(lowered)) {
        let before = numbers[place];
        let exponent = i64::from(before.exponent) + lost - lowered;
        numbers[place] = number(mantissa, exponent, before.is_negative);
    }
}

/// Computes products that all keep their exponents.
fn multiply_level<const COUNT: usize>(mantissas: &mut [u64; COUNT], factor: u64, steps: u64) {
    // In a copy the mantissas stay in registers.
    let mut here = *mantissas;
    for _ in 0..steps {
        for mantissa in &mut here {
            let (high, low) = wide(*mantissa, factor);
            let (rest, is_half) = low.overflowing_add(low);
            *mantissa = if rest == 0 {
                even(high, low)
            } else {
                high + u64::from(is_half)
            };
        }
    }
    *mantissas = here;
}

/// Returns a mantissa rounded by what is below its last place: the rare case of exactly a half, or nothing.
#[cold]
#[inline(never)]
fn even(mantissa: u64, below: u64) -> u64 {
    mantissa + u64::from(is_rounded_up(mantissa, below))
}

/// Computes products some of which lower the exponent by one, and counts that for each.
fn multiply_anyhow<const COUNT: usize>(
    mantissas: &mut [u64; COUNT],
    lowered: &mut [i64; COUNT],
    factor: u64,
    steps: u64,
) {
    for _ in 0..steps {
        for (mantissa, lowered) in mantissas.iter_mut().zip(&mut *lowered) {
            let (high, low) = wide(*mantissa, factor);
            if high < TOP {
                let (high, low) = (high << 1 | low >> 63, low << 1);
                let (sum, has_carried) = high.overflowing_add(u64::from(is_rounded_up(high, low)));
                *mantissa = sum | u64::from(has_carried) << 63;
                *lowered += i64::from(!has_carried);
            } else {
                *mantissa = high + u64::from(is_rounded_up(high, low));
            }
        }
    }
}

/// Performs cycles with addends. `DECAYS` says that the factor is not 1.
fn multiply_and_add<const COUNT: usize, const DECAYS: bool>(
    lanes: &mut [Lane; COUNT],
    factor: Extended,
    steps: u64,
) {
    for _ in 0..steps {
        for lane in &mut *lanes {
            let product = if DECAYS {
                let (high, low) = wide(lane.mantissa, factor.mantissa);
                if high < TOP {
                    lane.step(factor);
                    continue;
                }
                high + u64::from(is_rounded_up(high, low))
            } else if lane.mantissa == 0 {
                lane.step(factor);
                continue;
            } else {
                lane.mantissa
            };
            let (sum, is_over) = product.overflowing_add(lane.whole);
            let (sum, is_over_still) = sum.overflowing_add(lane.is_half & sum);
            if is_over || is_over_still {
                lane.step(factor);
            } else {
                lane.mantissa = sum;
            }
        }
    }
}
