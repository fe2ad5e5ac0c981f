//! Simulated moments as text: dates where the source tells when it was taken, days where it does not.

use super::render::json::rfc3339;
use crate::base::number::{DAY, duration};
use crate::base::shown::{Shown, sentence};
use crate::model::date_of;

/// How moments are written: as dates, or as days since the snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// When the snapshot was taken, in Unix seconds, where that is known.
    pub taken: Option<i64>,
}

impl Moments {
    /// Returns a moment in Unix seconds, or `None` if the source does not tell when it was taken.
    fn unix(self, passed: u64) -> Option<i64> {
        self.taken?.checked_add_unsigned(passed)
    }

    /// Returns a moment so many seconds after the snapshot, for people: `2026-12-02 09:00` in UTC, or `day 3 09:00`.
    pub fn text(self, passed: u64) -> Shown {
        if let Some(seconds) = self.unix(passed)
            && let Some(date) = date_of(seconds)
        {
            let form = if date.second() == 0 {
                "%Y-%m-%d %H:%M"
            } else {
                "%Y-%m-%d %H:%M:%S"
            };
            return sentence!("{}", date.strftime(form));
        }
        let day = passed / u64::from(DAY);
        let rest = passed % u64::from(DAY);
        if rest == 0 {
            return sentence!("day {day}");
        }
        let clock = duration(i64::try_from(rest).unwrap_or_default());
        match clock.strip_suffix(":00") {
            Some(minutes) => sentence!("day {day} {minutes}"),
            None => sentence!("day {day} {clock}"),
        }
    }

    /// Returns the moment as RFC 3339, or `None` if the source does not tell when it was taken.
    pub fn rfc3339(self, passed: u64) -> Option<String> {
        rfc3339(self.unix(passed)?)
    }

    /// Returns the moment as RFC 3339, or in seconds since the snapshot where the date is unknown.
    pub(crate) fn time(self, passed: u64) -> serde_json::Value {
        match self.rfc3339(passed) {
            Some(date) => date.into(),
            None => passed.into(),
        }
    }
}
