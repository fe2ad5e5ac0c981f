//! Durations: `7d`, `1h30m`, `1.5h`, `14-0`, `2-12:00:00` as seconds, and back.

use crate::base::number::DAY;
use crate::base::shown::{Shown, sentence, shown};
use std::fmt::Write as _;

/// The units of a duration with their seconds, the longest first.
const UNITS: &[(char, u64)] = &[
    ('w', 7 * DAY as u64),
    ('d', DAY as u64),
    ('h', 60 * 60),
    ('m', 60),
    ('s', 1),
];

/// A second in the fractions of it that a duration can hold: nine decimals.
const SECOND: u128 = 1_000_000_000;

/// The forms of a duration that a scheduler defines, beside those that are read everywhere.
///
/// Everywhere a duration is a bare number, `90s`, `45m`, `1.5h`, `1h30m`, `14d`, `2w`, `H:MM:SS`, `D-H`, `D-H:MM` or
/// `D-H:MM:SS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationForm {
    /// No further form. A bare number is seconds, and `1:30` is refused because it has two meanings.
    Common,
    /// `MM:SS`, as PBS and Slurm read it. A bare number is seconds.
    MinutesSeconds,
    /// What Slurm reads in its settings: `MM:SS`, a bare number of minutes, and `UNLIMITED` or `INFINITE`, which are 0.
    SlurmSetting,
}

/// Returns the accepted forms of a duration in words, as a literal to which `concat!` can add.
macro_rules! duration_forms {
    (Common) => {
        "a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00 or HH:MM:SS"
    };
    (MinutesSeconds) => {
        "a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00, HH:MM:SS or MM:SS"
    };
    (SlurmSetting) => {
        "a number of minutes, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00, HH:MM:SS or MM:SS"
    };
}
pub(crate) use duration_forms;

impl DurationForm {
    /// Returns the accepted forms in words.
    const fn expected(self) -> &'static str {
        match self {
            Self::Common => duration_forms!(Common),
            Self::MinutesSeconds => duration_forms!(MinutesSeconds),
            Self::SlurmSetting => duration_forms!(SlurmSetting),
        }
    }

    /// Returns the seconds of a bare 1.
    const fn unit(self) -> u64 {
        match self {
            Self::Common | Self::MinutesSeconds => 1,
            Self::SlurmSetting => 60,
        }
    }
}

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It is in none of the accepted forms.
    #[error("{} is not a duration; expected {expected}", if text.is_empty() { "nothing" } else { text })]
    Form {
        /// The text.
        text: Shown,
        /// The accepted forms.
        expected: &'static str,
    },
    /// It can be hours and minutes, or minutes and seconds.
    #[error("{text} has two meanings; write {first}h{second}m or {first}m{second}s")]
    TwoMeanings {
        /// The text.
        text: Shown,
        /// The number before the colon.
        first: u64,
        /// The number behind it.
        second: u64,
    },
    /// It is not a whole number of seconds.
    #[error("{0} is not a whole number of seconds; write it in a smaller unit")]
    NotWhole(Shown),
}

/// Reads a duration in seconds. A duration beyond 64 bits of seconds becomes the longest possible one.
pub fn seconds_of(text: &str, form: DurationForm) -> Result<u64, DurationError> {
    let text = text.trim();
    let is_endless =
        text.eq_ignore_ascii_case("UNLIMITED") || text.eq_ignore_ascii_case("INFINITE");
    if is_endless && form == DurationForm::SlurmSetting {
        return Ok(0);
    }
    if let Some(number) = count(text) {
        return Ok(number.saturating_mul(form.unit()));
    }
    let parts = counts(text);
    if let (DurationForm::Common, Some(&[first, second])) = (form, parts.as_deref()) {
        return Err(DurationError::TwoMeanings {
            text: shown(text.as_bytes()),
            first,
            second,
        });
    }
    let seconds = if let Some((days, time)) = text.split_once('-') {
        after_days(days, time)
    } else if text.contains(':') {
        match parts.as_deref() {
            Some(&[minutes, seconds]) => Some(clock(0, minutes, seconds)),
            Some(&[hours, minutes, seconds]) => Some(clock(hours, minutes, seconds)),
            _ => None,
        }
    } else if let Some(sum) = with_units(text) {
        if sum % SECOND != 0 {
            return Err(DurationError::NotWhole(shown(text.as_bytes())));
        }
        Some(u64::try_from(sum / SECOND).unwrap_or(u64::MAX))
    } else {
        None
    };
    seconds.ok_or_else(|| DurationError::Form {
        text: shown(text.as_bytes()),
        expected: form.expected(),
    })
}

