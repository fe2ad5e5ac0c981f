//! Changing the scenario of a tree: at once, or ahead of the screen where the numbers take long.

use crate::scenario::Scenario;
use crate::tui::state::pending::{PendingChange, Scope};
use crate::tui::state::session::Session;

/// Up to this many nodes numbers are there before a key could feel slow.
const AT_ONCE: usize = 50_000;

impl Session {
    /// Whether the numbers on the screen are of an earlier state.
    pub(crate) fn is_behind(&self) -> bool {
        self.pending.changed.is_some()
    }

    /// The scenario with every change, also those whose numbers are not there yet.
    #[must_use]
    pub fn latest(&self) -> &Scenario {
        let changed = self.pending.changed.as_ref();
        changed.map_or(&self.scenario, |changed| &changed.scenario)
    }

    /// Changes the scenario: at once, or ahead of the screen where the numbers take long.
    pub(crate) fn change<T>(&mut self, scope: Scope, change: impl FnOnce(&mut Scenario) -> T) -> T {
        let is_small = self.scenario.tree().node_count() <= AT_ONCE;
        if is_small || (scope == Scope::Nodes && !self.is_behind()) {
            let before = self.scenario.policy();
            let answer = change(&mut self.scenario);
            self.follow(before, scope);
            return answer;
        }
        let (mut scenario, so_far) = match self.pending.changed.take() {
            Some(changed) => (changed.scenario, changed.scope),
            None => (self.scenario.clone(), scope),
        };
        let answer = change(&mut scenario);
        // What is kept for a crash is what was meant.
        self.changes += 1;
        self.pending.changed = Some(PendingChange {
            scenario,
            scope: scope.max(so_far),
            is_asked: false,
        });
        answer
    }

    /// Lets the screen catch up with every change: drawing then waits for the numbers.
    pub(crate) fn catch_up(&mut self) {
        if let Some(changed) = self.pending.changed.take() {
            self.show_changed(changed.scenario, changed.scope);
        }
    }

    /// Shows a scenario that was changed aside.
    pub(crate) fn show_changed(&mut self, scenario: Scenario, scope: Scope) {
        let before = self.scenario.policy();
        self.scenario = scenario;
        self.follow(before, scope);
    }
}
