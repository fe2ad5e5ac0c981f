//! The assumptions of the clock in words.

use crate::rules::clock::Assumption;

/// Returns an assumption as a clause.
#[must_use]
pub const fn full(assumption: Assumption) -> &'static str {
    match assumption {
        Assumption::NothingCharged => "fair_share is false, so PBS charges no usage to this tree",
        Assumption::FairShareOn => {
            "fair_share is assumed to be true, because no sched_config was read; PBS's own default is false"
        }
        Assumption::AlwaysPrime => {
            "fair_share is on in prime time only; all time counts as prime time here"
        }
        Assumption::NeverPrime => {
            "fair_share is on in non-prime time only; all time counts as non-prime time here"
        }
        Assumption::HourlyUpdate => {
            "usage is counted every hour, assuming that cron runs flux account-update-usage hourly"
        }
        Assumption::CountedAtOnce => {
            "usage counts in the hour of its use; a job that runs while the bins shift counts an hour later"
        }
        Assumption::NoBins => {
            "the source has no usage bins: all usage is assumed to be of the current half-life period"
        }
    }
}
