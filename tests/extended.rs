//! Numbers with a 64-bit mantissa compared with another implementation of x87 arithmetic.

use fairscope::base::extended::{Division, Extended};
use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Quad, X87DoubleExtended as X87};
use rustc_apfloat::{Float, FloatConvert, Round};

/// A number by its components.
#[derive(Clone, Copy, Debug)]
struct Number {
    mantissa: u64,
    /// Exponent of the last bit of the mantissa.
    exponent: i32,
    is_negative: bool,
}

impl Number {
    fn ours(self) -> Extended {
        let number = Extended::from_u64(self.mantissa).scaled(self.exponent);
        if self.is_negative {
            Extended::ZERO.minus(number)
        } else {
            number
        }
    }

    fn theirs(self) -> X87 {
        if self.mantissa == 0 {
            return X87::ZERO;
        }
        let shift = self.mantissa.leading_zeros();
        let biased = self.exponent - shift.cast_signed() + 63 + 16383;
        let biased = u128::from(biased.cast_unsigned());
        let mantissa = u128::from(self.mantissa << shift);
        X87::from_bits(u128::from(self.is_negative) << 79 | biased << 64 | mantissa)
    }
}

/// Converts a number of the other implementation to ours, which has no negative zero.
fn ours(number: X87) -> Extended {
    let bits = number.to_bits();
    let biased = i32::try_from(bits >> 64 & 0x7FFF).expect("fifteen bits");
    let mantissa = u64::try_from(bits & u128::from(u64::MAX)).expect("sixty-four bits");
    let exponent = biased - 16383 - 63;
    let is_negative = bits >> 79 == 1;
    Number {
        mantissa,
        exponent,
        is_negative,
    }
    .ours()
}

/// Mantissas of several kinds: many bits, few bits, long runs of the same bit.
fn mantissa() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0_u32..64, 0_u32..64).prop_map(|(a, b)| 1 << a | 1 << b),
        (0_u32..64).prop_map(|shift| u64::MAX << shift),
        (0_u32..64).prop_map(|shift| u64::MAX >> shift),
        (0_u32..64, any::<u64>()).prop_map(|(shift, bits)| bits >> shift << (shift / 2)),
    ]
}

fn number(exponents: std::ops::Range<i32>) -> impl Strategy<Value = Number> {
    (mantissa(), exponents, any::<bool>()).prop_map(|(mantissa, exponent, is_negative)| Number {
        mantissa,
        exponent,
        is_negative,
    })
}

/// Returns 2^f - 1 for a fraction f, from the power series with 113 bits.
fn power_less_one(fraction: Quad) -> Quad {
    const LN_2: &str = "0.693147180559945309417232121458176568075500134360255254120680";
    let x = (fraction * LN_2.parse::<Quad>().expect("a number")).value;
    let mut sum = Quad::from_u128(1).value;
    for divisor in (2..32).rev() {
        let term = (sum * x).value / Quad::from_u128(divisor).value;
        sum = (Quad::from_u128(1).value + term.value).value;
    }
    (sum * x).value
}

/// The result of `powl(2, -number)` if `f2xm1` rounds to nearest.
fn halved_so_often(number: X87) -> X87 {
    let mut loses = false;
    let steps = number.round_to_integral(Round::NearestTiesToEven).value;
    let fraction = (steps - number).value;
    let fraction: Quad = fraction.convert(&mut loses).value;
    let rest: X87 = power_less_one(fraction).convert(&mut loses).value;
    let power = (X87::from_u128(1).value + rest).value;
    let steps = steps.to_i128(64).value;
    power.scalbn(-i32::try_from(steps).expect("a few thousand"))
}

