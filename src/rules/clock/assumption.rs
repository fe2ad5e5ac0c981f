//! What a clock assumes.

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
