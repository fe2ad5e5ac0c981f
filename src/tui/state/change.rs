//! Changes of the scenario: at once, or on a copy while the numbers of a large tree are computed.

use crate::scenario::Scenario;
use crate::tui::state::pending::{PendingChange, Scope};
use crate::tui::state::session::Session;

/// The number of nodes up to which numbers are computed and verified at once.
pub(crate) const AT_ONCE: usize = 50_000;

impl Session {
    /// Returns whether the numbers on the screen are of an earlier state.
    pub(crate) fn is_behind(&self) -> bool {
        self.pending.changed.is_some()
    }

    /// Returns the scenario with every change, also those whose numbers are still being computed.
    pub fn latest(&self) -> &Scenario {
        let changed = self.pending.changed.as_ref();
        changed.map_or(&self.scenario, |changed| &changed.scenario)
    }

    /// Changes the scenario: at once, or on a copy while the numbers of a large tree are computed.
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

    /// Shows every change at once: the next drawing computes the numbers.
    pub(crate) fn catch_up(&mut self) {
        if let Some(changed) = self.pending.changed.take() {
            self.show_changed(changed.scenario, changed.scope);
        }
    }

    /// Shows a scenario that was changed as a copy.
    pub(crate) fn show_changed(&mut self, scenario: Scenario, scope: Scope) {
        let before = self.scenario.policy();
        self.scenario = scenario;
        self.follow(before, scope);
    }
}
