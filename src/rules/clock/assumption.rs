//! What a clock assumes.

use crate::base::shown::{Shown, sentence};
use crate::model::duration_for_people;

/// What a clock assumes beyond the scheduler's own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// PBS's `fair_share` is off, so that it charges no usage.
    NothingCharged,
    /// The source does not tell PBS's `fair_share`, which is assumed to be on.
    FairShareOn,
    /// PBS's `fair_share` is on in prime time only, and all time counts as prime time.
    AlwaysPrime,
    /// PBS's `fair_share` is on in non-prime time only, and all time counts as non-prime time.
    NeverPrime,
    /// PBS's usage file is dated so many seconds after its last decay, as a copy is; time starts at that decay.
    FromLastDecay(u64),
    /// Flux updates usage every hour, as sites commonly tell cron.
    HourlyUpdate,
    /// Flux counts usage in the hour in which it occurs, unless the bins shift in that hour.
    CountedAtOnce,
    /// The source has no usage bins of Flux: all usage belongs to the current period.
    NoBins,
}

impl Assumption {
    /// Returns the assumption as a clause.
    pub fn clause(self) -> Shown {
        let text = match self {
            Self::NothingCharged => "fair_share is false, so PBS charges no usage to this tree",
            Self::FairShareOn => {
                "fair_share is assumed to be true, because no sched_config was read; PBS's own default is false"
            }
            Self::AlwaysPrime => {
                "fair_share is on in prime time only; all time counts as prime time here"
            }
            Self::NeverPrime => {
                "fair_share is on in non-prime time only; all time counts as non-prime time here"
            }
            Self::FromLastDecay(seconds) => {
                return sentence!(
                    "the usage file is dated {} after its last decay, as a copy is; time starts at that decay",
                    duration_for_people(seconds)
                );
            }
            Self::HourlyUpdate => {
                "usage is counted every hour, assuming that cron runs flux account-update-usage hourly"
            }
            Self::CountedAtOnce => {
                "usage counts in the hour of its use; a job that runs while the bins shift counts an hour later"
            }
            Self::NoBins => {
                "the source has no usage bins: all usage is assumed to be of the current half-life period"
            }
        };
        text.into()
    }
}
