//! The scenario's clock: consecutive steps of time are one edit.

use super::edit::wait_while;
use super::{Edit, EditEntry, EditError, EditedState, Scenario, check_wait, write};
use crate::rules::clock::OnSeconds;
use std::ops::ControlFlow;

/// Whether time passed to its end, or why it cannot pass.
type Passing = Result<ControlFlow<()>, EditError>;

impl EditEntry {
    /// Returns the seconds that passed, or `None` if this is not an edit that lets time pass.
    pub(crate) fn waited(&self) -> Option<u64> {
        match self.edit {
            Edit::Wait { seconds } => Some(seconds),
            _ => None,
        }
    }
}

impl Scenario {
    /// Returns the seconds that the last edit let pass; 0 for other edits.
    pub(crate) fn waited(&self) -> u64 {
        let last = self.history.last_edit();
        last.and_then(EditEntry::waited).unwrap_or(0)
    }

    /// Returns the same scenario without the time of the last edit.
    pub(crate) fn before_waiting(&self) -> Self {
        let mut before = self.clone();
        before.end_trial();
        before.undo_wait();
        before
    }

    /// Returns [`History::mark`](super::History::mark) of the history before the time of the last edit.
    pub(crate) fn mark_before_waiting(&self) -> u64 {
        if self.waited() == 0 {
            return self.history.mark();
        }
        let edits = self.history.edits();
        match edits[..] {
            [.., before, _] => before.mark,
            _ => 0,
        }
    }

    /// Undoes the time of the last edit. Changes of the policy after it stay. Returns whether there was any.
    fn undo_wait(&mut self) -> bool {
        if self.waited() == 0 {
            return false;
        }
        let Some(place) = self.history.place_of_last_edit() else {
            return false;
        };
        self.undo_edit(place);
        true
    }

    /// Lets time pass as [`Scenario::apply`] does, but merges the edit with the last one if that let time pass, too.
    /// `progress` is called with the seconds that have passed. If it breaks off, nothing changes.
    pub fn wait_on(&mut self, seconds: u64, progress: OnSeconds<'_>) -> Passing {
        let before = self.waited();
        let outcome = self.wait_while(seconds, progress)?;
        if outcome.is_continue() && before > 0 {
            self.history.done.pop();
            if let Some(first) = self.history.last_edit().cloned() {
                let seconds = before.saturating_add(seconds);
                let edit = Edit::Wait { seconds };
                let text = write(&edit, &self.state.tree);
                self.history.replace_last_edit(EditEntry {
                    edit,
                    text,
                    ..first
                });
            }
        }
        Ok(outcome)
    }

    /// Lets time pass, as an edit of its own.
    fn wait_while(&mut self, seconds: u64, progress: OnSeconds<'_>) -> Passing {
        self.end_trial();
        check_wait(&self.state.settings, seconds)?;
        let entry = self.entry(Edit::Wait { seconds }, String::new());
        let EditedState { tree, settings } = &mut self.state;
        let outcome = wait_while(tree, settings, seconds, progress);
        if outcome.is_continue() {
            self.record(entry);
        }
        Ok(outcome)
    }

    /// Moves the clock to a moment, in seconds since the snapshot. Time of the last edit is merged with it, so the
    /// clock can go back to the beginning of that edit and no further. `progress` is called with the seconds that have
    /// passed since then. If it breaks off, the clock stays where it was.
    pub fn move_clock(&mut self, passed: u64, progress: OnSeconds<'_>) -> Passing {
        self.end_trial();
        let now = self.state.settings.time.passed;
        let waited = self.waited();
        if passed > now {
            return self.wait_on(passed - now, progress);
        }
        if passed == now || waited == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        // From before the last edit, time passes again up to the earlier moment.
        let mut moved = self.clone();
        moved.undo_wait();
        let seconds = passed.saturating_sub(now - waited);
        if seconds > 0 && moved.wait_while(seconds, progress)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        *self = moved;
        Ok(ControlFlow::Continue(()))
    }
}
