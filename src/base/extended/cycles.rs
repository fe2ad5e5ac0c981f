//! Multiplies many numbers by the same factor, and adds to them, many times over: a year of decay.
//!
//! Each step of a number waits for the one before it, but different numbers are independent, so several are processed
//! side by side. Almost every step changes only the mantissa of a number: the product keeps its exponent, and the addend
//! is aligned to it as before. All other steps are computed in full.

use super::{Extended, TOP};
use std::array;

/// How many numbers are processed side by side.
const SIDE_BY_SIDE: usize = 8;

/// How many steps are computed one by one between two looks at the numbers.
const UNASKED: u64 = 16;

/// With fewer steps than this, [`multiply`] is not worth its start.
const FEW: u64 = 8;

/// The exponent of the last bit of the smallest number above 0 that a `long double` holds.
const LEAST: i32 = -16_445;

/// The exponent of the mantissa of a number from a half to below 1.
const BELOW_ONE: i32 = -64;

/// Performs `times` steps. Each multiplies every number by the factor, adds its addend, and rounds after both. What falls
/// below the range of a `long double` becomes 0. There is one addend for each number, none below 0, or there are none at
/// all. The factor is above 0 and at most 1.
pub(crate) fn pass(numbers: &mut [Extended], addends: &[Extended], factor: Extended, times: u64) {
    let mut all = Vec::with_capacity(numbers.len());
    for (place, &number) in numbers.iter().enumerate() {
        let addend = addends.get(place).copied().unwrap_or(Extended::ZERO);
        if !number.is_zero() || !addend.is_zero() {
            all.push(Running::new(place, number, addend, factor));
        }
    }
    let (groups, rest) = all.as_chunks_mut::<SIDE_BY_SIDE>();
    for group in groups {
        pass_together(group, factor, times);
    }
    for running in rest {
        pass_together(array::from_mut(running), factor, times);
    }
    for running in all {
        numbers[running.place] = running.number;
    }
}

/// Performs `times` steps of some numbers.
fn pass_together<const COUNT: usize>(group: &mut [Running; COUNT], factor: Extended, times: u64) {
    let has_addends = group.iter().any(|running| !running.addend.is_zero());
    if !has_addends && factor == Extended::ONE {
        return;
    }
    let mut left = times;
    while left > 0 {
        let level = if has_addends {
            0
        } else {
            level_steps(group, factor).min(left)
        };
        if level >= FEW {
            multiply(group, factor, level);
            left -= level;
            continue;
        }
        let before = group.map(|running| running.number);
        let steps = UNASKED.min(left);
        for _ in 0..steps {
            for running in &mut *group {
                running.step(factor);
            }
        }
        left -= steps;
        // A larger number never becomes the smaller one, so numbers that are as before do not change any more.
        if before == group.map(|running| running.number) {
            break;
        }
    }
}

/// Returns a number of steps without addends that surely leave all exponents as they are.
fn level_steps(group: &[Running], factor: Extended) -> u64 {
    if factor.exponent != BELOW_ONE {
        return 0;
    }
    // A step reduces a mantissa in proportion to the difference of the factor from 1, and less each time. The smallest
    // mantissa is the first to fall below the limit.
    let lack = factor.mantissa.wrapping_neg();
    let mut least = u64::MAX;
    for running in group {
        least = least.min(running.number.mantissa);
    }
    let (most_lost, _) = words(least, lack);
    least.saturating_sub(TOP) / (most_lost + 2)
}

/// Performs steps without addends that leave all exponents as they are.
fn multiply<const COUNT: usize>(group: &mut [Running; COUNT], factor: Extended, steps: u64) {
    // In a copy the mantissas stay in registers.
    let mut mantissas = group.map(|running| running.number.mantissa);
    for _ in 0..steps {
        for mantissa in &mut mantissas {
            *mantissa = product(*mantissa, factor.mantissa);
        }
    }
    for (running, mantissa) in group.iter_mut().zip(mantissas) {
        running.number.mantissa = mantissa;
    }
}

/// Returns the upper and the lower word of a product.
fn words(one: u64, other: u64) -> (u64, u64) {
    let product = u128::from(one) * u128::from(other);
    ((product >> 64) as u64, product as u64)
}

/// Returns the upper word of a product, rounded by the lower one.
fn product(one: u64, other: u64) -> u64 {
    let (high, low) = words(one, other);
    let (rest, is_half) = low.overflowing_add(low);
    if rest == 0 {
        return even(high, is_half);
    }
    high + u64::from(is_half)
}

/// Returns a word rounded to even, where exactly a half or nothing is below it. That is rare.
#[cold]
#[inline(never)]
fn even(high: u64, is_half: bool) -> u64 {
    high + u64::from(is_half && high & 1 == 1)
}

/// One number, and what is added to it in every step.
#[derive(Clone, Copy)]
struct Running {
    /// The place of the number in the slice.
    place: usize,
    number: Extended,
    addend: Extended,
    /// The addend in units of the mantissa's last place, rounded; `u64::MAX` where only a step in full can add it.
    aligned: u64,
    /// 1 if the addend was cut at exactly a half: rounding then depends on the sum's last bit.
    is_half: u64,
}

impl Running {
    fn new(place: usize, number: Extended, addend: Extended, factor: Extended) -> Self {
        let mut running = Self {
            place,
            number,
            addend,
            aligned: 0,
            is_half: 0,
        };
        running.align(factor);
        running
    }

    /// Multiplies the number by the factor and adds the addend.
    fn step(&mut self, factor: Extended) {
        let mantissa = self.number.mantissa;
        let product = if factor == Extended::ONE {
            mantissa
        } else {
            product(mantissa, factor.mantissa)
        };
        let (sum, is_over) = product.overflowing_add(self.aligned);
        let (rounded, is_over_rounded) = sum.overflowing_add(self.is_half & sum);
        if product < TOP || is_over || is_over_rounded {
            self.step_in_full(factor);
        } else {
            self.number.mantissa = rounded;
        }
    }

    /// Performs a step that may change the exponent.
    #[cold]
    #[inline(never)]
    fn step_in_full(&mut self, factor: Extended) {
        let number = self.number.times(factor).plus(self.addend);
        let is_in_range = number.exponent + 63 >= LEAST;
        self.number = if is_in_range { number } else { Extended::ZERO };
        self.align(factor);
    }

    /// Computes the addend in units of the mantissa's last place.
    fn align(&mut self, factor: Extended) {
        let keeps_exponent = factor.exponent == BELOW_ONE || factor == Extended::ONE;
        let addend = self.addend.mantissa;
        let distance = self.number.exponent - self.addend.exponent;
        self.is_half = 0;
        self.aligned = match distance {
            _ if !keeps_exponent || self.number.is_negative => u64::MAX,
            _ if addend == 0 => 0,
            ..0 => u64::MAX,
            0 => addend,
            1..=64 => {
                let shifted = u128::from(addend) << (64 - distance);
                let rest = shifted as u64;
                self.is_half = u64::from(rest == TOP);
                (shifted >> 64) as u64 + u64::from(rest > TOP)
            }
            _ => 0,
        };
    }
}
