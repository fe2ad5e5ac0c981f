//! Dumps of one tree at different times, and when each was made.
//!
//! A date in a name gives the time, in UTC: `2025-04-22`, `20250422`, `2025-04-22T03:00`, `20250422-0300`. If no name
//! has one, the time of the file is used.

use super::Request;
use super::jobs::Computed;
use crate::base::shown::{Shown, sentence};
use crate::model::date_of;
use jiff::civil::Time;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::Offset;
use std::path::PathBuf;
use std::sync::Arc;

/// One dump of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The file or directory.
    pub path: PathBuf,
    /// When it was made, in Unix seconds.
    pub at: i64,
    /// The origin of that time.
    pub dated: Dated,
    /// The tree, if it was computed from jobs instead of being read.
    pub computed: Option<Computed>,
}

impl Dump {
    /// Returns the request that opens it, with the options of the given one.
    pub(crate) fn request(&self, request: &Request) -> Request {
        let Some(computed) = &self.computed else {
            return request.with_path(self.path.clone());
        };
        let mut opening = match request.live() {
            // Jobs were charged to the tree of a scheduler.
            Some(_) => request.clone(),
            None => request.with_path(self.path.clone()),
        };
        opening.history.computed = Some(computed.clone());
        opening.history.from = None;
        opening.history.every = None;
        opening.history.until = Some(self.at);
        opening
    }

    /// Returns when it was made, in UTC, as people write it: without a time of day if only the day is known.
    pub fn when(&self) -> Shown {
        let Some(moment) = date_of(self.at) else {
            return sentence!("{} s", self.at);
        };
        let form = match self.dated {
            Dated::ByDay => "%Y-%m-%d",
            _ if moment.second() != 0 => "%Y-%m-%d %H:%M:%S",
            _ => "%Y-%m-%d %H:%M",
        };
        sentence!("{}", moment.strftime(form))
    }
}

/// Dumps in order of time, of which one is open. Clones are cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    dumps: Arc<[Dump]>,
    place: usize,
}

impl Series {
    /// Creates a series from dumps in any order, with the newest open. `None` if there are none.
    pub fn of(mut dumps: Vec<Dump>) -> Option<Self> {
        dumps.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.path.cmp(&b.path)));
        let place = dumps.len().checked_sub(1)?;
        Some(Self {
            dumps: dumps.into(),
            place,
        })
    }

    /// Returns the dumps, the oldest first.
    pub fn dumps(&self) -> &[Dump] {
        &self.dumps
    }

    /// Returns whether it was computed from jobs.
    pub(crate) fn is_computed(&self) -> bool {
        self.current().computed.is_some()
    }

    /// Returns the place of the open one.
    pub fn place(&self) -> usize {
        self.place
    }

    /// Returns the open one.
    pub fn current(&self) -> &Dump {
        &self.dumps[self.place]
    }

    /// Returns the series with another dump open, so many places later or earlier. `None` if there is none.
    pub fn stepped(&self, step: isize) -> Option<Self> {
        let place = self.place.checked_add_signed(step)?;
        if place >= self.dumps.len() {
            return None;
        }
        let dumps = Arc::clone(&self.dumps);
        Some(Self { dumps, place })
    }

    /// Returns the request that opens the current dump, with the options of the given one.
    pub fn request(&self, request: &Request) -> Request {
        self.current().request(request)
    }
}

/// The years that a number in a name can be. Other numbers are no years.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2199;

/// The origin of a dump's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dated {
    /// A date in its name. The day begins at midnight in UTC.
    ByDay,
    /// A date with a time of day in its name.
    ByMinute,
    /// The time of the file.
    ByFile,
}

/// Returns the first date in a name, in Unix seconds, and its precision. A time of day without an offset is in UTC.
pub(crate) fn date_in(name: &[u8]) -> Option<(i64, Dated)> {
    let mut is_number = false;
    for (at, byte) in name.iter().enumerate() {
        if byte.is_ascii_digit() && !is_number {
            let found = date_at(&name[at..]);
            if found.is_some() {
                return found;
            }
        }
        is_number = byte.is_ascii_digit();
    }
    None
}

/// A form of a date or a time as jiff names its parts, and how long it is with all of its digits.
struct DateForm {
    parts: &'static str,
    length: usize,
}

const fn form(parts: &'static str, length: usize) -> DateForm {
    DateForm { parts, length }
}

/// A date without marks.
const COMPACT_DATE: &[DateForm] = &[form("%Y%m%d", 8)];

/// Dates with marks.
const DATES: &[DateForm] = &[
    form("%Y-%m-%d", 10),
    form("%Y_%m_%d", 10),
    form("%Y.%m.%d", 10),
];

/// Times of day without marks.
const COMPACT_TIMES: &[DateForm] = &[form("%H%M%S", 6), form("%H%M", 4)];

/// Times of day with marks.
const TIMES: &[DateForm] = &[
    form("%H:%M:%S", 8),
    form("%H-%M-%S", 8),
    form("%H:%M", 5),
    form("%H-%M", 5),
];

/// Offsets from UTC.
const OFFSETS: &[DateForm] = &[form("%:z", 6), form("%z", 5)];

/// What a text begins with, and the text behind it.
struct Beginning<'a> {
    found: BrokenDownTime,
    rest: &'a [u8],
}

/// Reads the first of the forms in which a text begins.
fn beginning<'a>(text: &'a [u8], forms: &[DateForm]) -> Option<Beginning<'a>> {
    for form in forms {
        let Some((start, rest)) = text.split_at_checked(form.length) else {
            continue;
        };
        if let Ok((found, length)) = BrokenDownTime::parse_prefix(form.parts, start)
            && length == form.length
        {
            return Some(Beginning { found, rest });
        }
    }
    None
}

/// Returns the date at the beginning of a text, with the time of day behind it.
fn date_at(text: &[u8]) -> Option<(i64, Dated)> {
    let compact = beginning(text, COMPACT_DATE);
    let is_compact = compact.is_some();
    let begun = compact.or_else(|| beginning(text, DATES))?;
    let date = begun.found.to_date().ok()?;
    if !YEARS.contains(&date.year()) {
        return None;
    }
    if let Some((time, offset)) = time_at(begun.rest, is_compact) {
        let moment = offset.to_timestamp(date.to_datetime(time)).ok()?;
        return Some((moment.as_second(), Dated::ByMinute));
    }
    if let Some(b'0'..=b'9') = begun.rest.first() {
        return None;
    }
    let midnight = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
    Some((midnight.as_second(), Dated::ByDay))
}

/// Returns the time of day behind a date, and its offset. `None` if what follows is none, because a commit hash also
/// begins with digits.
fn time_at(text: &[u8], is_compact: bool) -> Option<(Time, Offset)> {
    let (mark, behind) = text.split_first()?;
    // `20250422030000` has its time in the same run of digits.
    let time = match mark {
        b'T' | b't' | b'_' | b'-' | b' ' => {
            let compact = beginning(behind, COMPACT_TIMES);
            compact.or_else(|| beginning(behind, TIMES))?
        }
        _ if is_compact => beginning(text, COMPACT_TIMES)?,
        _ => return None,
    };
    let mut rest = time.rest;
    let mut offset = Offset::UTC;
    if mark.eq_ignore_ascii_case(&b'T') {
        if let [b'Z' | b'z', after @ ..] = rest {
            rest = after;
        } else if let Some(zone) = beginning(rest, OFFSETS) {
            offset = zone.found.offset()?;
            rest = zone.rest;
        }
    }
    if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    Some((time.found.to_time().ok()?, offset))
}
