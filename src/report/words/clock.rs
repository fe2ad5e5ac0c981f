//! The assumptions of the clock in words.

use crate::base::shown::{Shown, sentence};
use crate::model::duration_for_people;
use crate::rules::clock::Assumption;

/// Returns an assumption as a clause.
pub fn full(assumption: Assumption) -> Shown {
    let text = match assumption {
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
        Assumption::FromLastDecay(seconds) => {
            return sentence!(
                "the usage file is dated {} after its last decay, as a copy is; time starts at that decay",
                duration_for_people(seconds)
            );
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
    };
    text.into()
}
