//! How usage decays in the time to come.

use crate::model::{Scheduler, Settings, Tree, UsageResetPeriod, UsageState};
use crate::rules::clock::flux::{Shift, bin_count};
use crate::rules::clock::pbs::{Overdue, is_decaying};
use crate::rules::clock::{next_shift, overdue_decays};

/// How usage decays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// Smoothly, in a tree that no scheduler made.
    Smooth {
        /// The half-life in seconds; 0 where nothing decays.
        half_life: u32,
    },
    /// As PBS does it.
    Pbs(PbsDecay),
    /// As Slurm does it.
    Slurm {
        /// The half-life in seconds; 0 where nothing decays.
        half_life: u32,
        /// Seconds between two calculations.
        period: u32,
        /// When usage is set to 0. `None` where that is never while the controller runs.
        reset: Option<UsageReset>,
    },
    /// As Flux does it.
    Flux {
        /// Seconds from one shift of the bins to the next.
        half_life: u32,
        /// What is left of the usage of a bin after a shift, as a part.
        factor: f64,
        /// How many bins there are, of which the oldest is forgotten.
        bins: usize,
        /// When the bins shift next.
        next: NextShift,
    },
}

/// How PBS decays usage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PbsDecay {
    /// Not at all: `fair_share` is off and no `job_sort_formula` is set.
    Off,
    /// Not at all: `fairshare_decay_time` is 0.
    NoInterval,
    /// Not at all: `fairshare_decay_time` is below 0.
    NegativeInterval,
    /// All usage is multiplied, and none falls below 1.
    Multiplied {
        /// The factor; not a number where the setting is none, which sets usage to 1.
        factor: f32,
        /// Seconds between two decays.
        interval: u64,
        /// The decays that the next cycle makes up for. `None` if that is no more than one.
        overdue: Option<Overdue>,
    },
}

/// When Slurm sets usage to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReset {
    /// How often.
    pub period: UsageResetPeriod,
    /// Whether the source tells what day it is; else the reset is left out.
    pub has_date: bool,
}

/// When Flux shifts its bins next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextShift {
    /// So many shifts are overdue, of which each run makes up for one.
    Overdue(u64),
    /// For the first time in so many seconds: the first period of a database lasts two half-lives.
    First(u64),
    /// In so many seconds.
    In(u64),
    /// Beyond all time.
    Never,
}

impl Decay {
    /// How usage of a tree decays under its settings.
    #[must_use]
    pub fn of(tree: &Tree, settings: &Settings) -> Self {
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
            // One is due in each interval.
            overdue: overdue_decays(settings).filter(|overdue| overdue.times > 1),
        },
        Ok(_) => PbsDecay::NoInterval,
        Err(_) => PbsDecay::NegativeInterval,
    }
}

fn slurm(settings: &Settings) -> Decay {
    let reset = match settings.slurm.usage_reset_period {
        // NOW is when the controller starts.
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
    let bins = counts.filter(|&count| count > 0);
    let next = match next_shift(settings) {
        None => NextShift::Never,
        Some(Shift { due, overdue: 0 }) => {
            let wait = due.saturating_sub(settings.time.passed);
            // Its end is noted one half-life early when a database is made, and only then.
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
        bins: bins.unwrap_or_else(|| bin_count(&settings.flux)),
        next,
    }
}
