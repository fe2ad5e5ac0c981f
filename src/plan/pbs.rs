//! PBS.

use super::{Given, Plan};
use crate::model::Scheduler;
use crate::scenario::Scenario;

/// The plan for PBS.
#[must_use]
pub fn plan(_scenario: &Scenario, _given: &Given) -> Plan {
    Plan::new(Scheduler::Pbs)
}
