//! The decay of usage.

use crate::model::{Scheduler, Settings, Tree, UsageResetPeriod, UsageState};
use crate::rules::clock::flux::{Shift, bins_held};
use crate::rules::clock::pbs::{Overdue, is_decaying};
use crate::rules::clock::{next_shift, overdue_decays};

/// The way in which usage decays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// Smoothly, in a tree that comes from no scheduler.
    Smooth {
        /// The half-life in seconds; 0 if nothing decays.
        half_life: u32,
    },
    Pbs(PbsDecay),
    Slurm {
        /// The half-life in seconds; 0 if nothing decays.
        half_life: u32,
        /// Seconds between two calculations.
        period: u32,
        /// When usage is set to 0. `None` if that never happens while the controller runs.
        reset: Option<UsageReset>,
    },
    Flux {
        /// Seconds from one shift of the bins to the next.
        half_life: u32,
        /// The portion of a bin's usage that is left after a shift.
        factor: f64,
        /// The number of bins; a shift drops the oldest.
        bins: usize,
        next: NextShift,
    },
}

/// The decay of usage in PBS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PbsDecay {
    /// None: `fair_share` is off and no `job_sort_formula` is set.
    Off,
    /// None: `fairshare_decay_time` is 0.
    NoInterval,
    /// None: `fairshare_decay_time` is below 0.
    NegativeInterval,
    /// All usage is multiplied by a factor, and never falls below 1.
    Multiplied {
        /// The factor; NaN if the setting is not a number, which sets usage to 1.
        factor: f32,
        interval: u64,
        /// The overdue decays that the next cycle applies. `None` if there is at most one.
        overdue: Option<Overdue>,
    },
}

/// The times at which Slurm sets usage to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReset {
    pub(crate) period: UsageResetPeriod,
    /// Whether the source has a date; without one the reset is ignored.
    pub(crate) has_date: bool,
}

/// The time of the next shift of Flux's bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextShift {
    /// This many shifts are overdue; each run applies one.
    Overdue(u64),
    /// The first shift comes in this many seconds: the first period of a database lasts two half-lives.
    First(u64),
    /// The next shift comes in this many seconds.
    In(u64),
    Never,
}

impl Decay {
    pub(crate) fn of(tree: &Tree, settings: &Settings) -> Self {
        match settings.scheduler {
            Some(Scheduler::Pbs) => Self::Pbs(pbs(settings)),
            Some(Scheduler::Slurm) => slurm(settings),
            Some(Scheduler::Flux) => flux(tree, settings),
            None => Self::Smooth {
                half_life: settings.slurm.decay_half_life,
            },
        }
    }
}

fn pbs(settings: &Settings) -> PbsDecay {
    if !is_decaying(settings) {
        return PbsDecay::Off;
    }
    match u64::try_from(settings.pbs.fairshare_decay_time) {
        Ok(interval @ 1..) => PbsDecay::Multiplied {
            factor: settings.pbs.fairshare_decay_factor,
            interval,
            overdue: overdue_decays(settings),
        },
        Ok(_) => PbsDecay::NoInterval,
        Err(_) => PbsDecay::NegativeInterval,
    }
}

fn slurm(settings: &Settings) -> Decay {
    let reset = match settings.slurm.usage_reset_period {
        // NOW resets usage when the controller starts.
        UsageResetPeriod::None | UsageResetPeriod::Now => None,
        period => Some(UsageReset {
            period,
            has_date: settings.time.taken.is_some(),
        }),
    };
    Decay::Slurm {
        half_life: settings.slurm.decay_half_life,
        period: settings.slurm.calc_period,
        reset,
    }
}

fn flux(tree: &Tree, settings: &Settings) -> Decay {
    let half_life = settings.flux.decay_half_life;
    let usage_state = tree.usage_state().and_then(UsageState::bins);
    let counts = usage_state.and_then(|bins| {
        let counts = tree.nodes().iter().map(|&node| bins.get(node).len());
        counts.max()
    });
    let next = match next_shift(settings) {
        None => NextShift::Never,
        Some(Shift { due, overdue: 0 }) => {
            let wait = due.saturating_sub(settings.time.passed);
            // Only when a database is made, the end of its first period is written one half-life too early.
            if wait > u64::from(half_life) + 1 {
                NextShift::First(wait)
            } else {
                NextShift::In(wait)
            }
        }
        Some(Shift { overdue, .. }) => NextShift::Overdue(overdue),
    };
    Decay::Flux {
        half_life,
        factor: settings.flux.decay_factor,
        bins: bins_held(&settings.flux, counts.unwrap_or(0)),
        next,
    }
}