proptest! {
    #![proptest_config(crate::support::laws(4_000))]

    #[test]
    fn arithmetic_equals_the_x87(a in number(-70..70), b in number(-70..70)) {
        let (x, y) = (a.theirs(), b.theirs());
        prop_assert_eq!(a.ours().plus(b.ours()), ours((x + y).value));
        prop_assert_eq!(a.ours().minus(b.ours()), ours((x - y).value));
        prop_assert_eq!(a.ours().times(b.ours()), ours((x * y).value));
        let quotient = (b.mantissa != 0).then(|| ours((x / y).value));
        prop_assert_eq!(a.ours().over(b.ours()), quotient);
        prop_assert_eq!(a.ours().partial_cmp(&b.ours()), x.partial_cmp(&y));
        prop_assert_eq!(a.ours() == b.ours(), x == y);
    }

    #[test]
    fn quotients_of_close_numbers_equal_the_x87(b in number(-2..2), distance in 0_u64..4) {
        for mantissa in [b.mantissa.wrapping_add(distance), b.mantissa.wrapping_sub(distance)] {
            let a = Number { mantissa, ..b };
            let quotient = (b.mantissa != 0).then(|| ours((a.theirs() / b.theirs()).value));
            prop_assert_eq!(a.ours().over(b.ours()), quotient);
        }
    }

    #[test]
    fn quotients_as_doubles_are_rounded_twice(a in number(-1100..900), b in number(-70..70), c in number(-70..70)) {
        let [a, b, c] = [a.ours(), b.ours(), c.ours()];
        let double = a.over(b).map_or(0.0, Extended::to_f64);
        prop_assert_eq!(a.quick_ratio(b).to_f64().to_bits(), double.to_bits());
        let part = b.over(c);
        let quotient = part.and_then(|part| a.over(part));
        prop_assert_eq!(b.quick_ratio(c).divide(a), quotient.map(Extended::to_f64));
    }

    #[test]
    fn quotients_near_the_middle_of_two_doubles_are_rounded_twice(
        double in any::<u64>(), distance in 0_u64..16, below in any::<bool>(), b in number(-70..70), c in number(-70..70),
    ) {
        let middle = double | 1 << 63;
        let middle = middle >> 11 << 11 | 1 << 10;
        let mantissa = if below { middle - distance } else { middle + distance };
        let [b, c] = [b.ours(), c.ours()];
        let product = Extended::from_u64(mantissa).times(b);
        let double = product.over(b).map_or(0.0, Extended::to_f64);
        prop_assert_eq!(product.quick_ratio(b).to_f64().to_bits(), double.to_bits());
        if let Some(part) = b.over(c) {
            let product = Extended::from_u64(mantissa).times(part);
            prop_assert_eq!(b.quick_ratio(c).divide(product), product.over(part).map(Extended::to_f64));
        }
    }

    #[test]
    fn divisions_by_digits_equal_those_by_an_instruction(high in mantissa(), low in mantissa(), divisor in mantissa()) {
        let divisor = divisor | 1 << 63;
        let high = high % divisor;
        prop_assert_eq!(Division::by_digits(high, low, divisor), Division::by_instruction(high, low, divisor));
    }

    #[test]
    fn differences_of_close_numbers_are_exact(a in number(-2..2), distance in 0_u64..4, exponent in -3..3) {
        let b = Number { mantissa: a.mantissa.wrapping_add(distance), exponent, ..a };
        let (x, y) = (a.theirs(), b.theirs());
        prop_assert_eq!(a.ours().minus(b.ours()), ours((x - y).value));
    }

    #[test]
    fn conversion_to_double_rounds_to_nearest(number in number(-1160..980)) {
        let mut loses = false;
        let double: Double = number.theirs().convert(&mut loses).value;
        let bits = u64::try_from(double.to_bits()).expect("sixty-four bits");
        // Ours has no negative zero.
        let bits = if number.mantissa == 0 { 0 } else { bits };
        prop_assert_eq!(number.ours().to_f64().to_bits(), bits);
    }

    #[test]
    fn conversion_from_double_is_exact(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        let there_and_back = Extended::from_f64(double).map(Extended::to_f64);
        prop_assert_eq!(there_and_back.map(|back| back + 0.0), Some(double + 0.0).filter(|double| double.is_finite()));
    }

    #[test]
    fn conversion_to_integer_truncates(number in number(-140..4)) {
        let mut is_exact = false;
        let whole = number.theirs().to_u128_r(64, Round::TowardZero, &mut is_exact).value;
        prop_assert_eq!(u128::from(number.ours().whole()), if number.is_negative { 0 } else { whole });
    }
}

proptest! {
    #![proptest_config(crate::support::laws(500))]

    #[test]
    fn powers_round_as_powl_does(mantissa in mantissa(), exponent in -140_i32..-50) {
        let number = Number { mantissa, exponent, is_negative: false };
        prop_assert_eq!(number.ours().halved_so_often(), ours(halved_so_often(number.theirs())));
    }
}

#[test]
fn whole_powers_are_exact() {
    for steps in [0_i32, 1, 2, 63, 64, 1000, 32_767] {
        let number = Extended::from_u64(steps.unsigned_abs().into());
        assert_eq!(
            number.halved_so_often(),
            Extended::ONE.scaled(-steps),
            "2^-{steps}"
        );
    }
    assert!(Extended::from_u64(32_768).halved_so_often().is_zero());
    assert!(
        Extended::from_u64(u64::MAX)
            .scaled(5000)
            .halved_so_often()
            .is_zero()
    );
}

#[test]
fn zero_is_never_negative() {
    let one = Extended::ONE;
    let minus_one = Extended::ZERO.minus(one);
    let zeros = [
        one.minus(one),
        minus_one.plus(one),
        minus_one.times(Extended::ZERO),
        Extended::ZERO.minus(Extended::ZERO),
        Extended::ZERO.over(minus_one).unwrap(),
        Extended::from_f64(-0.0).unwrap(),
        Extended::from_u64(0).scaled(7),
    ];
    for zero in zeros {
        assert_eq!(zero, Extended::ZERO);
        assert_eq!(zero.to_f64().to_bits(), 0);
        assert_eq!(zero.whole(), 0);
    }
    assert_eq!(one.over(Extended::ZERO), None);
    for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Extended::from_f64(strange), None);
    }
}

#[test]
fn natural_logarithms_round_to_nearest() {
    // 2, 3, 10, 1.5, 1/10 and 10^300 as x87 numbers, and their logarithms.
    let logarithms = [
        ((1 << 63, -62), (0xB172_17F7_D1CF_79AC, -64)),
        ((3 << 62, -62), (0x8C9F_53D5_6818_54BB, -63)),
        ((5 << 61, -60), (0x935D_8DDD_AAA8_AC17, -62)),
        ((3 << 62, -63), (0xCF99_1F65_FCC2_5F96, -65)),
        ((0xCCCC_CCCC_CCCC_CCCD, -67), (0x935D_8DDD_AAA8_AC17, -62)),
        ((0xBF21_E440_03AC_DD2D, 933), (0xACB1_A23F_C3FD_A9AB, -54)),
    ];
    for ((mantissa, exponent), (expected, place)) in logarithms {
        let number = Extended::from_u64(mantissa).scaled(exponent);
        let expected = Extended::from_u64(expected).scaled(place);
        let expected = if number < Extended::ONE {
            Extended::ZERO.minus(expected)
        } else {
            expected
        };
        assert_eq!(number.ln(), Some(expected), "{number:?}");
    }
    assert_eq!(Extended::ONE.ln(), Some(Extended::ZERO));
    assert_eq!(Extended::ZERO.ln(), None);
    assert_eq!(Extended::ZERO.minus(Extended::ONE).ln(), None);
}
