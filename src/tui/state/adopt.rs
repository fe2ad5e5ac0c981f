//! A new reading takes the place of the old one.

use crate::model::{NodeId, Tree};
use crate::open::opened::saved;
use crate::scenario::Scenario;
use crate::tui::state::reading::{Reload, hold_against_again};
use crate::tui::state::session::Session;

impl Session {
    /// Puts a new reading in the place of the old one and keeps the cursor where it was. Returns how many more edits
    /// are rejected than before.
    pub(crate) fn adopt(&mut self, reading: Reload) -> usize {
        let Reload {
            number: _,
            opened,
            counterparts,
            moves,
            changes,
        } = reading;
        let mut opened = opened;
        let rejected = rejected_count(self.scenarios());
        let meant = self.latest();
        if changes != self.changes {
            // Edits changed while the source was read.
            let scenarios = self.scenarios().map(saved).collect();
            opened.replace_scenarios(scenarios, self.other_scenarios.place());
            hold_against_again(&mut opened, meant);
        }
        opened.scenario.set_policy(meant.policy());
        let selected = counterpart(self.scenario.tree(), self.selected(), &counterparts);
        let lost =
            rejected_count(opened.other_scenarios.all(&opened.scenario)).saturating_sub(rejected);
        self.replace_source(opened, &counterparts);
        self.moves = Some(moves);
        self.is_stale = false;
        self.select_again(selected);
        lost
    }

    /// Returns the places that a node gained (positive) or lost by the last reading. `None` if the scenario is compared
    /// with another one, or under another policy.
    pub(crate) fn places_moved(&self, node: NodeId) -> Option<i64> {
        let scenario = &self.scenario;
        let moves = self.moves.as_ref().filter(|_| !scenario.is_compared())?;
        let places = moves.places.get(node.index()).copied()?;
        (moves.policy == scenario.policy()).then_some(places)
    }
}

/// Returns how many rejected edits the scenarios keep.
fn rejected_count<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> usize {
    scenarios.map(|scenario| scenario.rejected().len()).sum()
}

/// Returns the counterpart of a node, or that of the nearest account above it that has one.
fn counterpart(tree: &Tree, node: NodeId, counterparts: &[Option<NodeId>]) -> NodeId {
    let mut wanted = Some(node);
    while let Some(node) = wanted {
        if let Some(found) = counterparts.get(node.index()).copied().flatten() {
            return found;
        }
        wanted = tree.parent(node);
    }
    NodeId::ROOT
}
