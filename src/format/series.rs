//! Dumps of one tree at different times, and when each was made.
//!
//! A date in a name gives the time, in UTC: `2025-04-22`, `20250422`, `2025-04-22T03:00`, `20250422-0300`. If no name
//! has one, the time of the file is used.

use super::Request;
use super::jobs::Computed;
use super::text::parsed;
use crate::base::shown::{Shown, sentence};
use crate::model::date_of;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
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
    /// The tree, if it was computed from jobs in place of being read.
    pub computed: Option<Computed>,
}

impl Dump {
    /// Returns the request that opens it, with the options of the given one.
    pub(crate) fn request(&self, request: &Request) -> Request {
        let mut history = request.history.clone();
        if self.computed.is_some() {
            history.computed.clone_from(&self.computed);
            (history.from, history.every, history.until) = (None, None, Some(self.at));
        }
        Request {
            path: self.path.clone(),
            series: Vec::new(),
            history,
            ..request.clone()
        }
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
        (place < self.dumps.len()).then(|| Self {
            dumps: Arc::clone(&self.dumps),
            place,
        })
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
    (0..name.len())
        .filter(|&at| name[at].is_ascii_digit() && (at == 0 || !name[at - 1].is_ascii_digit()))
        .find_map(|at| date_at(NameText(&name[at..])))
}

fn date_at(mut text: NameText<'_>) -> Option<(i64, Dated)> {
    let run = text.digits_ahead();
    let (date, is_compact) = match run {
        8 | 12 | 14 => (text.date(None)?, true),
        4 => {
            let mark = text.0.get(4).copied()?;
            let date = text.date(Some(mark).filter(|mark| b"-_.".contains(mark)))?;
            (date, false)
        }
        _ => return None,
    };
    // `20250422030000` has its time in the same run of digits.
    let is_one_run = is_compact && run > 8;
    let (time, offset, dated) = match text.attempt(|text| text.time(is_one_run)) {
        Some((time, offset)) => (time, offset, Dated::ByMinute),
        None if is_one_run || text.digits_ahead() > 0 => return None,
        None => (Time::midnight(), 0, Dated::ByDay),
    };
    let moment = DateTime::from_parts(date, time).to_zoned(TimeZone::UTC);
    Some((moment.ok()?.timestamp().as_second() - offset, dated))
}

#[derive(Clone, Copy)]
struct NameText<'a>(&'a [u8]);

impl NameText<'_> {
    fn digits_ahead(self) -> usize {
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        self.0.iter().take_while(is_digit).count()
    }

    /// Consumes a number of so many digits, or returns `None`.
    fn number(&mut self, digits: usize) -> Option<i16> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let is_plain = number.iter().all(u8::is_ascii_digit);
        let number = is_plain.then(|| parsed(number))??;
        self.0 = rest;
        Some(number)
    }

    fn pair(&mut self) -> Option<i8> {
        i8::try_from(self.number(2)?).ok()
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        (first == wanted).then_some(())
    }

    /// Consumes year, month and day, with or without a separator.
    fn date(&mut self, mark: Option<u8>) -> Option<Date> {
        let year = self.number(4).filter(|year| YEARS.contains(year))?;
        let between = |text: &mut Self| mark.map_or(Some(()), |mark| text.take(mark));
        between(self)?;
        let month = self.pair()?;
        between(self)?;
        Date::new(year, month, self.pair()?).ok()
    }

    /// Consumes a time of day after the date, and returns it with the seconds that its zone is ahead of UTC, or `None`
    /// if what follows is none, because a commit hash also begins with digits.
    fn time(&mut self, is_one_run: bool) -> Option<(Time, i64)> {
        let mut has_zone = false;
        if !is_one_run {
            let (&mark, rest) = self.0.split_first()?;
            has_zone = matches!(mark, b'T' | b't');
            if !has_zone && !b"_- ".contains(&mark) {
                return None;
            }
            self.0 = rest;
        }
        let hour = self.pair()?;
        let mark = self.0.first().copied().filter(|mark| b":-".contains(mark));
        let next = |text: &mut Self| {
            mark.map_or(Some(()), |mark| text.take(mark))?;
            text.pair()
        };
        let minute = next(self)?;
        let second = self.attempt(next).unwrap_or(0);
        let time = Time::new(hour, minute, second, 0).ok()?;
        let offset = has_zone.then(|| self.attempt(Self::offset)).flatten();
        let is_word = self.0.first().is_some_and(u8::is_ascii_alphanumeric);
        (!is_word).then_some((time, offset.unwrap_or(0)))
    }

    /// Consumes what `read` does, or nothing if that returns `None`.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut text = *self;
        let found = read(&mut text)?;
        *self = text;
        Some(found)
    }

    /// Consumes `Z`, `+02:00` or `+0200`, and returns the seconds ahead of UTC.
    fn offset(&mut self) -> Option<i64> {
        let (&sign, rest) = self.0.split_first()?;
        self.0 = rest;
        if matches!(sign, b'Z' | b'z') {
            return Some(0);
        }
        let hours = i64::from(self.pair().filter(|_| matches!(sign, b'+' | b'-'))?);
        self.0 = self.0.strip_prefix(b":").unwrap_or(self.0);
        let seconds = (hours * 60 + i64::from(self.pair()?)) * 60;
        Some(if sign == b'-' { -seconds } else { seconds })
    }
}
