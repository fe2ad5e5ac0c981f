//! Moves of the clock by a thread, which reports how far it has come and can be cancelled.

use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use std::ops::ControlFlow;

/// Moves the clock of a scenario. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ClockTask {
    pub(crate) scenario: Box<Scenario>,
    pub(crate) passed: u64,
}

impl ClockTask {
    /// Moves the clock and computes the numbers; reports again and again how far it has come. Returns `None` if the job
    /// was cancelled.
    ///
    /// # Errors
    /// If the clock cannot get to that moment, with a sentence that says why.
    pub(crate) fn answer(
        mut self,
        ticket: &Ticket,
        tell: &mut dyn FnMut(u64),
    ) -> Result<Option<Box<Scenario>>, String> {
        let begin = beginning(&self.scenario, self.passed);
        let went = self.scenario.move_clock(self.passed, &mut |seconds| {
            ticket.go_on()?;
            tell(begin.saturating_add(seconds));
            ControlFlow::Continue(())
        });
        match went {
            Ok(ControlFlow::Continue(())) => {
                let _ = (self.scenario.before(), self.scenario.evaluation());
                Ok(Some(self.scenario))
            }
            Ok(ControlFlow::Break(())) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Returns the moment in seconds from which the clock is moved to another one: going back starts where the wait began.
pub(crate) fn beginning(scenario: &Scenario, passed: u64) -> u64 {
    let now = scenario.settings().time.passed;
    if passed < now {
        now - scenario.waited()
    } else {
        now
    }
}

/// A move of the clock that a thread makes.
#[derive(Clone, Debug)]
pub(crate) struct ClockRun {
    pub(crate) ticket: Ticket,
    /// How often edits had changed when the job began.
    pub(crate) changes: u64,
    /// Its end, in seconds since the snapshot.
    pub(crate) until: u64,
    /// How far it has come in seconds, once it has reported.
    pub(crate) at: Option<u64>,
}
