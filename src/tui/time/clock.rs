//! Moving the clock: at once where that is quick, else on a thread that says how far it has come and can be stopped.

use crate::scenario::Scenario;
use crate::tui::job::Ticket;
use std::ops::ControlFlow;

/// A clock to be moved. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ClockTask {
    pub(crate) scenario: Box<Scenario>,
    pub(crate) passed: u64,
}

impl ClockTask {
    /// Moves the clock and works out the numbers; says again and again how far it has come, and stops when nobody waits
    /// for it any more. Comes to nothing then.
    ///
    /// # Errors
    /// If the clock does not come to that moment, with a sentence that says why.
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

/// The moment from which time passes on the way to another one: going back begins where the wait began.
pub(crate) fn beginning(scenario: &Scenario, passed: u64) -> u64 {
    let now = scenario.settings().time.passed;
    if passed < now {
        now - scenario.waited()
    } else {
        now
    }
}

/// A move of the clock that a thread works on.
#[derive(Clone, Debug)]
pub(crate) struct ClockRun {
    pub(crate) ticket: Ticket,
    /// How often edits had changed by then.
    pub(crate) changes: u64,
    /// Where it goes to, in seconds since the snapshot.
    pub(crate) until: u64,
    /// How far it has come, once it has said so.
    pub(crate) at: Option<u64>,
}
