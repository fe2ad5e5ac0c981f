//! The scenarios of a tree as the text of a file, and whether a file holds them.

use crate::base::save::Fingerprint;
use crate::format::native::{Reference, write_scenarios};
use crate::format::{SavedScenario, is_example};
use crate::model::Snapshot;
use crate::open::opened::saved;
use crate::scenario::Scenario;
use crate::tui::state::lesson::OpenLesson;
use crate::tui::state::scenario_file::{ScenarioFile, versions};
use crate::tui::state::session::Session;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The scenarios of a tree before they are written as a file, which takes up to a second for a large tree or many edits.
#[derive(Clone, Debug)]
pub(crate) struct UnwrittenScenarios {
    path: PathBuf,
    reference: Reference,
    base: Arc<Snapshot>,
    tree_state: Arc<OnceLock<u64>>,
    scenarios: Vec<SavedScenario>,
    front: usize,
}

impl UnwrittenScenarios {
    pub(crate) fn write(&self) -> String {
        // A live tree is another one each time.
        let is_file = self.reference.request.live.is_none();
        let tree_state = is_file.then(|| {
            let hash = || self.base.tree.state_hash();
            *self.tree_state.get_or_init(hash)
        });
        write_scenarios(
            &self.path,
            &self.reference,
            tree_state,
            &self.scenarios,
            self.front,
        )
    }
}

impl Session {
    /// Returns the file that the scenarios were saved to or opened from.
    pub fn scenario_path(&self) -> Option<&Path> {
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

    /// Returns the number of edits of all scenarios, rejected ones included.
    pub(crate) fn edit_count(&self) -> usize {
        let scenarios = self.scenarios();
        scenarios
            .map(|scenario| scenario.history().done().len() + scenario.rejected().len())
            .sum()
    }

    pub(crate) fn has_edits(&self) -> bool {
        self.scenarios()
            .any(|scenario| !scenario.history().is_untouched() || !scenario.rejected().is_empty())
    }

    /// Returns the scenarios as a file for `path`; relative paths are seen from `folder`.
    pub fn scenario_text(&self, path: &Path, folder: &Path) -> String {
        self.unwritten(path, folder).write()
    }

    /// Returns what a file for `path` will hold; relative paths are seen from `folder`.
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
        request.path = from_folder(&request.path);
        request.more = request.more.iter().map(|path| from_folder(path)).collect();
        request.config = request.config.as_deref().map(from_folder);
        request.usage = request.usage.as_deref().map(from_folder);
        request.sched_config = request.sched_config.as_deref().map(from_folder);
        request.jobs = request.jobs.as_deref().map(from_folder);
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

    /// Notes that no file that the user knows of holds the edits.
    pub(crate) fn note_unsaved(&mut self) {
        self.file = ScenarioFile::default();
        self.changes += 1;
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
