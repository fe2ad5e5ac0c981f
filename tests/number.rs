//! Numbers as text: how wide they are, and that those for machines read back to the same bits.

use fairscope::base::number::{
    Exact, Unit, Value, amount, cell, change, duration, flux_weight, fraction, grouped, most_cells,
    ordinal, percent, ratio, short, times, word,
};
use fairscope::base::shown::cells;
use proptest::prelude::*;

#[test]
fn a_size_takes_six_cells_at_most() {
    let mut number = 1e-12;
    while number < 1e300 {
        for factor in [1.0, 1.234, 9.994, 9.996, 9.999_9] {
            let text = short(number * factor);
            assert!(text.chars().count() <= 6, "{text} for {}", number * factor);
            assert!(short(-number * factor).chars().count() <= 7);
        }
        number *= 10.0;
    }
}

#[test]
fn sizes_read_well() {
    let texts = [
        0.0, -0.0, 0.5, 12.345, 999.96, 1234.56, 99_999.4, 1e5, 88.14e9, 1e15, 1.5e33,
    ]
    .map(short);
    assert_eq!(
        texts,
        [
            "0", "0", "0.5", "12.35", "1,000", "1,235", "99,999", "100 k", "88.1 G", "1.00 P",
            "1.5e33"
        ]
    );
}

#[test]
fn text_that_is_not_a_number_gives_none() {
    for unit in [Unit::Usage, Unit::Portion, Unit::Fraction, Unit::Count] {
        assert_eq!(cell(Value::Double(f64::NAN), unit), "nan");
        assert_eq!(cell(Value::Single(f32::INFINITY), unit), "inf");
        assert_eq!(cell(Value::Double(f64::NEG_INFINITY), unit), "-inf");
        assert_eq!(cell(Value::Null, unit), "");
    }
    assert_eq!(Exact(Value::Single(f32::NAN)).to_string(), "nan");
}

proptest! {
    #[test]
    fn no_cell_is_wider_than_is_said_without_its_text(
        number in any::<f64>(),
        single in 0.0_f32..=1.0,
        portion in 0.0..=1.0,
        usage in 0.0..1e13,
        count in 0_u32..2_000,
    ) {
        let count = f64::from(count);
        let numbers = [number, portion, portion * 100.0, usage, count, count / 8.0, 9.989_999];
        let doubles = numbers.map(Value::Double).into_iter();
        for value in doubles.chain([Value::Single(single), Value::Single(0.999), Value::Null]) {
            for unit in [Unit::Usage, Unit::Portion, Unit::Fraction, Unit::Ratio, Unit::Weight, Unit::Times] {
                let Some(most) = most_cells(value, unit) else { continue };
                let text = cell(value, unit);
                prop_assert!(cells(&text) <= most, "{text} {most}");
            }
        }
    }
}

#[test]
fn places_have_their_endings() {
    assert_eq!(
        [1, 2, 3, 4, 11, 12, 13, 21, 112, 1003].map(ordinal),
        [
            "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "1,003rd"
        ]
    );
}

#[test]
fn exact_numbers_read_back_to_the_same_bits() {
    for number in [0.1, 1e300, 5e-324, -0.0, 1201.0, 1.0 / 3.0] {
        let text = Exact(Value::Double(number)).to_string();
        assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(number.to_bits()));
    }
    assert_eq!(Exact(Value::Single(0.6)).to_string(), "0.6");
    assert_eq!(Exact(Value::Double(1000.0)).to_string(), "1000.0");
}

#[test]
fn every_kind_of_number_reads_as_its_column_wants() {
    assert_eq!(word(0xAAAA_1234_7777_CCCC), "AAAA12347777CCCC");
    assert_eq!(ratio(2.0404), "2.0404");
    assert_eq!(ratio(f64::INFINITY), "inf");
    assert_eq!(ratio(123_456.7), "123,457");
    assert_eq!(ratio(18_446_744_073_709_551_616.0), "1.845e19");
    assert_eq!(times(1.39), "1.39x");
    assert_eq!(times(0.0), "0x");
    assert_eq!(times(0.004), "<.01x");
    assert_eq!(times(15.0), "15.0x");
    assert_eq!(times(2_000.0), ">999x");
    assert_eq!(times(f64::INFINITY), "inf");
    assert_eq!(grouped(1_234_567), "1,234,567");
    assert_eq!(grouped(-1), "-1");
    assert_eq!(short(1201.0), "1,201");
    assert_eq!(short(6.18e12), "6.18 T");
    assert_eq!(short(999_999.0), "1.00 M");
    assert_eq!(short(1.797e308), ">1e308");
    assert_eq!(short(-1.797e308), "<-1e308");
    assert_eq!(amount(1000.0), "1,000");
    assert_eq!(amount(899.999_976_158), "899.999976");
    assert_eq!(percent(0.4), "40.0%");
    assert_eq!(percent(0.000_01), "<0.1%");
    assert_eq!(percent(2_147_483_647.5), "215 G%");
    assert_eq!(fraction(0.090_200_633), "0.090201");
    assert_eq!(fraction(-0.0), "0.000000");
    assert_eq!(change(7), "▲ 7");
    assert_eq!(change(-2), "▼ 2");
    assert_eq!(change(0), "");
    assert_eq!(duration(5400), "01:30:00");
    assert_eq!(duration(14 * 86_400), "14-00:00:00");
}

#[test]
fn weights_have_six_decimals_as_far_as_they_fit_nine_cells() {
    let weights = [
        (0.00043, "0.000430"),
        (0.990_246, "0.990246"),
        (98.5, "98.500000"),
        (581.347_561, "581.34756"),
        (2_022.123_45, "2022.1235"),
        (31_116.4, "31,116"),
    ];
    for (weight, text) in weights {
        assert_eq!(flux_weight(weight), text);
        assert!(text.len() <= 9);
    }
}
