//! Which settings can be changed on a screen.

use crate::model::Scheduler;
use crate::tui::state::screen::Screen;
use crate::tui::state::session::Session;

/// How usage decays, as the scheduler has it: what is wanted most comes first.
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
    /// The settings that can be changed here: those of the policy in force, and on the Time screen, before them, how
    /// usage decays.
    pub(crate) fn setting_keys(&self) -> Vec<&'static str> {
        let decay = if self.screen == Screen::Time {
            decay_keys(self.scenario.settings().scheduler)
        } else {
            &[]
        };
        [decay, self.scenario.policy().setting_keys()].concat()
    }
}
