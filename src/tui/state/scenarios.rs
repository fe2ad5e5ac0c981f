//! The scenarios of a tree: changes of the one in front, its history, and the others.
//!
//! Another policy or setting changes every number of a tree, which takes up to a second for a million nodes. Such a change
//! of a large tree is made on a copy of the scenario, which shares every column with the one on the screen and replaces
//! it when its numbers are computed. An action that needs the change earlier waits for the numbers.

use super::session::versions;
use super::{News, PendingChange, Scope, Screen, Session, Told, UnwrittenScenarios};
use crate::base::fingerprint::Fingerprint;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::format::is_example;
use crate::model::{NodeId, Scheduler, Settings, Tree};
use crate::open::opened::saved;
use crate::report::lint::formula_faults;
use crate::report::outline::Outline;
use crate::report::words::impact::effect;
use crate::rules::policy::Policy;
use crate::scenario::{Entry, OtherScenarios, RejectedEdit, Scenario};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    pub(crate) fn latest(&self) -> &Scenario {
        match &self.pending.changed {
            Some(changed) => &changed.scenario,
            None => &self.scenario,
        }
    }

    /// Changes the scenario: at once, or on a copy while the numbers of a large tree are computed.
    pub(crate) fn change<T>(&mut self, scope: Scope, change: impl FnOnce(&mut Scenario) -> T) -> T {
        self.told = None;
        let is_small = self.scenario.tree().node_count() <= AT_ONCE;
        if is_small || (scope == Scope::Nodes && !self.is_behind()) {
            let before = self.scenario.policy();
            let answer = change(&mut self.scenario);
            self.follow_change(before, scope);
            return answer;
        }
        let mut pending = match self.pending.changed.take() {
            Some(pending) => pending,
            None => PendingChange {
                scenario: self.scenario.clone(),
                scope,
                is_asked: false,
            },
        };
        let answer = change(&mut pending.scenario);
        pending.scope = pending.scope.max(scope);
        pending.is_asked = false;
        self.pending.changed = Some(pending);
        // What is kept for a crash is what was meant.
        self.changes += 1;
        answer
    }

    /// Shows every change at once: the next drawing computes the numbers.
    pub(crate) fn catch_up(&mut self) {
        if let Some(changed) = self.pending.changed.take() {
            self.show_changed(changed.scenario, changed.scope);
            self.tell_again();
        }
    }

    /// Shows a changed scenario instead of the one on the screen.
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

    /// Ranks the tree by a policy, as the user chose it.
    pub(crate) fn choose_policy(&mut self, policy: Policy) {
        self.change(Scope::Policy, |scenario| scenario.choose_policy(policy));
    }

    /// Returns the settings that have keys for their steps: those of the policy, and on the Time screen those of decay
    /// before them.
    pub(crate) fn stepped_keys(&self) -> Vec<&'static str> {
        let scheduler = self.scenario.settings().scheduler;
        // The most important first.
        let decay: &[&str] = match scheduler {
            _ if self.screen != Screen::Time => &[],
            None => &["PriorityDecayHalfLife"],
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
        };
        [decay, self.latest().policy().setting_keys()].concat()
    }

    /// Returns the settings of the tree, those that have steps first.
    pub(crate) fn setting_keys(&self) -> Vec<&'static str> {
        let mut keys = self.stepped_keys();
        let mut of_tree = match self.scenario.settings().scheduler {
            Some(scheduler) => Settings::keys_of(scheduler).collect(),
            None => vec!["PriorityDecayHalfLife"],
        };
        of_tree.retain(|key| !keys.contains(key));
        keys.extend(of_tree);
        keys
    }

    /// Returns all scenarios on this tree, with every change, in their order.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.other_scenarios.all(self.latest())
    }

    /// Reads a name that is typed for a new scenario.
    pub(crate) fn new_name(&self, text: &str) -> Result<String, Shown> {
        let taken = self.other_scenarios.all(&self.scenario);
        match OtherScenarios::check_name(text, taken) {
            Ok(name) => Ok(name),
            Err(error) => Err(Shown::error(&error)),
        }
    }

    /// Reads another name that is typed for the scenario in front, which may keep its own.
    pub(crate) fn other_name(&self, text: &str) -> Result<String, Shown> {
        let taken = self.other_scenarios.others();
        match OtherScenarios::check_name(text, taken) {
            Ok(name) => Ok(name),
            Err(error) => Err(Shown::error(&error)),
        }
    }

    /// Puts another scenario on the snapshot in front; the cursor, folds and marks stay where the nodes exist in both.
    pub(crate) fn replace_scenario<T>(
        &mut self,
        change: impl FnOnce(&mut OtherScenarios, &mut Scenario) -> T,
    ) -> T {
        self.catch_up();
        // What was nudged there is not gone on with here.
        self.scenario.end_nudges();
        let before = self.scenario.tree().clone();
        let policy = self.scenario.policy();
        let selected = self.selected();
        let answer = change(&mut self.other_scenarios, &mut self.scenario);
        let counterparts = self.counterparts_of(&before);
        self.follow_tree(&counterparts);
        if self.scenario.policy() != policy {
            self.fit_to_policy();
        }
        let counterpart = counterparts[selected.index()];
        self.select_or_clamp(counterpart.unwrap_or(NodeId::ROOT));
        answer
    }

    /// Returns the nodes of another scenario on the same snapshot that this one has too, each by its number.
    fn counterparts_of(&self, before: &Tree) -> Vec<Option<NodeId>> {
        let now = self.scenario.tree();
        let known = self.scenario.base().tree.id_count();
        let mut counterparts = Vec::new();
        for index in 0..before.id_count() {
            let node = NodeId::from_index(index);
            // The nodes of the snapshot are the same in all scenarios. An added one may have another name or account.
            let mut is_same = index < known;
            if !is_same && index < now.id_count() {
                let has_same_name = before.name(node) == now.name(node);
                is_same = has_same_name && before.parent(node) == now.parent(node);
            }
            counterparts.push(is_same.then_some(node));
        }
        counterparts
    }

    /// Returns the file that the scenarios were saved to or opened from.
    pub(crate) fn scenario_path(&self) -> Option<&Path> {
        self.file.path.as_deref()
    }

    /// Returns whether closing would lose edits. A clock that was only moved is no loss.
    pub fn has_unsaved_edits(&self) -> bool {
        if let Some(lesson) = &self.lesson
            && lesson.changes == self.changes
        {
            // What a lesson did can be done again.
            return false;
        }
        let mut is_edited = false;
        for scenario in self.scenarios() {
            is_edited |= scenario.mark_before_waiting() != 0;
            is_edited |= !scenario.rejected().is_empty();
        }
        is_edited && self.file.versions.as_ref() != Some(&versions(self.scenarios()))
    }

    /// Returns whether a scenario of the tree has edits, rejected ones included.
    pub(crate) fn has_edits(&self) -> bool {
        for scenario in self.scenarios() {
            if !scenario.history().is_untouched() || !scenario.rejected().is_empty() {
                return true;
            }
        }
        false
    }

    /// Returns the scenarios as a file for `path`; relative paths are seen from `folder`.
    pub fn scenario_text(&self, path: &Path, folder: &Path) -> String {
        self.unwritten(path, folder).write()
    }

    /// Returns the scenarios before they are written; relative paths are seen from `folder`.
    fn unwritten(&self, path: &Path, folder: &Path) -> UnwrittenScenarios {
        let mut reference = self.source.reference.clone();
        let request = &mut reference.request;
        for source in request.source.paths_mut() {
            *source = from_folder(source, folder);
        }
        for beside in request.beside.given_mut() {
            *beside = from_folder(beside, folder);
        }
        UnwrittenScenarios {
            path: from_folder(path, folder),
            reference,
            base: self.scenario.shared_base(),
            tree_state: Arc::clone(&self.file.tree_state),
            scenarios: self.scenarios().map(saved).collect(),
            front: self.other_scenarios.place(),
        }
    }

    /// Returns what a file for any place will hold.
    pub(crate) fn draft(&self, folder: &Path) -> UnwrittenScenarios {
        // From a folder reached by climbing no way leads back, so paths are written from the root.
        self.unwritten(Path::new("../draft"), folder)
    }

    /// Returns whether its edits are to be written to this file, and nothing is known of the end of that.
    pub(crate) fn is_writing(&self, path: &Path) -> bool {
        match &self.file.under_way {
            Some((under_way, _)) => under_way == path,
            None => false,
        }
    }

    /// Notes that a file holds what was to be written.
    pub(crate) fn note_saved(&mut self, path: PathBuf, seen: Option<Fingerprint>) {
        self.changes += 1;
        let written = self.file.under_way.take();
        self.file.versions = written.map(|(_, versions)| versions);
        self.file.path = Some(path);
        self.file.seen = seen;
    }
}

