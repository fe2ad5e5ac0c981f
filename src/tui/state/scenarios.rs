//! The scenarios of a tree: changes of the one in front, its history, and the others.
//!
//! Another policy or setting changes every number of a tree, which takes up to a second for a million nodes. Such a change
//! of a large tree is made on a copy of the scenario, which shares every column with the one on the screen and replaces
//! it when its numbers are computed. An action that needs the change earlier waits for the numbers.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{NodeId, Scheduler, Tree};
use crate::report::outline::Outline;
use crate::rules::policy::Policy;
use crate::scenario::{Entry, NameError, OtherScenarios, RejectedEdit, Scenario};
use crate::tui::state::pending::{PendingChange, Scope};
use crate::tui::state::screen::Screen;
use crate::tui::state::session::Session;

/// The number of nodes up to which numbers are computed at once.
pub(crate) const AT_ONCE: usize = 50_000;

/// The name of the first scenario until it is given one.
const FIRST: &str = "scenario 1";

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
            self.follow_change(before, scope);
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

    pub(crate) fn show_changed(&mut self, scenario: Scenario, scope: Scope) {
        let before = self.scenario.policy();
        self.scenario = scenario;
        self.follow_change(before, scope);
    }

    /// Fits the screen to a change of the scenario; `before` is the policy before it.
    fn follow_change(&mut self, before: Policy, scope: Scope) {
        if self.scenario.policy() != before {
            self.fit_to_policy();
        }
        match scope {
            Scope::Policy => self.changes += 1,
            Scope::Nodes | Scope::Settings => self.note_changed_tree(),
        }
        self.change_outline(Outline::rebuild);
    }

    /// Makes a policy the current one.
    pub fn choose_policy(&mut self, policy: Policy) {
        self.change(Scope::Policy, |scenario| scenario.choose_policy(policy));
    }

    /// Returns the settings that can be changed here: those of the current policy, and on the Time screen those of
    /// decay before them.
    pub(crate) fn setting_keys(&self) -> Vec<&'static str> {
        let decay = if self.screen == Screen::Time {
            decay_keys(self.scenario.settings().scheduler)
        } else {
            &[]
        };
        [decay, self.scenario.policy().setting_keys()].concat()
    }
}

/// Returns the scheduler's settings of decay, the most important first.
const fn decay_keys(scheduler: Option<Scheduler>) -> &'static [&'static str] {
    match scheduler {
        Some(Scheduler::Pbs) => &["fairshare_decay_time", "fairshare_decay_factor"],
        Some(Scheduler::Slurm) => &[
            "PriorityDecayHalfLife",
            "PriorityUsageResetPeriod",
            "PriorityCalcPeriod",
        ],
        Some(Scheduler::Flux) => &[
            "priority_decay_half_life",
            "decay_factor",
            "priority_usage_reset_period",
        ],
        None => &["PriorityDecayHalfLife"],
    }
}

pub(crate) fn title(scenario: &Scenario) -> Shown {
    let name = scenario.name();
    shown(if name.is_empty() { FIRST } else { name }.as_bytes())
}

impl Session {
    /// Returns all scenarios on this tree, with every change, in their order.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.other_scenarios.all(self.latest())
    }

    pub(crate) fn bring(&mut self, place: usize) {
        self.replace_scenario(|other_scenarios, front| other_scenarios.bring(front, place));
    }

    /// Reads a name that is typed for a new scenario.
    pub(crate) fn new_name(&self, text: &str) -> Result<String, NameError> {
        OtherScenarios::check_name(text, self.other_scenarios.all(&self.scenario))
    }

    /// Reads another name that is typed for the scenario in front, which may keep its own.
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
        self.select_or_clamp(if stays { selected } else { NodeId::ROOT });
        answer
    }
}

fn is_alike(one: &Tree, other: &Tree, node: NodeId) -> bool {
    one.name(node) == other.name(node) && one.parent(node) == other.parent(node)
}

/// Returns the edit that leads to the state after so many edits, or `None` for the snapshot itself.
pub(crate) fn entry(session: &Session, state: usize) -> Option<&Entry> {
    let history = session.scenario.history();
    let (done, undone) = (history.done(), history.undone());
    let place = state.checked_sub(1)?;
    done.get(place).or_else(|| {
        // What was undone last comes first.
        let place = place.checked_sub(done.len())?;
        undone.iter().rev().nth(place)
    })
}

/// Returns the rejected edit in a row below all states, or `None` in a row of a state.
pub(crate) fn rejected(session: &Session, row: usize) -> Option<&RejectedEdit> {
    let place = row.checked_sub(last_state(session) + 1)?;
    session.scenario.rejected().get(place)
}

pub(crate) fn last_row(session: &Session) -> usize {
    last_state(session) + session.scenario.rejected().len()
}

fn last_state(session: &Session) -> usize {
    let history = session.scenario.history();
    history.done().len() + history.undone().len()
}

/// Returns an edit in one line: of several parts the first, and the number of the others.
pub(crate) fn edit_title(text: &str) -> Shown {
    let mut lines = text.lines();
    let first = shown_text(lines.next().unwrap_or_default().as_bytes());
    match lines.count() {
        0 => first,
        more => sentence!("{first} and {}", counted(more, "more", "more")),
    }
}
