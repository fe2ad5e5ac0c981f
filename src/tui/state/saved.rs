//! The scenarios of a tree as the text of a file, and whether a file holds them.

use crate::base::save::Fingerprint;
use crate::source::format::native::write_scenarios;
use crate::source::format::{SavedScenario, is_example};
use crate::source::opened::saved;
use crate::tui::state::lesson::OpenLesson;
use crate::tui::state::scenario_file::{ScenarioFile, versions};
use crate::tui::state::session::Session;
use std::path::{Path, PathBuf};

impl Session {
    /// Returns the file that the scenarios were saved to or opened from.
    #[must_use]
    pub fn scenario_path(&self) -> Option<&Path> {
        self.file.path.as_deref()
    }

    /// Returns whether closing would lose edits.
    #[must_use]
    pub fn has_unsaved_edits(&self) -> bool {
        // What a lesson did can be done again.
        let is_of_lesson = |lesson: &OpenLesson| lesson.changes == self.changes;
        self.has_edits()
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

    /// Returns whether any scenario has edits.
    pub(crate) fn has_edits(&self) -> bool {
        self.scenarios()
            .any(|scenario| !scenario.history().is_untouched() || !scenario.rejected().is_empty())
    }

    /// Returns the scenarios as a file for `path`; relative paths are seen from `folder`.
    #[must_use]
    pub fn scenario_text(&self, path: &Path, folder: &Path) -> String {
        let from_folder = |path: &Path| {
            if is_example(path) {
                path.to_owned()
            } else {
                folder.join(path)
            }
        };
        let mut reference = self.reference.clone();
        let request = &mut reference.request;
        request.path = from_folder(&request.path);
        request.more = request.more.iter().map(|path| from_folder(path)).collect();
        request.config = request.config.as_deref().map(from_folder);
        request.usage = request.usage.as_deref().map(from_folder);
        request.sched_config = request.sched_config.as_deref().map(from_folder);
        request.jobs = request.jobs.as_deref().map(from_folder);
        // A live tree is another one each time.
        let tree_state = request.live.is_none().then(|| {
            let tree = &self.scenario.base().tree;
            *self.file.tree_state.get_or_init(|| tree.state_hash())
        });
        let scenarios: Vec<SavedScenario> = self.scenarios().map(saved).collect();
        write_scenarios(
            &from_folder(path),
            &reference,
            tree_state,
            &scenarios,
            self.other_scenarios.place(),
        )
    }

    /// Returns the scenarios as a file for any place.
    pub(crate) fn draft_text(&self, folder: &Path) -> String {
        // From a folder reached by climbing no way leads back, so paths are written from the root.
        self.scenario_text(Path::new("../draft"), folder)
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
