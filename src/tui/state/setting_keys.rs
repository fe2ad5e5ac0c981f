//! The settings that can be changed on a screen.

use crate::model::Scheduler;
use crate::tui::state::screen::Screen;
use crate::tui::state::session::Session;

/// Returns the scheduler's settings of decay, the most important first.
const fn decay_keys(scheduler: Option<Scheduler>) -> &'static [&'static str] {
    match scheduler {
        Some(Scheduler::Pbs) => &["fairshare_decay_time", "fairshare_decay_factor"],
        Some(Scheduler::Slurm) => &[
            "PriorityDecayHalfLife",
            "PriorityUsageResetPeriod",
            "PriorityCalcPeriod",
        ],
        Some(Scheduler::Flux) => &[
            "priority_decay_half_life",
            "decay_factor",
            "priority_usage_reset_period",
        ],
        None => &["PriorityDecayHalfLife"],
    }
}

impl Session {
    /// Returns the settings that can be changed here: those of the current policy, and on the Time screen those of
    /// decay before them.
    pub(crate) fn setting_keys(&self) -> Vec<&'static str> {
        let decay = if self.screen == Screen::Time {
            decay_keys(self.scenario.settings().scheduler)
        } else {
            &[]
        };
        [decay, self.scenario.policy().setting_keys()].concat()
    }
}
