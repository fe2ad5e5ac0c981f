//! Many numbers that are multiplied by the same one, and added to, many times over: a year of decay.
//!
//! A number waits for the product before it, those of others do not: so a handful goes side by side. Almost always the
//! product of a mantissa and a factor a little below 1 keeps its exponent, and what is added lies at the same place
//! below it as before; whatever is not so goes the long way round.

use super::{Extended, TOP};

/// How many numbers go side by side.
const SIDE_BY_SIDE: usize = 8;

/// Fewer steps than this are not worth finding out that no exponent changes in them.
const FEW: u64 = 8;

/// How many cycles are gone before it is asked whether anything still moves.
const UNASKED: u64 = 32;

/// The exponent of the last bit of the least number above 0 that a `long double` holds.
const LEAST: i64 = -16_445;

/// The exponent that the mantissa of a number from a half to below 1 has.
const BELOW_ONE: i32 = -64;

/// Lets so many cycles pass: each multiplies every number by the factor, adds its addend, and rounds after both. There
/// is one addend for each number, none below 0; the factor is above 0 and not above 1.
pub(crate) fn pass(numbers: &mut [Extended], addends: &[Extended], factor: Extended, times: u64) {
    let mut places = [0; SIDE_BY_SIDE];
    let mut filled = 0;
    for place in 0..numbers.len() {
        if numbers[place].is_zero() && addends[place].is_zero() {
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

/// The same for a few of the numbers.
fn pass_some<const COUNT: usize>(
    numbers: &mut [Extended],
    addends: &[Extended],
    places: [usize; COUNT],
    factor: Extended,
    times: u64,
) {
    if places.iter().all(|&place| addends[place].is_zero()) {
        multiply_some(numbers, places, factor, times);
        return;
    }
    let mut lanes = places.map(|place| Lane::of(numbers[place], addends[place], factor));
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
        // A larger number never becomes the smaller one, so whoever comes back has not moved.
        if before == lanes.map(|lane| (lane.mantissa, lane.exponent)) {
            break;
        }
    }
    for (lane, place) in lanes.iter().zip(places) {
        numbers[place] = lane.number();
    }
}

/// A number on its way.
#[derive(Clone, Copy)]
struct Lane {
    mantissa: u64,
    exponent: i64,
    is_negative: bool,
    addend: Extended,
    /// The addend in units of the mantissa's last place, rounded; too much to be added where that is not enough.
    whole: u64,
    /// 1 where the addend was cut at exactly a half: rounding then goes by the sum's last bit.
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

    /// Sees what the addend is in units of the mantissa's last place.
    fn align(&mut self, factor: Extended) {
        let distance = self.exponent - i64::from(self.addend.exponent);
        let has_place = factor.exponent == BELOW_ONE || factor == Extended::ONE;
        let addend = self.addend.mantissa;
        (self.whole, self.is_half) = match distance {
            _ if addend == 0 => (0, 0),
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

    /// One cycle, the long way round.
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

/// Returns whether a mantissa with this much below its last place is rounded up: ties go to even.
fn is_rounded_up(mantissa: u64, below: u64) -> bool {
    below.overflowing_add(TOP - 1 + (mantissa & 1)).1
}

/// Returns the two words of a product.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the two halves of a wide mantissa are taken apart"
)]
fn wide(one: u64, other: u64) -> (u64, u64) {
    let product = u128::from(one) * u128::from(other);
    ((product >> 64) as u64, product as u64)
}

/// Returns the number of these parts, 0 where a `long double` ends.
fn number(mantissa: u64, exponent: i64, is_negative: bool) -> Extended {
    match i32::try_from(exponent) {
        Ok(exponent) if mantissa > 0 && i64::from(exponent) + 63 >= LEAST => Extended {
            mantissa,
            exponent,
            is_negative,
        },
        _ => Extended::ZERO,
    }
}

/// Cycles in which nothing is added to some numbers, none of them 0: they rest nowhere.
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
    // What the factor's mantissa lacks to 2^64.
    let lack = factor.mantissa.wrapping_neg();
    let mut left = steps;
    while left > 0 {
        // A step takes the mantissa's part of what the factor lacks, and less each time; the least is the first to fall.
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

/// Products that all keep their exponents.
fn multiply_level<const COUNT: usize>(mantissas: &mut [u64; COUNT], factor: u64, steps: u64) {
    // Apart from where they came from the mantissas stay in registers.
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

/// Returns a mantissa that has a half below its last place, or nothing: that is rare.
#[cold]
#[inline(never)]
fn even(mantissa: u64, below: u64) -> u64 {
    mantissa + u64::from(is_rounded_up(mantissa, below))
}

/// Products of which some have a first bit one lower than their mantissa; by how much each was lowered is counted.
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

/// Cycles in which something is added; `DECAYS` says that the factor is not 1.
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
