//! Moments: the times that people, schedulers and files write, in Unix seconds; and dates.

use crate::base::shown::{Shown, shown};
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// The last possible moment: the end of the year 9999, in Unix seconds.
pub(crate) const LAST_MOMENT: i64 = 253_402_300_799;

/// The beginning of Unix time.
const BEGIN: DateTime = Date::constant(1970, 1, 1).at(0, 0, 0, 0);

/// A moment that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// In Unix seconds, the earlier one if there are two.
    pub first: i64,
    /// The later one of two, else the same.
    pub last: i64,
    /// Whether there are two, and why.
    pub reading: ClockReading,
}

/// How often a local clock showed a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockReading {
    /// Once; or the text states an offset or Unix seconds.
    Once,
    /// Twice, because the clock was set back.
    Twice,
    /// Never, because the clock was set forward. The two moments follow from the offsets before and after that.
    Skipped,
}

/// Why a text names no moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MomentError {
    /// It is in none of the accepted forms.
    #[error(
        "{0} is not a time; expected 2026-11-23, 2026-11-23T20:51:03, the same with Z or an offset such as +01:00, or \
         seconds since 1970"
    )]
    Form(Shown),
    /// It is past the year 9999.
    #[error(
        "{0} is past the year 9999; expected a time such as 2026-11-23T20:51:03, or seconds since 1970"
    )]
    Beyond(Shown),
}

impl Moment {
    /// Returns one of the two moments, as calendars do: the first time that the clock showed it, and a skipped time as
    /// long after the last one before it.
    pub const fn usual(self) -> i64 {
        match self.reading {
            ClockReading::Once | ClockReading::Twice => self.first,
            ClockReading::Skipped => self.last,
        }
    }

    /// Returns the moment of a time that the clock showed once.
    const fn once(seconds: i64) -> Self {
        Self {
            first: seconds,
            last: seconds,
            reading: ClockReading::Once,
        }
    }
}

/// Reads a moment: Unix seconds, or a date with an optional time of day as in RFC 3339. Without an offset it is local time
/// of the zone.
pub fn moment_of(text: &str, zone: &TimeZone) -> Result<Moment, MomentError> {
    let text = text.trim();
    match text.parse() {
        Ok(seconds) if seconds <= LAST_MOMENT => return Ok(Moment::once(seconds)),
        Err(_) if !is_late(text) => {}
        _ => return Err(MomentError::Beyond(shown(text.as_bytes()))),
    }
    let Some((time, offset)) = written(text) else {
        return Err(MomentError::Form(shown(text.as_bytes())));
    };
    if let Some(offset) = offset {
        return Ok(Moment::once(unix(time, offset)));
    }
    let (before, after, reading) = match zone.to_ambiguous_timestamp(time).offset() {
        AmbiguousOffset::Unambiguous { offset } => (offset, offset, ClockReading::Once),
        AmbiguousOffset::Fold { before, after } => (before, after, ClockReading::Twice),
        AmbiguousOffset::Gap { before, after } => (before, after, ClockReading::Skipped),
    };
    let one = unix(time, before);
    let other = unix(time, after);
    Ok(Moment {
        first: one.min(other),
        last: one.max(other),
        reading,
    })
}

/// A time as it was written: of a clock whose zone may not be known, or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenTime {
    /// A local time, as seconds since 1970 in its own zone.
    Local(i64),
    /// A moment in Unix seconds.
    Moment(i64),
}

impl WrittenTime {
    /// Reads a date with an optional time of day as in RFC 3339, with an offset or without. `None` for other texts.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (time, offset) = written(text.trim())?;
        Some(match offset {
            Some(offset) => Self::Moment(unix(time, offset)),
            None => Self::Local(unix(time, Offset::UTC)),
        })
    }

    /// Returns the moment in Unix seconds; a local time is one of the zone. `None` outside the calendar.
    pub(crate) fn in_zone(self, zone: &TimeZone) -> Option<i64> {
        match self {
            Self::Local(time) => {
                let moment = zone.to_timestamp(date_of(time)?);
                moment.ok().map(Timestamp::as_second)
            }
            Self::Moment(moment) => Some(moment),
        }
    }
}

impl std::fmt::Display for WrittenTime {
    /// Writes the time as `WrittenTime::parse` reads it, a moment in UTC.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seconds, zone) = match *self {
            Self::Local(time) => (time, ""),
            Self::Moment(moment) => (moment, "Z"),
        };
        match date_of(seconds) {
            Some(date) => write!(f, "{date}{zone}"),
            None => write!(f, "{seconds}"),
        }
    }
}

/// Returns whether a text is a number that no clock reaches, or a date whose year has more than four digits.
fn is_late(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match &text[digits..] {
        "" => digits > 12,
        rest => rest.starts_with('-') && (5..=7).contains(&digits),
    }
}

/// Returns a date with its time of day, midnight if it has none, and its offset from UTC, if it has one.
fn written(text: &str) -> Option<(DateTime, Option<Offset>)> {
    let pieces = Pieces::parse(text).ok()?;
    // The name of a zone may contradict the offset.
    if pieces.time_zone_annotation().is_some() {
        return None;
    }
    let time = pieces.time().unwrap_or(Time::midnight());
    Some((pieces.date().to_datetime(time), pieces.to_numeric_offset()))
}

/// Returns the moment of a date and time of day with an offset, in Unix seconds. Not every zone has the last day of the
/// year 9999.
fn unix(time: DateTime, offset: Offset) -> i64 {
    time.duration_since(BEGIN).as_secs() - i64::from(offset.seconds())
}

/// Returns the date and time of day of a moment in Unix seconds, in UTC, or `None` if it is outside the calendar.
pub fn date_of(moment: i64) -> Option<DateTime> {
    BEGIN.checked_add(SignedDuration::from_secs(moment)).ok()
}
