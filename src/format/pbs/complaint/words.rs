//! The sentences of the problems: what is wrong, how PBS treats it, how to fix it.

mod resource_group;
mod sched_config;
mod usage;

use super::Fault;
use crate::base::shown::Shown;
use crate::format::Severity;

/// A fault in words.
pub(super) struct FaultText {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) message: Shown,
    pub(super) advice: &'static str,
}

fn fault_text(
    severity: Severity,
    code: &'static str,
    message: impl Into<Shown>,
    advice: &'static str,
) -> FaultText {
    FaultText {
        severity,
        code,
        message: message.into(),
        advice,
    }
}

impl Fault {
    /// Returns the fault in words.
    pub(super) fn text(&self) -> FaultText {
        self.of_resource_group()
            .or_else(|| self.of_usage())
            .or_else(|| self.of_sched_config())
            .expect("every fault belongs to one of the three files")
    }
}