/// Returns whether a text is a duration with units, such as `14d`, which no scheduler reads in its settings.
pub(super) fn has_unit(text: &str) -> bool {
    with_units(text.trim()).is_some()
}

/// Returns a whole number, or the largest possible one if it is larger. `None` for other texts.
fn count(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}

/// Returns the whole numbers between colons. `None` for other texts.
fn counts(text: &str) -> Option<Vec<u64>> {
    text.split(':').map(count).collect()
}

/// Returns the seconds of a time of day, or the largest number if they are more.
fn clock(hours: u64, minutes: u64, seconds: u64) -> u64 {
    let seconds = minutes.saturating_mul(60).saturating_add(seconds);
    hours.saturating_mul(3600).saturating_add(seconds)
}

/// Reads days and the time after them, whose first part is hours.
fn after_days(days: &str, time: &str) -> Option<u64> {
    let days = count(days)?.saturating_mul(DAY.into());
    let time = match counts(time)?[..] {
        [hours] => clock(hours, 0, 0),
        [hours, minutes] => clock(hours, minutes, 0),
        [hours, minutes, seconds] => clock(hours, minutes, seconds),
        _ => return None,
    };
    Some(days.saturating_add(time))
}

/// Reads numbers with units, such as `1h30m` and `1.5h`, in fractions of a [`SECOND`]. `None` for other texts.
fn with_units(text: &str) -> Option<u128> {
    if text.is_empty() {
        return None;
    }
    let mut rest = text;
    let mut sum = 0_u128;
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii_digit() && char != '.')?;
        let (number, behind) = rest.split_at(end);
        let unit = behind.chars().next()?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        // The largest number of weeks is far below the largest number here.
        sum = sum.saturating_add(decimal(number)? * u128::from(*seconds));
        rest = behind[unit.len_utf8()..].trim_start();
    }
    Some(sum)
}

/// Returns a number with at most nine decimals, in parts of which [`SECOND`] make one. `None` for other texts.
fn decimal(number: &str) -> Option<u128> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let zeros = 9_usize.checked_sub(decimals.len())?;
    let decimals = count(decimals)? * 10_u64.pow(u32::try_from(zeros).ok()?);
    Some(u128::from(count(whole)?) * SECOND + u128::from(decimals))
}

/// Writes seconds so that [`seconds_of`] reads them back, with days as the largest unit: `1d12h`; 0 is `0s`.
pub fn duration_of(seconds: u64) -> String {
    let mut text = String::new();
    for (count, unit) in counted_units(seconds) {
        if count > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "{count}{unit}");
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}

/// Writes seconds for people, in the two largest units: `11 d 4 h`, `5 min 20 s`.
pub fn duration_for_people(seconds: u64) -> Shown {
    let mut units = counted_units(seconds).skip_while(|&(count, _)| count == 0);
    let Some((first, unit)) = units.next() else {
        return "0 s".into();
    };
    let largest = in_words(first, unit);
    match units.next() {
        Some((second @ 1.., unit)) => sentence!("{largest} {}", in_words(second, unit)),
        _ => largest,
    }
}

/// Returns a number of units for people.
fn in_words(count: u64, unit: char) -> Shown {
    match unit {
        'm' => sentence!("{count} min"),
        unit => sentence!("{count} {unit}"),
    }
}

/// Returns how many of each unit some seconds have, from days down.
fn counted_units(seconds: u64) -> impl Iterator<Item = (u64, char)> {
    let mut rest = seconds;
    UNITS[1..].iter().map(move |&(unit, each)| {
        let count = rest / each;
        rest %= each;
        (count, unit)
    })
}
