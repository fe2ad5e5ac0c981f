//! What a clock takes for granted.

/// What a clock takes for granted beside the scheduler's own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// PBS's `fair_share` is off, so that it charges no usage.
    NothingCharged,
    /// No source tells PBS's `fair_share`, which is taken as on.
    FairShareOn,
    /// PBS's `fair_share` is on in prime time only, and all time counts as prime time.
    AlwaysPrime,
    /// PBS's `fair_share` is on in non-prime time only, and all time counts as non-prime time.
    NeverPrime,
    /// Flux counts usage every hour, if cron runs it so.
    HourlyUpdate,
    /// Flux counts what is used in the hour in which it is used, unless the bins shift then.
    CountedAtOnce,
    /// The source has no usage bins of Flux: all usage is of the period that runs.
    NoBins,
}
