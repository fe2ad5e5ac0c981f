//! Several scenarios on one tree.

use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, Tree};
use crate::scenario::{NameError, OtherScenarios, Scenario};
use crate::tui::state::session::Session;

/// The name of the first scenario until it is given one.
const FIRST: &str = "scenario 1";

/// Returns the name of a scenario on the screen.
pub(crate) fn title(scenario: &Scenario) -> Shown {
    let name = scenario.name();
    shown(if name.is_empty() { FIRST } else { name }.as_bytes())
}

impl Session {
    /// Returns all scenarios on this tree, with every change, in their order.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.other_scenarios.all(self.latest())
    }

    /// Puts another scenario in front.
    pub(crate) fn bring(&mut self, place: usize) {
        self.replace_scenario(|other_scenarios, front| other_scenarios.bring(front, place));
    }

    /// Reads a name that is typed for a new scenario.
    ///
    /// # Errors
    /// If it cannot have that name, with the remedy.
    pub(crate) fn new_name(&self, text: &str) -> Result<String, NameError> {
        OtherScenarios::check_name(text, self.other_scenarios.all(&self.scenario))
    }

    /// Reads another name that is typed for the scenario in front, which may keep its own.
    ///
    /// # Errors
    /// If it cannot have that name, with the remedy.
    pub(crate) fn other_name(&self, text: &str) -> Result<String, NameError> {
        OtherScenarios::check_name(text, self.other_scenarios.others())
    }

    /// Adds a copy of the scenario in front under a name of its own, and puts it in front.
    pub(crate) fn add_scenario(&mut self, name: String) {
        self.catch_up();
        let mut copy = self.scenario.clone();
        copy.set_name(name);
        self.nudge = None;
        self.other_scenarios.add(&mut self.scenario, copy);
        self.changes += 1;
    }

    pub(crate) fn rename_scenario(&mut self, name: String) {
        self.catch_up();
        self.other_scenarios.rename(&mut self.scenario, name);
        self.changes += 1;
    }

    /// Removes the scenario in front. Returns its name, or `None` if it is the only one.
    pub(crate) fn remove_scenario(&mut self) -> Option<Shown> {
        let removed = self.replace_scenario(OtherScenarios::remove)?;
        Some(title(&removed))
    }

    /// Compares the scenario in front with the one at a place; `None` is the snapshot.
    pub(crate) fn compare_with(&mut self, place: Option<usize>) {
        self.catch_up();
        let all: Vec<&Scenario> = self.other_scenarios.all(&self.scenario).collect();
        let other = place.and_then(|place| all.get(place).copied()).cloned();
        self.scenario.compare_with(other.as_ref());
        self.refresh();
    }

    /// Puts another scenario on the snapshot in front; the cursor, folds and marks stay where the nodes exist in both.
    pub(crate) fn replace_scenario<T>(
        &mut self,
        change: impl FnOnce(&mut OtherScenarios, &mut Scenario) -> T,
    ) -> T {
        self.catch_up();
        // What was nudged there is not gone on with here.
        self.nudge = None;
        let (tree, policy) = (self.scenario.tree().clone(), self.scenario.policy());
        let selected = self.selected();
        let answer = change(&mut self.other_scenarios, &mut self.scenario);
        let now = self.scenario.tree();
        let known = self.scenario.base().tree.id_count();
        let is_same = |&node: &NodeId| {
            node.index() < known || (node.index() < now.id_count() && is_alike(&tree, now, node))
        };
        let nodes = (0..tree.id_count()).map(NodeId::from_index);
        let counterparts: Vec<_> = nodes.map(|node| Some(node).filter(is_same)).collect();
        self.follow_tree(&counterparts);
        if self.scenario.policy() != policy {
            self.fit_to_policy();
        }
        let stays = counterparts[selected.index()].is_some();
        self.select_again(if stays { selected } else { NodeId::ROOT });
        answer
    }
}

/// Returns whether an added node has the same name and account in two trees.
fn is_alike(one: &Tree, other: &Tree, node: NodeId) -> bool {
    one.name(node) == other.name(node) && one.parent(node) == other.parent(node)
}
