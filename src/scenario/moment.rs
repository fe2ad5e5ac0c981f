//! The scenario's clock: one edit for all the time that was let pass in a row.

use super::{Edit, EditError, Entry, Scenario};
use crate::model::seconds_of;

impl Entry {
    /// The seconds that were let pass, if that is all that was done.
    fn waited(&self) -> Option<u64> {
        seconds_of(self.text.strip_prefix("wait ")?)
    }
}

impl Scenario {
    /// The seconds that the last edit let pass; 0 where it was another one.
    #[must_use]
    pub fn waited(&self) -> u64 {
        let last = self.history.done().last();
        last.and_then(Entry::waited).unwrap_or(0)
    }

    /// The same scenario without the time that the last edit let pass.
    #[must_use]
    pub fn before_waiting(&self) -> Self {
        let mut before = self.clone();
        before.end_trial();
        if before.waited() > 0 {
            before.undo();
        }
        before
    }

    /// A number for what was done before the time that the last edit let pass, as [`History::mark`](super::History::mark).
    #[must_use]
    pub fn mark_before_waiting(&self) -> u64 {
        if self.waited() > 0 {
            self.history.mark_before_last()
        } else {
            self.history.mark()
        }
    }

    /// Moves the clock to a moment, in seconds since the snapshot. Time that was let pass just before is one edit with
    /// it, so the clock goes back as far as that edit began, and no farther.
    ///
    /// # Errors
    /// If the moment lies beyond the last one there is; nothing has changed then.
    pub fn move_clock(&mut self, passed: u64) -> Result<(), EditError> {
        self.end_trial();
        let now = self.settings.time.passed;
        if let Some(seconds) = passed.checked_sub(now) {
            return if seconds > 0 {
                self.wait_on(seconds)
            } else {
                Ok(())
            };
        }
        let waited = self.waited();
        if waited == 0 {
            return Ok(());
        }
        // What is taken back here is let pass anew, up to the earlier moment.
        self.undo();
        let seconds = passed.saturating_sub(now - waited);
        if seconds > 0 {
            self.apply(Edit::Wait { seconds })?;
        }
        Ok(())
    }
}
