//! The scenarios of a tree: changes of the one in front, its history, and the others.
//!
//! Another policy or setting changes every number of a tree, which takes up to a second for a million nodes. Such a change
//! of a large tree is made on a copy of the scenario, which shares every column with the one on the screen and replaces
//! it when its numbers are computed. An action that needs the change earlier waits for the numbers.

use crate::base::number::counted;
use crate::base::save::Fingerprint;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::format::is_example;
use crate::model::{NodeId, Scheduler, Settings};
use crate::open::opened::saved;
use crate::report::lint::formula_faults;
use crate::report::outline::Outline;
use crate::report::words::impact::effect;
use crate::rules::policy::Policy;
use crate::scenario::{Entry, OtherScenarios, RejectedEdit, Scenario};
use crate::tui::state::session::versions;
use crate::tui::state::{
    News, OpenLesson, PendingChange, Scope, Screen, Session, Told, UnwrittenScenarios,
};
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
        let changed = self.pending.changed.as_ref();
        changed.map_or(&self.scenario, |changed| &changed.scenario)
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
            self.tell_again();
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
        let name = OtherScenarios::check_name(text, self.other_scenarios.all(&self.scenario));
        name.map_err(|error| Shown::error(&error))
    }

    /// Reads another name that is typed for the scenario in front, which may keep its own.
    pub(crate) fn other_name(&self, text: &str) -> Result<String, Shown> {
        let name = OtherScenarios::check_name(text, self.other_scenarios.others());
        name.map_err(|error| Shown::error(&error))
    }

    /// Puts another scenario on the snapshot in front; the cursor, folds and marks stay where the nodes exist in both.
    pub(crate) fn replace_scenario<T>(
        &mut self,
        change: impl FnOnce(&mut OtherScenarios, &mut Scenario) -> T,
    ) -> T {
        self.catch_up();
        // What was nudged there is not gone on with here.
        self.scenario.end_nudges();
        let (tree, policy) = (self.scenario.tree().clone(), self.scenario.policy());
        let selected = self.selected();
        let answer = change(&mut self.other_scenarios, &mut self.scenario);
        let now = self.scenario.tree();
        let known = self.scenario.base().tree.id_count();
        // The nodes of the snapshot are the same in all scenarios. An added one may have another name or account.
        let is_same = |&node: &NodeId| {
            let is_alike =
                || (tree.name(node), tree.parent(node)) == (now.name(node), now.parent(node));
            node.index() < known || (node.index() < now.id_count() && is_alike())
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

    /// Returns the file that the scenarios were saved to or opened from.
    pub(crate) fn scenario_path(&self) -> Option<&Path> {
        self.file.path.as_deref()
    }

    /// Returns whether closing would lose edits. A clock that was only moved is no loss.
    pub fn has_unsaved_edits(&self) -> bool {
        // What a lesson did can be done again.
        let is_of_lesson = |lesson: &OpenLesson| lesson.changes == self.changes;
        let is_edited = |scenario: &Scenario| {
            scenario.mark_before_waiting() != 0 || !scenario.rejected().is_empty()
        };
        self.scenarios().any(is_edited)
            && !self.lesson.as_ref().is_some_and(is_of_lesson)
            && self.file.versions.as_ref() != Some(&versions(self.scenarios()))
    }

    pub(crate) fn has_edits(&self) -> bool {
        self.scenarios()
            .any(|scenario| !scenario.history().is_untouched() || !scenario.rejected().is_empty())
    }

    /// Returns the scenarios as a file for `path`; relative paths are seen from `folder`.
    pub fn scenario_text(&self, path: &Path, folder: &Path) -> String {
        self.unwritten(path, folder).write()
    }

    fn unwritten(&self, path: &Path, folder: &Path) -> UnwrittenScenarios {
        let from_folder = |path: &Path| {
            if is_example(path) {
                path.to_owned()
            } else {
                folder.join(path)
            }
        };
        let mut reference = self.source.reference.clone();
        let request = &mut reference.request;
        for path in request.source.paths_mut() {
            *path = from_folder(path);
        }
        for path in request.beside.given_mut() {
            *path = from_folder(path);
        }
        UnwrittenScenarios {
            path: from_folder(path),
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
        let under_way = self.file.under_way.as_ref();
        under_way.is_some_and(|(under_way, _)| under_way == path)
    }

    /// Notes that a file holds what was to be written.
    pub(crate) fn note_saved(&mut self, path: PathBuf, seen: Option<Fingerprint>) {
        self.changes += 1;
        let written = self.file.under_way.take();
        self.file.versions = written.map(|(_, marks)| marks);
        self.file.path = Some(path);
        self.file.seen = seen;
    }
}

pub(crate) fn title(scenario: &Scenario) -> Shown {
    let name = scenario.name();
    shown(if name.is_empty() { FIRST } else { name }.as_bytes())
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
        let mut done = news.done.clone();
        let mut moved = None;
        let mut joint = ": ";
        if !self.is_behind() {
            let before = news.before.as_ref();
            moved = before.map(|before| effect(&before.effect(&self.scenario)));
            let fault = if news.sets_formula {
                formula_faults(&self.report()).into_iter().next()
            } else {
                None
            };
            if let Some(fault) = fault {
                // The fault names the setting, too, and is a sentence of its own.
                done = fault.message;
                joint = "; ";
            }
        }
        let undo = news.undo.as_ref();
        let undo = undo.map(|key| sentence!("{key} takes it back"));
        let begin = Shown::joined([Some(done), moved].into_iter().flatten(), joint);
        let sentence = Shown::joined([Some(begin), undo].into_iter().flatten(), "; ");
        let revision = self.revision;
        self.told = Some(Told {
            revision,
            sentence,
            news,
        });
    }

    /// Tells the last edit again, now that its numbers are known.
    pub(crate) fn tell_again(&mut self) {
        if let Some(told) = self.told.take() {
            self.tell(told.news);
        }
    }

    /// Returns a sentence for the rules of the chosen columns that have no rank for some users.
    pub(crate) fn blank_cells(&self) -> Vec<Shown> {
        let chosen = self.columns.chosen.as_deref();
        let chosen = chosen.unwrap_or_default();
        self.report().unranked_elsewhere(chosen)
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
