//! Moments, with and without an offset, and what a local clock shows.

use crate::support::expected::Expected as _;
use fairscope::model::ClockReading::{Once, Skipped, Twice};
use fairscope::model::{Moment, moment_of};
use jiff::tz::TimeZone;

/// 2026-11-23 20:51:03 in UTC.
const EVENING: i64 = 1_795_467_063;

fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").expect("a known zone")
}

#[test]
fn a_time_without_an_offset_is_local_and_one_with_an_offset_is_not() {
    for (text, in_utc, in_berlin) in [
        ("2026-11-23T20:51:03", 0, -3600),
        ("2026-11-23 20:51:03", 0, -3600),
        ("2026-11-23T20:51:03Z", 0, 0),
        ("2026-11-23t20:51:03z", 0, 0),
        ("2026-11-23T20:51:03+00:00", 0, 0),
        ("2026-11-24T01:51:03+05:00", 0, 0),
        ("2026-11-24T01:51:03+0500", 0, 0),
        ("2026-11-23T15:21:03-05:30", 0, 0),
        ("1795467063", 0, 0),
        (" 2026-11-23T20:51:03Z ", 0, 0),
    ] {
        for (zone, off) in [(TimeZone::UTC, in_utc), (berlin(), in_berlin)] {
            let moment = moment_of(text, &zone).map(Moment::usual);
            assert_eq!(moment, Ok(EVENING + off), "{text} in {zone:?}");
        }
    }
    let day = moment_of("2026-11-23", &TimeZone::UTC).map(Moment::usual);
    assert_eq!(day, Ok(EVENING - 75_063));
    let last = moment_of("9999-12-31T23:59:59", &TimeZone::UTC).map(Moment::usual);
    assert_eq!(last, Ok(253_402_300_799));
}

#[test]
fn a_time_that_the_clock_showed_twice_is_told_from_one_that_it_skipped() {
    let reading = |text: &str| {
        let moment = moment_of(text, &berlin()).expect(text);
        (moment.reading, moment.last - moment.first, moment.usual())
    };
    let at = |text: &str| moment_of(text, &TimeZone::UTC).map(Moment::usual).unwrap();
    assert_eq!(
        reading("2026-10-25T02:30:00"),
        (Twice, 3600, at("2026-10-25T00:30:00"))
    );
    assert_eq!(
        reading("2026-03-29T02:30:00"),
        (Skipped, 3600, at("2026-03-29T01:30:00"))
    );
    assert_eq!(
        reading("2026-03-29T03:30:00"),
        (Once, 0, at("2026-03-29T01:30:00"))
    );
    // An offset says which of the two it is.
    assert_eq!(
        reading("2026-10-25T02:30:00+01:00"),
        (Once, 0, at("2026-10-25T01:30:00"))
    );
}

#[test]
fn other_texts_are_refused_and_nothing_in_them_is_ignored() {
    let refusal = |text: &str| moment_of(text, &TimeZone::UTC).expect_err(text).to_string();
    for text in [
        "",
        "soon",
        "2026-13-01",
        "2026-11-23T25:00:00",
        "20:51:03",
        "2026-11-23T20:51:03 Europe/Berlin",
        "2026-11-23T20:51:03[Europe/Berlin]",
        "2026-11-23T20:51:03+01:00[America/New_York]",
        "1e18",
        "1795467063.5",
        "14d",
    ] {
        let said = refusal(text);
        said.must_contain("is not a time; expected 2026-11-23");
    }
    for text in [
        "10000-01-01",
        "253402300800",
        "1795467063000",
        "1000000000000000000",
        "99999999999999999999999999",
    ] {
        let said = refusal(text);
        said.must_contain("is past the year 9999");
    }
}
