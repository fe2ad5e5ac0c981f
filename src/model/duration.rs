//! Durations: `7d`, `1d12h`, `01:30:00`, `2-12:00:00` as seconds, and back; and dates.

use crate::base::number::DAY;
use crate::base::shown::Shown;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

/// The units of a duration with their seconds, the longest first.
const UNITS: [(char, u64); 5] = [
    ('w', 7 * DAY as u64),
    ('d', DAY as u64),
    ('h', 60 * 60),
    ('m', 60),
    ('s', 1),
];

/// Reads a duration: `2w`, `7d`, `1d12h`, `90m`, `30s`, `HH:MM:SS`, `D-HH:MM:SS`, or seconds. Returns `None` if it is
/// none. A duration beyond 64 bits of seconds becomes the longest possible one.
pub fn seconds_of(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some((days, clock)) = text.split_once('-') {
        let days = count(days)?.saturating_mul(UNITS[1].1);
        return Some(days.saturating_add(on_clock(clock)?));
    }
    if text.contains(':') {
        return on_clock(text);
    }
    if let Some(seconds) = count(text) {
        return Some(seconds);
    }
    let (mut rest, mut seconds) = (text, 0_u64);
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii_digit())?;
        let count = count(&rest[..end])?;
        let unit = rest[end..].chars().next()?;
        let (_, each) = UNITS.iter().find(|(name, _)| *name == unit)?;
        seconds = seconds.saturating_add(count.saturating_mul(*each));
        rest = rest[end + unit.len_utf8()..].trim_start();
    }
    (!text.is_empty()).then_some(seconds)
}

/// Returns a whole number, or the largest possible one if it is larger.
fn count(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

/// Reads `HH:MM:SS` or `HH:MM`.
fn on_clock(text: &str) -> Option<u64> {
    let mut parts = text.split(':').map(count);
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let seconds = parts.next().unwrap_or(Some(0))?;
    if parts.next().is_some() {
        return None;
    }
    let seconds = minutes.saturating_mul(60).saturating_add(seconds);
    Some(hours.saturating_mul(3600).saturating_add(seconds))
}

/// Writes seconds so that [`seconds_of`] reads them back, with days as the largest unit: `1d12h`; 0 is `0s`.
pub fn duration_of(seconds: u64) -> String {
    join(seconds, usize::MAX, |unit| unit.to_string(), "")
}

/// Writes seconds for people, in the two largest units: `11 d 4 h`, `5 min 20 s`.
pub fn duration_for_people(seconds: u64) -> Shown {
    let spelled = |unit| match unit {
        'm' => " min".to_owned(),
        unit => format!(" {unit}"),
    };
    Shown::again(join(seconds, 2, spelled, " "))
}

/// Joins at most `most` units, of which days are the largest.
fn join(seconds: u64, most: usize, spelled: impl Fn(char) -> String, between: &str) -> String {
    let (mut rest, mut parts) = (seconds, Vec::new());
    for &(unit, each) in &UNITS[1..] {
        let count = rest / each;
        rest %= each;
        if count > 0 && parts.len() < most {
            parts.push(format!("{count}{}", spelled(unit)));
        } else if !parts.is_empty() && most != usize::MAX {
            // The second unit is the one right after the first, or none.
            break;
        }
    }
    if parts.is_empty() {
        return format!("0{}", spelled('s'));
    }
    parts.join(between)
}

/// Returns the date and time of day of a moment in Unix seconds, in UTC, or `None` if it is outside the calendar.
pub fn date_of(moment: i64) -> Option<DateTime> {
    // Not every time zone has the last day of the year 9999, but UTC does.
    let begin = Date::constant(1970, 1, 1).at(0, 0, 0, 0);
    begin.checked_add(SignedDuration::from_secs(moment)).ok()
}
