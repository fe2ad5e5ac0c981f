//! `PriorityUsageResetPeriod`: when all usage becomes 0.

use crate::model::UsageResetPeriod;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// Returns the next moment after this one at which usage is reset, in Unix seconds, or `None` if there is none. Slurm
/// uses local time. Here it is UTC, because a snapshot does not tell its time zone.
pub(in crate::rules::clock) fn next_reset(period: UsageResetPeriod, after: i64) -> Option<i64> {
    let now = Timestamp::from_second(after).ok()?.to_zoned(TimeZone::UTC);
    let today = now.date();
    let next: Option<Date> = match period {
        // NOW resets when the controller starts, which was before the snapshot.
        UsageResetPeriod::None | UsageResetPeriod::Now => None,
        UsageResetPeriod::Daily => today.tomorrow().ok(),
        UsageResetPeriod::Weekly => today.nth_weekday(1, Weekday::Sunday).ok(),
        UsageResetPeriod::Monthly => today.first_of_month().checked_add(1.month()).ok(),
        UsageResetPeriod::Quarterly => {
            let months = 3 - (today.month() - 1) % 3;
            today
                .first_of_month()
                .checked_add(i64::from(months).months())
                .ok()
        }
        UsageResetPeriod::Yearly => today.first_of_year().checked_add(1.year()).ok(),
    };
    Some(next?.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}
