//! Calendar dates.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

/// Returns the date and time of day of a moment in Unix seconds, in UTC, or `None` if it is outside the calendar.
pub fn date_of(moment: i64) -> Option<DateTime> {
    // Not every time zone has the last day of the year 9999, but UTC does.
    let begin = Date::constant(1970, 1, 1).at(0, 0, 0, 0);
    begin.checked_add(SignedDuration::from_secs(moment)).ok()
}
