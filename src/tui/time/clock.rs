//! Clock moves on a thread, which reports its progress and can be cancelled.

use crate::base::shown::Shown;
use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use std::ops::ControlFlow;

/// A move of the clock of a scenario. Clones are cheap because they share every column.
#[derive(Clone, Debug)]
pub struct ClockTask {
    pub(crate) scenario: Box<Scenario>,
    pub(crate) passed: u64,
}

impl ClockTask {
    /// Moves the clock and computes the numbers. Returns `None` if the job was cancelled.
    pub(crate) fn answer(
        mut self,
        ticket: &Ticket,
        tell: &mut dyn FnMut(u64),
    ) -> Result<Option<Box<Scenario>>, Shown> {
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
            Err(error) => Err(Shown::error(&error)),
        }
    }
}

/// Returns the second from which the clock moves to `passed`. A move back starts where the last move began.
pub(crate) fn beginning(scenario: &Scenario, passed: u64) -> u64 {
    let now = scenario.settings().time.passed;
    if passed < now {
        now - scenario.waited()
    } else {
        now
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ClockRun {
    /// The number of changes of the edits when the job began.
    pub(crate) changes: u64,
    /// Its end, in seconds since the snapshot.
    pub(crate) until: u64,
    /// The progress in seconds since the snapshot; `None` before the first report.
    pub(crate) at: Option<u64>,
}