/// Returns a path as it is seen from a folder. Built-in trees are in none.
fn from_folder(path: &Path, folder: &Path) -> PathBuf {
    if is_example(path) {
        path.to_owned()
    } else {
        folder.join(path)
    }
}

/// Returns the name of a scenario, or the one that the first has until it is given one.
pub(crate) fn title(scenario: &Scenario) -> Shown {
    match scenario.name() {
        "" => FIRST.into(),
        name => shown(name.as_bytes()),
    }
}

/// Returns what leads to the state after so many entries, or `None` for the snapshot itself.
pub(crate) fn entry(session: &Session, state: usize) -> Option<&Entry> {
    let history = session.scenario.history();
    // What was undone last comes first.
    let mut entries = history.done().iter().chain(history.undone().iter().rev());
    entries.nth(state.checked_sub(1)?)
}

/// Returns the rejected edit in a row below all states, or `None` in a row of a state.
pub(crate) fn rejected(session: &Session, row: usize) -> Option<&RejectedEdit> {
    let place = row.checked_sub(last_state(session) + 1)?;
    session.scenario.rejected().get(place)
}

/// Returns the last row of the edit history: that of the last state, or of the last rejected edit below the states.
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

impl Session {
    /// Says what an edit did, until the next change. Ranks that are still computed are added once they are known.
    pub(crate) fn tell(&mut self, news: News) {
        let mut begin = news.done.clone();
        if !self.is_behind() {
            let mut joint = ": ";
            if let Some(fault) = self.fault_of(&news) {
                // The fault names the setting, too, and is a sentence of its own.
                begin = fault;
                joint = "; ";
            }
            if let Some(before) = &news.before {
                let moved = effect(&before.effect(&self.scenario));
                begin = sentence!("{begin}{joint}{moved}");
            }
        }
        let sentence = match &news.undo {
            Some(key) => sentence!("{begin}; {key} undoes it"),
            None => begin,
        };
        self.told = Some(Told {
            revision: self.revision,
            sentence,
            news,
        });
    }

    /// Returns what is wrong with the formula that an edit sets; `None` if it sets none or all is well.
    fn fault_of(&self, news: &News) -> Option<Shown> {
        if !news.sets_formula {
            return None;
        }
        let fault = formula_faults(&self.report()).into_iter().next()?;
        Some(fault.message)
    }

    /// Tells the last edit again, now that its numbers are known.
    pub(crate) fn tell_again(&mut self) {
        if let Some(told) = self.told.take() {
            self.tell(told.news);
        }
    }

    /// Returns a sentence for the rules of the chosen columns that have no rank for some users.
    pub(crate) fn blank_cells(&self) -> Vec<Shown> {
        match &self.columns.chosen {
            Some(chosen) => self.report().unranked_elsewhere(chosen),
            None => self.report().unranked_elsewhere(&[]),
        }
    }

    /// Says which users have blank cells in the chosen columns, behind the caption and until the next change.
    pub(crate) fn tell_blank_cells(&mut self) {
        let mut told = self.blank_cells();
        if !told.is_empty() {
            told.splice(0..0, self.caption());
            self.tell(News::plain(Shown::joined(told, "; ")));
        }
    }
}
